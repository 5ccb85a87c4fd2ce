package offline

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/chat"
)

func TestReplyToResults(t *testing.T) {
	rows := func(n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(`{"n":1},`, n), ",") + "]"
	}
	tests := []struct {
		name, user string
		contents   []string
		want       string
	}{
		{name: "a message", contents: []string{`{"result":"ok","message":"Found it."}`}, want: "Found it."},
		{name: "a table", contents: []string{`{"result":"ok","message":"Found 2 matching products.","data":{"products":[{"name":"Picker","stock":3,"price":"9.90"},{"name":"Quantum Hoe","stock":12,"tags":["a","b"]}]}}`},
			want: "Found 2 matching products.\n\n" +
				"name         stock  price  tags\n" +
				"Picker           3   9.90\n" +
				"Quantum Hoe     12         a, b"},
		{name: "several keys", contents: []string{`{"result":"ok","message":"The order was found.","data":{"products":["Picker","Hoe"],"status":"sent","total":0.10,"expected":null,"to":{"city":"Ñuñoa","lines":[{"a":1}]},"none":[]}}`},
			want: "The order was found.\n\nproducts: Picker, Hoe\nstatus: sent\ntotal: 0.10\nto.city: Ñuñoa\nto.lines:\na\n1"},
		{name: "a long table", contents: []string{`{"result":"ok","message":"Many.","data":{"rows":` + rows(11) + `}}`},
			want: "Many.\n\nn\n1\n1\n1\n1\n1\n1\n1\n1\n… and 3 more"},
		{name: "a long table in Spanish", user: "¿qué facturas tengo?", contents: []string{`{"result":"ok","message":"Muchas.","data":{"rows":` + rows(9) + `}}`},
			want: "Muchas.\n\nn\n1\n1\n1\n1\n1\n1\n1\n1\n… y 1 más"},
		{name: "five columns", contents: []string{`{"result":"ok","message":"Wide.","data":{"rows":[{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}]}}`},
			want: "Wide.\n\na  b  c  d  e\n1  2  3  4  5\nnot shown: f"},
		{name: "data that is an array", contents: []string{`{"result":"ok","message":"Two.","data":[{"day":"語","x":1},{"day":"ab","x":22}]}`},
			want: "Two.\n\nday   x\n語    1\nab   22"},
		{name: "wide columns", contents: []string{`{"result":"ok","message":"Long.","data":{"rows":[{"id":"R-1","title":"The complete works of a writer with many words","note":"a note that goes on for as long as it can","place":"東京都千代田区千代田一丁目一番地の一の皇居"}]}}`},
			want: "Long.\n\n" +
				"id   title                    note                     place\n" +
				"R-1  The complete works of…   a note that goes on fo…  東京都千代田区千代田一…"},
		{name: "objects in a table", contents: []string{`{"result":"ok","message":"Nested.","data":{"rows":[{"id":10000000000000000001,"to":{"city":"Ñuñoa","zip":null,"at":{"lat":1.50,"more":{"deep":[1]}}},"tags":[{"k":"a"},{"k":"b"}]}]}}`},
			want: "Nested.\n\n" +
				"                  id  to                                         tags\n" +
				"10000000000000000001  city Ñuñoa, at lat 1.50, more {\"deep\":[1…  k a, k b"},
		{name: "numbers as they came", contents: []string{`{"result":"ok","message":"Numbers.","data":{"rows":[{"n":1e3,"m":-0.10},{"n":12345678901234567890,"m":2}]}}`},
			want: "Numbers.\n\n                   n      m\n                 1e3  -0.10\n12345678901234567890      2"},
		{name: "a long list", contents: []string{`{"result":"ok","message":"List.","data":{"days":[1,2,3,4,5,6,7,8,9,10,11,12,13,14]}}`},
			want: "List.\n\ndays: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 … and 2 more"},
		{name: "passages", contents: []string{`{"result":"ok","message":"Found 2 passages.","data":{"passages":[{"file":"policies/returns.md","headings":["Returns","How long"],"text":"You can return a tool within 30 days, also when it was used, as long as it is clean and whole.\nWe pay the way back for faults of ours, and half of it else."},{"file":"b.md","text":"Short."}]}}`},
			want: "Found 2 passages.\n\npolicies/returns.md · Returns · How long\nYou can return a tool within 30 days, also when it was used, as long as it is clean and whole.\nWe pay the way back for faults of ours, and half of it else.\n\nb.md · Short."},
		{name: "an error", contents: []string{`{"result":"error","message":"Stock could not be checked.","error_key":"backend_unavailable"}`},
			want: "Stock could not be checked."},
		{name: "plain text", contents: []string{"  line 1\nline 2\n"}, want: "line 1\nline 2"},
		{name: "JSON of a service", contents: []string{"{\n  \"id\": \"A-1042\"\n}"}, want: "{\n  \"id\": \"A-1042\"\n}"},
		{name: "a long text", contents: []string{strings.Repeat("ñ", 3000)}, want: strings.Repeat("ñ", 2000) + "…"},
		{name: "nothing", contents: []string{""}, want: "The tool answered without content."},
		{name: "several results", contents: []string{`{"result":"ok","message":"One."}`, "two"}, want: "One.\n\ntwo"},
		{name: "the same twice", contents: []string{"spent", "spent"}, want: "spent"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			user := tt.user
			if user == "" {
				user = "what is there?"
			}
			var calls []chat.Call
			var results []chat.Result
			for _, c := range tt.contents {
				calls = append(calls, chat.Call{Tool: "t", Arguments: "{}"})
				results = append(results, chat.Result{Tool: "t", Content: c})
			}
			streamed := ""
			got, err := newTestModel().Next(context.Background(), chat.Request{Messages: []chat.Message{
				{Role: chat.User, Text: user}, {Role: chat.Agent, Calls: calls}, {Role: chat.ToolResults, Results: results},
			}}, func(s string) { streamed += s })
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(say(tt.want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if streamed != got.Text {
				t.Errorf("streamed %q", streamed)
			}
		})
	}
}
