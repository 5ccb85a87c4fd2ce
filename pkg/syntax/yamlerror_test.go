package syntax

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/vatio-dev/vatio/pkg/diag"
)

func TestYAMLErrors(t *testing.T) {
	tests := []struct{ file, want string }{
		// values that need quotes
		{"description: Check: stock\n", `1:19-1:20 error syntax: a ": " inside a plain value [put the value in quotes]`},
		{"a: \"b\": c\n", `1:7-1:8 error syntax: a second ": " in one line [put the whole value in quotes]`},
		{"a: @x\n", `1:4-1:5 error syntax: a plain value cannot start with "@" [put the value in quotes]`},
		{"a: `x`\n", "1:4-1:5 error syntax: a plain value cannot start with \"`\" [put the value in quotes]"},
		{"a: %x\n", `1:4-1:5 error syntax: a plain value cannot start with "%" [put the value in quotes]`},
		{"%x\na: 1\n", `1:1-1:2 error syntax: this is no directive of YAML 1.1 or 1.2 [a line that starts with "%" is read as a directive: put it in quotes or indent it]`},
		{"a: {{ name }}\n", `1:4-1:14 error syntax: a value that starts with "{{" is read as a map, not as text [put the value in quotes]`},
		{"a: {{ name }} b\n", `1:4-1:5 error syntax: a value that starts with "{{" is read as a map, not as text [put the value in quotes]`},
		{"a: {{ name\n", `1:4-1:5 error syntax: a value that starts with "{{" is read as a map, not as text [put the value in quotes]`},
		{"a: **bold** text\n", `1:4-1:5 error syntax: **bold** is an alias, and nothing above it has the anchor &*bold** [put the value in quotes when the "*" belongs to it]`},
		{"a: *x\n", `1:4-1:5 error syntax: *x is an alias, and nothing above it has the anchor &x [put the value in quotes when the "*" belongs to it]`},
		{"a: *\n", `1:4-1:5 error syntax: "*" starts an alias, and no name follows [put the value in quotes when the "*" belongs to it]`},
		{"a: & b\n", `1:4-1:5 error syntax: "&" starts an anchor, and no name follows [put the value in quotes when the "&" belongs to it]`},
		{"a: - b\n", `1:4-1:5 error syntax: a list cannot start in the line of its key [start the list on the next line; put the value in quotes when the "-" belongs to it]`},
		{"a: ? b\n", `1:4-1:5 error syntax: "? " starts a key, and none can stand here [put the value in quotes when the "?" belongs to it]`},
		{"a: !x b\n", "1:4-1:6 error syntax: tag !x is not supported [remove the tag, or put the text in quotes when the ! belongs to it]"},
		{"a: !x!y b\n", `1:4-1:5 error syntax: this tag is not supported [put the value in quotes when the "!" belongs to it]`},
		{"a: !!int b\n", "1:4-1:9 error syntax: tag !!int does not fit its value [remove the tag]"},
		{"a: &x !!set {b}\n", "1:7-1:12 error syntax: tag !!set is not supported for a map [remove the tag]"},
		{"a: |x\n  b\n", `1:5-1:6 error syntax: text cannot follow "|" in the same line [start the text on the next line; put the value in quotes when the "|" or ">" belongs to it]`},
		{"a: |0\n  b\n", "1:5-1:6 error syntax: the indentation of a block must be 1 to 9, not 0"},
		{"a: ]\n", `1:4-1:5 error syntax: "]" stands where a value is expected [put the value in quotes when this belongs to a text]`},
		{"a: !x, b: c\n", `1:4-1:5 error syntax: this tag is not supported [put the value in quotes when the "!" belongs to it]`},
		{"a: [b: c: d]\n", `1:9-1:10 error syntax: unexpected ":" in a list in "[ ]" [separate the entries by commas; put a value with ": " in quotes]`},
		{"\"a\" b: c\n", `1:5-1:6 error syntax: text after the closing quote [write a " inside double quotes as \"]`},
		{"a: b\n # x\n c\n", "3:2-3:3 error syntax: the indentation of this line fits no line above it [indent it like the keys it belongs with]"},
		{"a: {b: c}} d\n", `1:10-1:11 error syntax: "}" stands after the end of the value [put the value in quotes when it is text]`},
		{"a: b]: [c\n", `1:6-1:7 error syntax: a second ": " in one line [put the whole value in quotes]`},
		{"- &a b\n- !<tag:x{y> *a\n", `2:14-2:15 error syntax: "*" stands after the end of the value [put the value in quotes]`},
		// indentation
		{"a: 1\n\tb: 2\n", "2:1-2:2 error syntax: a tab cannot be used for indentation [indent with spaces]"},
		{"a:\n\tb: 2\n", "2:1-2:2 error syntax: a tab cannot be used for indentation [indent with spaces]"},
		{"a:\n  b: 1\n  \tc: 2\n", "3:3-3:4 error syntax: a tab cannot be used for indentation [indent with spaces]"},
		{"a: |\n\tb\n", "2:1-2:2 error syntax: a tab cannot be used for indentation [indent with spaces]"},
		{"a: b\n\t\n", "2:1-2:2 error syntax: a tab cannot be used for indentation [indent with spaces]"},
		{"a:\n  b: 1\n c: 2\n", "3:2-3:3 error syntax: the indentation of this line fits no line above it [indent it like the keys it belongs with]"},
		{"a:\n    b: 1\n  c: 2\n", "3:3-3:4 error syntax: the indentation of this line fits no line above it [indent it like the keys it belongs with]"},
		{"a: 1\n  b: 2\n", "2:4-2:5 error syntax: a key stands below a value that has begun in a line above [indent the key like the one above it, or put the value above in quotes]"},
		{"a:\n  b: 'x'\n   c: d\n", "3:4-3:5 error syntax: the indentation of this line fits no line above it [indent it like the keys it belongs with]"},
		{"- a\nb: c\n", `2:1-2:2 error syntax: this line stands in a list but is no item of it [start the line with "- ", or indent it like what it belongs to]`},
		{"a: 1\n- b\n", "2:1-2:2 error syntax: a list item stands where a key is expected [indent the list like, or below, the key it belongs to]"},
		{"a:\n  - b\n  c: d\n", `3:3-3:4 error syntax: this line stands in a list but is no item of it [start the line with "- ", or indent it like what it belongs to]`},
		{"  - a\n- b\n", "2:1-2:2 error syntax: the file goes on after its value has ended"},
		// colons
		{"a\nb: 1\n", `1:1-1:2 error syntax: this line should be a key but has no ": " [write "key: value"]`},
		{"a: 1\nb:2\nc: 3\n", `2:2-2:3 error syntax: a space is missing after ":" [write ": "]`},
		{"a:1\nb: 2\n", `1:2-1:3 error syntax: a space is missing after ":" [write ": "]`},
		{"- a\n-b\n", `2:1-2:2 error syntax: a space is missing after "-" [write "- "]`},
		// what was never closed
		{"a: \"x\nb: 1\n", `1:4-1:5 error syntax: the quote " is never closed [add the closing quote at the end of the text]`},
		{"a: 'x\n", "1:4-1:5 error syntax: the quote ' is never closed [add the closing quote at the end of the text]"},
		{"a: \"x\nb: \"y\"\nc: \"z\"\n", `1:4-1:5 error syntax: the quote " is never closed [add the closing quote at the end of the text]`},
		{"a: 'x\nb: 'y: z'\n", "1:4-1:5 error syntax: the quote ' is never closed [add the closing quote at the end of the text]"},
		{"a: [1, 2\nb: 3\n", `1:4-1:5 error syntax: "[" is never closed [add the "]", or put the value in quotes when it is text]`},
		{"a: [\n", `1:4-1:5 error syntax: "[" is never closed [add the "]", or put the value in quotes when it is text]`},
		{"r:\n  h: {a: b\n  body: x\nq:\n  - x\n", `2:6-2:7 error syntax: "{" is never closed [add the "}", or put the value in quotes when it is text]`},
		{"a: [1, [2, 3]\nb: 4\n", `1:4-1:5 error syntax: "[" is never closed [add the "]", or put the value in quotes when it is text]`},
		{"a: [b, c}\n", `1:4-1:5 error syntax: "[" is never closed [add the "]", or put the value in quotes when it is text]`},
		{"--- >\n'\n  x\n", "2:1-2:2 error syntax: the quote ' is never closed [add the closing quote at the end of the text]"},
		{"a: \"x\\\n", `1:4-1:5 error syntax: the quote " is never closed [add the closing quote at the end of the text]`},
		{"a: \"x\n---\n", `1:4-1:5 error syntax: the quote " is never closed [add the closing quote at the end of the text]`},
		// quotes and brackets in the middle
		{"a: 'it's'\n", "1:8-1:9 error syntax: text after the closing quote [write a ' inside single quotes twice]"},
		{"a: \"x\" y\n", `1:8-1:9 error syntax: text after the closing quote [write a " inside double quotes as \"]`},
		{"a: \"\\q\"\n", `1:5-1:6 error syntax: "\q" is no escape sequence [write the backslash twice, or use single quotes]`},
		{"a: \"\\xzz\"\n", `1:5-1:6 error syntax: this escape sequence is not complete [\x takes 2 hexadecimal digits, \u 4 and \U 8; write a plain backslash twice]`},
		{"a: \"\\ud800\"\n", `1:5-1:6 error syntax: this escape sequence stands for no character [write the character itself, or the \U escape of it]`},
		{"a: \"it\\'s\"\nb: @\n", `2:4-2:5 error syntax: a plain value cannot start with "@" [put the value in quotes]`},
		{"a: [\"x\" \"y\"]\n", `1:9-1:10 error syntax: a "," is missing before "\"" [separate the entries by commas]`},
		{"a: {b: 1 c: 2}\n", `1:11-1:12 error syntax: unexpected ":" in a map in "{ }" [separate the entries by commas; put a value with ": " in quotes]`},
		{"a: [b,, c]\n", `1:7-1:8 error syntax: "," stands where a value is expected [put the value in quotes when this belongs to a text]`},
		{"a: [1, 2]]\n", `1:10-1:11 error syntax: "]" stands after the end of the value [put the value in quotes when it is text]`},
		{"a: 1\n]\n", `2:1-2:2 error syntax: "]" closes nothing [remove it, or add what it should close]`},
		{"a: ]#b\n", "1:5-1:6 error syntax: a blank is missing before the comment [write \" #\"]"},
		{"a: &x &y b\n", "1:7-1:8 error syntax: a value has one anchor and one tag at most [put the value in quotes when it is text]"},
		// documents
		{"a: 1\n---\nb: 2\n", `2:1-2:4 error syntax: a second document starts here; a file holds one [remove the "---", or move the second document to a file of its own]`},
		{"a: 1\n...\nb: 2\n", `3:1-3:3 error syntax: a second document starts here; a file holds one [remove the "---", or move the second document to a file of its own]`},
		{"a: 1\n...\n%YAML 1.1\n---\nb: 2\n", `3:1-3:6 error syntax: a second document starts here; a file holds one [remove the "---", or move the second document to a file of its own]`},
		{"[a] b\n", "1:5-1:6 error syntax: the file goes on after its value has ended"},
		{"'a' 'b'\n", "1:5-1:6 error syntax: the file goes on after its value has ended"},
		{"%YAML 3.0\n---\na\n", `1:1-1:2 error syntax: this is no directive of YAML 1.1 or 1.2 [a line that starts with "%" is read as a directive: put it in quotes or indent it]`},
		// keys
		{"a: 1\nb: 2\n\"a\": 3\n'a': 4\n", `3:1-3:4 error duplicate-key: key "a" is already set in line 1 [remove one of the two, or rename it]
4:1-4:4 error duplicate-key: key "a" is already set in line 1 [remove one of the two, or rename it]`},
		{"1: a\n\"1\": b\n", `2:1-2:4 error duplicate-key: key "1" is already set in line 1 [remove one of the two, or rename it]`},
		{"a: {x: 1, y: [{z: 1, z: 2}]}\n", `1:22-1:23 error duplicate-key: key "z" is already set in line 1 [remove one of the two, or rename it]`},
		{"a: {x: 1}\na: {x: 1, x: 2}\n", `2:1-2:2 error duplicate-key: key "a" is already set in line 1 [remove one of the two, or rename it]
2:11-2:12 error duplicate-key: key "x" is already set in line 2 [remove one of the two, or rename it]`},
		{"? [a]\n: c\n", `1:3-1:6 error syntax: a list cannot be a key [put a value that starts with "{" or "[" in quotes]`},
		{"<<: 1\n", `1:5-1:6 error syntax: "<<" takes a map or a list of maps [name one with an alias ("<<: *base"), or put "<<" in quotes when it is a plain key]`},
		{"a: &a {b: 1}\nc:\n  <<: [*a, 3]\n", `3:12-3:13 error syntax: "<<" takes a map or a list of maps [name one with an alias ("<<: *base"), or put "<<" in quotes when it is a plain key]`},
		{"a: &a {b: 1}\nc:\n  <<: *a\n  <<: *a\n", `4:3-4:5 error duplicate-key: key "<<" is already set in line 3 [remove one of the two, or rename it]`},
		{"? {b: c}\n: d\n", `1:3-1:9 error syntax: a map cannot be a key [put a value that starts with "{" or "[" in quotes]`},
		{"? &a b\n: c\n*a : d\n", `3:1-3:3 error duplicate-key: key "b" is already set in line 1 [remove one of the two, or rename it]`},
		{"k: &k x\n*k : 1\nx: 2\n", `3:1-3:2 error duplicate-key: key "x" is already set in line 1 [remove one of the two, or rename it]`},
		// aliases
		{"a: &a [*a]\n", "1:8-1:10 error syntax: *a stands inside the value it names, which would contain itself"},
		{"a: &a\n  b: {c: *a}\n", "2:10-2:12 error syntax: *a stands inside the value it names, which would contain itself"},
		{"a: *b\nb: &b 1\n", `1:4-1:5 error syntax: *b is an alias, and nothing above it has the anchor &b [put the value in quotes when the "*" belongs to it]`},
		// text
		{"a: \xff\n", "1:4-1:5 error file: the file is not UTF-8: byte 0xff [save it as UTF-8]"},
		{"a: \"\x00\"\n", "1:5-1:6 error file: the file holds a NUL byte [this is no text file, or it is UTF-16: save it as UTF-8]"},
		{"a: é\x1bx\n", "1:5-1:6 error file: the file holds the control character U+001B [remove it, or write it as an escape in double quotes]"},
		{"\xff\xfea\x00:\x00", "1:1-1:3 error file: the file is UTF-16, not UTF-8 [save it as UTF-8]"},
		{"\ufeffa: é\r\nb: \"x\r\n", `2:4-2:5 error syntax: the quote " is never closed [add the closing quote at the end of the text]`},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%.30q", test.file), func(t *testing.T) {
			root, found := ParseYAML(diag.NewFile("x.yml", []byte(test.file)))
			if diff := cmp.Diff(test.want, strings.TrimSuffix(reported(found), "\n")); diff != "" {
				t.Error(diff)
			}
			for _, d := range found {
				if usable := d.Code == "duplicate-key"; usable != (root != nil) {
					t.Errorf("code %s, and the root is %v", d.Code, root)
				}
			}
		})
	}
}

// TestYAMLLimits: whatever the file, reading it ends soon and without a crash.
func TestYAMLLimits(t *testing.T) {
	const mib = 1 << 20 / slowdown
	bomb := func(levels int) string {
		var b strings.Builder
		b.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
		for i := 1; i < levels; i++ {
			fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10))
		}
		return b.String()
	}
	chain := func(format string, n int) string {
		var b strings.Builder
		fmt.Fprint(&b, "a0: &a0 {k: x}\n")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, format, i, i-1)
		}
		return b.String()
	}
	nested := func(what string) string {
		var b strings.Builder
		for i := range 1300 {
			b.WriteString(strings.Repeat(" ", i) + what + "\n")
		}
		return b.String()
	}
	tests := []struct{ name, file, want string }{
		{"1000 lists", strings.Repeat("[", 1000) + strings.Repeat("]", 1000), ""},
		{"1001 lists", strings.Repeat("[", 1001) + strings.Repeat("]", 1001), "1:1001-1:1002 error syntax: nested too deep: at most 1000 levels are allowed"},
		{"10000 lists", strings.Repeat("[", 10000) + strings.Repeat("]", 10000), "1:1001-1:1002 error syntax: nested too deep: at most 1000 levels are allowed"},
		{"10000 open lists", strings.Repeat("[", 10000), "1:1001-1:1002 error syntax: nested too deep: at most 1000 levels are allowed"},
		{"1 MiB of [", strings.Repeat("[", mib), "1:1001-1:1002 error syntax: nested too deep: at most 1000 levels are allowed"},
		{"1 MiB of {", strings.Repeat("{", mib), "1:1001-1:1002 error syntax: nested too deep: at most 1000 levels are allowed"},
		{"flow maps", strings.Repeat("{a: ", 10000) + strings.Repeat("}", 10000), "1:4001-1:4002 error syntax: nested too deep: at most 1000 levels are allowed"},
		{"lists in one line", strings.Repeat("- ", 10000) + "a", "1:2001-1:2002 error syntax: nested too deep: at most 1000 levels are allowed"},
		{"1 MiB of lists in one line", strings.Repeat("- ", mib/2), "1:2001-1:2002 error syntax: nested too deep: at most 1000 levels are allowed"},
		{"explicit keys", strings.Repeat("? ", 10000) + "a", "1:2001-1:2002 error syntax: nested too deep: at most 1000 levels are allowed"},
		{"nested maps", nested("a:"), "1001:1001-1001:1002 error syntax: nested too deep: at most 1000 levels are allowed"},
		{"nested lists", nested("-"), "1001:1001-1001:1002 error syntax: nested too deep: at most 1000 levels are allowed"},
		{"alias bomb", bomb(9), "5:38-5:41 error syntax: the aliases of this file stand for more than 100000 values [write the values out, or use fewer aliases of aliases]"},
		{"aliases below the limit", bomb(4), ""},
		{"chain of aliases", chain("a%d: &a%[1]d [*a%d]\n", 20000), "446:14-446:19 error syntax: the aliases of this file stand for more than 100000 values [write the values out, or use fewer aliases of aliases]"},
		{"chain of merges", chain("a%d: &a%[1]d\n  <<: *a%d\n  k%[1]d: 1\n", 20000), "672:7-672:12 error syntax: the aliases of this file stand for more than 100000 values [write the values out, or use fewer aliases of aliases]"},
		{"1 MiB of quotes", strings.Repeat("''", mib/2), ""},
		{"1 MiB of tabs", strings.Repeat("\t", mib), "1:1-1:2 error syntax: a tab cannot be used for indentation [indent with spaces]"},
		{"1 MiB of comments", strings.Repeat("#\n", mib/2), ""},
		{"1 MiB of anchors", strings.Repeat("&a ", mib/3), "1:4-1:5 error syntax: the file goes on after its value has ended"},
		{"1 MiB of unclosed quotes", strings.Repeat("- 'a\n", mib/5), "1:3-1:4 error syntax: the quote ' is never closed [add the closing quote at the end of the text]"},
		{"1 MiB of open documents", strings.Repeat("---\n", mib/4), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			start := time.Now()
			root, found := ParseYAML(diag.NewFile("x.yml", []byte(test.file)))
			if d := time.Since(start); d > time.Minute {
				t.Errorf("it took %v", d)
			}
			if diff := cmp.Diff(test.want, strings.TrimSuffix(reported(found), "\n")); diff != "" {
				t.Error(diff)
			}
			if root != nil {
				root.AppendJSON(nil)
				root.Span()
			}
		})
	}
}

// TestManyKeys: duplicates are found by hash, in a map of 150,000 keys too.
func TestManyKeys(t *testing.T) {
	const keys = 150_000
	var b strings.Builder
	for i := range keys {
		fmt.Fprintf(&b, "k%d: 1\n", i)
	}
	b.WriteString("k7: 2\n")
	start := time.Now()
	if err := yaml.Unmarshal([]byte(b.String()), &yaml.Node{}); err != nil {
		t.Fatal(err)
	}
	library := time.Since(start)
	start = time.Now()
	root, found := ParseYAML(diag.NewFile("x.yml", []byte(b.String())))
	if d := time.Since(start); d > 6*library+10*time.Second {
		t.Errorf("it took %v, of the library alone %v", d, library)
	}
	if len(root.Pairs) != keys {
		t.Errorf("%d keys", len(root.Pairs))
	}
	want := "150001:1-150001:3 error duplicate-key: key \"k7\" is already set in line 8 [remove one of the two, or rename it]\n"
	if diff := cmp.Diff(want, reported(found)); diff != "" {
		t.Error(diff)
	}
}
