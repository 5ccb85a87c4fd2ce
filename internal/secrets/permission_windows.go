package secrets

import "io/fs"

// exposed is never true: access is up to the lists of the user's profile.
func exposed(string, fs.FileInfo) (command string, yes bool) { return "", false }
