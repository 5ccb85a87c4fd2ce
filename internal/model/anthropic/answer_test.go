package anthropic

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/model/remote/remotetest"
)

// sse writes events as the API does: each under the name of its type.
func sse(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		var kind struct{ Type string }
		if json.Unmarshal([]byte(e), &kind) == nil && kind.Type != "" {
			b.WriteString("event: " + kind.Type + "\n")
		}
		b.WriteString("data: " + e + "\n\n")
	}
	return b.String()
}

const (
	begin = `{"type":"message_start","message":{"id":"msg_01","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":25,"output_tokens":1}}}`
	ping  = `{"type": "ping"}`
	stop  = `{"type":"message_stop"}`
)

func start(index int, block string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, block)
}

func text(index int, piece string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":%s}}`, index, piece)
}

func input(index int, piece string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":%s}}`, index, piece)
}

func ended(index int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index) }

func because(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":"` + reason + `","stop_sequence":null},"usage":{"output_tokens":15}}`
}

// words is a whole answer of one text.
func words(reason string, pieces ...string) string {
	events := []string{begin, start(0, `{"type":"text","text":""}`)}
	for _, piece := range pieces {
		events = append(events, text(0, piece))
	}
	return sse(append(events, ended(0), because(reason), stop)...)
}

// call is the events of a call in pieces.
func call(index int, id, name string, pieces ...string) []string {
	events := []string{start(index, `{"type":"tool_use","id":"`+id+`","name":"`+name+`","input":{}}`)}
	for _, piece := range pieces {
		events = append(events, input(index, piece))
	}
	return append(events, ended(index))
}

func join(parts ...[]string) string {
	var all []string
	for _, part := range parts {
		all = append(all, part...)
	}
	return sse(all...)
}

var done = words("end_turn", `"ok"`)

const (
	who      = "anthropic at test.invalid"
	cutText  = "the answer of " + who + " was cut off before its end: ask again"
	longText = "the answer of " + who + " was cut off at the model's length limit: ask for less at a time, start a new conversation, or choose a model with a larger limit"
)

type streamTest struct {
	name        string
	contentType string
	body        string
	want        said
}

// streams are what servers send, and what it means.
func streams() []streamTest {
	return []streamTest{
		{
			name: "text",
			body: sse(begin, start(0, `{"type":"text","text":""}`), ping, text(0, `"Sí, "`), text(0, `"quedan \"3\" 🎸\n"`), ended(0), because("end_turn"), stop),
			want: said{Reply: chat.Reply{Text: "Sí, quedan \"3\" 🎸\n"}, Deltas: []string{"Sí, ", "quedan \"3\" 🎸\n"}},
		},
		{
			name: "text and parallel calls",
			body: join(
				[]string{begin, start(0, `{"type":"text","text":""}`), ping, text(0, `"I look."`), ended(0)},
				call(1, "toolu_a", "check_stock", `""`, `"{\"pro"`, `"duct\": \"Pick"`, `"\u00e9r\"}"`),
				call(2, "toolu_b", "get_order", `""`),
				call(3, "toolu_c", "check_stock"),
				[]string{because("tool_use"), stop},
			),
			want: said{Reply: chat.Reply{Text: "I look.", Calls: []chat.Call{
				{ID: "toolu_a", Tool: "check_stock", Arguments: `{"product": "Pickér"}`},
				{ID: "toolu_b", Tool: "get_order", Arguments: "{}"},
				{ID: "toolu_c", Tool: "check_stock", Arguments: "{}"},
			}}, Deltas: []string{"I look."}},
		},
		{
			name: "calls by turns and out of order, without stops",
			body: sse(begin, start(1, `{"type":"tool_use","id":"b","name":"two","input":{}}`), start(0, `{"type":"tool_use","id":"a","name":"one","input":{}}`),
				input(1, `"{\"b"`), input(0, `"{\"a"`), input(0, `"\":1}"`), input(1, `"\":2}"`), because("tool_use"), stop),
			want: said{Reply: chat.Reply{Calls: []chat.Call{{ID: "a", Tool: "one", Arguments: `{"a":1}`}, {ID: "b", Tool: "two", Arguments: `{"b":2}`}}}},
		},
		{
			name: "whole calls that all have the index 0, or none",
			body: sse(begin, start(0, `{"type":"tool_use","id":"a","name":"one","input":{"x": 1.0}}`), ended(0), start(0, `{"type":"tool_use","id":"b","name":"two","input":null}`), ended(0),
				`{"type":"content_block_start","content_block":{"type":"tool_use","id":"c","name":"three"}}`, `{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{\"y\":2}"}}`, because("tool_use"), stop),
			want: said{Reply: chat.Reply{Calls: []chat.Call{{ID: "a", Tool: "one", Arguments: `{"x": 1.0}`}, {ID: "b", Tool: "two", Arguments: "{}"}, {ID: "c", Tool: "three", Arguments: `{"y":2}`}}}},
		},
		{
			name: "arguments that are no JSON",
			body: join([]string{begin}, call(0, "a", "one", `"{oops"`), []string{because("tool_use"), stop}),
			want: said{Reply: chat.Reply{Calls: []chat.Call{{ID: "a", Tool: "one", Arguments: "{oops"}}}},
		},
		{
			name: "a parameter that travelled under another name",
			body: join([]string{begin}, call(0, "a", "buscar", `"{\"ano\": 2026, "`, `"\"tags\": [{\"ano\":1}]}"`), []string{because("tool_use"), stop}),
			want: said{Reply: chat.Reply{Calls: []chat.Call{{ID: "a", Tool: "buscar", Arguments: `{"año":2026,"tags":[{"año":1}]}`}}}},
		},
		{
			name: "thinking, and what the server ran, is left out",
			body: sse(begin,
				start(0, `{"type":"thinking","thinking":"","signature":""}`), `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB"}}`, ended(0),
				start(1, `{"type":"redacted_thinking","data":"x"}`), ended(1),
				start(2, `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}`), input(2, `"{\"query\":1}"`), ended(2),
				start(3, `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]}`), ended(3),
				start(4, `{"type":"text","text":"Three","citations":[]}`), `{"type":"content_block_delta","index":4,"delta":{"type":"citations_delta","citation":{"type":"char_location","cited_text":"no"}}}`, text(4, `" left"`), ended(4),
				start(5, `{"type":"text","text":""}`), text(5, `"."`), ended(5), because("end_turn"), stop),
			want: said{Reply: chat.Reply{Text: "Three left."}, Deltas: []string{"Three", " left", "."}},
		},
		{
			name: "text behind a call is a paragraph of its own",
			body: join([]string{begin, start(0, `{"type":"text","text":""}`), text(0, `"a"`), ended(0)}, call(1, "x", "one"),
				[]string{start(2, `{"type":"text","text":""}`), text(2, `""`), text(2, `"b"`), text(2, `"c"`), ended(2), because("tool_use"), stop}),
			want: said{Reply: chat.Reply{Text: "a\n\nbc", Calls: []chat.Call{{ID: "x", Tool: "one", Arguments: "{}"}}}, Deltas: []string{"a", "\n\n", "b", "c"}},
		},
		{
			name: "text first behind a call",
			body: join([]string{begin}, call(0, "x", "one"), []string{start(1, `{"type":"text","text":"b"}`), because("tool_use"), stop}),
			want: said{Reply: chat.Reply{Text: "b", Calls: []chat.Call{{ID: "x", Tool: "one", Arguments: "{}"}}}, Deltas: []string{"b"}},
		},
		{
			name: "comments, CRLF, other fields, no space, events and members nobody knows, text without a start",
			body: "\ufeff: hello\r\n\r\nevent: message_start\r\nid: 1\r\ndata:" + begin + "\r\n\r\n: keep-alive\n\ndata\n\ndata:\n\nevent: heartbeat\ndata: {}\n\n" +
				sse(`{"type":"content_block_fancy","index":0,"error":null}`, `{"type":"content_block_delta","index":0,"delta":{"type":"fancy_delta","fancy":1}}`) +
				"data: {\"type\":\"content_block_delta\",\"index\":1,\ndata: \"delta\":{\"type\":\"text_delta\",\"text\":\"a\",\"new\":{}}}\r\r" +
				"event: content_block_delta\ndata: {\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"b\"}}\n\n" + sse(because("stop_sequence"), stop),
			want: said{Reply: chat.Reply{Text: "ab"}, Deltas: []string{"a", "b"}},
		},
		{
			name: "a character in two halves, as bytes and as escapes",
			body: words("end_turn", "\"a\xc3\"", "\"\xb1o \\ud83c\"", `"\udfb8 \\ud83c"`, `"!\ud83c"`),
			want: said{Reply: chat.Reply{Text: "año 🎸 \\ud83c!\ufffd"}, Deltas: []string{"a", "ño ", "🎸 \\ud83c", "!", "\ufffd"}},
		},
		{
			name: "half a character at the end of a block",
			body: sse(begin, start(0, `{"type":"text","text":""}`), text(0, `"a\ud83c"`), ended(0), start(1, `{"type":"text","text":""}`), text(1, `"b"`), ended(1), because("end_turn"), stop),
			want: said{Reply: chat.Reply{Text: "a\ufffdb"}, Deltas: []string{"a", "\ufffd", "b"}},
		},
		{
			name: "the last event without a line behind it",
			body: strings.TrimRight(words("end_turn", `"a"`), "\n"),
			want: said{Reply: chat.Reply{Text: "a"}, Deltas: []string{"a"}},
		},
		{
			name: "a reason nobody knows, and what follows the end",
			body: words("new_reason", `"a"`) + sse(text(0, `"b"`), `{"type":"error","error":{"type":"api_error","message":"late"}}`, "oops"),
			want: said{Reply: chat.Reply{Text: "a"}, Deltas: []string{"a"}},
		},
		{
			name: "a message that is not streamed", contentType: "application/json",
			body: "\n" + `{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":"Hi."},` + "\n" + `{"type":"tool_use","id":"x","name":"one","input":{"a": 1}},{"type":"tool_use","id":"y","name":"two","input":{}}],"stop_reason":"tool_use","usage":{}}`,
			want: said{Reply: chat.Reply{Text: "Hi.", Calls: []chat.Call{{ID: "x", Tool: "one", Arguments: `{"a": 1}`}, {ID: "y", Tool: "two", Arguments: "{}"}}}, Deltas: []string{"Hi."}},
		},
		{name: "an empty answer", body: sse(begin, because("end_turn"), stop), want: said{}},
		{name: "an answer of an empty text", body: words("end_turn", `""`), want: said{}},

		{name: "cut: nothing at all", want: said{Err: cutText}},
		{name: "cut: only the beginning", body: sse(begin, ping), want: said{Err: cutText}},
		{name: "cut: no stop", body: sse(begin, start(0, `{"type":"text","text":""}`), text(0, `"a"`), ended(0), because("end_turn")), want: said{Deltas: []string{"a"}, Err: cutText}},
		{name: "cut: no reason", body: sse(begin, text(0, `"a"`), `{"type":"message_delta","delta":{"stop_reason":null}}`, stop), want: said{Deltas: []string{"a"}, Err: cutText}},
		{name: "cut: inside an event", body: sse(begin, text(0, `"a"`)) + `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"b`, want: said{Deltas: []string{"a"}, Err: cutText}},
		{name: "cut: a call without a reason", body: join([]string{begin}, call(0, "a", "one", `"{}"`)), want: said{Err: cutText}},
		{name: "cut: pause_turn", body: words("pause_turn", `"a"`), want: said{Deltas: []string{"a"}, Err: cutText}},
		{name: "cut: a message that is not streamed, without a reason", contentType: "application/json", body: `{"type":"message","content":[{"type":"text","text":"a"}],"stop_reason":null}`, want: said{Deltas: []string{"a"}, Err: cutText}},
		{name: "JSON of something else", contentType: "application/json", body: `{"status":"ok"}`, want: said{Err: who + " sent something that is no message: --model-url may not be the address of its API"}},
		{
			name: "events of something else", body: sse(`{"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`, "[DONE]"),
			want: said{Err: who + " sent something that is no message: --model-url may not be the address of its API"},
		},
		{name: "max_tokens", body: words("max_tokens", `"a"`), want: said{Deltas: []string{"a"}, Err: longText}},
		{name: "max_tokens, with half a call", body: join([]string{begin}, call(0, "a", "one", `"{"`), []string{because("max_tokens"), stop}), want: said{Err: longText}},
		{
			name: "model_context_window_exceeded", body: words("model_context_window_exceeded", `"a"`),
			want: said{Deltas: []string{"a"}, Err: who + " has no room for the whole conversation: start a new one, or choose a model with a larger context"},
		},
		{name: "refusal", body: words("refusal", `"a"`), want: said{Deltas: []string{"a"}, Err: who + " declined to answer: say it in other words"}},
		{
			name: "refusal, with its reason",
			body: sse(begin, `{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"I cannot help.\u0007"}}}`, stop),
			want: said{Err: who + " declined to answer (I cannot help.): say it in other words"},
		},
		{
			name: "an error in the middle", body: sse(begin, text(0, `"a"`), `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`),
			want: said{Deltas: []string{"a"}, Err: who + " is overloaded (HTTP 529: Overloaded): ask again later"},
		},
		{
			name: "an error without a type of the event", body: sse(begin, text(0, `"a"`)) + "event: error\ndata: {\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow\"}}\n\n",
			want: said{Deltas: []string{"a"}, Err: who + " was asked too often (HTTP 429: slow): ask again later"},
		},
		{
			name: "an error that is no JSON", body: sse(begin, text(0, `"a"`)) + "event: error\ndata: upstream\ndata: is gone\n\n",
			want: said{Deltas: []string{"a"}, Err: who + " failed (upstream is gone): ask again"},
		},
		{
			name: "no JSON", body: sse(begin, text(0, `"a"`), "oops"),
			want: said{Deltas: []string{"a"}, Err: who + " sent an event that is no JSON object: --model-url may not be the address of its API"},
		},
		{name: "no object", body: sse(`[` + begin + `]`), want: said{Err: who + " sent an event that is no JSON object: --model-url may not be the address of its API"}},
	}
}

func TestStreams(t *testing.T) {
	for _, test := range streams() {
		t.Run(test.name, func(t *testing.T) {
			for _, ends := range remotetest.Splits(test.body) {
				m := newTestModel(t, Options{Key: testKey, BaseURL: "http://test.invalid", Transport: remotetest.Pieces{ContentType: test.contentType, Body: test.body, Ends: ends}}, &remotetest.Timeline{})
				r := hello()
				r.Tools = conversation().Tools
				if diff := cmp.Diff(test.want, ask(t, m, r)); diff != "" {
					t.Fatalf("split at %v: %s", ends[:min(len(ends), 3)], diff)
				}
			}
		})
	}
}

// Arguments in single bytes, across many calls of one answer.
func TestManyCalls(t *testing.T) {
	const calls = 64
	events := []string{begin}
	var want []chat.Call
	for i := range calls {
		arguments := fmt.Sprintf(`{"n":%d,"text":"año \"%d\" 🎸 \\"}`, i, i)
		want = append(want, chat.Call{ID: fmt.Sprint("toolu_", i), Tool: fmt.Sprint("tool_", i%3), Arguments: arguments})
		var pieces []string
		for j := range len(arguments) {
			piece := arguments[j : j+1]
			switch piece {
			case `"`, `\`:
				piece = `\` + piece
			}
			pieces = append(pieces, `"`+piece+`"`)
		}
		events = append(events, call(i, fmt.Sprint("toolu_", i), fmt.Sprint("tool_", i%3), pieces...)...)
	}
	body := sse(append(events, because("tool_use"), stop)...)
	m := newTestModel(t, Options{BaseURL: "http://test.invalid", Transport: remotetest.Pieces{Body: body}}, &remotetest.Timeline{})
	if diff := cmp.Diff(said{Reply: chat.Reply{Calls: want}}, ask(t, m, hello())); diff != "" {
		t.Error(diff)
	}
}

// Without anyone to stream to the answer is the same.
func TestNoDelta(t *testing.T) {
	test := streams()[1]
	m := newTestModel(t, Options{BaseURL: "http://test.invalid", Transport: remotetest.Pieces{Body: test.body}}, &remotetest.Timeline{})
	reply, err := m.Next(t.Context(), hello(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(test.want.Reply, reply); diff != "" {
		t.Error(diff)
	}
}

// An answer has a limit, whatever it is made of.
func TestLargeAnswers(t *testing.T) {
	const large = "the answer of " + who + " is larger than 8 MiB and was cut off: ask for less"
	piece := `"` + strings.Repeat("x", 64<<10) + `"`
	repeat := func(first, event string, n int) string {
		return sse(begin, first) + strings.Repeat(sse(event), n) + sse(because("end_turn"), stop)
	}
	empty, tool := start(0, `{"type":"text","text":""}`), start(0, `{"type":"tool_use","id":"1","name":"a","input":{}}`)
	tests := []struct{ name, body, want string }{
		{"text", repeat(empty, text(0, piece), 129), large},
		{"text at the limit", repeat(empty, text(0, piece), 128), ""},
		{"arguments", repeat(tool, input(0, piece), 129), large},
		{"calls", repeat(tool, tool, 32800), large},
		{"blocks of nothing", repeat(empty, start(0, `{"type":"thinking"}`), 32800), large},
		{"one event", words("end_turn", `"`+strings.Repeat("x", 17<<20)+`"`), "the answer of " + who + " is too large and was cut off: ask for less"},
	}
	for _, test := range tests {
		m := newTestModel(t, Options{BaseURL: "http://test.invalid", Transport: remotetest.Pieces{Body: test.body}}, &remotetest.Timeline{})
		if got := ask(t, m, hello()); got.Err != test.want {
			t.Errorf("%s: %q, want %q", test.name, got.Err, test.want)
		}
	}
}

// FuzzStream feeds any bytes as an answer: whole, and in single bytes.
func FuzzStream(f *testing.F) {
	for _, test := range streams() {
		f.Add([]byte(test.body))
	}
	tools := conversation().Tools
	f.Fuzz(func(t *testing.T, body []byte) {
		text := strings.ReplaceAll(string(body), "KEY", testKey)
		var before said
		for i, ends := range remotetest.Splits(text)[:2] {
			m := newTestModel(t, Options{Key: testKey, BaseURL: "http://test.invalid", Transport: remotetest.Pieces{Body: text, Ends: ends}}, &remotetest.Timeline{})
			r := hello()
			r.Tools = tools
			got := ask(t, m, r)
			if strings.Contains(got.Err, testKey) {
				t.Fatalf("the key is in %s", got.Err)
			}
			if got.Err != "" && (got.Reply.Text != "" || got.Reply.Calls != nil) {
				t.Fatalf("an answer beside the error %s", got.Err)
			}
			if got.Err == "" && strings.Join(got.Deltas, "") != got.Reply.Text {
				t.Fatalf("deltas %q, text %q", got.Deltas, got.Reply.Text)
			}
			if diff := cmp.Diff(before, got); i > 0 && diff != "" {
				t.Fatalf("in single bytes: %s", diff)
			}
			before = got
		}
	})
}
