package openai

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/model/remote/remotetest"
)

// sse writes events as servers do.
func sse(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString("data: " + e + "\n\n")
	}
	return b.String()
}

// full is one chunk as OpenAI sends it.
func full(delta, finish string) string {
	return strings.Replace(chunk(delta, finish), `{"choices"`, `{"id":"chatcmpl-B9","object":"chat.completion.chunk","created":1764590400,"model":"gpt-5-mini","service_tier":"default","system_fingerprint":"fp_1","usage":null,"obfuscation":"x8","choices"`, 1)
}

// chunk is what counts of it.
func chunk(delta, finish string) string {
	if finish != "null" {
		finish = `"` + finish + `"`
	}
	return `{"choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + `}]}`
}

const (
	who     = "openai at test.invalid"
	cutText = "the answer of " + who + " was cut off before its end: ask again"
)

// streams are what servers send, and what it means.
var streams = []struct {
	name        string
	contentType string
	body        string
	want        said
}{
	{
		name: "OpenAI, text",
		body: sse(
			full(`{"role":"assistant","content":"","refusal":null}`, "null"),
			full(`{"content":"Sí, "}`, "null"),
			full(`{"content":"quedan \"3\" 🎸\n"}`, "null"),
			full(`{}`, "stop"),
			`{"id":"chatcmpl-B9","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":7,"total_tokens":16}}`,
			"[DONE]",
		),
		want: said{Reply: chat.Reply{Text: "Sí, quedan \"3\" 🎸\n"}, Deltas: []string{"Sí, ", "quedan \"3\" 🎸\n"}},
	},
	{
		name: "OpenAI, parallel calls",
		body: sse(
			chunk(`{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"check_stock","arguments":""}}]}`, "null"),
			chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"pro"}}]}`, "null"),
			chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"duct\":\"Pick\u00e9r\"}"}}]}`, "null"),
			chunk(`{"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"get_order","arguments":""}}]}`, "null"),
			chunk(`{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]}`, "null"),
			chunk(`{"tool_calls":[{"index":2,"id":"call_c","type":"function","function":{"name":"check_stock","arguments":"{}"}}]}`, "null"),
			chunk(`{}`, "tool_calls"),
			"[DONE]",
		),
		want: said{Reply: chat.Reply{Calls: []chat.Call{
			{ID: "call_a", Tool: "check_stock", Arguments: `{"product":"Pickér"}`},
			{ID: "call_b", Tool: "get_order", Arguments: "{}"},
			{ID: "call_c", Tool: "check_stock", Arguments: "{}"},
		}}},
	},
	{
		name: "text before calls, which arrive by turns and out of order",
		body: sse(
			chunk(`{"role":"assistant","content":"I look."}`, "null"),
			chunk(`{"tool_calls":[{"index":1,"id":"b","function":{"name":"two","arguments":"{\"b"}},{"index":0,"id":"a","function":{"name":"one","arguments":"{\"a"}}]}`, "null"),
			chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"\":1}"}},{"index":1,"function":{"arguments":"\":2}"}}]}`, "null"),
			chunk(`{}`, "tool_calls"),
			"[DONE]",
		),
		want: said{Reply: chat.Reply{Text: "I look.", Calls: []chat.Call{{ID: "a", Tool: "one", Arguments: `{"a":1}`}, {ID: "b", Tool: "two", Arguments: `{"b":2}`}}}, Deltas: []string{"I look."}},
	},
	{
		name: "Ollama: whole calls, all with index 0",
		body: sse(
			`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"qwen3","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_x1","index":0,"type":"function","function":{"name":"check_stock","arguments":"{\"product\":\"Picker\"}"}}]},"finish_reason":null}]}`,
			`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"qwen3","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":[{"id":"call_x2","index":0,"type":"function","function":{"name":"check_stock","arguments":"{\"product\":\"Drum\"}"}}]},"finish_reason":null}]}`,
			`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"qwen3","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]}`,
			"[DONE]",
		),
		want: said{Reply: chat.Reply{Calls: []chat.Call{{ID: "call_x1", Tool: "check_stock", Arguments: `{"product":"Picker"}`}, {ID: "call_x2", Tool: "check_stock", Arguments: `{"product":"Drum"}`}}}},
	},
	{
		name: "whole calls with index 0 and no ids",
		body: sse(
			chunk(`{"tool_calls":[{"index":0,"function":{"name":"a","arguments":"{}"}},{"index":0,"function":{"name":"a","arguments":"{}"}}]}`, "null"),
			chunk(`{"tool_calls":[{"index":0,"function":{"name":"b","arguments":"{\"x\":1}"}}]}`, "stop"),
		),
		want: said{Reply: chat.Reply{Calls: []chat.Call{{Tool: "a", Arguments: "{}"}, {Tool: "a", Arguments: "{}"}, {Tool: "b", Arguments: `{"x":1}`}}}},
	},
	{
		name: "calls without an index",
		body: sse(
			chunk(`{"tool_calls":[{"id":"1","function":{"name":"a","arguments":"{\"x"}}]}`, "null"),
			chunk(`{"tool_calls":[{"function":{"arguments":"\":1"}}]}`, "null"),
			chunk(`{"tool_calls":[{"id":"1","index":null,"function":{"arguments":"}"}}]}`, "null"),
			chunk(`{"tool_calls":[{"function":{"name":"b","arguments":"{}"}},{"id":"3","function":{"name":"c","arguments":"{}"}}]}`, "tool_calls"),
		),
		want: said{Reply: chat.Reply{Calls: []chat.Call{{ID: "1", Tool: "a", Arguments: `{"x":1}`}, {Tool: "b", Arguments: "{}"}, {ID: "3", Tool: "c", Arguments: "{}"}}}},
	},
	{
		name: "name and id again with each piece, arguments as an object",
		body: sse(
			chunk(`{"tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"a","arguments":"{\"x\":"}}]}`, "null"),
			chunk(`{"tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"a","arguments":"1}"}}]}`, "null"),
			chunk(`{"tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"a","arguments":""}}]}`, "null"),
			chunk(`{"tool_calls":[{"index":1,"id":"2","function":{"name":"b","arguments":{"y": [1.0]}}}]}`, "null"),
			chunk(`{"tool_calls":[{"index":2,"id":"3","function":{"name":"c","arguments":null}},{"index":3},{"index":4,"id":"","function":{}}]}`, "tool_calls"),
		),
		want: said{Reply: chat.Reply{Calls: []chat.Call{{ID: "1", Tool: "a", Arguments: `{"x":1}`}, {ID: "2", Tool: "b", Arguments: `{"y": [1.0]}`}, {ID: "3", Tool: "c"}}}},
	},
	{
		name: "a name in pieces, and arguments that are no JSON",
		body: sse(
			chunk(`{"tool_calls":[{"index":0,"id":"1","function":{"name":"check_"}}]}`, "null"),
			chunk(`{"tool_calls":[{"index":0,"function":{"name":"stock"}}]}`, "null"),
			chunk(`{"tool_calls":[{"index":0,"function":{"arguments":"{oops"}}]}`, "tool_calls"),
		),
		want: said{Reply: chat.Reply{Calls: []chat.Call{{ID: "1", Tool: "check_stock", Arguments: "{oops"}}}},
	},
	{
		name: "a parameter that travelled under another name",
		body: sse(chunk(`{"tool_calls":[{"index":0,"id":"1","function":{"name":"buscar","arguments":"{\"ano\": 2026, \"tags\": [{\"ano\":1}]}"}}]}`, "tool_calls")),
		want: said{Reply: chat.Reply{Calls: []chat.Call{{ID: "1", Tool: "buscar", Arguments: `{"año":2026,"tags":[{"año":1}]}`}}}},
	},
	{
		name: "function_call",
		body: sse(
			chunk(`{"role":"assistant","content":null,"function_call":{"name":"a","arguments":""}}`, "null"),
			chunk(`{"function_call":{"arguments":"{\"x\""}}`, "null"),
			chunk(`{"function_call":{"arguments":":1}"}}`, "null"),
			chunk(`{}`, "function_call"), "[DONE]",
		),
		want: said{Reply: chat.Reply{Calls: []chat.Call{{Tool: "a", Arguments: `{"x":1}`}}}},
	},
	{
		name: "reasoning is left out",
		body: sse(
			chunk(`{"role":"assistant","content":null,"reasoning_content":"Hm."}`, "null"),
			chunk(`{"content":null,"reasoning":"Well.","reasoning_details":[{"type":"reasoning.text","text":"Well."}]}`, "null"),
			chunk(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"So."}]},{"type":"text","text":"Three"}]}`, "null"),
			chunk(`{"content":" left."}`, "null"), chunk(`{"content":""}`, "stop"), "[DONE]",
		),
		want: said{Reply: chat.Reply{Text: "Three left."}, Deltas: []string{"Three", " left."}},
	},
	{
		name: "comments, CRLF, other fields, no space, an empty error, choices that are null",
		body: "\ufeff: OPENROUTER PROCESSING\r\n\r\nevent: message\r\nid: 1\r\nretry: 10\r\ndata:" + chunk(`{"content":"a"}`, "null") + "\r\n\r\n" +
			": keep-alive\n\ndata\n\ndata:\n\n" + `data: {"choices":null,"error":null}` + "\n\n" +
			"data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\"b\"}}]}\r\r" + sse(chunk("{}", "stop")),
		want: said{Reply: chat.Reply{Text: "ab"}, Deltas: []string{"a", "b"}},
	},
	{
		name: "a character in two halves, as bytes and as escapes",
		body: sse(chunk("{\"content\":\"a\xc3\"}", "null"), chunk("{\"content\":\"\xb1o \\ud83c\"}", "null"), chunk(`{"content":"\udfb8 \\ud83c"}`, "null"), chunk(`{"content":"!\ud83c"}`, "stop"), "[DONE]"),
		want: said{Reply: chat.Reply{Text: "año 🎸 \\ud83c!\ufffd"}, Deltas: []string{"a", "ño ", "🎸 \\ud83c", "!", "\ufffd"}},
	},
	{
		name: "the last event without a line behind it",
		body: strings.TrimRight(sse(chunk(`{"content":"a"}`, "null"), chunk("{}", "stop")), "\n"),
		want: said{Reply: chat.Reply{Text: "a"}, Deltas: []string{"a"}},
	},
	{
		name: "other choices are left out",
		body: sse(`{"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"stop"},{"index":0,"delta":{"content":"yes"},"finish_reason":"stop"}]}`),
		want: said{Reply: chat.Reply{Text: "yes"}, Deltas: []string{"yes"}},
	},
	{
		name: "a reason nobody knows, and text behind it",
		body: sse(chunk(`{"content":"a"}`, "eos"), chunk(`{"content":"b"}`, "null"), "[DONE]", chunk(`{"content":"c"}`, "null")),
		want: said{Reply: chat.Reply{Text: "ab"}, Deltas: []string{"a", "b"}},
	},
	{
		name: "a completion that is not streamed", contentType: "application/json",
		body: "\n" + `{"id":"1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi.","tool_calls":[{"id":"x","type":"function","function":{"name":"a","arguments":"{}"}},{"id":"y","type":"function","function":{"name":"b","arguments":"{}"}}]},"finish_reason":"tool_calls"}],` + "\n" + `"usage":{}}`,
		want: said{Reply: chat.Reply{Text: "Hi.", Calls: []chat.Call{{ID: "x", Tool: "a", Arguments: "{}"}, {ID: "y", Tool: "b", Arguments: "{}"}}}, Deltas: []string{"Hi."}},
	},
	{name: "an empty answer", body: sse(chunk(`{"role":"assistant","content":""}`, "null"), chunk("{}", "stop"), "[DONE]"), want: said{}},

	{name: "cut: nothing at all", body: "", want: said{Err: cutText}},
	{name: "cut: only [DONE]", body: "data: [DONE]\n\n", want: said{Err: cutText}},
	{name: "cut: no reason", body: sse(chunk(`{"content":"a"}`, "null"), "[DONE]"), want: said{Deltas: []string{"a"}, Err: cutText}},
	{name: "cut: inside an event", body: sse(chunk(`{"content":"a"}`, "null")) + `data: {"choices":[{"index":0,"delta":{"content":"b`, want: said{Deltas: []string{"a"}, Err: cutText}},
	{name: "cut: calls without a reason", body: sse(chunk(`{"tool_calls":[{"index":0,"id":"1","function":{"name":"a","arguments":"{}"}}]}`, "null"), "[DONE]"), want: said{Err: cutText}},
	{
		name: "JSON of something else", contentType: "application/json", body: `{"status":"ok"}`,
		want: said{Err: who + " sent something that is no chat completion: --model-url may not be the address of its API"},
	},
	{
		name: "length", body: sse(chunk(`{"content":"a"}`, "null"), chunk("{}", "length"), "[DONE]"),
		want: said{Deltas: []string{"a"}, Err: "the answer of " + who + " was cut off at the model's length limit: ask for less at a time, start a new conversation, or choose a model with a larger limit"},
	},
	{
		name: "length, with half a call", body: sse(chunk(`{"tool_calls":[{"index":0,"id":"1","function":{"name":"a","arguments":"{"}}]}`, "length"), "[DONE]"),
		want: said{Err: "the answer of " + who + " was cut off at the model's length limit: ask for less at a time, start a new conversation, or choose a model with a larger limit"},
	},
	{
		name: "content_filter", body: sse(chunk(`{"content":"a"}`, "content_filter"), "[DONE]"),
		want: said{Deltas: []string{"a"}, Err: who + " declined to answer: say it in other words"},
	},
	{
		name: "refusal", body: sse(chunk(`{"refusal":"I cannot "}`, "null"), chunk(`{"refusal":"help.\u0007"}`, "null"), chunk("{}", "stop"), "[DONE]"),
		want: said{Err: who + " declined to answer (I cannot help.): say it in other words"},
	},
	{
		name: "an error in the middle", body: sse(chunk(`{"content":"a"}`, "null"), `{"error":{"message":"The server had an error","type":"server_error","param":null,"code":null}}`, "[DONE]"),
		want: said{Deltas: []string{"a"}, Err: who + " failed (HTTP 500: The server had an error): ask again later"},
	},
	{
		name: "OpenRouter's error", body: sse(chunk(`{"content":"a"}`, "null"), `{"id":"gen-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"error":{"code":502,"message":"Provider disconnected","metadata":{}}}`),
		want: said{Deltas: []string{"a"}, Err: who + " failed (HTTP 502: Provider disconnected): ask again later"},
	},
	{
		name: "vLLM's error", body: sse(chunk(`{"content":"a"}`, "null"), `{"object":"error","message":"no room","type":"BadRequestError","param":null,"code":400}`, "[DONE]"),
		want: said{Deltas: []string{"a"}, Err: who + " refuses the request (HTTP 400: no room): check --model and --model-url, and the tools with vatio tools check"},
	},
	{
		name: "a finish that is an error", body: sse(chunk(`{"content":"a"}`, "error")),
		want: said{Deltas: []string{"a"}, Err: who + " failed: ask again"},
	},
	{
		name: "no JSON", body: sse(chunk(`{"content":"a"}`, "null"), "oops"),
		want: said{Deltas: []string{"a"}, Err: who + " sent an event that is no JSON object: --model-url may not be the address of its API"},
	},
	{
		name: "no object", body: sse(`[{"choices":[]}]`),
		want: said{Err: who + " sent an event that is no JSON object: --model-url may not be the address of its API"},
	},
}

func TestStreams(t *testing.T) {
	for _, test := range streams {
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
	var events []string
	var want []chat.Call
	for i := range calls {
		arguments := fmt.Sprintf(`{"n":%d,"text":"año \"%d\" 🎸 \\"}`, i, i)
		want = append(want, chat.Call{ID: fmt.Sprint("call_", i), Tool: fmt.Sprint("tool_", i%3), Arguments: arguments})
		events = append(events, chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"call_%d","type":"function","function":{"name":"tool_%d","arguments":""}}]}`, i, i, i%3), "null"))
		for j := range len(arguments) {
			piece := arguments[j : j+1]
			switch piece {
			case `"`, `\`:
				piece = `\` + piece
			}
			events = append(events, chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":"%s"}}]}`, i, piece), "null"))
		}
	}
	body := sse(append(events, chunk("{}", "tool_calls"), "[DONE]")...)
	m := newTestModel(t, Options{BaseURL: "http://test.invalid", Transport: remotetest.Pieces{Body: body}}, &remotetest.Timeline{})
	if diff := cmp.Diff(said{Reply: chat.Reply{Calls: want}}, ask(t, m, hello())); diff != "" {
		t.Error(diff)
	}
}

// Without anyone to stream to the answer is the same.
func TestNoDelta(t *testing.T) {
	m := newTestModel(t, Options{BaseURL: "http://test.invalid", Transport: remotetest.Pieces{Body: streams[0].body}}, &remotetest.Timeline{})
	reply, err := m.Next(t.Context(), hello(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(streams[0].want.Reply, reply); diff != "" {
		t.Error(diff)
	}
}

// An answer has a limit, whatever it is made of.
func TestLargeAnswers(t *testing.T) {
	const large = "the answer of " + who + " is larger than 8 MiB and was cut off: ask for less"
	piece := strings.Repeat("x", 64<<10)
	repeat := func(delta string, n int) string {
		return strings.Repeat(sse(`{"choices":[{"index":0,"delta":`+delta+`}]}`), n) + done
	}
	tests := []struct{ name, body, want string }{
		{"text", repeat(`{"content":"`+piece+`"}`, 129), large},
		{"text at the limit", strings.Replace(repeat(`{"content":"`+piece+`"}`, 128), `"content":"ok"`, `"content":""`, 1), ""},
		{"arguments", repeat(`{"tool_calls":[{"index":0,"function":{"name":"a","arguments":"`+piece+`"}}]}`, 129), large},
		{"calls", repeat(`{"tool_calls":[{"index":0,"id":"1","function":{"name":"a","arguments":"{}"}},{"index":0,"id":"2","function":{"name":"a","arguments":"{}"}}]}`, 16400), large},
		{"one event", sse(chunk(`{"content":"`+strings.Repeat("x", 17<<20)+`"}`, "stop")), "the answer of " + who + " is too large and was cut off: ask for less"},
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
	for _, test := range streams {
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
