package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
)

// newOpenAI returns a server that speaks OpenAI's chat completions. The model
// says what it does:
//
//	shop        calls check_stock for two products at once, then tells how many results there are
//	cut         breaks off in the middle of a text
//	status-NNN  answers with that status and an error that repeats the key
//	key-KEY     answers "yes" when that is the key, KEY being "none" for none
//
// Its list of models has shop alone; a key that ends in "wrong" is refused there.
func newOpenAI() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var body struct {
			Model    string
			Stream   bool
			Messages []struct{ Role string }
		}
		if req.Method == http.MethodGet && req.URL.Path == "/v1/models" {
			if strings.HasSuffix(req.Header.Get("Authorization"), "wrong") {
				w.WriteHeader(http.StatusUnauthorized)
			}
			_, _ = io.WriteString(w, `{"data":[{"id":"shop"}]}`)
			return
		}
		if req.URL.Path != "/v1/chat/completions" || json.NewDecoder(req.Body).Decode(&body) != nil || !body.Stream {
			http.NotFound(w, req)
			return
		}
		key := strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
		if status, ok := strings.CutPrefix(body.Model, "status-"); ok {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Retry-After-Ms", "1")
			n, _ := strconv.Atoi(status)
			w.WriteHeader(n)
			fmt.Fprintf(w, `{"error":{"message":"no luck with %s","type":"some_error","code":null}}`, key)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		results := 0
		for _, m := range body.Messages {
			if m.Role == "tool" {
				results++
			}
		}
		expected, keyed := strings.CutPrefix(body.Model, "key-")
		switch {
		case keyed:
			answer := "no"
			if key == expected || key == "" && expected == "none" {
				answer = "yes"
			}
			chunks(w, `{"content":"`+answer+`"}`)
		case body.Model == "cut":
			_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"Let me"}}]}`+"\n\n")
			return
		case results == 0:
			chunks(w, `{"role":"assistant","content":"Let me "}`, `{"content":"look."}`,
				`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"check_stock","arguments":""}}]}`,
				`{"tool_calls":[{"index":0,"function":{"arguments":"{\"product\":\"Picker\"}"}}]}`,
				`{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"check_stock","arguments":"{\"product\":\"Drum kit\"}"}}]}`)
		default:
			chunks(w, `{"content":"I have "}`, fmt.Sprintf(`{"content":"%d results."}`, results))
		}
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
}

func chunks(w io.Writer, deltas ...string) {
	for _, delta := range deltas {
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":null}]}\n\n", delta)
	}
}

// newAnthropic returns a server that speaks Anthropic's Messages API. The model
// says what it does, as with newOpenAI; there is also
//
//	long   stops at the limit of tokens
//	busy   says in the stream that it is overloaded
func newAnthropic() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var body struct {
			Model     string
			MaxTokens int `json:"max_tokens"`
			Stream    bool
			Messages  []struct {
				Role    string
				Content []struct{ Type string }
			}
		}
		if req.URL.Path != "/v1/messages" || json.NewDecoder(req.Body).Decode(&body) != nil || !body.Stream || body.MaxTokens == 0 || req.Header.Get("Anthropic-Version") != "2023-06-01" {
			http.NotFound(w, req)
			return
		}
		key := req.Header.Get("X-Api-Key")
		if status, ok := strings.CutPrefix(body.Model, "status-"); ok {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Retry-After-Ms", "1")
			n, _ := strconv.Atoi(status)
			w.WriteHeader(n)
			fmt.Fprintf(w, `{"type":"error","error":{"type":"some_error","message":"no luck with %s"}}`, key)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		results := 0
		for _, m := range body.Messages {
			for _, c := range m.Content {
				if c.Type == "tool_result" {
					results++
				}
			}
		}
		say := func(event, data string) {
			fmt.Fprintf(w, "event: %[1]s\ndata: {\"type\":\"%[1]s\",%[2]s}\n\n", event, data)
		}
		text := func(pieces ...string) {
			say("content_block_start", `"index":0,"content_block":{"type":"text","text":""}`)
			for _, piece := range pieces {
				say("content_block_delta", `"index":0,"delta":{"type":"text_delta","text":"`+piece+`"}`)
			}
			say("content_block_stop", `"index":0`)
		}
		call := func(index int, product string) {
			say("content_block_start", fmt.Sprintf(`"index":%d,"content_block":{"type":"tool_use","id":"toolu_%[1]d","name":"check_stock","input":{}}`, index))
			for _, piece := range []string{"", `{\"product\":`, ` \"` + product + `\"}`} {
				say("content_block_delta", fmt.Sprintf(`"index":%d,"delta":{"type":"input_json_delta","partial_json":"%s"}`, index, piece))
			}
			say("content_block_stop", fmt.Sprintf(`"index":%d`, index))
		}
		expected, keyed := strings.CutPrefix(body.Model, "key-")
		reason := "end_turn"
		say("message_start", `"message":{"id":"msg_1","type":"message","role":"assistant","content":[],"stop_reason":null}`)
		switch {
		case keyed:
			answer := "no"
			if key == expected || key == "" && expected == "none" {
				answer = "yes"
			}
			text(answer)
		case body.Model == "cut":
			text("Let me")
			return
		case body.Model == "busy":
			say("error", `"error":{"type":"overloaded_error","message":"Overloaded"}`)
			return
		case body.Model == "long":
			text("Let me")
			reason = "max_tokens"
		case results == 0:
			text("Let me ", "look.")
			say("ping", `"x":0`)
			call(1, "Picker")
			call(2, "Drum kit")
			reason = "tool_use"
		default:
			text("I have ", fmt.Sprint(results, " results."))
		}
		say("message_delta", `"delta":{"stop_reason":"`+reason+`","stop_sequence":null},"usage":{"output_tokens":9}`)
		say("message_stop", `"x":0`)
	}))
}
