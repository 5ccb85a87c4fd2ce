package syntax

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/diag"
)

func TestTOMLTree(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"empty", "", `map at 1:1-1:1 ""
`},
		{"kinds", "s = \"x\"\nl = 'y'\nm = \"\"\"\nz\"\"\"\ni = 0xFF\nf = 1e3\nn = -inf\nb = true\nd = 1979-05-27 07:32:00\nt = 07:32:00 # end\n", `map at 1:1-11:1 "s = \"x\"\nl = 'y'\nm = \"\"\"\nz\"\"\"\ni = 0xFF\nf = 1e3\nn = -inf\nb = true\nd = 1979-05-27 07:32:00\nt = 07:32:00 # end\n"
  :string "s" at 1:1-1:2 "s"
    string "x" at 1:5-1:8 "\"x\""
  :string "l" at 2:1-2:2 "l"
    string "y" at 2:5-2:8 "'y'"
  :string "m" at 3:1-3:2 "m"
    string "z" at 3:5-4:5 "\"\"\"\nz\"\"\""
  :string "i" at 5:1-5:2 "i"
    integer "0xFF" at 5:5-5:9 "0xFF"
  :string "f" at 6:1-6:2 "f"
    number "1e3" at 6:5-6:8 "1e3"
  :string "n" at 7:1-7:2 "n"
    number "-inf" at 7:5-7:9 "-inf"
  :string "b" at 8:1-8:2 "b"
    boolean "true" at 8:5-8:9 "true"
  :string "d" at 9:1-9:2 "d"
    timestamp "1979-05-27 07:32:00" at 9:5-9:24 "1979-05-27 07:32:00"
  :string "t" at 10:1-10:2 "t"
    timestamp "07:32:00" at 10:5-10:13 "07:32:00"
`},
		{"keys", "\"a b\" = 1\n'c' = 2\n3 = 4\nd . \"e\".f = 5\nd.g = 6\n", `map at 1:1-6:1 "\"a b\" = 1\n'c' = 2\n3 = 4\nd . \"e\".f = 5\nd.g = 6\n"
  :string "a b" at 1:1-1:6 "\"a b\""
    integer "1" at 1:9-1:10 "1"
  :string "c" at 2:1-2:4 "'c'"
    integer "2" at 2:7-2:8 "2"
  :string "3" at 3:1-3:2 "3"
    integer "4" at 3:5-3:6 "4"
  :string "d" at 4:1-4:2 "d"
    map at 4:1-4:2 "d"
      :string "e" at 4:5-4:8 "\"e\""
        map at 4:5-4:8 "\"e\""
          :string "f" at 4:9-4:10 "f"
            integer "5" at 4:13-4:14 "5"
      :string "g" at 5:3-5:4 "g"
        integer "6" at 5:7-5:8 "6"
`},
		{"tables", "[a]\nb = 1\n[ a . c ]\nd = 2\n[e.f]\n[e]\ng = 3\n", `map at 1:1-8:1 "[a]\nb = 1\n[ a . c ]\nd = 2\n[e.f]\n[e]\ng = 3\n"
  :string "a" at 1:2-1:3 "a"
    map at 1:1-1:4 "[a]"
      :string "b" at 2:1-2:2 "b"
        integer "1" at 2:5-2:6 "1"
      :string "c" at 3:7-3:8 "c"
        map at 3:1-3:10 "[ a . c ]"
          :string "d" at 4:1-4:2 "d"
            integer "2" at 4:5-4:6 "2"
  :string "e" at 5:2-5:3 "e"
    map at 6:1-6:4 "[e]"
      :string "f" at 5:4-5:5 "f"
        map at 5:1-5:6 "[e.f]"
      :string "g" at 7:1-7:2 "g"
        integer "3" at 7:5-7:6 "3"
`},
		{"lists of tables", "[[a]]\nb = 1\n[[ a ]]\nb = 2\n[a.c]\nd = 3\n[[a.e]]\n", `map at 1:1-8:1 "[[a]]\nb = 1\n[[ a ]]\nb = 2\n[a.c]\nd = 3\n[[a.e]]\n"
  :string "a" at 1:3-1:4 "a"
    list at 1:1-1:6 "[[a]]"
      map at 1:1-1:6 "[[a]]"
        :string "b" at 2:1-2:2 "b"
          integer "1" at 2:5-2:6 "1"
      map at 3:1-3:8 "[[ a ]]"
        :string "b" at 4:1-4:2 "b"
          integer "2" at 4:5-4:6 "2"
        :string "c" at 5:4-5:5 "c"
          map at 5:1-5:6 "[a.c]"
            :string "d" at 6:1-6:2 "d"
              integer "3" at 6:5-6:6 "3"
        :string "e" at 7:5-7:6 "e"
          list at 7:1-7:8 "[[a.e]]"
            map at 7:1-7:8 "[[a.e]]"
`},
		{"lists and inline tables", "a = [ 1, [2, # two\n  3,\n ], { b = 1, c.d = [ ], e = {} } ]\nf = []\n", `map at 1:1-5:1 "a = [ 1, [2, # two\n  3,\n ], { b = 1, c.d = [ ], e = {} } ]\nf = []\n"
  :string "a" at 1:1-1:2 "a"
    list at 1:5-3:35 "[ 1, [2, # two\n  3,\n ], { b = 1, c.d = [ ], e = {} } ]"
      integer "1" at 1:7-1:8 "1"
      list at 1:10-3:3 "[2, # two\n  3,\n ]"
        integer "2" at 1:11-1:12 "2"
        integer "3" at 2:3-2:4 "3"
      map at 3:5-3:33 "{ b = 1, c.d = [ ], e = {} }"
        :string "b" at 3:7-3:8 "b"
          integer "1" at 3:11-3:12 "1"
        :string "c" at 3:14-3:15 "c"
          map at 3:14-3:15 "c"
            :string "d" at 3:16-3:17 "d"
              list at 3:20-3:23 "[ ]"
        :string "e" at 3:25-3:26 "e"
          map at 3:29-3:31 "{}"
  :string "f" at 4:1-4:2 "f"
    list at 4:5-4:7 "[]"
`},
		{"byte order mark and CR LF", "\ufeff\"é\" = \"日本\" # é\r\n[b]\r\nc = '''\r\nx'''\r\n", `map at 1:1-5:1 "\"é\" = \"日本\" # é\r\n[b]\r\nc = '''\r\nx'''\r\n"
  :string "é" at 1:1-1:4 "\"é\""
    string "日本" at 1:7-1:11 "\"日本\""
  :string "b" at 2:2-2:3 "b"
    map at 2:1-2:4 "[b]"
      :string "c" at 3:1-3:2 "c"
        string "x" at 3:5-4:5 "'''\r\nx'''"
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root, found := ParseTOML(diag.NewFile("x.toml", []byte(test.file)))
			if len(found) > 0 {
				t.Fatal(reported(found))
			}
			if diff := cmp.Diff(test.want, outlineOf(root)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTOMLSpanOf(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"basic", "a = \"x $p\"\n", `1:8-1:10 "$p"`},
		{"basic with escapes", "a = \"\\u00e9\\t\\\"$p\\\\\"\n", `1:16-1:18 "$p"`},
		{"an escape inside", "a = \"x\\u0024p\"\n", `1:7-1:14 "\\u0024p"`},
		{"literal", "a = 'C:\\n $p'\n", `1:11-1:13 "$p"`},
		{"basic on several lines", "a = \"\"\"\n  one\n  \\\"$p\"\"\"\"\n", `3:5-3:7 "$p"`},
		{"continued", "a = \"\"\"x \\\n\n   y $p\"\"\"\n", `3:6-3:8 "$p"`},
		{"literal on several lines", "a = '''\none\n''$p''''\n", `3:3-3:5 "$p"`},
		{"CR LF", "a = \"\"\"\r\none\r\n é $p\"\"\"\r\n", `3:4-3:6 "$p"`},
		{"in a list of inline tables", "a = [ {b = \"é $p\"} ]\n", `1:15-1:17 "$p"`},
		{"keys", "\"é $p\" = 1\n", `1:4-1:6 "$p"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root, found := ParseTOML(diag.NewFile("x.toml", []byte(test.file)))
			if len(found) > 0 {
				t.Fatal(reported(found))
			}
			if diff := cmp.Diff(test.want, placeholders(root)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTOMLErrors(t *testing.T) {
	tests := []struct{ file, want string }{
		// what was never closed
		{"a = \"x\nb = 1\n", `1:5-1:6 error syntax: the quote " is never closed [add the closing quote at the end of the text; a text of several lines stands between """]`},
		{"a = 'x", "1:5-1:6 error syntax: the quote ' is never closed [add the closing quote at the end of the text]"},
		{"a = \"\"\"x\n", `1:5-1:6 error syntax: the quote """ is never closed [add the closing quote at the end of the text]`},
		{"a = '''x\n", "1:5-1:6 error syntax: the quote ''' is never closed [add the closing quote at the end of the text]"},
		{"b = \"#\" # \"\na = \"y\n", `2:5-2:6 error syntax: the quote " is never closed [add the closing quote at the end of the text; a text of several lines stands between """]`},
		{"a = [1, 2\nb = 3\n", `1:5-1:6 error syntax: "[" is never closed [add the "]"]`},
		{"a = [1, 2\n[b]\nc = 3\n", `1:5-1:6 error syntax: "[" is never closed [add the "]"]`},
		{"a = [\n", `1:5-1:6 error syntax: "[" is never closed [add the "]"]`},
		{"a = {b = 1\n", `1:5-1:6 error syntax: "{" is never closed [add the "}"]`},
		{"a = {b = 1, c\n", `1:5-1:6 error syntax: "{" is never closed [add the "}"]`},
		{"[a\nb = 1\n", `1:1-1:2 error syntax: "[" is never closed [add the "]"]`},
		{"[[a]\nb = 1\n", `1:1-1:2 error syntax: "[[" is never closed [add the "]]"]`},
		// values
		{"a =\n", `1:4-1:4 error syntax: a value is missing after "="`},
		{"a =", `1:3-1:4 error syntax: a value is missing after "="`},
		{"a = yes\n", `1:5-1:6 error syntax: "y" starts no value [put a text in quotes]`},
		{"a = tru\n", `1:5-1:6 error syntax: "t" starts no value [put a text in quotes]`},
		{"a = 20s\n", "1:7-1:8 error syntax: text without quotes [put a text in quotes]"},
		{"a = 1 2\n", `1:7-1:8 error syntax: "2" stands after the end of the value [start a new line, or put the text in quotes]`},
		{"a = \"it\"s\"\n", `1:9-1:10 error syntax: "s" stands after the end of the value [start a new line, or put the text in quotes]`},
		{"a = 01\n", "1:5-1:6 error syntax: an integer cannot start with 0 [remove the zeros; an octal number starts with 0o]"},
		{"a = 1__0\n", "1:6-1:7 error syntax: this is no number [put a text in quotes]"},
		{"a = +0x1\n", "1:5-1:6 error syntax: this is no number: digits without a sign must follow 0x, 0o and 0b [put a text in quotes]"},
		{"a = .5\n", `1:5-1:6 error syntax: "." starts no value [put a text in quotes]`},
		{"a = 99999999999999999999\n", "1:5-1:25 error syntax: the integer does not fit into 64 bits [put the value in quotes when it is text]"},
		{"a = -1e4_00\n", "1:5-1:12 error syntax: the number does not fit into 64 bits [put the value in quotes when it is text]"},
		{"[", `1:1-1:2 error syntax: "[" is never closed [add the "]"]`},
		{"a.", "1:3-1:3 error syntax: a key is missing at the end of the file"},
		{"a = 2020-13-01\n", "1:5-1:15 error syntax: this is no valid date or time [put the value in quotes when it is text]"},
		{"a = \"\\q\"\n", "1:6-1:7 error syntax: this is no escape sequence [write the backslash twice, or use single quotes]"},
		{"a = \"\\u12\"\n", `1:6-1:7 error syntax: this escape sequence stands for no character [\x takes 2 hexadecimal digits, \u 4 and \U 8; write a plain backslash twice]`},
		{"a = \"\\ud800\"\n", `1:6-1:7 error syntax: this escape sequence stands for no character [\x takes 2 hexadecimal digits, \u 4 and \U 8; write a plain backslash twice]`},
		{"a = [1 2]\n", `1:8-1:9 error syntax: a "," is missing before "2" [separate the entries by commas]`},
		{"a = [,]\n", `1:6-1:7 error syntax: "," stands where an entry is expected [remove the comma]`},
		{"a = {b = 1 c = 2}\n", `1:12-1:13 error syntax: a "," is missing before "c" [separate the entries by commas]`},
		{"a = {,}\n", `1:6-1:7 error syntax: "," stands where an entry is expected [remove the comma]`},
		// keys
		{"a\n", `1:2-1:2 error syntax: "=" and a value are missing after the key [write key = value]`},
		{"a b = 1\n", `1:3-1:4 error syntax: "b" stands where "=" is expected [write key = value; a key with blanks stands in quotes]`},
		{"a: 1\n", `1:2-1:3 error syntax: ":" stands where "=" is expected [write key = value; a key with blanks stands in quotes]`},
		{"= 1\n", `1:1-1:2 error syntax: a key cannot start with "=" [a key is made of letters, digits, - and _, or stands in quotes]`},
		{"é = 1\n", `1:1-1:2 error syntax: a key cannot start with "é" [a key is made of letters, digits, - and _, or stands in quotes]`},
		{"[]\n", `1:2-1:3 error syntax: a key cannot start with "]" [a key is made of letters, digits, - and _, or stands in quotes]`},
		{"[a b]\n", `1:4-1:5 error syntax: "b" in the name of a table [a name with other characters than letters, digits, - and _ stands in quotes]`},
		{"a = 1\nb = 2\r", "2:6-2:6 error syntax: the end of the line stands after the end of the value [start a new line, or put the text in quotes]"},
		// definitions
		{"a = 1\na = 2\n\"a\" = 3\n", `2:1-2:2 error duplicate-key: key "a" is already set in line 1 [remove one of the two, or rename it]
3:1-3:4 error duplicate-key: key "a" is already set in line 1 [remove one of the two, or rename it]`},
		{"[a]\nx = 1\n[a]\nx = 2\ny = 3\n", `3:2-3:3 error duplicate-key: table "a" is already defined in line 1 [remove one of the two, or rename it]`},
		{"a.b = 1\n[a]\nc = 1\n", `2:2-2:3 error duplicate-key: table "a" is already defined in line 1 [remove one of the two, or rename it]`},
		{"[a.b]\nx = 1\n[a]\nb.y = 2\n", `4:1-4:2 error duplicate-key: table "b" is already defined in line 1; a dotted key cannot add to it [remove one of the two, or rename it]`},
		{"a = {b = 1}\na.c = 2\n", `2:1-2:2 error duplicate-key: "a" is already a value, set in line 1, and cannot be a table too [remove one of the two, or rename it]`},
		{"a = {b = 1}\n[a.d]\ne = 1\n", `2:2-2:3 error duplicate-key: "a" is already a value, set in line 1, and cannot be a table too [remove one of the two, or rename it]`},
		{"a = {b = 1, b = 2}\n", `1:13-1:14 error duplicate-key: key "b" is already set in line 1 [remove one of the two, or rename it]`},
		{"a = {b.c = 1, b.c = 2}\n", `1:17-1:18 error duplicate-key: key "c" is already set in line 1 [remove one of the two, or rename it]`},
		{"a = [1]\n[[a]]\n", `2:3-2:4 error duplicate-key: "a" is already a value, set in line 1, and cannot be a table too [remove one of the two, or rename it]`},
		{"[[a]]\n[a]\n", `2:2-2:3 error duplicate-key: "a" is already a list of tables, from line 1 on [remove one of the two, or rename it]`},
		{"[a]\n[[a]]\n", `2:3-2:4 error duplicate-key: table "a" is already defined in line 1, and not as a list [remove one of the two, or rename it]`},
		{"a = 1\n[a.b]\nc = 1\n", `2:2-2:3 error duplicate-key: "a" is already a value, set in line 1, and cannot be a table too [remove one of the two, or rename it]`},
		{"a = 1\na.b.c = 1\n", `2:1-2:2 error duplicate-key: "a" is already a value, set in line 1, and cannot be a table too [remove one of the two, or rename it]`},
		// text
		{"a = \"\xff\"\n", "1:6-1:7 error file: the file is not UTF-8: byte 0xff [save it as UTF-8]"},
		{"a = 1 # \x00\n", "1:9-1:10 error file: the file holds a NUL byte [this is no text file, or it is UTF-16: save it as UTF-8]"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%.30q", test.file), func(t *testing.T) {
			root, found := ParseTOML(diag.NewFile("x.toml", []byte(test.file)))
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

// TestTOMLFirstDefinitionStands: what is defined twice keeps its first value,
// and what a second table adds is there.
func TestTOMLFirstDefinitionStands(t *testing.T) {
	const file = "a = 1\na = 2\n[t]\nx = 1\n[t]\nx = 2\ny = 3\n[a.b]\nc = 1\n[[t]]\nz = 1\n"
	root, _ := ParseTOML(diag.NewFile("x.toml", []byte(file)))
	if diff := cmp.Diff(`{"a":1,"t":{"x":1,"y":3}}`, string(root.AppendJSON(nil))); diff != "" {
		t.Error(diff)
	}
}

func TestTOMLLimits(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"999 lists", "a = " + strings.Repeat("[", 999) + strings.Repeat("]", 999) + "\n", ""},
		{"1001 lists", "a = " + strings.Repeat("[", 1001) + strings.Repeat("]", 1001), "1:1005-1:1006 error syntax: nested too deep: at most 1000 levels are allowed"},
		{"20000 open lists", "a = " + strings.Repeat("[", 20000), "1:1005-1:1006 error syntax: nested too deep: at most 1000 levels are allowed"},
		{"inline tables", "a = " + strings.Repeat("{b = ", 9000) + "1" + strings.Repeat("}", 9000), "1:5001-1:5002 error syntax: nested too deep: at most 1000 levels are allowed"},
		{"a long dotted key", strings.Repeat("a.", 100_000) + "a = 1", "1:1999-1:2000 error syntax: nested too deep: at most 1000 levels are allowed"},
		{"a long header", "[" + strings.Repeat("a.", 100_000) + "a]", "1:2000-1:2001 error syntax: nested too deep: at most 1000 levels are allowed"},
		{"headers of lists", "[[" + strings.Repeat("a.", 100_000) + "a]]", "1:2001-1:2002 error syntax: nested too deep: at most 1000 levels are allowed"},
		{"100000 keys", many("k%d = 1\n", 100_000), ""},
		{"60000 tables", many("[k%d]\na = 1\n", 60_000), ""},
		{"60000 items", many("[[k]]\na = %d\n", 60_000), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			start := time.Now()
			root, found := ParseTOML(diag.NewFile("x.toml", []byte(test.file)))
			if d := time.Since(start); d > time.Minute {
				t.Errorf("it took %v", d)
			}
			if diff := cmp.Diff(test.want, strings.TrimSuffix(reported(found), "\n")); diff != "" {
				t.Error(diff)
			}
			if root != nil {
				root.AppendJSON(nil)
			}
		})
	}
}

func many(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}
