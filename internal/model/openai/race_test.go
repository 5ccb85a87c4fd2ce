//go:build race

package openai

// stride is how far the places at which a stream is split stand apart: the race
// detector makes each of them ten times as slow.
const stride = 23
