package syntax

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/diag"
)

func TestYAMLTree(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"empty", "", `null "" at 1:1-1:1 ""
`},
		{"only a comment", "# nothing\n", `null "" at 1:1-1:1 ""
`},
		{"markers around one document", "%YAML 1.1\n---\na: 1\n...\n---\n", `map at 3:1-3:5 "a: 1"
  :string "a" at 3:1-3:2 "a"
    integer "1" at 3:4-3:5 "1"
`},
		{"kinds", "s: text\ni: 0x1F\nf: 1.5\nb: true\nn: ~\nt: 2001-12-14\ny: yes\nq: \"1\"\ne:\n", `map at 1:1-9:3 "s: text\ni: 0x1F\nf: 1.5\nb: true\nn: ~\nt: 2001-12-14\ny: yes\nq: \"1\"\ne:"
  :string "s" at 1:1-1:2 "s"
    string "text" at 1:4-1:8 "text"
  :string "i" at 2:1-2:2 "i"
    integer "0x1F" at 2:4-2:8 "0x1F"
  :string "f" at 3:1-3:2 "f"
    number "1.5" at 3:4-3:7 "1.5"
  :string "b" at 4:1-4:2 "b"
    boolean "true" at 4:4-4:8 "true"
  :string "n" at 5:1-5:2 "n"
    null "~" at 5:4-5:5 "~"
  :string "t" at 6:1-6:2 "t"
    timestamp "2001-12-14" at 6:4-6:14 "2001-12-14"
  :string "y" at 7:1-7:2 "y"
    string "yes" at 7:4-7:7 "yes"
  :string "q" at 8:1-8:2 "q"
    string "1" at 8:4-8:7 "\"1\""
  :string "e" at 9:1-9:2 "e"
    null "" at 9:3-9:3 ""
`},
		{"tags", "a: !!str 12\nb: !!float 3\nc: !!binary aGk=\nd: &x !!int \"7\"\ne: !!map {}\nf: ! x\n", `map at 1:1-6:7 "a: !!str 12\nb: !!float 3\nc: !!binary aGk=\nd: &x !!int \"7\"\ne: !!map {}\nf: ! x"
  :string "a" at 1:1-1:2 "a"
    string "12" at 1:10-1:12 "12"
  :string "b" at 2:1-2:2 "b"
    number "3" at 2:12-2:13 "3"
  :string "c" at 3:1-3:2 "c"
    string "aGk=" at 3:13-3:17 "aGk="
  :string "d" at 4:1-4:2 "d"
    integer "7" at 4:13-4:16 "\"7\""
  :string "e" at 5:1-5:2 "e"
    map at 5:10-5:12 "{}"
  :string "f" at 6:1-6:2 "f"
    string "x" at 6:6-6:7 "x"
`},
		{"block collections", "a:\n  - b: 1\n    c: 2\n  -\n  - - x\n    - y\n", `map at 1:1-6:8 "a:\n  - b: 1\n    c: 2\n  -\n  - - x\n    - y"
  :string "a" at 1:1-1:2 "a"
    list at 2:3-6:8 "- b: 1\n    c: 2\n  -\n  - - x\n    - y"
      map at 2:5-3:9 "b: 1\n    c: 2"
        :string "b" at 2:5-2:6 "b"
          integer "1" at 2:8-2:9 "1"
        :string "c" at 3:5-3:6 "c"
          integer "2" at 3:8-3:9 "2"
      null "" at 4:4-4:4 ""
      list at 5:5-6:8 "- x\n    - y"
        string "x" at 5:7-5:8 "x"
        string "y" at 6:7-6:8 "y"
`},
		{"flow collections", "a: { b: [1, 'x' ], c, } # end\nd: [ e: f ]\ng: [\n  # none\n]\n", `map at 1:1-5:2 "a: { b: [1, 'x' ], c, } # end\nd: [ e: f ]\ng: [\n  # none\n]"
  :string "a" at 1:1-1:2 "a"
    map at 1:4-1:24 "{ b: [1, 'x' ], c, }"
      :string "b" at 1:6-1:7 "b"
        list at 1:9-1:18 "[1, 'x' ]"
          integer "1" at 1:10-1:11 "1"
          string "x" at 1:13-1:16 "'x'"
      :string "c" at 1:20-1:21 "c"
        null "" at 1:21-1:21 ""
  :string "d" at 2:1-2:2 "d"
    list at 2:4-2:12 "[ e: f ]"
      map at 2:6-2:10 "e: f"
        :string "e" at 2:6-2:7 "e"
          string "f" at 2:9-2:10 "f"
  :string "g" at 3:1-3:2 "g"
    list at 3:4-5:2 "[\n  # none\n]"
`},
		{"anchors stand before the text", "a: &x !!str\n  # why\n  \"text\"\nb: &y\n  c: *x\nd: *y\n? &k key\n: &e\n", `map at 1:1-8:5 "a: &x !!str\n  # why\n  \"text\"\nb: &y\n  c: *x\nd: *y\n? &k key\n: &e"
  :string "a" at 1:1-1:2 "a"
    string "text" at 3:3-3:9 "\"text\""
  :string "b" at 4:1-4:2 "b"
    map at 5:3-5:8 "c: *x"
      :string "c" at 5:3-5:4 "c"
        string "text" at 3:3-3:9 "\"text\""
  :string "d" at 6:1-6:2 "d"
    map at 5:3-5:8 "c: *x"
      :string "c" at 5:3-5:4 "c"
        string "text" at 3:3-3:9 "\"text\""
  :string "key" at 7:6-7:9 "key"
    null "" at 8:5-8:5 ""
`},
		{"block scalars", "a: |+2 # note\n    x\n\nb: >-\n  y\n  z\n\nc: |\n", `map at 1:1-9:1 "a: |+2 # note\n    x\n\nb: >-\n  y\n  z\n\nc: |\n"
  :string "a" at 1:1-1:2 "a"
    string "  x\n\n" at 1:4-4:1 "|+2 # note\n    x\n\n"
  :string "b" at 4:1-4:2 "b"
    string "y z" at 4:4-6:4 ">-\n  y\n  z"
  :string "c" at 8:1-8:2 "c"
    string "" at 8:4-9:1 "|\n"
`},
		{"wide characters and a byte order mark", "\ufeffé: \"日本 x\" # é\nb: y\n", `map at 1:1-2:5 "é: \"日本 x\" # é\nb: y"
  :string "é" at 1:1-1:2 "é"
    string "日本 x" at 1:4-1:10 "\"日本 x\""
  :string "b" at 2:1-2:2 "b"
    string "y" at 2:4-2:5 "y"
`},
		{"line breaks of all kinds", "a: 1\r\nb: x\u0085c: 2\rd: 3\n", `map at 1:1-3:5 "a: 1\r\nb: x\u0085c: 2\rd: 3"
  :string "a" at 1:1-1:2 "a"
    integer "1" at 1:4-1:5 "1"
  :string "b" at 2:1-2:2 "b"
    string "x" at 2:4-2:5 "x"
  :string "c" at 2:6-2:7 "c"
    integer "2" at 2:9-2:10 "2"
  :string "d" at 3:1-3:2 "d"
    integer "3" at 3:4-3:5 "3"
`},
		{"keys that are no strings", "1: a\n~: b\ntrue: c\n", `map at 1:1-3:8 "1: a\n~: b\ntrue: c"
  :integer "1" at 1:1-1:2 "1"
    string "a" at 1:4-1:5 "a"
  :null "~" at 2:1-2:2 "~"
    string "b" at 2:4-2:5 "b"
  :boolean "true" at 3:1-3:5 "true"
    string "c" at 3:7-3:8 "c"
`},
		{"a merged map", "base: &b {x: 1, y: 2}\na:\n  y: 3\n  <<: *b\n  z: 4\n", `map at 1:1-5:7 "base: &b {x: 1, y: 2}\na:\n  y: 3\n  <<: *b\n  z: 4"
  :string "base" at 1:1-1:5 "base"
    map at 1:10-1:22 "{x: 1, y: 2}"
      :string "x" at 1:11-1:12 "x"
        integer "1" at 1:14-1:15 "1"
      :string "y" at 1:17-1:18 "y"
        integer "2" at 1:20-1:21 "2"
  :string "a" at 2:1-2:2 "a"
    map at 3:3-5:7 "y: 3\n  <<: *b\n  z: 4"
      :string "y" at 3:3-3:4 "y"
        integer "3" at 3:6-3:7 "3"
      :string "x" at 1:11-1:12 "x"
        integer "1" at 1:14-1:15 "1"
      :string "z" at 5:3-5:4 "z"
        integer "4" at 5:6-5:7 "4"
`},
		{"a merged list", "- &a {x: 1}\n- &b {x: 2, y: 3}\n- <<: [*b, *a, {z: 4, x: 5}]\n  \"<<\": 6\n", `list at 1:1-4:10 "- &a {x: 1}\n- &b {x: 2, y: 3}\n- <<: [*b, *a, {z: 4, x: 5}]\n  \"<<\": 6"
  map at 1:6-1:12 "{x: 1}"
    :string "x" at 1:7-1:8 "x"
      integer "1" at 1:10-1:11 "1"
  map at 2:6-2:18 "{x: 2, y: 3}"
    :string "x" at 2:7-2:8 "x"
      integer "2" at 2:10-2:11 "2"
    :string "y" at 2:13-2:14 "y"
      integer "3" at 2:16-2:17 "3"
  map at 3:3-4:10 "<<: [*b, *a, {z: 4, x: 5}]\n  \"<<\": 6"
    :string "x" at 2:7-2:8 "x"
      integer "2" at 2:10-2:11 "2"
    :string "y" at 2:13-2:14 "y"
      integer "3" at 2:16-2:17 "3"
    :string "z" at 3:17-3:18 "z"
      integer "4" at 3:20-3:21 "4"
    :string "<<" at 4:3-4:7 "\"<<\""
      integer "6" at 4:9-4:10 "6"
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root, found := ParseYAML(diag.NewFile("x.yml", []byte(test.file)))
			if len(found) > 0 {
				t.Fatal(reported(found))
			}
			if diff := cmp.Diff(test.want, outlineOf(root)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestYAMLSpanOf looks for a placeholder in the decoded value, for scalars of
// every style, and says where it stands.
func TestYAMLSpanOf(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"plain", "a: x $p y\n", `1:6-1:8 "$p"`},
		{"plain on several lines", "a: x\n  y  $p\n\n  z\n", `2:6-2:8 "$p"`},
		{"single quotes", "a: 'it''s $p'\n", `1:11-1:13 "$p"`},
		{"single quotes, folded", "a: 'x\n\n   y''$p'\n", `3:7-3:9 "$p"`},
		{"double quotes", "a: \"\\u00e9\\x41\\U0001F600\\n\\t\\\"$p\\\\\"\n", `1:31-1:33 "$p"`},
		{"an escape inside", "a: \"x\\u0024\\x70\"\n", `1:6-1:16 "\\u0024\\x70"`},
		{"double quotes, continued", "a: \"x\\\n   y\n  \\ $p\"\n", `3:5-3:7 "$p"`},
		{"literal, third line", "a: |\n  one\n  two\n  say $p now\n", `4:7-4:9 "$p"`},
		{"literal with blank lines", "a: |\n\n  one\n\n    two $p\n", `5:9-5:11 "$p"`},
		{"literal with an indentation", "a:\n  - |2-\n       x\n     $p\n", `4:6-4:8 "$p"`},
		{"literal, kept", "a: |+\n  $p\n\n\nb: 1\n", `2:3-2:5 "$p"`},
		{"folded", "a: >\n  one\n  two $p\n", `3:7-3:9 "$p"`},
		{"folded with deeper lines", "a: >-\n  one\n    two\n    $p\n\n  three\n", `4:5-4:7 "$p"`},
		{"CR LF", "a: |\r\n  one\r\n  x $p\r\n", `3:5-3:7 "$p"`},
		{"byte order mark and wide characters", "\ufeffa: \"日本 é $p\"\n", `1:10-1:12 "$p"`},
		{"a tab", "a: \"\t$p\"\n", `1:6-1:8 "$p"`},
		{"a key", "\"x $p\": 1\n", `1:4-1:6 "$p"`},
		{"after an anchor and a tag", "a: &x !!str 'é $p'\n", `1:16-1:18 "$p"`},
		{"in a flow list", "a: [x, {b: \"$p\"}]\n", `1:13-1:15 "$p"`},
		{"over a fold", "a: x $\n  p\n", `1:6-2:4 "$\n  p"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root, found := ParseYAML(diag.NewFile("x.yml", []byte(test.file)))
			if len(found) > 0 {
				t.Fatal(reported(found))
			}
			if diff := cmp.Diff(test.want, placeholders(root)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// placeholders writes where $p, or "$ p", stands in the strings of a tree.
func placeholders(n *Node) string {
	var found []string
	var look func(n *Node)
	look = func(n *Node) {
		for _, p := range n.Pairs {
			look(p.Key)
			look(p.Value)
		}
		for _, item := range n.Items {
			look(item)
		}
		for _, text := range []string{"$p", "$ p"} {
			if i := strings.Index(n.Text, text); i >= 0 {
				found = append(found, shown(n.SpanOf(i, i+len(text))))
			}
		}
	}
	look(n)
	return strings.Join(found, "\n")
}

func TestSpanOfEdges(t *testing.T) {
	root, _ := ParseYAML(diag.NewFile("x.yml", []byte("a: 'x''y'\nb: ''\nc:\nd: 12\ne: |\n  l\n")))
	tests := []struct {
		key        string
		start, end int
		want       string
	}{
		{"a", 0, 0, `1:5-1:5 ""`},
		{"a", 1, 1, `1:6-1:6 ""`},
		{"a", 1, 2, `1:6-1:8 "''"`},
		{"a", 3, 3, `1:9-1:9 ""`},
		{"a", 0, 3, `1:5-1:9 "x''y"`},
		{"a", -5, 99, `1:5-1:9 "x''y"`},
		{"a", 2, 1, `1:8-1:8 ""`},
		{"b", 0, 0, `2:5-2:5 ""`},
		{"c", 0, 0, `3:3-3:3 ""`},
		{"d", 0, 1, `4:4-4:6 "12"`},
		{"e", 0, 2, `6:3-7:1 "l\n"`},
	}
	for _, test := range tests {
		if got := shown(root.Get(test.key).SpanOf(test.start, test.end)); got != test.want {
			t.Errorf("%s[%d:%d]: %s, want %s", test.key, test.start, test.end, got, test.want)
		}
	}
}

func TestGet(t *testing.T) {
	root, _ := ParseYAML(diag.NewFile("x.yml", []byte("a: {b: 1}\nc: [2]\n")))
	if got := root.Get("a").Get("b").Text; got != "1" {
		t.Errorf("a.b is %q", got)
	}
	if got := root.Get("x").Get("y"); got != nil {
		t.Errorf("x.y is %v", got)
	}
	if got := root.Get("c").Get("0"); got != nil {
		t.Errorf("c.0 is %v", got)
	}
	if p, ok := root.Pair("c"); !ok || p.Key.Text != "c" || p.Value.Kind != Seq {
		t.Errorf("the entry of c is %v, %v", p, ok)
	}
	if _, ok := (*Node)(nil).Pair("c"); ok {
		t.Error("nothing has an entry")
	}
}

// TestConcurrentUse: places are found lazily, by whoever asks first.
func TestConcurrentUse(t *testing.T) {
	root, _ := ParseYAML(diag.NewFile("x.yml", []byte("é: [\"a\\tb\", 'c''d']\nf: |\n  g\n  h\n")))
	want := outlineOf(root)
	var wg sync.WaitGroup
	fresh, _ := ParseYAML(diag.NewFile("x.yml", root.File().Data))
	for range 8 {
		wg.Go(func() {
			if got := outlineOf(fresh); got != want {
				t.Errorf("%s", cmp.Diff(want, got))
			}
		})
	}
	wg.Wait()
}

// TestAliasesShareNodes: what an alias names is the node itself.
func TestAliasesShareNodes(t *testing.T) {
	root, found := ParseYAML(diag.NewFile("x.yml", []byte("a: &x {b: 1}\nc: *x\nd: [*x]\n")))
	if len(found) > 0 {
		t.Fatal(reported(found))
	}
	a := root.Get("a")
	if root.Get("c") != a || root.Get("d").Items[0] != a {
		t.Error("an alias leads to another node")
	}
	if got, want := where(root.Span()), "1:1-3:8"; got != want {
		t.Errorf("the root ends where its last alias ends: %s, want %s", got, want)
	}
}
