package syntax

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/diag"
)

func TestAppendJSON(t *testing.T) {
	tests := []struct{ yaml, want string }{
		{"", "null"},
		{"~", "null"},
		{"Null", "null"},
		{"TRUE", "true"},
		{"False", "false"},
		{"yes", `"yes"`},
		{"0", "0"},
		{"-0", "-0"},
		{"-0.0", "-0.0"},
		{"1e400", "1e400"},
		{"-1.50E+999", "-1.50E+999"},
		{"1e", `"1e"`},
		{"1e4e4", `"1e4e4"`},
		{"1.2.3", `"1.2.3"`},
		{"+-1", `"+-1"`},
		{"1e+-5", `"1e+-5"`},
		{".", `"."`},
		{"-", "[null]"},
		{"+12", "12"},
		{"1_000", "1000"},
		{"0x1F", "31"},
		{"-0x10", "-16"},
		{"0o17", "15"},
		{"-0o17", "-15"},
		{"017", "15"},
		{"0b101", "5"},
		{"-0b101", "-5"},
		{"9223372036854775807", "9223372036854775807"},
		{"18446744073709551615", "18446744073709551615"},
		{"123456789012345678901234567890", "123456789012345678901234567890"},
		{"08", "8"},
		{"-007.50", "-7.50"},
		{"1.", "1"},
		{".5", "0.5"},
		{"-.5", "-0.5"},
		{"+1.50", "1.50"},
		{"1e3", "1e3"},
		{"1.E+03", "1E+03"},
		{"1_0.2_5", "10.25"},
		{"0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"},
		{".inf", "null"},
		{"-.Inf", "null"},
		{".nan", "null"},
		{"!!float 3", "3"},
		{"!!float 0x10", "16"},
		{"2001-12-14", `"2001-12-14"`},
		{"\"12\"", `"12"`},
		{`'<a> & "b" \'`, `"<a> & \"b\" \\"`},
		{`"\L\P"`, "\"\u2028\u2029\""},
		{"\"\\0\\e\\n\"", `"\u0000\u001b\n"`},
		{"{}", "{}"},
		{"[]", "[]"},
		{"{b: 1, a: [x, {c: }], 2: y}", `{"b":1,"a":["x",{"c":null}],"2":"y"}`},
	}
	for _, test := range tests {
		root, found := ParseYAML(diag.NewFile("x.yml", []byte(test.yaml)))
		if len(found) > 0 {
			t.Fatal(reported(found))
		}
		got := string(root.AppendJSON([]byte("x")))
		if diff := cmp.Diff("x"+test.want, got); diff != "" {
			t.Errorf("%s: %s", test.yaml, diff)
		}
		if !json.Valid([]byte(got[1:])) {
			t.Errorf("%s: %s is no JSON", test.yaml, got[1:])
		}
	}
}

func TestAppendJSONOfTOML(t *testing.T) {
	const file = `i = [0, +1_000, 0xFF, 0o17, 0b11, -9223372036854775808]
f = [1.50, 1e3, 1_0.5, +inf, -nan]
d = [1979-05-27T07:32:00Z, 07:32:00]
s = "a\tb"
`
	root, found := ParseTOML(diag.NewFile("x.toml", []byte(file)))
	if len(found) > 0 {
		t.Fatal(reported(found))
	}
	want := `{"i":[0,1000,255,15,3,-9223372036854775808],"f":[1.50,1e3,10.5,null,null],` +
		`"d":["1979-05-27T07:32:00Z","07:32:00"],"s":"a\tb"}`
	if diff := cmp.Diff(want, string(root.AppendJSON(nil))); diff != "" {
		t.Error(diff)
	}
}

func TestKindString(t *testing.T) {
	want := []string{"invalid", "null", "boolean", "integer", "number", "string", "timestamp", "map", "list", "invalid"}
	for k, word := range want {
		if got := Kind(k).String(); got != word {
			t.Errorf("Kind(%d) is %q, want %q", k, got, word)
		}
	}
}
