package diag

import (
	"fmt"
	"io"
	"path"
	"strings"
)

// GitHub is what its annotations say beside the diagnostics.
type GitHub struct {
	Tool string // the name of the program, for titles
	Base string // the directory that file names are relative to, seen from the root of the repository; "" for the root itself
}

// WriteGitHub prints each diagnostic as a workflow command of GitHub Actions,
// which shows it beside the line:
//
//	::error file=tools/a.yml,line=1,endLine=1,col=4,endColumn=7,title=vatio (value)::no such method
//
// The end column is exclusive. A diagnostic over several lines has no columns:
// the runner drops them, and says so in its log.
func WriteGitHub(w io.Writer, list List, about GitHub) error {
	for _, d := range list {
		if _, err := io.WriteString(w, d.github(about)); err != nil {
			return err
		}
	}
	return nil
}

func (d Diagnostic) github(about GitHub) string {
	r := d.record()
	var b strings.Builder
	fmt.Fprintf(&b, "::%s file=%s,line=%d,endLine=%d", r.Severity, githubProperty(path.Join(about.Base, r.File)), r.Line, r.EndLine)
	if r.Line == r.EndLine {
		fmt.Fprintf(&b, ",col=%d,endColumn=%d", r.Column, r.EndColumn)
	}
	fmt.Fprintf(&b, ",title=%s::%s\n", githubProperty(fmt.Sprintf("%s (%s)", about.Tool, r.Code)), githubData(d.withHint()))
	return b.String()
}

// githubData escapes the text of a workflow command as the runner reads it. All
// it could not show is replaced first.
func githubData(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = Printable(lines[i])
	}
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(strings.Join(lines, "\n"))
}

// githubProperty escapes a value between the commas.
func githubProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubData(s))
}
