package syntax

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// docWriter writes random YAML documents. Every scalar holds words that appear
// once in the whole document, so that where they stand is known without
// knowing anything about YAML.
type docWriter struct {
	*rand.Rand
	strings.Builder
	words int
	eol   string
}

func (w *docWriter) pick(s ...string) string { return s[w.IntN(len(s))] }

// word returns a word that is nowhere else in the document.
func (w *docWriter) word() string {
	w.words++
	return fmt.Sprintf("W%dw", w.words)
}

func (w *docWriter) spaces(n int) string { return strings.Repeat(" ", n) }

// breaks returns one or more line breaks and the indentation of the next line.
func (w *docWriter) breaks(indent int) string {
	var s strings.Builder
	s.WriteString(w.pick("", "", "", " ", "  ", "\t"))
	s.WriteString(w.lineBreak())
	for range w.IntN(8) / 5 * (1 + w.IntN(2)) {
		s.WriteString(w.pick("", "", w.spaces(indent), w.spaces(indent+2)))
		s.WriteString(w.lineBreak())
	}
	s.WriteString(w.spaces(indent + w.IntN(3)))
	if w.IntN(12) == 0 {
		s.WriteString("\t")
	}
	return s.String()
}

func (w *docWriter) lineBreak() string {
	if w.IntN(40) == 0 {
		return w.pick("\u0085", "\u2028", "\u2029", "\r", "\n", "\r\n")
	}
	return w.eol
}

// inline writes a plain or quoted scalar whose further lines are indented by
// indent; a negative indent keeps it on one line.
func (w *docWriter) inline(indent int, inFlow bool) {
	gap := func() string {
		if indent >= 0 && w.IntN(4) == 0 {
			return w.breaks(indent)
		}
		return w.pick(" ", " ", "  ", "\t", " \t")
	}
	noise := w.pick("", "", "é", "日本", "😀", ":", "$params.a", "#x", "-", "\u00a0", "?")
	if inFlow {
		noise = strings.Trim(noise, ":?")
	}
	n := 1 + w.IntN(4)
	switch w.IntN(3) {
	case 0:
		for i := range n {
			if i > 0 {
				w.WriteString(gap())
			}
			w.WriteString(w.word() + noise)
			if noise == ":" {
				w.WriteString("z")
			}
		}
	case 1:
		w.WriteString("'")
		for range w.IntN(6) / 5 {
			w.WriteString(gap())
		}
		for i := range n {
			if i > 0 {
				w.WriteString(gap())
			}
			w.WriteString(w.word() + w.pick("", "''", noise, "\\", "\"", ": ", " #", "''''"))
		}
		w.WriteString(w.pick("", "", gap()) + "'")
	case 2:
		w.WriteString("\"")
		for range w.IntN(6) / 5 {
			w.WriteString(gap())
		}
		for i := range n {
			if i > 0 {
				w.WriteString(gap())
			}
			w.WriteString(w.word() + w.pick("", noise, `\n`, `\t`, `\\`, `\"`, `\x41`, `\u00e9`, `\u2028`, `\U0001F600`, `\0`, `\a\b\e\f\r\v`,
				`\N\_\L\P`, `\ `, "'", ": ", " #", `\'`, "\\\t", `\uFEfF`))
			if indent >= 0 && w.IntN(6) == 0 {
				w.WriteString(w.pick("\\", " \\", "\\t\\") + w.lineBreak() + w.spaces(indent))
				for range w.IntN(4) / 3 {
					w.WriteString(w.lineBreak() + w.spaces(indent))
				}
				w.WriteString(w.pick("", `\ `, "\\\t"))
			}
		}
		w.WriteString(w.pick("", "", gap()) + "\"")
	}
}

// block writes a literal or folded scalar and ends its last line.
func (w *docWriter) block(parent int) {
	indent := 1 + w.IntN(4)
	explicit := w.IntN(3) == 0
	head := w.pick("|", ">")
	chomp := w.pick("", "", "+", "-")
	number := ""
	if explicit {
		number = fmt.Sprint(indent)
	}
	if w.IntN(2) == 0 {
		head += chomp + number
	} else {
		head += number + chomp
	}
	w.WriteString(head + w.pick("", "", " ", " # note W", "\t# x"))
	w.WriteString(w.eol)
	margin := w.spaces(max(parent, 0) + indent)
	blank := func() string { return w.pick("", "", " ", margin)[:] }
	for range w.IntN(5) / 3 {
		w.WriteString(blank() + w.lineBreak())
	}
	n := w.IntN(5)
	for i := range n {
		w.WriteString(margin)
		if (i > 0 || explicit) && w.IntN(4) == 0 {
			w.WriteString(w.pick(" ", "  ", "\t", "   "))
		}
		w.WriteString(w.word() + w.pick("", " ", " # text", ": x", "é日", "😀", "\\n", "''", "\t") + w.word() + w.pick("", "", "  "))
		if i < n-1 {
			w.WriteString(w.lineBreak())
		} else {
			w.WriteString(w.eol)
		}
		for range w.IntN(5) / 3 {
			w.WriteString(w.pick("", "", margin, margin+"  ") + w.lineBreak())
		}
	}
}

func (w *docWriter) properties(next int) {
	if w.IntN(5) > 0 {
		return
	}
	anchor := fmt.Sprintf("&a%d", w.IntN(1000))
	w.WriteString(w.pick("!!str", "!!str "+anchor, anchor+" !!str", anchor+"  !!str", "!<tag:yaml.org,2002:str>", anchor, anchor))
	if next >= 0 && w.IntN(4) == 0 {
		w.WriteString(w.pick("", " ", " # note") + w.eol + w.spaces(next))
	} else {
		w.WriteString(" ")
	}
}

func (w *docWriter) flow(depth, indent int) {
	open, end := "[", "]"
	isMap := w.IntN(2) == 0
	if isMap {
		open, end = "{", "}"
	}
	space := func() {
		switch w.IntN(8) {
		case 0:
			w.WriteString(w.eol + w.spaces(indent))
		case 1:
			w.WriteString(" # c" + w.eol + w.spaces(indent))
		default:
			w.WriteString(" ")
		}
	}
	w.WriteString(open)
	space()
	for i := range w.IntN(4) {
		if i > 0 {
			w.WriteString(",")
			space()
		}
		if isMap {
			w.properties(-1)
			w.inline(-1, true)
			w.WriteString(": ")
		}
		if depth > 0 && w.IntN(4) == 0 {
			w.flow(depth-1, indent)
		} else {
			w.properties(-1)
			w.inline(indent, true)
		}
		space()
	}
	w.WriteString(end)
}

// collection writes a block map or list; what it writes ends its last line.
func (w *docWriter) collection(depth, indent int) {
	seq := w.IntN(2) == 0
	for i := range 1 + w.IntN(4) {
		if i > 0 || indent > 0 {
			w.WriteString(w.spaces(indent))
		}
		switch {
		case seq:
			w.WriteString("-" + w.pick(" ", "  ", " "))
		case w.IntN(12) == 0:
			w.WriteString("? ")
			if w.IntN(2) == 0 {
				w.block(indent)
			} else {
				w.inline(indent+2, false)
				w.WriteString(w.eol)
			}
			w.WriteString(w.spaces(indent) + ": ")
		default:
			w.properties(-1)
			w.inline(-1, false)
			w.WriteString(w.pick(":", ":", " :") + w.pick(" ", "  ", "\t"))
		}
		switch k := w.IntN(10); {
		case k < 2 && depth > 0:
			w.WriteString(w.pick("", " # note") + w.eol)
			w.collection(depth-1, indent+1+w.IntN(3))
		case k < 3:
			w.flow(depth, indent+1)
			w.WriteString(w.pick("", " ", " # end") + w.eol)
		case k < 6:
			w.properties(indent + 1)
			w.block(indent)
		default:
			w.properties(indent + 1)
			w.inline(indent+1, false)
			w.WriteString(w.pick("", " ", " # end") + w.eol)
		}
		if w.IntN(10) == 0 {
			w.WriteString(w.spaces(w.IntN(3)) + "# comment" + w.eol)
		}
	}
}

func (w *docWriter) document() []byte {
	w.Reset()
	w.words = 0
	w.eol = w.pick("\n", "\n", "\n", "\r\n", "\r")
	w.WriteString(w.pick("", "", "", "\ufeff", "# top"+w.eol))
	switch w.IntN(12) {
	case 0:
		w.inline(w.IntN(2), false)
		w.WriteString(w.eol)
	case 1:
		w.WriteString("--- ")
		w.block(0)
	case 2:
		w.flow(3, 0)
	default:
		w.collection(3, 0)
	}
	return []byte(w.String())
}

// refound reports whether reading the source of a YAML scalar again gives its value.
func refound(n *Node) bool {
	m := n.mapping()
	t := tracer{data: n.src.file.Data, text: n.Text}
	switch n.style {
	case plain:
		t.plain(m.start)
	case singleQuoted:
		t.quoted(m.start, '\'')
	case doubleQuoted:
		t.quoted(m.start, '"')
	case literal, folded:
		t.block(m.start, n.style == folded)
	}
	return t.complete()
}

// checkScalar reports what is wrong with the places of a scalar.
func checkScalar(n *Node, doc string) error {
	if !refound(n) {
		return fmt.Errorf("%q (style %d) was not found again", n.Text, n.style)
	}
	for at := 0; ; {
		i := strings.IndexByte(n.Text[at:], 'W')
		if i < 0 {
			break
		}
		start := at + i
		end := start + 1
		for end < len(n.Text) && n.Text[end] != 'w' {
			end++
		}
		if end == len(n.Text) {
			break
		}
		end++
		at = end
		word := n.Text[start:end]
		want := strings.Index(doc, word)
		got := n.SpanOf(start, end)
		if got.Start != want || got.End != want+len(word) {
			return fmt.Errorf("%q in %q: at %d:%d, want %d:%d", word, n.Text, got.Start, got.End, want, want+len(word))
		}
		if whole := n.Span(); got.Start < whole.Start || got.End > whole.End {
			return fmt.Errorf("%q is outside of its scalar", word)
		}
		if empty := n.SpanOf(start, start); empty.Start != want || empty.End != want {
			return fmt.Errorf("empty range before %q: at %d:%d, want %d", word, empty.Start, empty.End, want)
		}
	}
	return nil
}

func TestScalarsAreFoundAgain(t *testing.T) {
	const want = 200_000 / slowdown
	w := &docWriter{Rand: rand.New(rand.NewPCG(1, 2))}
	var count [alias]int
	total, documents, refused := 0, 0, 0
	for total < want {
		data := w.document()
		documents++
		root, found := ParseYAML(diag.NewFile("x.yml", data))
		if root == nil {
			refused++
			if refused > documents/2+1000 {
				t.Fatalf("%d of %d documents are no YAML: %v\n%q", refused, documents, found, data)
			}
			continue
		}
		doc := string(data)
		var visit func(n *Node)
		visit = func(n *Node) {
			if t.Failed() {
				return
			}
			for _, p := range n.Pairs {
				visit(p.Key)
				visit(p.Value)
			}
			for _, c := range n.Items {
				visit(c)
			}
			if n.Kind == Map || n.Kind == Seq {
				if s := n.Span(); s.Start < 0 || s.End < s.Start || s.End > len(data) {
					t.Errorf("span %d:%d is outside of the file\n%q", s.Start, s.End, data)
				}
				return
			}
			total++
			count[n.style]++
			if err := checkScalar(n, doc); err != nil {
				t.Errorf("%v\n%q", err, data)
			}
		}
		visit(root)
		if t.Failed() {
			return
		}
	}
	for s := plain; s <= folded; s++ {
		if count[s] < want/20 {
			t.Errorf("only %d scalars of style %d", count[s], s)
		}
	}
	t.Logf("%d scalars in %d documents, %d refused; by style %v", total, documents, refused, count)
}
