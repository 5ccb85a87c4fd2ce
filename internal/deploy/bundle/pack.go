package bundle

import (
	"archive/tar"
	"bytes"
	"fmt"
	"slices"

	"github.com/klauspost/compress/gzip"
)

// level is part of the format: another one gives other bytes.
const level = 4

// Pack returns the files as one tar, compressed with gzip: the same bytes for the
// same files, in whatever order they come. They are refused where Unpack would
// refuse them.
func Pack(files []File) ([]byte, error) {
	files = slices.SortedFunc(slices.Values(files), byPath)
	if err := checkFiles(files); err != nil {
		return nil, err
	}
	total := 0
	for _, f := range files {
		total += len(f.Data)
	}
	var out bytes.Buffer
	out.Grow(total/3 + 4<<10)
	// The zero header of gzip has no time, no name and the system "unknown".
	packed, err := gzip.NewWriterLevel(&out, level)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(packed)
	for _, f := range files {
		// Neither times nor owners; the mode is that of any file.
		h := tar.Header{Typeflag: tar.TypeReg, Name: f.Path, Size: int64(len(f.Data)), Mode: 0o644}
		if err := w.WriteHeader(&h); err != nil {
			return nil, fmt.Errorf("%s cannot be packed: %w", printable(f.Path), err)
		}
		if _, err := w.Write(f.Data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := packed.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// checkFiles refuses what no layer may hold.
func checkFiles(files []File) error {
	var list []Refusal
	var seen names
	size := 0
	for _, f := range files {
		size += len(f.Data)
		if fault := seen.add(f.Path); fault != "" {
			list = append(list, Refusal{f.Path, 0, fault})
		} else if fault := runFault(f.Path); fault != "" {
			list = append(list, Refusal{f.Path, 0, fault})
		}
		if len(f.Data) > MaxFileSize {
			list = append(list, Refusal{f.Path, 0, fmt.Sprintf("the file has %d bytes (at most %d)", len(f.Data), MaxFileSize)})
		}
	}
	if len(files) > MaxFiles {
		list = append(list, Refusal{Reason: fmt.Sprintf("%d files (at most %d)", len(files), MaxFiles)})
	}
	if size > MaxSize {
		list = append(list, Refusal{Reason: fmt.Sprintf("the files have %d bytes together (at most %d)", size, MaxSize)})
	}
	return refused(list)
}
