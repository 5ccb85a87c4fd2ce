package toolbox_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/builtin"
	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/toolbox"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/tool"
)

func service(t *testing.T, name, scope string) *tool.Tool {
	t.Helper()
	text := fmt.Sprintf("name = %q\ndescription = \"d\"\nservice = \"records\"\npath = \"/%s\"\n", name, name)
	if scope != "" {
		text += fmt.Sprintf("scope = %q\n", scope)
	}
	loaded, faults := tool.LoadService(diag.NewFile("tools/"+name+".toml", []byte(text+"[parameters]\ntype = \"object\"\n")))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return loaded
}

func shop(t *testing.T) *tool.Tool {
	t.Helper()
	loaded, faults := tool.LoadHTTP(diag.NewFile("tools/order.yml", []byte(`
description: d
when_to_use: w
parameters: {type: object, properties: {id: {type: string}, note: {type: string}}}
request:
  method: POST
  base_url: $env.API
  path: /orders/$params.id
  query: { key: $env.KEY }
  headers: { Authorization: "Bearer $env.TOKEN" }
  body: { note: $params.note }
respond: { message: ok }
`)))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return loaded
}

func newToolbox(t *testing.T, url string, caller toolbox.Caller, called func(toolbox.Record)) *toolbox.Toolbox {
	t.Helper()
	client := executor.New(executor.Options{Version: "1"})
	t.Cleanup(client.Close)
	visitor := &builtin.Visitor{}
	values := map[string]string{"API": url, "KEY": "key-of-the-shop", "TOKEN": "token-of-the-shop"}
	return &toolbox.Toolbox{Options: toolbox.Options{
		Tools: []*tool.Tool{service(t, "open", ""), service(t, "read", "tools:read"), service(t, "write", "tools:write"), shop(t)},
		Order: []string{"write", "read", "identify_contact", "open", "order"}, Client: client, Agent: "agent-7", Timeout: time.Minute,
		Env: func(key string) (string, bool) { v, ok := values[key]; return v, ok },
		Grants: map[string]toolbox.Grant{"records": {
			Grant: executor.Grant{URL: url + "/base", Headers: []executor.Header{{Name: "X-Internal-Token", Value: "token-of-records"}, {Name: "X-Fixed", Value: "it's \"$fixed\""}}},
			Keys:  []string{"RECORDS_TOKEN", ""},
		}},
		Visitor: visitor, Caller: caller, Called: called,
		Builtins: builtin.New(builtin.Options{Enabled: []string{"identify_contact"}, Handoff: &builtin.Handoff{When: "w", Message: "m"}, Session: visitor}),
	}}
}

func withScopes(claim string) *executor.Principal {
	return &executor.Principal{Subject: "s", Claims: jsondoc.MustParse(claim)}
}

// Who is offered what, in the order of agent.tools.
func TestOffered(t *testing.T) {
	all := []string{"write", "read", "identify_contact", "open", "order", "handoff"}
	none := []string{"identify_contact", "open", "order", "handoff"}
	reading := []string{"read", "identify_contact", "open", "order", "handoff"}
	for _, test := range []struct {
		name   string
		caller toolbox.Caller
		want   []string
	}{
		{"an app caller", toolbox.Caller{Owner: "web/a"}, all},
		{"an app caller, narrowed", toolbox.Caller{Scopes: []string{"tools:read"}}, reading},
		{"an app caller with nothing", toolbox.Caller{Scopes: []string{}}, none},
		{"part of a scope's name", toolbox.Caller{Scopes: []string{"tools:rea", "tools"}}, none},
		{"a token caller", toolbox.Caller{Principal: withScopes(`{"scope":"tools:read other"}`)}, reading},
		{"a token caller, narrowed", toolbox.Caller{Principal: withScopes(`{"scope":"tools:read tools:write"}`), Scopes: []string{"tools:read"}}, reading},
		{"a token caller asks for more", toolbox.Caller{Principal: withScopes(`{"scope":"tools:read"}`), Scopes: []string{"tools:read", "tools:write"}}, reading},
		{"a token without scopes", toolbox.Caller{Principal: withScopes(`{}`)}, none},
		{"a token with a scope that is no text", toolbox.Caller{Principal: withScopes(`{"scope":["tools:read"]}`)}, none},
		{"other letters", toolbox.Caller{Principal: withScopes(`{"scope":"Tools:Read"}`)}, none},
	} {
		t.Run(test.name, func(t *testing.T) {
			box := newToolbox(t, "http://127.0.0.1:1", test.caller, nil)
			var got []string
			for _, offered := range box.Tools(t.Context()) {
				got = append(got, offered.Name)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A model is told which tools change nothing: those that GET. What a service
// tool does is not known.
func TestReadOnly(t *testing.T) {
	look, faults := tool.LoadHTTP(diag.NewFile("tools/look.yml", []byte("description: d\nwhen_to_use: w\nrequest: {method: GET, base_url: $env.API, path: /orders}\nrespond: {message: ok}\n")))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	box := &toolbox.Toolbox{Options: toolbox.Options{
		Tools: []*tool.Tool{look, shop(t), service(t, "open", "")}, Builtins: builtin.New(builtin.Options{}),
	}}
	got := map[string]bool{}
	for _, offered := range box.Tools(t.Context()) {
		got[offered.Name] = offered.ReadOnly
	}
	if diff := cmp.Diff(map[string]bool{"look": true, "order": false, "open": false}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What is not offered cannot be called, what is sent is recorded, and the
// command that shows it does the same once the secrets stand in the environment.
func TestCallAndCurl(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		line := r.Method + " " + r.URL.RequestURI()
		for _, name := range []string{"Authorization", "Content-Type", "X-Fixed", "X-Internal-Token", "X-Vessel-Agent", "X-Vessel-Owner", "X-Vessel-Tool"} {
			line += "\n" + name + ": " + r.Header.Get(name)
		}
		seen = append(seen, line+"\n"+string(body))
		_, _ = io.WriteString(w, `{"a":1}`)
	}))
	defer s.Close()
	var records []toolbox.Record
	box := newToolbox(t, s.URL, toolbox.Caller{Owner: "web/o'hara", Scopes: []string{"tools:read"}}, func(r toolbox.Record) { records = append(records, r) })

	hidden := box.Call(t.Context(), chat.Call{Tool: "write", Arguments: "{}"})
	if want := executor.ErrorResult("There is no tool write.", "unknown_tool"); hidden.Content != want || !hidden.IsError || seen != nil || records != nil {
		t.Errorf("%+v, sent %q", hidden, seen)
	}
	for _, call := range []chat.Call{
		{Tool: "read", Arguments: `{"q":"it's $HOME VATIO-SECRET--HOME-- ${HOME}"}`},
		{Tool: "order", Arguments: `{"id":"a/b","note":"\"quoted\" \\ and 'so'"}`},
	} {
		if o := box.Call(t.Context(), call); o.IsError || o.HTTP == nil {
			t.Fatalf("%+v", o)
		}
	}
	want := []string{
		`curl -X POST 'HOST/base/read' -H 'Content-Type: application/json' -H "X-Fixed: ${X_FIXED}" -H "X-Internal-Token: ${RECORDS_TOKEN}" -H 'X-Vessel-Agent: agent-7' -H 'X-Vessel-Owner: web/o'\''hara' -H 'X-Vessel-Tool: read' --data-binary '{"q":"it'\''s $HOME VATIO-SECRET--HOME-- ${HOME}"}'`,
		"# ${KEY} stands in the address: its value must be percent-encoded\n" + `curl -X POST "HOST/orders/a%2Fb?key=${KEY}" -H "Authorization: Bearer ${TOKEN}" -H 'Content-Type: application/json' --data-binary '{"note":"\"quoted\" \\ and '\''so'\''"}'`,
	}
	var got []string
	for _, r := range records {
		line, err := box.Curl(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.ReplaceAll(line, s.URL, "HOST"))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("no curl to run the commands with")
	}
	for _, line := range got {
		cmd := exec.Command("sh", "-c", strings.ReplaceAll(line, "HOST", s.URL)+" -s")
		cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/", "RECORDS_TOKEN=token-of-records", `X_FIXED=it's "$fixed"`, "KEY=key-of-the-shop", "TOKEN=token-of-the-shop"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff(seen[:2], seen[2:]); diff != "" {
		t.Errorf("the command sends something else (-call +command)\n%s", diff)
	}
}
