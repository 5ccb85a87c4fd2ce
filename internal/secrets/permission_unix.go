//go:build !windows

package secrets

import (
	"io/fs"
	"strings"
)

// exposed reports whether others than the owner may touch a file, and the
// command that ends it.
func exposed(path string, info fs.FileInfo) (command string, yes bool) {
	if info.Mode().Perm()&0o077 == 0 {
		return "", false
	}
	return "chmod 600 " + shellQuote(path), true
}

// shellQuote writes path as one word of a POSIX shell.
func shellQuote(path string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+,@%:="
	if path != "" && strings.Trim(path, plain) == "" && !strings.HasPrefix(path, "-") {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
