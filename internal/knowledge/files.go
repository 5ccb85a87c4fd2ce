package knowledge

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// maxFile is the size in bytes above which a file is not indexed.
const maxFile = 1 << 20

// A file is a Markdown file of a base as the directory shows it.
type file struct {
	name    string // relative to the workspace, with slashes
	size    int64
	changed int64 // time of the last change, in nanoseconds since 1970
}

// list returns the Markdown files of the bases, sorted by name, and what
// cannot be indexed among them. Hidden files and directories are passed over.
// A link to a file inside the workspace is that file; links that lead out of
// it and links to directories are not followed.
func (x *Index) list(ctx context.Context) ([]file, []Problem, error) {
	l := lister{ctx: ctx, root: x.root}
	for _, base := range x.bases {
		dir := path.Join("knowledge", base)
		info, err := x.root.Stat(filepath.FromSlash(dir))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			l.report(dir, "the knowledge base does not exist")
			continue
		case err != nil:
			l.report(dir, "the knowledge base cannot be read: "+plain(err).Error())
			continue
		case !info.IsDir():
			l.report(dir, "the knowledge base is no directory")
			continue
		}
		if err := l.directory(dir); err != nil {
			return nil, nil, err
		}
	}
	l.inspect()
	slices.SortFunc(l.files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	// One base may lie inside another.
	l.files = slices.CompactFunc(l.files, func(a, b file) bool { return a.name == b.name })
	return l.files, l.problems, nil
}

type lister struct {
	ctx      context.Context
	root     *os.Root
	found    []found
	files    []file
	problems []Problem
}

// A found entry may be a Markdown file.
type found struct {
	name  string
	entry fs.DirEntry
	info  fs.FileInfo
	err   error
}

func (l *lister) report(name, message string) {
	l.problems = append(l.problems, Problem{File: strings.ToValidUTF8(name, "\ufffd"), Message: message})
}

// directory collects what is to be looked at below dir.
func (l *lister) directory(dir string) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(l.root.Name(), filepath.FromSlash(dir)))
	if err != nil {
		l.report(dir, "the directory cannot be read: "+plain(err).Error())
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		name := dir + "/" + e.Name()
		switch link := e.Type()&fs.ModeSymlink != 0; {
		case e.IsDir():
			if err := l.directory(name); err != nil {
				return err
			}
		case link, e.Type().IsRegular() && strings.HasSuffix(name, ".md"):
			l.found = append(l.found, found{name: name, entry: e})
		}
	}
	return nil
}

// inspect asks for size and time of what was found, which is most of the cost
// of a list, on all processors, and sorts it into files and problems.
func (l *lister) inspect() {
	const share = 128
	var running sync.WaitGroup
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	for part := range slices.Chunk(l.found, share) {
		limit <- struct{}{}
		running.Go(func() {
			defer func() { <-limit }()
			for i := range part {
				f := &part[i]
				if f.entry.Type()&fs.ModeSymlink != 0 {
					f.info, f.err = l.root.Stat(filepath.FromSlash(f.name))
				} else {
					f.info, f.err = f.entry.Info()
				}
			}
		})
	}
	running.Wait()

	for _, f := range l.found {
		link := f.entry.Type()&fs.ModeSymlink != 0
		markdown := strings.HasSuffix(f.name, ".md")
		switch {
		case link && f.err == nil && f.info.IsDir():
			l.report(f.name, "links to directories are not followed")
		case !markdown:
		case link && f.err != nil:
			l.report(f.name, "the link leads out of the workspace or nowhere")
		case errors.Is(f.err, fs.ErrNotExist): // gone meanwhile
		case f.err != nil:
			l.report(f.name, "the file cannot be read: "+plain(f.err).Error())
		case !f.info.Mode().IsRegular():
			l.report(f.name, "this is no regular file")
		case !utf8.ValidString(f.name):
			l.report(f.name, "the file's name is not UTF-8")
		case f.info.Size() > maxFile:
			l.report(f.name, "the file is larger than 1 MiB")
		default:
			l.files = append(l.files, file{name: f.name, size: f.info.Size(), changed: f.info.ModTime().UnixNano()})
		}
	}
}

// fingerprint sums up the list: what has the same fingerprint need not be
// looked at again.
func fingerprint(files []file) [sha256.Size]byte {
	buf := make([]byte, 0, 1<<16)
	sum := sha256.New()
	for _, f := range files {
		buf = append(append(buf, f.name...), 0)
		buf = binary.LittleEndian.AppendUint64(buf, uint64(f.size))
		buf = binary.LittleEndian.AppendUint64(buf, uint64(f.changed))
		if len(buf) > 1<<15 {
			sum.Write(buf)
			buf = buf[:0]
		}
	}
	sum.Write(buf)
	return [sha256.Size]byte(sum.Sum(nil))
}

var errTooLarge = errors.New("the file is larger than 1 MiB")

// read returns the content of a listed file.
func (x *Index) read(name string) ([]byte, error) {
	f, err := x.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = errTooLarge
	}
	return data, err
}

// baseOf returns the base that a file belongs to: the innermost, where one
// lies inside another.
func (x *Index) baseOf(name string) string {
	base := ""
	for _, b := range x.bases {
		if len(b) > len(base) && strings.HasPrefix(name, "knowledge/"+path.Clean(filepath.ToSlash(b))+"/") {
			base = b
		}
	}
	return base
}
