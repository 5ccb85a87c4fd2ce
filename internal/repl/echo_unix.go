//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package repl

import "golang.org/x/sys/unix"

// hushed keeps the terminal from showing what is typed while something else is
// shown; what is typed is not lost. It returns the way back.
func hushed(fd int) (back func()) {
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return func() {}
	}
	silent := *before
	silent.Lflag &^= unix.ECHO
	if unix.IoctlSetTermios(fd, setTermios, &silent) != nil {
		return func() {}
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, before) }
}
