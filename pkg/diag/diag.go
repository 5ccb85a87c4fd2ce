// Package diag holds source files, byte spans and diagnostics, and prints
// them. Everything inside the program is a byte offset; lines and columns
// exist only here, when a person reads them.
package diag

import (
	"cmp"
	"fmt"
	"slices"
)

// Severity says whether a diagnostic stops a tool from being used. The zero
// value is invalid.
type Severity uint8

const (
	Error Severity = iota + 1
	Warning
)

func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	}
	return "invalid"
}

// A Diagnostic is one fault of one file.
type Diagnostic struct {
	Span     Span
	Severity Severity
	Code     string // the kind of fault: "placeholder", "unknown-key" …
	Message  string // lower-case, quotes the culprit, lists what is allowed
	Hint     string // optional: what to do about it
	Fix      *Edit  // optional: the edit that does it
}

// Errorf returns an error-severity diagnostic.
func Errorf(at Span, code, format string, args ...any) Diagnostic {
	return Diagnostic{Span: at, Severity: Error, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Warningf returns a warning.
func Warningf(at Span, code, format string, args ...any) Diagnostic {
	return Diagnostic{Span: at, Severity: Warning, Code: code, Message: fmt.Sprintf(format, args...)}
}

// WithHint returns d with its hint set.
func (d Diagnostic) WithHint(format string, args ...any) Diagnostic {
	d.Hint = fmt.Sprintf(format, args...)
	return d
}

// A List is the diagnostics of one run.
type List []Diagnostic

// Sort orders by file name, place, code and message, and drops exact repeats.
func (l *List) Sort() {
	slices.SortFunc(*l, compare)
	*l = slices.CompactFunc(*l, func(a, b Diagnostic) bool { return compare(a, b) == 0 })
}

func compare(a, b Diagnostic) int {
	return cmp.Or(
		cmp.Compare(a.Span.File.Name, b.Span.File.Name),
		cmp.Compare(a.Span.Start, b.Span.Start),
		cmp.Compare(a.Span.End, b.Span.End),
		cmp.Compare(a.Severity, b.Severity),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Message, b.Message),
	)
}

// Count returns the number of errors and of warnings.
func (l List) Count() (errors, warnings int) {
	for _, d := range l {
		if d.Severity == Error {
			errors++
		} else {
			warnings++
		}
	}
	return errors, warnings
}

// Err returns nil when the list holds no error, and otherwise an error that
// names the first one and counts the rest.
func (l List) Err() error {
	errors, _ := l.Count()
	if errors == 0 {
		return nil
	}
	i := slices.IndexFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
	p := l[i].Span.File.Position(l[i].Span.Start)
	text := fmt.Sprintf("%s:%d:%d: %s", l[i].Span.File.Name, p.Line, p.Column, l[i].Message)
	if errors > 1 {
		text += fmt.Sprintf(" (and %d more)", errors-1)
	}
	return fmt.Errorf("%s", text)
}
