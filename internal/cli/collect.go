package cli

import (
	"os"
	"runtime"
	"runtime/debug"
)

// collectLate puts the first garbage collection off until the heap holds some
// 80 MiB: a run that is over before then, as a check of 1,000 tools is, needs
// none. From the second one on everything is as before. A GOGC that somebody
// has set stays. The function that it returns undoes it.
func collectLate(large bool) (undo func()) {
	const usual, first = 100, 2000 // percent; of 4 MiB where the heap is smaller
	before := debug.SetGCPercent(first)
	undo = func() { debug.SetGCPercent(before) }
	if before != usual {
		undo()
		return func() {}
	}
	if large {
		largePages()
	}
	gone := new([1]*byte)
	runtime.AddCleanup(gone, func(percent int) { debug.SetGCPercent(percent) }, before)
	return undo
}

// holdsMany reports whether a directory has more than a few hundred entries.
func holdsMany(dir string) bool {
	const many = 300
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	names, _ := f.Readdirnames(many)
	return len(names) == many
}
