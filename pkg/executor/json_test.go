package executor

import (
	"strings"
	"testing"
)

// JSON at its limits.
func TestExtremeJSON(t *testing.T) {
	nested := func(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
	digits := strings.Repeat("1234567890", 1000)
	const whole = "respond:\n  data: {all: $}\n  message: ok\n"
	ok := func(data string) string { return `{"result":"ok","message":"ok","data":{"all":` + data + `}}` }
	lookup := serviceTool(t, "name = \"lookup\"\ndescription = \"d\"\nservice = \"records\"\npath = \"/x\"\n[parameters]\ntype = \"object\"\n")
	for _, test := range []struct{ name, body, http, service string }{
		{"10,000 levels", nested(10_000), ok(nested(10_000)), nested(10_000)},
		{"one level more", nested(10_001),
			ErrorResult("The service answered HTTP 200, but its body is no JSON: more than 10000 arrays and objects inside each other at byte 10000.", "invalid_response"), nested(10_001)},
		{"objects", strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000),
			ok(strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000)), strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000)},
		{"open brackets alone", strings.Repeat("[", MaxBody),
			ErrorResult("The service answered HTTP 200, but its body is no JSON: more than 10000 arrays and objects inside each other at byte 10000.", "invalid_response"), strings.Repeat("[", MaxBody)},
		{"a number of 10,000 digits", digits, ok(digits), digits},
		{"numbers no machine has", "[1e999999,-1E-999999,-0,0.10,1.0,12345678901234567890]", ok("[1e999999,-1E-999999,-0,0.10,1.0,12345678901234567890]"),
			"[\n  1e999999,\n  -1E-999999,\n  -0,\n  0.10,\n  1.0,\n  12345678901234567890\n]"},
		{"duplicate keys", `{"a":1,"b":2,"a":{"c":[]}}`, ok(`{"a":1,"b":2,"a":{"c":[]}}`), "{\n  \"a\": 1,\n  \"b\": 2,\n  \"a\": {\n    \"c\": []\n  }\n}"},
		{"a lone surrogate", `"a\ud800b"`, ok(`"a\ud800b"`), `"a\ud800b"`},
		{"trailing garbage", `{"a":1}}`,
			ErrorResult("The service answered HTTP 200, but its body is no JSON: unexpected character '}' at byte 7, wanted the end of the text.", "invalid_response"), `{"a":1}}`},
		{"NaN", `{"a":NaN}`,
			ErrorResult("The service answered HTTP 200, but its body is no JSON: unexpected word \"NaN\" at byte 5, wanted a value.", "invalid_response"), `{"a":NaN}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := listen(t, respond("200 OK", "", test.body))
			for _, call := range []struct {
				kind, want string
				outcome    Outcome
			}{
				{"HTTP tool", test.http, newClient(t).Call(t.Context(), getTool(t, "", whole), nil, Scope{Env: env("API", w.url())})},
				{"service tool", test.service, newClient(t).Call(t.Context(), lookup, nil, Scope{Grant: &Grant{URL: w.url()}})},
			} {
				if call.outcome.Content != call.want {
					t.Errorf("%s: %.300s\nwant %.300s", call.kind, call.outcome.Content, call.want)
				}
			}
		})
	}
}
