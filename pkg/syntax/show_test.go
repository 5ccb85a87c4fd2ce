package syntax

import (
	"fmt"
	"strings"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// where writes a span as line:column-line:column.
func where(s diag.Span) string {
	from, to := s.File.Position(s.Start), s.File.Position(s.End)
	return fmt.Sprintf("%d:%d-%d:%d", from.Line, from.Column, to.Line, to.Column)
}

// shown writes a span and the text of the file it covers.
func shown(s diag.Span) string { return fmt.Sprintf("%s %q", where(s), s.Text()) }

// outlineOf writes one line for every node of a tree: its kind, its value and
// where it stands. Keys are marked by a colon.
func outlineOf(n *Node) string {
	var b strings.Builder
	var write func(n *Node, indent, mark string)
	write = func(n *Node, indent, mark string) {
		fmt.Fprintf(&b, "%s%s%s", indent, mark, n.Kind)
		if n.Kind != Map && n.Kind != Seq {
			fmt.Fprintf(&b, " %q", n.Text)
		}
		fmt.Fprintf(&b, " at %s\n", shown(n.Span()))
		for _, p := range n.Pairs {
			write(p.Key, indent+"  ", ":")
			write(p.Value, indent+"    ", "")
		}
		for _, item := range n.Items {
			write(item, indent+"  ", "")
		}
	}
	write(n, "", "")
	return b.String()
}

// reported writes diagnostics one a line, with their hints.
func reported(l diag.List) string {
	var b strings.Builder
	for _, d := range l {
		fmt.Fprintf(&b, "%s %s %s: %s", where(d.Span), d.Severity, d.Code, d.Message)
		if d.Hint != "" {
			fmt.Fprintf(&b, " [%s]", d.Hint)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
