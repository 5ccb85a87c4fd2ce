package knowledge

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// settleTime is how old a change must be before its time tells it from a
// later one: file systems count in steps of up to two seconds.
const settleTime = 2 * time.Second

// A job is a file to be read; old is what is known of it, nil for nothing.
type job struct {
	file file
	old  *record
}

// A digest is what a file holds, ready to be stored.
type digest struct {
	file
	settled bool
	hash    [sha256.Size]byte
	same    bool // the content is the one known: problem, path and rows are not set
	problem string
	path    string // terms of the file's name
	rows    []row
}

type row struct{ heading, text, headingTerms, terms string }

// digest reads the files of the jobs on all processors and calls yield with
// what they hold, in the order of the jobs. At most a few dozen are in memory.
func (x *Index) digest(ctx context.Context, jobs []job, now time.Time, yield func(digest) error) error {
	type slot struct {
		job
		out chan digest
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()

	ordered, queue := make(chan *slot, 64), make(chan *slot, 64)
	running.Go(func() {
		defer close(queue)
		defer close(ordered)
		for _, j := range jobs {
			s := &slot{job: j, out: make(chan digest, 1)}
			select {
			case ordered <- s:
				queue <- s // the workers empty it to the end, whatever happens
			case <-ctx.Done():
				return
			}
		}
	})
	for range min(runtime.GOMAXPROCS(0), len(jobs)) {
		running.Go(func() {
			d := newDigester(x, now)
			for s := range queue {
				if ctx.Err() == nil {
					s.out <- d.digest(s.job)
				}
			}
		})
	}
	done := 0
	for s := range ordered {
		select {
		case d := <-s.out:
			if err := yield(d); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
		done++
		if x.options.Progress != nil {
			x.options.Progress(done, len(jobs))
		}
	}
	return ctx.Err()
}

// A digester serves one goroutine.
type digester struct {
	index   *Index
	now     time.Time
	reader  *reader
	stemmer *stemmer
	buf     []byte
}

func newDigester(x *Index, now time.Time) *digester {
	return &digester{index: x, now: now, reader: newReader(), stemmer: newStemmer()}
}

func (d *digester) digest(j job) digest {
	r := digest{file: j.file, settled: j.file.changed < d.now.Add(-settleTime).UnixNano()}
	data, err := d.index.read(j.file.name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errTooLarge):
		r.problem, r.settled = "the file changed while it was read", false
		return r
	case err != nil:
		r.problem, r.settled = "the file cannot be read: "+plain(err).Error(), false
		return r
	}
	r.hash = sha256.Sum256(data)
	if j.old != nil && j.old.hash == r.hash {
		r.same = true
		return r
	}
	if !utf8.Valid(data) {
		r.problem = "the file is not UTF-8"
		return r
	}
	r.path = d.terms(strings.TrimSuffix(strings.TrimPrefix(j.file.name, "knowledge/"), ".md"))
	heading, headingTerms := "", ""
	for _, p := range d.reader.read(data) {
		if p.heading != heading {
			heading, headingTerms = p.heading, d.terms(p.heading)
		}
		r.rows = append(r.rows, row{p.heading, p.text, headingTerms, d.terms(p.words)})
	}
	return r
}

func (d *digester) terms(text string) string {
	d.buf = d.stemmer.append(d.buf[:0], text)
	return string(d.buf)
}
