// Package iox is the program's view of the outside: its streams, whether they
// are terminals, its environment, clock and directory. Tests hand in their own.
package iox

import (
	"bytes"
	"io"
	"os"
	"strings"
	"time"

	"github.com/fatih/color"
	"golang.org/x/term"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// IO is what a command reads and writes. Output for people and programs goes
// to Out, notices, prompts and errors to Err.
type IO struct {
	In  io.Reader
	Out io.Writer
	Err io.Writer

	InTerminal  bool
	OutTerminal bool
	ErrTerminal bool

	// NoColor is set by --no-color.
	NoColor bool

	Getenv func(string) string
	Now    func() time.Time
	// Dir is the working directory.
	Dir string
}

// System returns the process's own streams.
func System() *IO {
	dir, err := os.Getwd()
	if err != nil {
		dir = "."
	}
	return &IO{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal: isTerminal(os.Stdin), OutTerminal: isTerminal(os.Stdout), ErrTerminal: isTerminal(os.Stderr),
		Getenv: os.Getenv, Now: time.Now, Dir: dir,
	}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Test returns streams that are no terminals, and what is written to them.
func Test(dir, input string, env map[string]string) (streams *IO, out, errs *bytes.Buffer) {
	out, errs = &bytes.Buffer{}, &bytes.Buffer{}
	return &IO{
		In: strings.NewReader(input), Out: out, Err: errs, Dir: dir,
		Getenv: func(key string) string { return env[key] },
		Now:    func() time.Time { return time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC) },
	}, out, errs
}

// Width returns the columns of the terminal that w is, or 80.
func Width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return 80
}

// A Palette colours words; without colour each of its functions returns its
// argument.
type Palette struct {
	Bold, Italic, Dim, Red, Yellow, Green, Cyan, Magenta func(string) string
}

// Colors returns the palette for Out.
func (s *IO) Colors() Palette { return s.palette(s.OutTerminal) }

// ErrColors returns the palette for Err.
func (s *IO) ErrColors() Palette { return s.palette(s.ErrTerminal) }

// palette follows https://no-color.org: no colour where the stream is no
// terminal, with NO_COLOR, --no-color or TERM=dumb.
func (s *IO) palette(terminal bool) Palette {
	on := terminal && !s.NoColor && s.Getenv("NO_COLOR") == "" && s.Getenv("TERM") != "dumb"
	paint := func(attributes ...color.Attribute) func(string) string {
		if !on {
			return func(text string) string { return text }
		}
		c := color.New(attributes...)
		c.EnableColor()
		return func(text string) string { return c.Sprint(text) }
	}
	return Palette{
		Bold: paint(color.Bold), Italic: paint(color.Italic), Dim: paint(color.Faint), Red: paint(color.FgRed, color.Bold), Yellow: paint(color.FgYellow),
		Green: paint(color.FgGreen), Cyan: paint(color.FgCyan), Magenta: paint(color.FgMagenta),
	}
}

// DiagStyle dresses diagnostics in the palette.
func (p Palette) DiagStyle() diag.Style {
	return diag.Style{Place: p.Bold, Error: p.Red, Warning: p.Yellow, Code: p.Dim, Margin: p.Dim, Caret: p.Green, Hint: p.Cyan}
}
