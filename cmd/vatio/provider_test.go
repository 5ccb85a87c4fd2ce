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
func newOpenAI() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var body struct {
			Model    string
			Stream   bool
			Messages []struct{ Role string }
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
