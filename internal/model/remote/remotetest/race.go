//go:build race

package remotetest

const stride = 23
