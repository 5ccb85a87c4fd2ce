package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// readFile reads a file of the workspace, following no link out of it. The
// file is never nil; it is empty when there are faults.
func readFile(dir *os.Root, name string) (*diag.File, diag.List) {
	empty := diag.NewFile(name, nil)
	fault := func(format string, args ...any) (*diag.File, diag.List) {
		return empty, diag.List{diag.Errorf(diag.Span{File: empty}, "file", format, args...)}
	}
	// Stat first: opening a named pipe would wait for its writer.
	info, err := dir.Stat(name)
	switch {
	case err != nil && isLink(dir, name):
		d := diag.Errorf(diag.Span{File: empty}, "file", "this link leads out of the workspace, or to nothing")
		return empty, diag.List{d.WithHint("replace the link by the file")}
	case err != nil:
		return fault("the file cannot be read: %s", cause(err))
	case info.IsDir():
		return fault("this is a directory, not a file")
	case !info.Mode().IsRegular():
		return fault("this is not a regular file")
	case info.Size() > MaxFileSize:
		return fault("the file is too large: %d bytes, %d are allowed", info.Size(), MaxFileSize)
	}
	f, err := dir.Open(name)
	if err != nil {
		return fault("the file cannot be read: %s", cause(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxFileSize+1))
	if err != nil {
		return fault("the file cannot be read: %s", cause(err))
	}
	if len(data) > MaxFileSize {
		return fault("the file is too large: over %d bytes", MaxFileSize)
	}
	return diag.NewFile(name, data), nil
}

func isLink(dir *os.Root, name string) bool {
	info, err := dir.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// cause strips what an error of the file system says about the call and the path.
func cause(err error) string {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err.Error()
	}
	return err.Error()
}
