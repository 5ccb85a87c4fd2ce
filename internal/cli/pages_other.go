//go:build !linux

package cli

func largePages() {}
