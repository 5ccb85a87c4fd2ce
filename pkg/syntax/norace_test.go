//go:build !race

package syntax

// slowdown is how much longer everything takes than in a plain test run.
const slowdown = 1
