package serve_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/vatio-dev/vatio/internal/auth"
	"github.com/vatio-dev/vatio/internal/serve"
)

// operations are all that can be done with a conversation.
func operations(id string) [][3]string {
	path := "/v1/conversations/" + id
	return [][3]string{
		{"GET", path, ""}, {"PATCH", path, `{"contact":{"name":"Mallory"}}`}, {"POST", path + "/messages", `{"text":"hi"}`},
		{"GET", path + "/events", ""}, {"GET", path + "/events?follow=true", ""}, {"POST", path + "/human", `{"text":"hi"}`},
		{"POST", path + "/resume", ""}, {"GET", path + "/calls/1", ""},
	}
}

// What is another's reads like what never was, in every operation.
func TestAnotherOwner(t *testing.T) {
	r := start(t, func(o *serve.Options) { o.Traces = true })
	id := r.create("alice")
	r.say("alice", id, "stock a")
	r.say("alice", id, "handoff")
	before := r.do("GET", "/v1/conversations/"+id, "", r.as("alice")...).body
	shopKey := newKey(t, r.store, "shop")
	token := r.shop.token(t, nil)
	others := map[string][]string{
		"another user":    r.as("bob"),
		"another app":     {"Authorization", "Bearer " + shopKey, "X-Vatio-User", "alice"},
		"another case":    r.as("Alice"),
		"a longer name":   r.as("alice/x"),
		"the same token":  {"Authorization", "Bearer " + token},
		"a token's owner": {"Authorization", "Bearer " + r.shop.token(t, map[string]any{"sub": "web/alice"})},
	}
	for who, headers := range others {
		theirs, never := operations(id), operations("aaaaaaaaaaaaaaaaaaaaaaaaaa")
		for i, op := range theirs {
			got := r.do(op[0], op[1], op[2], headers...)
			none := r.do(never[i][0], never[i][1], never[i][2], headers...)
			if got.status != none.status || got.body != none.body || (got.status != 404 && got.status != 403) {
				t.Errorf("%s, %s %s: %d %s, but for what never was %d %s", who, op[0], op[1], got.status, got.body, none.status, none.body)
			}
			got.header.Del("X-Request-Id")
			none.header.Del("X-Request-Id")
			got.header.Del("Date")
			none.header.Del("Date")
			same(t, none.header, got.header)
			if got.status == 403 && strings.HasPrefix(headers[1], "Bearer vatio_") {
				t.Errorf("%s, %s %s: %s", who, op[0], op[1], got.body)
			}
		}
	}
	same(t, before, r.do("GET", "/v1/conversations/"+id, "", r.as("alice")...).body)
}

// Without credentials nothing is said of anything.
func TestCredentials(t *testing.T) {
	r := start(t, func(o *serve.Options) { o.Traces = true })
	id := r.create("alice")
	revoked, k, err := r.store.CreateKey(context.Background(), "web", nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, 200, r.do("GET", "/v1/conversations/"+id, "", "Authorization", "Bearer "+revoked, "X-Vatio-User", "alice").status)
	if err := r.store.RevokeKey(context.Background(), k.ID); err != nil {
		t.Fatal(err)
	}
	token := r.shop.token(t, nil)
	stranger, _, err := auth.NewKey("ES256")
	if err != nil {
		t.Fatal(err)
	}
	forged, err := auth.Sign(stranger, "ES256", map[string]any{"sub": "alice", "iss": "https://acme.example", "aud": "acme", "exp": time.Now().Add(time.Hour).Unix()})
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(token, ".")
	encode := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	mac := hmac.New(sha256.New, []byte("identity.pub"))
	unsigned := encode(`{"alg":"none","typ":"JWT"}`) + "." + parts[1] + "."
	mac.Write([]byte(encode(`{"alg":"HS256"}`) + "." + parts[1]))
	confused := encode(`{"alg":"HS256"}`) + "." + parts[1] + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))

	const noToken = "the token is not accepted: "
	for name, test := range map[string]struct {
		headers []string
		status  int
		code    string
		message string // or how it begins
	}{
		"none":               {nil, 401, "unauthorized", "say who you are: Authorization: Bearer, with an app key or a token"},
		"a user alone":       {[]string{"X-Vatio-User", "alice"}, 401, "unauthorized", "say who you are: Authorization: Bearer, with an app key or a token"},
		"another scheme":     {[]string{"Authorization", "Basic " + r.key, "X-Vatio-User", "alice"}, 401, "unauthorized", "the Authorization header must be: Bearer, and an app key or a token"},
		"no scheme":          {[]string{"Authorization", r.key, "X-Vatio-User", "alice"}, 401, "unauthorized", "the Authorization header must be: Bearer, and an app key or a token"},
		"nothing after it":   {[]string{"Authorization", "Bearer ", "X-Vatio-User", "alice"}, 401, "unauthorized", "the Authorization header must be: Bearer, and an app key or a token"},
		"two keys":           {[]string{"Authorization", "Bearer " + r.key, "Authorization", "Bearer " + r.key, "X-Vatio-User", "alice"}, 401, "unauthorized", "there is more than one Authorization header"},
		"two in one":         {[]string{"Authorization", "Bearer " + r.key + ", Bearer " + r.key, "X-Vatio-User", "alice"}, 401, "unauthorized", "the Authorization header must be: Bearer, and an app key or a token"},
		"a wrong key":        {[]string{"Authorization", "Bearer " + r.key[:57] + "!", "X-Vatio-User", "alice"}, 401, "unauthorized", "the app key is not valid: it may have been revoked"},
		"a key's beginning":  {[]string{"Authorization", "Bearer vatio_", "X-Vatio-User", "alice"}, 401, "unauthorized", "the app key is not valid: it may have been revoked"},
		"a revoked key":      {[]string{"Authorization", "Bearer " + revoked, "X-Vatio-User", "alice"}, 401, "unauthorized", "the app key is not valid: it may have been revoked"},
		"no user":            {[]string{"Authorization", "Bearer " + r.key}, 400, "user_required", "say for whom the app speaks: X-Vatio-User: NAME"},
		"an empty user":      {[]string{"Authorization", "Bearer " + r.key, "X-Vatio-User", ""}, 400, "user_required", "say for whom the app speaks: X-Vatio-User: NAME"},
		"two users":          {[]string{"Authorization", "Bearer " + r.key, "X-Vatio-User", "alice", "X-Vatio-User", "bob"}, 400, "invalid_request", "there is more than one X-Vatio-User header"},
		"a user with a bar":  {[]string{"Authorization", "Bearer " + r.key, "X-Vatio-User", "https://acme.example|alice"}, 400, "invalid_request", `X-Vatio-User: the user of a caller must not hold a |: "https://acme.example|alice"`},
		"a user with a tab":  {[]string{"Authorization", "Bearer " + r.key, "X-Vatio-User", "a\tb"}, 400, "invalid_request", "X-Vatio-User: the user of a caller must not hold control characters"},
		"a user in Latin-1":  {[]string{"Authorization", "Bearer " + r.key, "X-Vatio-User", "Jos\xe9"}, 400, "invalid_request", "X-Vatio-User: the user of a caller must be text without white space around it: "},
		"a long user":        {[]string{"Authorization", "Bearer " + r.key, "X-Vatio-User", strings.Repeat("a", 257)}, 400, "invalid_request", "X-Vatio-User is longer than 256 bytes"},
		"a token with user":  {[]string{"Authorization", "Bearer " + token, "X-Vatio-User", "bob"}, 403, "forbidden", "X-Vatio-User is for app keys: a token says itself who its user is"},
		"and an empty one":   {[]string{"Authorization", "Bearer " + token, "X-Vatio-User", ""}, 403, "forbidden", "X-Vatio-User is for app keys: a token says itself who its user is"},
		"a forged token":     {[]string{"Authorization", "Bearer " + forged}, 401, "unauthorized", noToken},
		"a changed token":    {[]string{"Authorization", "Bearer " + parts[0] + "." + encode(`{"sub":"bob","aud":"acme","exp":9999999999}`) + "." + parts[2]}, 401, "unauthorized", noToken},
		"an expired token":   {[]string{"Authorization", "Bearer " + r.shop.token(t, map[string]any{"exp": time.Now().Add(-2 * time.Minute).Unix()})}, 401, "unauthorized", noToken},
		"a token of later":   {[]string{"Authorization", "Bearer " + r.shop.token(t, map[string]any{"nbf": time.Now().Add(2 * time.Minute).Unix()})}, 401, "unauthorized", noToken},
		"for somebody else":  {[]string{"Authorization", "Bearer " + r.shop.token(t, map[string]any{"aud": "other"})}, 401, "unauthorized", noToken},
		"of somebody else":   {[]string{"Authorization", "Bearer " + r.shop.token(t, map[string]any{"iss": "https://evil.example"})}, 401, "unauthorized", noToken},
		"an unsigned token":  {[]string{"Authorization", "Bearer " + unsigned}, 401, "unauthorized", noToken},
		"a confused token":   {[]string{"Authorization", "Bearer " + confused}, 401, "unauthorized", noToken},
		"a subject with NUL": {[]string{"Authorization", "Bearer " + r.shop.token(t, map[string]any{"sub": "a\x00b"})}, 401, "unauthorized", noToken},
		"no token":           {[]string{"Authorization", "Bearer x"}, 401, "unauthorized", noToken},
	} {
		t.Run(name, func(t *testing.T) {
			for _, op := range append(operations(id), [3]string{"POST", "/v1/conversations", ""}) {
				got := r.do(op[0], op[1], op[2], test.headers...)
				if got.status != test.status || !strings.HasPrefix(got.body, strings.TrimSuffix(problem(test.code, test.message), "\"}}\n")) {
					t.Errorf("%s %s: %d %s", op[0], op[1], got.status, got.body)
				}
				if (got.status == 401) != (got.header.Get("WWW-Authenticate") == "Bearer") {
					t.Errorf("%s %s: WWW-Authenticate %q", op[0], op[1], got.header.Get("WWW-Authenticate"))
				}
			}
		})
	}
}

func TestATokenCaller(t *testing.T) {
	r := start(t, nil)
	as := []string{"Authorization", "bearer " + r.shop.token(t, nil), "Accept", "application/json"}
	const forApps = "this is for apps: a token cannot do it, an app key can"
	const set = "channel and contact are set by apps: a token cannot set them, an app key can"
	r.refused(r.do("POST", "/v1/conversations", `{"channel":"whatsapp"}`, as...), 403, "forbidden", set)
	r.refused(r.do("POST", "/v1/conversations", `{"contact":{}}`, as...), 403, "forbidden", set)
	got := r.do("POST", "/v1/conversations", "{}", as...)
	same(t, 201, got.status)
	id := got.body[7:33]
	same(t, `{"type":"user","text":"orders"},
{"type":"tool_call","id":"1","tool":"my_orders","arguments":{}},
{"type":"tool_result","id":"1","tool":"my_orders","is_error":false,"content":"{\"result\":\"ok\",\"message\":\"Here they are.\"}","http":{"method":"GET","url":"http://host/orders/alice","status":200,"duration_ms":0}},
{"type":"agent","text":"1 results."},
{"type":"turn_end","tool_calls":1}]
`, afterStart(steady(r.do("POST", "/v1/conversations/"+id+"/messages", `{"text":"orders"}`, as...).body)))
	for _, op := range [][3]string{
		{"PATCH", "/v1/conversations/" + id, `{"contact":{"name":"x"}}`}, {"POST", "/v1/conversations/" + id + "/human", `{"text":"x"}`}, {"POST", "/v1/conversations/" + id + "/resume", ""},
	} {
		r.refused(r.do(op[0], op[1], op[2], as...), 403, "forbidden", forApps)
	}
	// Whoever has no token is nobody to the backend.
	other := r.create("alice")
	if got := r.say("alice", other, "orders"); !strings.Contains(got, `\"error_key\":\"authentication_required\"`) {
		t.Error(got)
	}
	same(t, 1, len(r.shop.asked))
	// The same subject of another token is the same owner.
	again := []string{"Authorization", "Bearer " + r.shop.token(t, map[string]any{"scope": "x"})}
	same(t, 200, r.do("GET", "/v1/conversations/"+id, "", again...).status)
	same(t, 404, r.do("GET", "/v1/conversations/"+id, "", "Authorization", "Bearer "+r.shop.token(t, map[string]any{"sub": "bob"})).status)
}

// afterStart drops the start event of an array.
func afterStart(body string) string {
	_, rest, _ := strings.Cut(body, ",\n")
	return rest
}

func TestALocalKey(t *testing.T) {
	r := start(t, func(o *serve.Options) { o.LocalKey = "vatio_local" })
	got := r.do("POST", "/v1/conversations", "", "Authorization", "Bearer vatio_local", "X-Vatio-User", "alice")
	same(t, 201, got.status)
	same(t, 401, r.do("POST", "/v1/conversations", "", "Authorization", "Bearer vatio_loca", "X-Vatio-User", "alice").status)
	if _, err := r.store.Get(context.Background(), "local/alice", got.body[7:33]); err != nil {
		t.Error(err)
	}
}

// A page of another site cannot use a development server through a browser.
func TestADevelopmentServer(t *testing.T) {
	r := start(t, func(o *serve.Options) { o.Dev = true })
	port := r.url[strings.LastIndex(r.url, ":"):]
	const host = "a development server answers to a loopback address alone: open it at http://"
	const site = "a development server does not answer to pages of other sites"
	for _, test := range []struct {
		host, origin, fetch string
		message             string
	}{
		{"127.0.0.1" + port, "", "", ""},
		{"localhost" + port, "http://localhost" + port, "same-origin", ""},
		{"LOCALHOST" + port, "", "none", ""},
		{"[::1]" + port, "", "", ""},
		{"127.1.2.3" + port, "", "", ""},
		{"evil.example" + port, "", "", host},
		{"localhost.evil.example" + port, "", "", host},
		{"127.0.0.1.nip.io" + port, "", "", host},
		{"127.0.0.1", "", "", host},
		{"localhost:1", "", "", host},
		{"10.0.0.1" + port, "", "", host},
		{"0.0.0.0" + port, "", "", host},
		{"127.0.0.1" + port, "http://evil.example", "", site},
		{"127.0.0.1" + port, "null", "", site},
		{"127.0.0.1" + port, "https://127.0.0.1" + port, "", site},
		{"127.0.0.1" + port, "http://localhost" + port, "", site},
		{"127.0.0.1" + port, "http://127.0.0.1" + port + "/", "", site},
		{"127.0.0.1" + port, "http://127.0.0.1:1", "", site},
		{"127.0.0.1" + port, "", "cross-site", site},
		{"127.0.0.1" + port, "", "same-site", site},
	} {
		for _, path := range []string{"/healthz", "/metrics", "/"} {
			request := r.request(context.Background(), "GET", path, "")
			request.Host = test.host
			if test.origin != "" {
				request.Header.Set("Origin", test.origin)
			}
			if test.fetch != "" {
				request.Header.Set("Sec-Fetch-Site", test.fetch)
			}
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if (response.StatusCode == http.StatusForbidden) != (test.message != "") {
				t.Errorf("%+v %s: %d", test, path, response.StatusCode)
			}
		}
	}
	request := r.request(context.Background(), "GET", "/healthz", "")
	request.Header.Set("Origin", "http://evil.example")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("another origin is allowed")
	}
}
