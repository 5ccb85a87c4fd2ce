package knowledge

import (
	"context"
	"math"
)

// A difference is what separates a database from the files.
type difference struct {
	removed []record
	files   []entry // in their order
	known   int     // how many files the database knows
	settled bool    // all files are, once it is applied
}

// An entry is one of the files now.
type entry struct {
	old    *record // what the database knows of it; nil: it is new
	digest *digest // nil: old holds as it is
}

// touched reports whether the content is the known one but more about the
// file is to be stored than is.
func (e entry) touched() bool {
	return e.digest != nil && e.digest.same && (e.old.file != e.digest.file || e.old.settled != e.digest.settled)
}

// changed reports whether the file is new or has other content.
func (e entry) changed() bool { return e.digest != nil && !e.digest.same }

// compare reads the files whose size or time differ from what base knows of
// them, or whose time could not be trusted.
func (x *Index) compare(ctx context.Context, base *database, u update) (difference, error) {
	known, err := base.records(ctx)
	if err != nil {
		return difference{}, err
	}
	d := difference{known: len(known), settled: true, files: make([]entry, len(u.files))}
	var jobs []job
	var at []int // the entries that the jobs are for
	for i, f := range u.files {
		for len(known) > 0 && known[0].name < f.name {
			d.removed = append(d.removed, known[0])
			known = known[1:]
		}
		if len(known) > 0 && known[0].name == f.name {
			d.files[i].old = &known[0]
			known = known[1:]
		}
		if old := d.files[i].old; old == nil || !old.settled || old.file != f {
			jobs = append(jobs, job{file: f, old: old})
			at = append(at, i)
		}
	}
	d.removed = append(d.removed, known...)
	err = x.digest(ctx, jobs, u.now, func(g digest) error {
		d.files[at[0]].digest = &g
		at = at[1:]
		d.settled = d.settled && g.settled
		return nil
	})
	return d, err
}

// none reports whether the database needs no change. A fingerprint it could
// have by now is a change.
func (d difference) none(base *database) bool {
	if d.content() || d.settled && len(base.fingerprint) == 0 {
		return false
	}
	for _, e := range d.files {
		if e.touched() {
			return false
		}
	}
	return true
}

// content reports whether a search could give something else.
func (d difference) content() bool {
	for _, e := range d.files {
		if e.changed() {
			return true
		}
	}
	return len(d.removed) > 0
}

// small reports whether amending base is better than making it anew.
func (d difference) small(base *database) bool {
	changed, kept, dropped := len(d.removed), int64(0), base.dropped
	for _, e := range d.files {
		switch {
		case e.changed():
			changed++
			if e.old != nil {
				dropped += e.old.count
			}
		case e.old != nil:
			kept += e.old.count
		}
	}
	return changed <= d.known/2 && dropped <= kept
}

// apply stores the difference.
func (w *writer) apply(d difference) error {
	for _, r := range d.removed {
		if err := w.remove(r); err != nil {
			return err
		}
	}
	// next[i] is the first rowid that known files after i have.
	next := make([]int64, len(d.files))
	bound := int64(math.MaxInt64)
	for i := len(d.files) - 1; i >= 0; i-- {
		next[i] = bound
		if old := d.files[i].old; old != nil {
			bound = old.start
		}
	}
	prev := int64(0)
	for i, e := range d.files {
		if e.changed() {
			count := int64(len(e.digest.rows))
			start, err := place(e.old, prev, next[i], count)
			if err != nil {
				return err
			}
			if e.old != nil {
				if err := w.remove(*e.old); err != nil {
					return err
				}
			}
			if err := w.insert(*e.digest, start); err != nil {
				return err
			}
			prev = start + count
			continue
		}
		if e.touched() {
			if err := w.touch(*e.digest); err != nil {
				return err
			}
		}
		prev = e.old.end()
	}
	return nil
}
