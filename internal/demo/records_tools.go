package demo

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	defaultRecords = 10  // in a list
	maxRecords     = 50  // in a list
	maxNotes       = 20  // on one record
	maxNote        = 500 // characters
)

// found is the body of an answer: a sentence, and what was found.
type found struct {
	Message string `json:"message"`
	Data    any    `json:"data"`
}

// A row is a record in a list.
type row struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Status string `json:"status"`
}

func (r *Records) list(v visitor, req *http.Request) answer {
	in := struct {
		Status string `json:"status"`
		Limit  *int   `json:"limit"`
	}{}
	if no, ok := read(req, &in); !ok {
		return no
	}
	states := []string{waiting, inRepair, ready, closed}
	if in.Status != "" && !slices.Contains(states, in.Status) {
		return invalid("%q is no state of a repair: choose %s.", in.Status, strings.Join(states, ", "))
	}
	limit := defaultRecords
	if in.Limit != nil {
		if limit = *in.Limit; limit < 1 || limit > maxRecords {
			return invalid("%q must be from 1 to %d, not %d.", "limit", maxRecords, limit)
		}
	}
	return r.rows(v, limit, func(x *record) bool { return in.Status == "" || x.Status == in.Status })
}

func (r *Records) search(v visitor, req *http.Request) answer {
	in := struct {
		Text string `json:"text"`
	}{}
	if no, ok := read(req, &in); !ok {
		return no
	}
	wanted := words(in.Text)
	if len(wanted) == 0 {
		return invalid("%q must hold a word to look for.", "text")
	}
	return r.rows(v, maxRecords, func(x *record) bool {
		text := x.ID + "\n" + x.Title
		for _, n := range x.Notes {
			text += "\n" + n.Text
		}
		return holdsAll(fold(text), wanted)
	})
}

// rows answers with the visitor's records for which matches holds.
func (r *Records) rows(v visitor, limit int, matches func(*record) bool) answer {
	r.mu.Lock()
	defer r.mu.Unlock()
	rows := []row{}
	for _, x := range r.records {
		if v.sees(x) && matches(x) {
			rows = append(rows, row{x.ID, x.Title, x.Status})
		}
	}
	n := len(rows)
	rows = rows[:min(n, limit)]
	message := fmt.Sprintf("%d records.", n)
	switch {
	case n == 0:
		message = "There are no such records."
	case n == 1:
		message = "1 record."
	case n > limit:
		message = fmt.Sprintf("%d records, of which these are the newest %d.", n, limit)
	}
	return answer{status: http.StatusOK, body: found{message, rows}}
}

func (r *Records) lookup(v visitor, req *http.Request) answer {
	in := struct {
		ID string `json:"id"`
	}{}
	if no, ok := read(req, &in); !ok {
		return no
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	x, no, ok := r.record(v, in.ID)
	if !ok {
		return no
	}
	copied := *x
	copied.Notes = slices.Clone(x.Notes)
	return answer{status: http.StatusOK, body: found{fmt.Sprintf("%s is %s.", x.ID, x.Status), copied}}
}

func (r *Records) addNote(v visitor, req *http.Request) answer {
	in := struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}{}
	if no, ok := read(req, &in); !ok {
		return no
	}
	text := strings.TrimSpace(in.Text)
	if text == "" || utf8.RuneCountInString(text) > maxNote {
		return invalid("%q must be from 1 to %d characters.", "text", maxNote)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	x, no, ok := r.record(v, in.ID)
	switch {
	case !ok:
		return no
	case x.customer == "":
		return fail(http.StatusForbidden, "notice", "%s is a notice for everybody, which nobody can add notes to.", x.ID)
	case len(x.Notes) >= maxNotes:
		return fail(http.StatusConflict, "too_many_notes", "%s has %d notes already, and no more fit.", x.ID, maxNotes)
	}
	by := v.account
	if v.staff {
		by = "desk"
	}
	x.Notes = append(x.Notes, note{by, text})
	return answer{status: http.StatusCreated, body: found{fmt.Sprintf("Noted on %s.", x.ID), note{by, text}}}
}

// record returns one that the visitor sees. r.mu is held.
func (r *Records) record(v visitor, id string) (x *record, no answer, ok bool) {
	id = strings.ToUpper(strings.TrimSpace(id))
	if !isNumbered(id, "A-") && !isNumbered(id, "P-") {
		return nil, fail(http.StatusBadRequest, "invalid_record_id", "A record's id looks like A-1042."), false
	}
	i := slices.IndexFunc(r.records, func(x *record) bool { return x.ID == id && v.sees(x) })
	switch {
	case i < 0:
		return nil, fail(http.StatusNotFound, "record_not_found", "There is no record %s.", id), false
	case r.records[i].archived:
		return nil, fail(http.StatusServiceUnavailable, "archive_closed", "The archive is being moved to another machine."), false
	}
	return r.records[i], answer{}, true
}
