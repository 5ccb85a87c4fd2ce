package serve_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/vatio-dev/vatio/internal/serve"
)

func TestAConversation(t *testing.T) {
	r := start(t, nil)
	got := r.do("POST", "/v1/conversations", `{"channel":"whatsapp","contact":{"name":" Ana ","email":null,"phone_number":"+56 9 1234 5678"}}`, r.as("alice")...)
	if got.status != http.StatusCreated || !regexp.MustCompile(`^\{"id":"[a-z2-7]{26}"\}\n$`).MatchString(got.body) {
		t.Fatalf("%d %s", got.status, got.body)
	}
	id := got.body[7:33]
	same(t, "/v1/conversations/"+id, got.header.Get("Location"))

	got = r.do("POST", "/v1/conversations/"+id+"/messages", `{"text":"stock Picker"}`, r.as("alice")...)
	same(t, "text/event-stream", got.header.Get("Content-Type"))
	same(t, `retry: 1000

id: 1
data: {"type":"start","workspace":"acme","environment":"live","provider":"script","model":"one","tools":["check_stock","my_orders","identify_contact","request_contact_info","handoff"]}

id: 2
data: {"type":"user","text":"stock Picker"}

id: 3
data: {"type":"tool_call","id":"1","tool":"check_stock","arguments":{"product":"Picker"}}

id: 4
data: {"type":"tool_result","id":"1","tool":"check_stock","is_error":false,"content":"{\"result\":\"ok\",\"message\":\"Found 1.\",\"data\":{\"products\":[\"Picker\"]}}","http":{"method":"GET","url":"http://host/products?name=Picker","status":200,"duration_ms":0}}

id: 5
data: {"type":"agent","text":"1 results."}

id: 6
data: {"type":"turn_end","tool_calls":1}

`, steady(got.body))

	got = r.do("POST", "/v1/conversations/"+id+"/messages", `{"text":"  hola ñ <b>  "}`, append(r.as("alice"), "Accept", "application/json")...)
	same(t, "9", got.header.Get("Last-Event-ID"))
	same(t, "application/json", got.header.Get("Content-Type"))
	same(t, `[{"type":"user","text":"hola ñ <b>"},
{"type":"agent","text":"You said: hola ñ <b>"},
{"type":"turn_end","tool_calls":0}]
`, got.body)

	got = r.do("GET", "/v1/conversations/"+id, "", r.as("alice")...)
	same(t, `{"id":"`+id+`","channel":"whatsapp","contact":{"name":"Ana","email":"","phone_number":"+56912345678"},"created":"time","handed_off":false,"running":false,"messages":[
{"role":"user","text":"stock Picker","at":"time"},
{"role":"agent","calls":[{"id":"1","tool":"check_stock","arguments":"{\"product\":\"Picker\"}"}],"at":"time"},
{"role":"tool_results","results":[{"id":"1","tool":"check_stock","content":"{\"result\":\"ok\",\"message\":\"Found 1.\",\"data\":{\"products\":[\"Picker\"]}}"}],"at":"time"},
{"role":"agent","text":"1 results.","at":"time"},
{"role":"user","text":"hola ñ \u003cb\u003e","at":"time"},
{"role":"agent","text":"You said: hola ñ \u003cb\u003e","at":"time"}]}
`, steady(got.body))
}

func TestPiecesOfAnAnswer(t *testing.T) {
	r := start(t, nil)
	id := r.create("alice")
	r.say("alice", id, "first")
	got := r.do("POST", "/v1/conversations/"+id+"/messages?stream=true", `{"text":"hi"}`, r.as("alice")...)
	same(t, `retry: 1000

id: 5
data: {"type":"user","text":"hi"}

data: {"type":"agent_delta","text":"You"}

data: {"type":"agent_delta","text":" said: hi"}

id: 6
data: {"type":"agent","text":"You said: hi"}

id: 7
data: {"type":"turn_end","tool_calls":0}

`, got.body)
	// They are not kept, nor part of an array.
	same(t, `[{"type":"user","text":"hi"},
{"type":"agent","text":"You said: hi"},
{"type":"turn_end","tool_calls":0}]
`, r.do("GET", "/v1/conversations/"+id+"/events?after=4", "", append(r.as("alice"), "Accept", "application/json")...).body)
	same(t, `[{"type":"user","text":"again"},
{"type":"agent","text":"You said: again"},
{"type":"turn_end","tool_calls":0}]
`, r.do("POST", "/v1/conversations/"+id+"/messages?stream=true", `{"text":"again"}`, append(r.as("alice"), "Accept", "application/json")...).body)
}

func TestAPersonTakesOver(t *testing.T) {
	r := start(t, nil)
	id := r.create("alice")
	path := "/v1/conversations/" + id
	r.refused(r.do("POST", path+"/human", `{"text":"I am Eva."}`, r.as("alice")...), 409, "conflict", "no person has this conversation: it must be handed off first")
	r.refused(r.do("POST", path+"/resume", "", r.as("alice")...), 409, "conflict", "no person has this conversation: there is nothing to resume")
	r.say("alice", id, "first")
	same(t, `[{"type":"user","text":"handoff please"},
{"type":"tool_call","id":"1","tool":"handoff","arguments":{"reason":"they asked"}},
{"type":"tool_result","id":"1","tool":"handoff","is_error":false,"content":"{\"result\":\"ok\",\"message\":\"A person will take over from here.\"}"},
{"type":"handoff","text":"a person has this conversation; the agent does not answer until it is resumed"},
{"type":"agent","text":"A person will take over from here."},
{"type":"turn_end","tool_calls":1}]
`, r.say("alice", id, "handoff please"))
	same(t, `[{"type":"user","text":"are you there?"},
{"type":"handoff","text":"a person has this conversation; the agent does not answer until it is resumed"},
{"type":"turn_end","tool_calls":0}]
`, r.say("alice", id, "are you there?"))
	got := r.do("POST", path+"/human", `{"text":"I am Eva."}`, r.as("alice")...)
	same(t, `{"type":"human","text":"I am Eva."}`+"\n", got.body)
	same(t, "14", got.header.Get("Last-Event-ID"))
	r.refused(r.do("POST", path+"/human", `{"text":" "}`, r.as("alice")...), 400, "invalid_request", "the message is blank: write something to say")
	same(t, `{"type":"resume"}`+"\n", r.do("POST", path+"/resume", "{}", r.as("alice")...).body)
	same(t, `[{"type":"user","text":"history"},
{"type":"agent","text":"9 messages."},
{"type":"turn_end","tool_calls":0}]
`, r.say("alice", id, "history"))
	body := r.do("GET", path, "", r.as("alice")...).body
	if !strings.Contains(body, `{"role":"human","text":"I am Eva.","at":`) || !strings.Contains(body, `"handed_off":false`) {
		t.Error(body)
	}
}

func TestASharedNumber(t *testing.T) {
	r := start(t, nil)
	got := r.do("POST", "/v1/conversations", `{"channel":"whatsapp"}`, r.as("alice")...)
	id := got.body[7:33]
	path := "/v1/conversations/" + id
	r.refused(r.do("POST", path+"/messages", `{"text":" "}`, r.as("alice")...), 400, "invalid_request", "the message is blank: write something to say")
	events := r.say("alice", id, "phone")
	if !strings.HasSuffix(events, `{"type":"turn_end","tool_calls":1}]`+"\n") || !strings.Contains(events, `"tool":"request_contact_info","is_error":false`) {
		t.Error(events)
	}
	same(t, `{"id":"`+id+`","channel":"whatsapp","contact":{"name":"","email":"","phone_number":"+56912345678"},"created":"time","handed_off":false,"running":false}`+"\n",
		steady(r.do("PATCH", path, `{"contact":{"phone_number":"+56 9 1234 5678"}}`, r.as("alice")...).body))
	same(t, `[{"type":"user","text":"(The visitor shared their phone number: +56912345678)"},
{"type":"agent","text":"You said: (The visitor shared their phone number: +56912345678)"},
{"type":"turn_end","tool_calls":0}]
`, r.say("alice", id, ""))
	r.refused(r.do("POST", path+"/messages", `{"text":""}`, r.as("alice")...), 400, "invalid_request", "the message is blank: write something to say")
	// A name that the agent learns is kept, and what an app sets meanwhile too.
	r.say("alice", id, "name Ana María")
	same(t, `{"id":"`+id+`","channel":"whatsapp","contact":{"name":"Ana María","email":"a@example.com","phone_number":""},"created":"time","handed_off":false,"running":false}`+"\n",
		steady(r.do("PATCH", path, `{"contact":{"email":"a@example.com","phone_number":null}}`, r.as("alice")...).body))
}

func TestAFailingTurn(t *testing.T) {
	r := start(t, nil)
	id := r.create("alice")
	r.say("alice", id, "first")
	same(t, `[{"type":"user","text":"fail"},
{"type":"error","message":"the provider answered HTTP 500: try again"},
{"type":"turn_end","tool_calls":0}]
`, r.say("alice", id, "fail"))
	r.refused(r.do("POST", "/v1/conversations/"+id+"/messages", `{"text":"panic"}`, append(r.as("alice"), "Accept", "application/json")...),
		500, "internal", "the turn failed: something went wrong here")
	same(t, `[{"type":"user","text":"history"},
{"type":"agent","text":"7 messages."},
{"type":"turn_end","tool_calls":0}]
`, r.say("alice", id, "history"))
	body := r.do("GET", "/v1/conversations/"+id+"/events", "", append(r.as("alice"), "Accept", "application/json")...).body
	if !strings.Contains(body, `{"type":"user","text":"panic"},
{"type":"error","message":"the turn was interrupted: the process that ran it stopped"},
{"type":"turn_end","tool_calls":0}`) {
		t.Error(body)
	}
}

func TestARepeatedRequest(t *testing.T) {
	r := start(t, nil)
	id := r.create("alice")
	r.say("alice", id, "first")
	path := "/v1/conversations/" + id + "/messages"
	headers := append(r.as("alice"), "Idempotency-Key", "k-1", "Accept", "application/json")
	want := `[{"type":"user","text":"stock a"},
{"type":"tool_call","id":"1","tool":"check_stock","arguments":{"product":"a"}},
{"type":"tool_result","id":"1","tool":"check_stock","is_error":false,"content":"{\"result\":\"ok\",\"message\":\"Found 1.\",\"data\":{\"products\":[\"a\"]}}","http":{"method":"GET","url":"http://host/products?name=a","status":200,"duration_ms":0}},
{"type":"agent","text":"1 results."},
{"type":"turn_end","tool_calls":1}]
`
	for range 2 {
		same(t, want, steady(r.do("POST", path, `{"text":"stock a"}`, headers...).body))
	}
	r.say("alice", id, "between")
	same(t, want, steady(r.do("POST", path, `{"text":"stock a"}`, headers...).body))
	same(t, 1, len(r.shop.asked))
	stream := r.do("POST", path, `{"text":"stock a"}`, append(r.as("alice"), "Idempotency-Key", "k-1")...).body
	if !strings.HasPrefix(stream, "retry: 1000\n\nid: 5\ndata: {\"type\":\"user\"") || !strings.HasSuffix(stream, "id: 9\ndata: {\"type\":\"turn_end\",\"tool_calls\":1}\n\n") {
		t.Error(stream)
	}
	// Another conversation knows nothing of it.
	other := r.create("alice")
	if got := r.do("POST", "/v1/conversations/"+other+"/messages", `{"text":"hi"}`, headers...).body; !strings.Contains(got, "You said: hi") {
		t.Error(got)
	}
	r.refused(r.do("POST", path, `{"text":"x"}`, append(r.as("alice"), "Idempotency-Key", "a b")...), 400, "invalid_request", "Idempotency-Key must be one value of 1 to 100 letters, digits and punctuation")
}

func TestBodies(t *testing.T) {
	r := start(t, nil)
	id := r.create("alice")
	conversation := "/v1/conversations/" + id
	for _, test := range []struct{ method, path, body, message string }{
		{"POST", "/v1/conversations", `{`, ""},
		{"POST", "/v1/conversations", `[]`, "the body must be a JSON object"},
		{"POST", "/v1/conversations", `{} {}`, ""},
		{"POST", "/v1/conversations", `{"chanel":"web"}`, `the body has the unknown member "chanel": it may have "channel" or "contact"`},
		{"POST", "/v1/conversations", `{"channel":"sms"}`, `there is no channel "sms": use "web", "whatsapp" or "cli"`},
		{"POST", "/v1/conversations", `{"channel":1}`, `"channel" must be a string`},
		{"POST", "/v1/conversations", `{"contact":[]}`, `"contact" must be a JSON object`},
		{"POST", "/v1/conversations", `{"contact":{"phone":"1"}}`, `"contact" has the unknown member "phone": it may have "name", "email" or "phone_number"`},
		{"POST", "/v1/conversations", `{"contact":{"phone_number":"call me"}}`, `"phone_number": "call me" is no phone number: use 7 to 15 digits, with the country first, such as +56912345678`},
		{"POST", "/v1/conversations", `{"contact":{"name":"a\nb"}}`, `"name" must not hold line breaks or other control characters`},
		{"POST", "/v1/conversations", `{"contact":{"email":"` + strings.Repeat("é", 201) + `"}}`, `"email" is longer than 200 characters`},
		{"PATCH", conversation, `{}`, `"contact" is missing: {"contact": {"phone_number": "+56912345678"}}`},
		{"PATCH", conversation, `{"channel":"cli"}`, `the body has the unknown member "channel": it may have "contact"`},
		{"POST", conversation + "/messages", ``, `"text" is missing: {"text": "…"}`},
		{"POST", conversation + "/messages", `{"text":1}`, `"text" must be a string`},
		{"POST", conversation + "/messages", `{"text":null}`, "the message is blank: write something to say"},
		{"POST", conversation + "/messages", `{"Text":"a"}`, `the body has the unknown member "Text": it may have "text"`},
		{"POST", conversation + "/messages", "{\"text\":\"\xff\"}", ""},
		{"POST", conversation + "/messages?stream=yes", `{"text":"a"}`, "stream must be true or false"},
		{"POST", conversation + "/resume", `{"a":1}`, `the body has the unknown member "a": there are none`},
		{"GET", conversation + "/events?after=x", "", `Last-Event-ID must be the id of an event: "x"`},
		{"GET", conversation + "/events?after=-1", "", `Last-Event-ID must be the id of an event: "-1"`},
		{"GET", conversation + "/events?follow=1", "", "follow must be true or false"},
	} {
		got := r.do(test.method, test.path, test.body, r.as("alice")...)
		if test.message == "" {
			if got.status != 400 || !strings.HasPrefix(got.body, `{"error":{"code":"invalid_request","message":"the body is no JSON: `) {
				t.Errorf("%s: %d %s", test.body, got.status, got.body)
			}
			continue
		}
		r.refused(got, 400, "invalid_request", test.message)
	}
	if got := r.say("alice", id, "history"); !strings.Contains(got, `"1 messages."`) {
		t.Errorf("a refused message was kept: %s", got)
	}
}

func TestPaths(t *testing.T) {
	r := start(t, nil)
	r.refused(r.do("GET", "/", ""), 404, "not_found", "there is nothing here: /openapi.json says what there is")
	r.refused(r.do("GET", "/v1/conversation", ""), 404, "not_found", "there is nothing here: /openapi.json says what there is")
	r.refused(r.do("GET", "/v1/conversations/x/calls/1", "", r.as("alice")...), 404, "not_found", "there is nothing here: /openapi.json says what there is")
	got := r.do("DELETE", "/v1/conversations/x", "")
	r.refused(got, 405, "method_not_allowed", "/v1/conversations/{id} is not for DELETE: use GET, HEAD, PATCH")
	same(t, "GET, HEAD, PATCH", got.header.Get("Allow"))
	r.refused(r.do("POST", "/healthz", ""), 405, "method_not_allowed", "/healthz is not for POST: use GET, HEAD")
	same(t, `{"status":"ok"}`+"\n", r.do("GET", "/healthz", "").body)
	same(t, `{"status":"ready"}`+"\n", r.do("GET", "/readyz", "").body)
	if got := r.do("GET", "/openapi.json", ""); got.status != 200 || !strings.HasPrefix(got.body, `{`) {
		t.Errorf("%d %.100s", got.status, got.body)
	}
	for _, name := range []string{"%00", "..%2f..", strings.Repeat("a", 5000), "%ff", "' OR 1=1"} {
		request := strings.ReplaceAll("/v1/conversations/"+name, " ", "%20")
		r.refused(r.do("GET", request, "", r.as("alice")...), 404, "not_found", "there is no such conversation")
	}
}

func TestReadiness(t *testing.T) {
	r := start(t, nil)
	r.current.Close()
	r.refused(r.do("GET", "/readyz", ""), 503, "unavailable", "no agent is deployed yet")
	d, err := deployment(r.shop.dir, r.shop.backend.URL, r.model)
	if err != nil {
		t.Fatal(err)
	}
	r.current.Set(d)
	same(t, 200, r.do("GET", "/readyz", "").status)
	if err := r.store.Close(); err != nil {
		t.Fatal(err)
	}
	r.refused(r.do("GET", "/readyz", ""), 503, "unavailable", "the database does not answer: try again")
	same(t, 200, r.do("GET", "/healthz", "").status)
}

func TestThePage(t *testing.T) {
	r := start(t, func(o *serve.Options) {
		o.Page = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "page "+r.URL.Path) })
	})
	same(t, "page /", r.do("GET", "/", "").body)
	same(t, "page /app.js", r.do("GET", "/app.js", "").body)
	r.refused(r.do("GET", "/v1/x", ""), 404, "not_found", "there is nothing here: /openapi.json says what there is")
}

func TestTraces(t *testing.T) {
	r := start(t, func(o *serve.Options) { o.Traces = true })
	id := r.create("alice")
	r.say("alice", id, "stock Picker")
	got := r.do("GET", "/v1/conversations/"+id+"/calls/1", "", r.as("alice")...)
	body := regexp.MustCompile(`\{"name":"(Date|Content-Length|Content-Type)","value":"[^"]*"\},?`).ReplaceAllString(steady(got.body), "")
	same(t, `{"id":"1","tool":"check_stock","request":{"method":"GET","url":"http://host/products?name=Picker","headers":[{"name":"Accept-Encoding","value":"gzip"},{"name":"Authorization","value":"Bearer [redacted]"},{"name":"User-Agent","value":"vatio/1"}],"body":"","cut":false},`+
		`"response":{"status":200,"headers":[],"body":"{\"data\":[\"Picker\"],\"you\":\"Bearer [redacted]\"}","cut":false,"error":""},"duration_ms":0}`+"\n", body)
	for _, path := range []string{"/calls/2", "/calls/x", "/calls/%00"} {
		r.refused(r.do("GET", "/v1/conversations/"+id+path, "", r.as("alice")...), 404, "not_found", "there is no such conversation")
	}
	r.refused(r.do("GET", "/v1/conversations/"+id+"/calls/1", "", r.as("bob")...), 404, "not_found", "there is no such conversation")
}

func TestLogsAndMetrics(t *testing.T) {
	r := start(t, nil)
	id := r.create("alice")
	token := r.shop.token(t, nil)
	r.say("alice", id, "stock secret-words")
	r.say("alice", id, "fail secret-words")
	r.do("POST", "/v1/conversations", "", "Authorization", "Bearer "+token)
	r.do("POST", "/v1/conversations", "", "Authorization", "Bearer "+token+"x")
	r.do("POST", "/v1/conversations?secret-words=1", `{"secret-words":1}`, r.as("alice")...)
	r.do("SECRET-WORDS", "/v1/conversations", "", r.as("alice")...)
	metrics := r.do("GET", "/metrics", "").body
	for _, want := range []string{
		`vatio_turns_total{outcome="answered"} 1`, `vatio_turns_total{outcome="failed"} 1`, `vatio_turns_total{outcome="lost"} 0`,
		`vatio_tool_calls_total{tool="check_stock",outcome="ok"} 1`, `vatio_model_errors_total{provider="script"} 1`,
		`vatio_http_requests_total{method="POST",route="/v1/conversations/{id}/messages",status="200"} 2`,
		`vatio_http_requests_total{method="POST",route="/v1/conversations",status="401"} 1`,
		`vatio_turn_seconds_count 2`, `vatio_build_info{version="1.2.3"} 1`, `vatio_turns_running 0`, `vatio_tool_call_seconds_bucket{tool="check_stock",le="+Inf"} 1`,
	} {
		if !strings.Contains(metrics, "\n"+want+"\n") && !strings.HasPrefix(metrics, want+"\n") {
			t.Errorf("%s is not in the metrics:\n%s", want, metrics)
		}
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	log := r.log.String()
	for _, forbidden := range []string{"secret-words", secretToken, r.key, token, token[20:60], "SECRET", "goroutine"} {
		if strings.Contains(strings.ToLower(log), strings.ToLower(forbidden)) {
			t.Errorf("the log holds %q:\n%s", forbidden, log)
		}
	}
	for _, want := range []string{
		`"msg":"request","request":"`, `"method":"POST","route":"POST /v1/conversations/{id}/messages","status":200`, `"owner":"web/alice","conversation":"` + id,
		`"msg":"turn","conversation":"` + id + `","turn":1,"owner":"web/alice","outcome":"answered"`,
		`"outcome":"failed"`, `"error":"the provider answered HTTP 500: try again"`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log has no %s:\n%s", want, log)
		}
	}
}

// A stopped server leaves no half turn: what ends in time is whole, the rest is
// cancelled.
func TestShutdown(t *testing.T) {
	for name, test := range map[string]struct {
		grace time.Duration
		want  string
	}{
		"in time": {time.Minute, `{"type":"agent","text":"You said: wait for me"},` + "\n" + `{"type":"turn_end","tool_calls":0}]`},
		"late":    {50 * time.Millisecond, `{"type":"error","message":"the turn was cancelled"},` + "\n" + `{"type":"turn_end","tool_calls":0}]`},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, func(o *serve.Options) { o.ShutdownGrace = test.grace })
			id := r.create("alice")
			r.say("alice", id, "first")
			answer := make(chan reply, 1)
			go func() {
				answer <- r.do("POST", "/v1/conversations/"+id+"/messages", `{"text":"wait for me"}`, append(r.as("alice"), "Accept", "application/json")...)
			}()
			<-r.model.waiting
			stopped := make(chan error, 1)
			go func() { stopped <- r.stop() }()
			for {
				if _, err := http.Get(r.url + "/readyz"); err != nil {
					break // nothing listens any more
				}
				time.Sleep(time.Millisecond)
			}
			if test.grace > time.Second {
				close(r.model.release)
			}
			got := <-answer
			same(t, `[{"type":"user","text":"wait for me"},`+"\n"+test.want+"\n", got.body)
			if err := <-stopped; err != nil {
				t.Error(err)
			}
			c, err := r.store.Get(t.Context(), "web/alice", id)
			if err != nil || c.Running {
				t.Errorf("%+v, %v", c, err)
			}
		})
	}
}
