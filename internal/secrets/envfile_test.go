package secrets

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type envLine struct {
	Line       int
	Key, Value string
}

func parsed(data string) (set []envLine, refused []LineError) {
	assignments, refused := ParseEnvFile([]byte(data))
	for _, a := range assignments {
		set = append(set, envLine{a.Line, a.Key, a.Value.Reveal()})
	}
	return set, refused
}

func TestParseEnvFile(t *testing.T) {
	const (
		rule     = "use A to Z, 0 to 9 and _, beginning with a letter, at most 64 characters"
		noEquals = "there is no `=` in this line"
		unclosed = "the quote that opens the value is never closed"
		trailing = "something stands after the closing quote"
		empty    = "the value is empty: a secret needs at least one byte"
	)
	tests := []struct {
		name, data string
		set        []envLine
		refused    []LineError
	}{
		{name: "nothing", data: ""},
		{name: "blank lines and comments", data: "\n  \n# A=1\n\t# B=2\n"},
		{name: "plain", data: "A=1\nB=two words\n", set: []envLine{{1, "A", "1"}, {2, "B", "two words"}}},
		{name: "no line end", data: "A=1", set: []envLine{{1, "A", "1"}}},
		{name: "byte order mark", data: "\uFEFFA=1\n", set: []envLine{{1, "A", "1"}}},
		{name: "white space", data: "  A \t= \t1 \t\n", set: []envLine{{1, "A", "1"}}},
		{name: "export", data: "export A=1\n\texport\t B=2\nexport=3\n", set: []envLine{{1, "A", "1"}, {2, "B", "2"}},
			refused: []LineError{{3, "the key is not in upper case: " + rule}}},
		{name: "crlf", data: "A=1\r\n\r\nB='2'\r\nC=\"3\" # c\r\nD=4\r", set: []envLine{{1, "A", "1"}, {3, "B", "2"}, {4, "C", "3"}, {5, "D", "4"}}},
		{name: "carriage return inside", data: "A=1\r2\n", set: []envLine{{1, "A", "1\r2"}}},
		{name: "comments after values", data: "A=1 # c\nB=1#c\nC='1' # c\nD=#c\nE= # c\nF=a\t#c\n",
			set:     []envLine{{1, "A", "1"}, {2, "B", "1#c"}, {3, "C", "1"}, {4, "D", "#c"}, {6, "F", "a"}},
			refused: []LineError{{5, empty}}},
		{name: "single quotes", data: `A='a "b" \n $C # d'`, set: []envLine{{1, "A", `a "b" \n $C # d`}}},
		{name: "double quotes", data: `A="a 'b' \"c\" \\ \n\r\t \$D \q # e"`, set: []envLine{{1, "A", "a 'b' \"c\" \\ \n\r\t $D \\q # e"}}},
		{name: "quotes inside", data: "A=it's\nB=a\"b\"\n", set: []envLine{{1, "A", "it's"}, {2, "B", `a"b"`}}},
		{name: "white space in quotes", data: "A=\" 1 \"\nB='\t'\n", set: []envLine{{1, "A", " 1 "}, {2, "B", "\t"}}},
		{name: "nothing is expanded", data: "B=$A ${A} $(id) `id` ~ !1 %A%\nC=\"$A ${A} $(id) `id`\"\n",
			set: []envLine{{1, "B", "$A ${A} $(id) `id` ~ !1 %A%"}, {2, "C", "$A ${A} $(id) `id`"}}},
		{name: "backslashes", data: `A=C:\new\` + "\nB=2\n", set: []envLine{{1, "A", `C:\new\`}, {2, "B", "2"}}},
		{name: "several lines", data: "A=\"one\ntwo\n\nthree\"\nB='x\ny'\nC=3\n",
			set: []envLine{{1, "A", "one\ntwo\n\nthree"}, {5, "B", "x\ny"}, {7, "C", "3"}}},
		{name: "several lines with crlf", data: "A=\"one\r\ntwo\"\r\nB=2\r\n", set: []envLine{{1, "A", "one\ntwo"}, {3, "B", "2"}}},
		{name: "backslash before a line end", data: "A=\"one\\\ntwo\"", set: []envLine{{1, "A", "one\\\ntwo"}}},
		{name: "equals signs", data: "A=b=c==\n", set: []envLine{{1, "A", "b=c=="}}},
		{name: "not utf-8", data: "A=\xff\xfe\nB='\x00'\n", set: []envLine{{1, "A", "\xff\xfe"}, {2, "B", "\x00"}}},
		{name: "twice", data: "A=1\nA=2\n", set: []envLine{{1, "A", "1"}, {2, "A", "2"}}},
		{name: "no equals sign", data: "A\nexport B\nC=1\nD", set: []envLine{{3, "C", "1"}}, refused: []LineError{{1, noEquals}, {2, noEquals}, {4, noEquals}}},
		{name: "bad keys", data: "token=1\n1A=1\n=1\nA B=1\nA.B=1\n", refused: []LineError{
			{1, "the key is not in upper case: " + rule},
			{2, "what stands before the `=` is not a key: " + rule},
			{3, "there is no key before the `=`: " + rule},
			{4, "what stands before the `=` is not a key: " + rule},
			{5, "what stands before the `=` is not a key: " + rule},
		}},
		{name: "a refused key takes its whole value along", data: "a-b='\nA=1\n'\nB=2\n", set: []envLine{{4, "B", "2"}},
			refused: []LineError{{1, "what stands before the `=` is not a key: " + rule}}},
		{name: "empty", data: "A=\nB=''\nC=\"\"\nD=", refused: []LineError{{1, empty}, {2, empty}, {3, empty}, {4, empty}}},
		{name: "too long", data: "A='" + strings.Repeat("\n", 64<<10+1) + "'\nB=1",
			set: []envLine{{64<<10 + 3, "B", "1"}}, refused: []LineError{{1, "the value has 65537 bytes: 65536 (64 KiB) are allowed"}}},
		{name: "never closed", data: "A='1\nB=2\nC=\"3\nD=4", set: []envLine{{2, "B", "2"}, {4, "D", "4"}}, refused: []LineError{{1, unclosed}, {3, unclosed}}},
		{name: "after the quote", data: "A='1'2\nB=\"1\"#c\nC='1' '2'\nD=4\n", set: []envLine{{4, "D", "4"}},
			refused: []LineError{{1, trailing}, {2, trailing}, {3, trailing}}},
		{name: "closed by the next line's quote", data: "A='1\nB='2'\n", set: []envLine{{2, "B", "2"}}, refused: []LineError{{1, trailing}}},
		{name: "an unquoted key file", data: "A=-----BEGIN KEY-----\nMIIx\nabc==\n", set: []envLine{{1, "A", "-----BEGIN KEY-----"}},
			refused: []LineError{{2, noEquals}, {3, "the key is not in upper case: " + rule}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			set, refused := parsed(test.data)
			if diff := cmp.Diff(test.set, set); diff != "" {
				t.Errorf("set (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.refused, refused); diff != "" {
				t.Errorf("refused (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLineErrorNamesItsLine(t *testing.T) {
	_, refused := ParseEnvFile([]byte("\nA\n"))
	if len(refused) != 1 || refused[0].Error() != "line 2: there is no `=` in this line" {
		t.Errorf("got %v", refused)
	}
}

// quoteEnv writes any value as a double-quoted one.
func quoteEnv(value string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r", `\r`).Replace(value) + `"`
}

func FuzzParseEnvFile(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		assignments, refused := ParseEnvFile(data)
		lines, last := strings.Count(string(data), "\n")+1, 0
		for _, a := range assignments {
			if a.Line <= last || a.Line > lines {
				t.Fatalf("line %d after line %d of %d", a.Line, last, lines)
			}
			last = a.Line
			if ValidKey(a.Key) != nil || ValidValue(a.Value) != nil || a.Environment != "" {
				t.Fatalf("line %d sets %q", a.Line, a.Key)
			}
		}
		last = 0
		for _, r := range refused {
			if r.Line <= last || r.Line > lines || r.Message == "" {
				t.Fatalf("%+v after line %d of %d", r, last, lines)
			}
			last = r.Line
		}
		if value := string(data); ValidValue(NewValue(data)) == nil {
			set, refused := parsed("A=1\nexport B=" + quoteEnv(value) + " # c\nC=3\n")
			want := []envLine{{1, "A", "1"}, {2, "B", value}, {strings.Count(value, "\n") + 3, "C", "3"}}
			if diff := cmp.Diff(want, set); diff != "" || refused != nil {
				t.Fatalf("refused %v, (-want +got):\n%s", refused, diff)
			}
		}
	})
}
