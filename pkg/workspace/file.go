package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// readFile reads a file of the workspace, following no link out of it. The
// file is never nil; it is empty when there are faults.
func readFile(dir *os.Root, name string) (*diag.File, diag.List) {
	empty := diag.NewFile(name, nil)
	fault := func(format string, args ...any) (*diag.File, diag.List) {
		return empty, diag.List{diag.Errorf(diag.Span{File: empty}, "file", format, args...)}
	}
	// Without O_NONBLOCK opening a named pipe would wait for its writer.
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil && isLink(dir, name) {
		d := diag.Errorf(diag.Span{File: empty}, "file", "this link leads out of the workspace, or to nothing")
		return empty, diag.List{d.WithHint("replace the link by the file")}
	}
	if err != nil {
		if info, serr := dir.Stat(name); serr == nil && info.Mode()&fs.ModeSocket != 0 {
			return fault("this is not a regular file")
		}
		return fault("the file cannot be read: %s", cause(err))
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return fault("the file cannot be read: %s", cause(err))
	case info.IsDir():
		return fault("this is a directory, not a file")
	case !info.Mode().IsRegular():
		return fault("this is not a regular file")
	case info.Size() > MaxFileSize:
		return fault("the file is too large: %d bytes, %d are allowed", info.Size(), MaxFileSize)
	}
	// One byte more than there is: a read that ends before it has seen the end.
	data := make([]byte, info.Size()+1)
	n, err := f.Read(data)
	if int64(n) != info.Size() || err != nil {
		rest, failed := io.ReadAll(io.LimitReader(f, int64(MaxFileSize+1-n)))
		data, n, err = append(data[:n], rest...), n+len(rest), failed
	}
	switch {
	case err != nil:
		return fault("the file cannot be read: %s", cause(err))
	case n > MaxFileSize: // it grew
		return fault("the file is too large: over %d bytes", MaxFileSize)
	}
	return diag.NewFile(name, data[:n:n]), nil
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
