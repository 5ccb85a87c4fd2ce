//go:build !race

package openai

// stride is how far the places at which a stream is split stand apart.
const stride = 1
