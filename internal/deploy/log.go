package deploy

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An action is what an entry of the log does to its environment.
const (
	actionPush  = "push"
	actionPoint = "point"
	actionUndo  = "undo"
)

const (
	shortDigest  = 12          // hexadecimal digits of a digest in a tag
	nonceLength  = 8           // hexadecimal digits that keep two writers' tags apart
	maxSequence  = int64(1e15) // the year 33658
	adoptedNonce = "00000000"  // of an entry made from a plain tag
	maxName      = 40          // of an environment
	digestPrefix = "sha256:"   // the only algorithm that is written and read
	hexDigits    = "0123456789abcdef"
)

// ValidEnvironment reports whether name may name an environment: lower-case
// letters and digits, with single - or _ between them, 40 characters at most.
func ValidEnvironment(name string) bool {
	if len(name) == 0 || len(name) > maxName {
		return false
	}
	separator := true // before the first character, and after - or _
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			separator = false
		case (c == '-' || c == '_') && !separator:
			separator = true
		default:
			return false
		}
	}
	return !separator
}

// place identifies an entry within the log of its environment.
type place struct {
	sequence int64 // milliseconds since 1970, of a clock that never goes back
	nonce    string
}

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.sequence, q.sequence), cmp.Compare(p.nonce, q.nonce))
}

// record is one entry of the log, as its tag says it.
type record struct {
	environment string
	place
	action string
	short  string // the first digits of the digest that the entry makes current
	undoes place  // with actionUndo
}

// tag is at most 111 characters long; OCI allows 128.
func (r record) tag() string {
	t := fmt.Sprintf("%s.%d-%s-%s-%s", r.environment, r.sequence, r.action, r.short, r.nonce)
	if r.action == actionUndo {
		t += fmt.Sprintf("-%d-%s", r.undoes.sequence, r.undoes.nonce)
	}
	return t
}

// parseRecord reads a tag; ok is false for a tag that is no entry.
func parseRecord(tag string) (r record, ok bool) {
	environment, rest, found := strings.Cut(tag, ".")
	if !found || !ValidEnvironment(environment) {
		return record{}, false
	}
	part := strings.Split(rest, "-")
	switch {
	case len(part) == 4 && (part[1] == actionPush || part[1] == actionPoint):
	case len(part) == 6 && part[1] == actionUndo:
		if r.undoes, ok = parsePlace(part[4], part[5]); !ok {
			return record{}, false
		}
	default:
		return record{}, false
	}
	if r.place, ok = parsePlace(part[0], part[3]); !ok || !isHex(part[2], shortDigest) {
		return record{}, false
	}
	r.environment, r.action, r.short = environment, part[1], part[2]
	return r, true
}

func parsePlace(sequence, nonce string) (place, bool) {
	n, err := strconv.ParseInt(sequence, 10, 64)
	if err != nil || n < 0 || n > maxSequence || strconv.FormatInt(n, 10) != sequence || !isHex(nonce, nonceLength) {
		return place{}, false
	}
	return place{n, nonce}, true
}

func isHex(s string, length int) bool {
	return len(s) == length && strings.Trim(s, hexDigits) == ""
}

// logs holds the entries of every environment, each in order, and the plain tags
// that may name environments.
type logs struct {
	entries map[string][]record
	plain   map[string]bool
}

func readLogs(tags []string) logs {
	l := logs{entries: map[string][]record{}, plain: map[string]bool{}}
	for _, tag := range tags {
		if r, ok := parseRecord(tag); ok {
			l.entries[r.environment] = append(l.entries[r.environment], r)
		} else if ValidEnvironment(tag) {
			l.plain[tag] = true
		}
	}
	for name, list := range l.entries {
		slices.SortFunc(list, func(a, b record) int { return a.compare(b.place) })
		// A list that names a tag twice does not make it two entries.
		l.entries[name] = slices.CompactFunc(list, func(a, b record) bool { return a == b })
	}
	return l
}

// last is the highest sequence of any environment.
func (l logs) last() int64 {
	var last int64
	for _, list := range l.entries {
		last = max(last, list[len(list)-1].sequence)
	}
	return last
}

// names lists the environments that have a log or a plain tag, sorted.
func (l logs) names() []string {
	var names []string
	for name := range l.entries {
		names = append(names, name)
	}
	for name := range l.plain {
		if l.entries[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// step is a deployment that an environment ran, with the entries that made it
// so: more than one when two writers meant the same at the same time.
type step []record

func (s step) short() string { return s[0].short }

// fold plays the entries of one environment in order. The last step is what the
// environment runs; each rollback goes one step further back.
func fold(list []record) (steps []step, undone map[place]bool) {
	undone = map[place]bool{}
	for _, r := range list {
		if r.action == actionUndo {
			i := slices.IndexFunc(steps, func(s step) bool {
				return slices.ContainsFunc(s, func(m record) bool { return m.place == r.undoes })
			})
			if i < 0 || len(steps) == 1 {
				continue
			}
			for _, m := range steps[i] {
				undone[m.place] = true
			}
			steps = slices.Delete(steps, i, i+1)
			if i > 0 && i < len(steps) && steps[i-1].short() == steps[i].short() {
				steps[i-1] = append(steps[i-1], steps[i]...)
				steps = slices.Delete(steps, i, i+1)
			}
			continue
		}
		if n := len(steps); n > 0 && steps[n-1].short() == r.short {
			steps[n-1] = append(steps[n-1], r)
		} else {
			steps = append(steps, step{r})
		}
	}
	return steps, undone
}
