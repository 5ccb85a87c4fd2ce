package syntax

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
	"gopkg.in/yaml.v3"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// FuzzYAML: no file crashes the parser, every place is inside the file, what
// is read is what yaml.v3 reads, and nothing that it refuses is accepted.
func FuzzYAML(f *testing.F) {
	f.Add([]byte(benchTool))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		defer soon(t, time.Now())
		root, found := ParseYAML(diag.NewFile("x.yml", data))
		checkResult(t, data, root, found)
		if root == nil {
			return
		}
		d := yaml.NewDecoder(bytes.NewReader(data))
		for i := 0; ; i++ {
			var n yaml.Node
			err := d.Decode(&n)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("accepted, but %v", err)
			}
			if i > 0 && len(n.Content) > 0 && (n.Content[0].Kind != yaml.ScalarNode || n.Content[0].Value != "") {
				t.Fatal("accepted with a second document")
			}
		}
		walk(root, func(n *Node) {
			if n.Kind == Map || n.Kind == Seq {
				return
			}
			if !refound(n) {
				t.Fatalf("%q was not found again", n.Text)
			}
		})
	})
}

// FuzzTOML: like FuzzYAML, against the library's own decoder.
func FuzzTOML(f *testing.F) {
	f.Add([]byte("a = 1\n[b]\nc = \"x\"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<12 {
			return
		}
		defer soon(t, time.Now())
		root, found := ParseTOML(diag.NewFile("x.toml", data))
		checkResult(t, data, root, found)
		if root != nil {
			walk(root, func(n *Node) {
				if n.Kind == String && len(n.mapping().pieces) == 0 {
					t.Fatalf("%q was not found again", n.Text)
				}
			})
		}
		text := bytes.TrimPrefix(data, []byte("\ufeff"))
		var v map[string]any
		err := toml.Unmarshal(text, &v)
		if err != nil && root != nil && len(found) == 0 {
			t.Fatalf("accepted, but %v", err)
		}
		if err == nil && len(found) > 0 && !expected(found[0]) {
			t.Fatalf("refused: %s", reported(found))
		}
	})
}

// expected reports whether we refuse on purpose what the library takes.
func expected(d diag.Diagnostic) bool {
	return d.Code == "file" || strings.Contains(d.Message, "nested too deep")
}

// soon fails when too much time has passed for a file of some kilobytes.
func soon(t *testing.T, start time.Time) {
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("it took %v", d)
	}
}

func walk(n *Node, visit func(n *Node)) {
	visit(n)
	for _, p := range n.Pairs {
		walk(p.Key, visit)
		walk(p.Value, visit)
	}
	for _, item := range n.Items {
		walk(item, visit)
	}
}

// checkResult checks what holds for every file.
func checkResult(t *testing.T, data []byte, root *Node, found diag.List) {
	t.Helper()
	inside := func(what string, s diag.Span) {
		if s.Start < 0 || s.End < s.Start || s.End > len(data) {
			t.Fatalf("%s stands at %d:%d of %d bytes", what, s.Start, s.End, len(data))
		}
	}
	for _, d := range found {
		inside(d.Message, d.Span)
		if d.Message == "" || d.Severity != diag.Error {
			t.Fatalf("a bad diagnostic: %v", d)
		}
	}
	if root == nil {
		if len(found) != 1 {
			t.Fatalf("%d errors", len(found))
		}
		return
	}
	if out := root.AppendJSON(nil); !json.Valid(out) {
		t.Fatalf("no JSON: %q", out)
	}
	walk(root, func(n *Node) {
		whole := n.Span()
		inside(n.Text, whole)
		if n.Kind != String || len(n.Text) > 200 {
			return
		}
		for i := range n.Text {
			s := n.SpanOf(i, i+1)
			inside(n.Text, s)
			if s.Start < whole.Start || s.End > whole.End {
				t.Fatalf("%q[%d] at %d:%d is outside of its string at %d:%d", n.Text, i, s.Start, s.End, whole.Start, whole.End)
			}
			if c := n.Text[i]; c > ' ' && c < 0x7f && s.End-s.Start == 1 && data[s.Start] != c {
				t.Fatalf("%q[%d] is found at %d, where %q stands", n.Text, i, s.Start, data[s.Start])
			}
		}
	})
}
