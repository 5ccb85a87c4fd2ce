package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/vatio-dev/vatio/internal/agent"
	"github.com/vatio-dev/vatio/internal/auth"
	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/serve"
	"github.com/vatio-dev/vatio/internal/serve/store"
	"github.com/vatio-dev/vatio/internal/serve/store/storetest"
	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

var postgres storetest.Main

func TestMain(m *testing.M) {
	if spec := os.Getenv("VATIO_SERVE_REPLICA"); spec != "" {
		replica(spec)
		return
	}
	os.Exit(postgres.Run(m))
}

const secretToken = "token-of-the-shop-4711"

const vatioYML = `workspace: acme
agent:
  instructions: Help.
  tools: [check_stock, my_orders, identify_contact, request_contact_info]
  handoff: { when: They ask for a person., message: A person will take over from here. }
auth: { public_key: identity.pub, algorithm: ES256, issuer: https://acme.example }
`

const stockYML = `description: Check product stock.
when_to_use: The visitor asks whether a product is available.
parameters:
  type: object
  properties: { product: { type: string } }
  required: [product]
request:
  method: GET
  base_url: "$env.API_URL"
  path: /products
  headers: { Authorization: "Bearer $env.API_TOKEN" }
  query: { name: "$params.product" }
respond:
  data: { products: "$.data" }
  message: "Found {{count}}."
`

const ordersYML = `description: The orders of the user.
when_to_use: They ask for their orders.
access: private
request:
  method: GET
  base_url: "$env.API_URL"
  path: /orders/$auth.subject
respond:
  message: Here they are.
`

// bigAnswer is more than the buffers between a server and its client hold.
const bigAnswer = 24 << 20

// A script is a model that does what the visitor's last message says.
type script struct {
	release chan struct{} // closed: "wait" goes on
	waiting chan string   // told of each "wait"
}

func newScript() *script {
	return &script{release: make(chan struct{}), waiting: make(chan string, 1000)}
}

func (*script) Name() (string, string) { return "script", "one" }

func (s *script) Next(ctx context.Context, r chat.Request, delta func(string)) (chat.Reply, error) {
	last := r.Messages[len(r.Messages)-1]
	if last.Role == chat.ToolResults {
		return chat.Reply{Text: fmt.Sprintf("%d results.", len(last.Results))}, nil
	}
	word, rest, _ := strings.Cut(last.Text, " ")
	call := func(tool, format string, args ...any) (chat.Reply, error) {
		return chat.Reply{Calls: []chat.Call{{Tool: tool, Arguments: fmt.Sprintf(format, args...)}}}, nil
	}
	switch word {
	case "stock":
		return call("check_stock", `{"product":%q}`, rest)
	case "two":
		return chat.Reply{Text: "Looking.", Calls: []chat.Call{
			{Tool: "check_stock", Arguments: `{"product":"a"}`}, {Tool: "check_stock", Arguments: `{"product":"b"}`},
		}}, nil
	case "orders":
		return call("my_orders", "{}")
	case "handoff":
		return call("handoff", `{"reason":"they asked"}`)
	case "name":
		return call("identify_contact", `{"name":%q}`, rest)
	case "phone":
		return call("request_contact_info", "{}")
	case "fail":
		return chat.Reply{}, errors.New("the provider answered HTTP 500: try again")
	case "panic":
		panic("the model is broken")
	case "wait":
		s.waiting <- rest
		select {
		case <-s.release:
		case <-ctx.Done():
			return chat.Reply{}, ctx.Err()
		}
	case "history":
		return chat.Reply{Text: fmt.Sprintf("%d messages.", len(r.Messages))}, nil
	case "slow":
		if d, err := time.ParseDuration(rest); err == nil {
			time.Sleep(d)
		}
	case "big":
		return chat.Reply{Text: strings.Repeat("x", bigAnswer)}, nil
	}
	text := "You said: " + last.Text
	if delta != nil {
		delta(text[:3])
		delta(text[3:])
	}
	return chat.Reply{Text: text}, nil
}

// A shop is a workspace on disk, with the backend that its tools call.
type shop struct {
	dir     string
	private []byte
	backend *httptest.Server
	hold    chan struct{} // what the backend waits for when asked for "slow"
	asked   chan string   // told of each request
}

func newShop(t testing.TB) *shop {
	t.Helper()
	s := &shop{dir: t.TempDir(), hold: make(chan struct{}), asked: make(chan string, 10000)}
	private, public, err := auth.NewKey("ES256")
	if err != nil {
		t.Fatal(err)
	}
	s.private = private
	for name, text := range map[string]string{
		"vatio.yml": vatioYML, "tools/check_stock.yml": stockYML, "tools/my_orders.yml": ordersYML, "identity.pub": string(public),
	} {
		path := filepath.Join(s.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s.backend = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked <- r.URL.String()
		if r.URL.Query().Get("name") == "slow" {
			select {
			case <-s.hold:
			case <-r.Context().Done():
			}
		}
		if r.Header.Get("Authorization") != "Bearer "+secretToken && r.URL.Path == "/products" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprintf(w, `{"data":[%q],"you":%q}`, r.URL.Query().Get("name"), r.Header.Get("Authorization"))
	}))
	t.Cleanup(s.backend.Close)
	return s
}

// deployment makes an agent of a workspace.
func deployment(dir, backend string, model chat.Model) (serve.Deployment, error) {
	w, faults, err := workspace.Load(dir)
	if err != nil {
		return serve.Deployment{}, err
	}
	values := map[string]string{"API_URL": backend, "API_TOKEN": secretToken}
	client := executor.New(executor.Options{Version: "1"})
	made, err := agent.New(w, faults, agent.Options{
		Model: model, Client: client, Now: time.Now, CacheDir: filepath.Join(dir, ".vatio"),
		Secret:   func(key string) (string, bool) { v, ok := values[key]; return v, ok },
		Variable: func(string) string { return "" },
	})
	if err != nil {
		return serve.Deployment{}, err
	}
	return serve.Deployment{Agent: made, Workspace: "acme", Environment: "live", Version: "sha256:1", Close: func() {
		client.Close()
		_ = made.Close()
	}}, nil
}

func (s *shop) token(t testing.TB, claims map[string]any) string {
	t.Helper()
	all := map[string]any{"sub": "alice", "iss": "https://acme.example", "aud": "acme", "exp": time.Now().Add(time.Hour).Unix()}
	for k, v := range claims {
		all[k] = v
	}
	token, err := auth.Sign(s.private, "ES256", all)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// A runtime is a server under test.
type runtime struct {
	t       testing.TB
	shop    *shop
	model   *script
	store   *store.Store
	current *serve.Current
	server  *serve.Server
	url     string
	key     string // of app web
	log     *logs
	stop    func() error // as SIGTERM does
}

// logs gathers a log.
type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func sqliteStore(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	s, err := store.OpenSQLite(context.Background(), filepath.Join(t.TempDir(), "conversations.db"), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// start starts a server on its own database.
func start(t testing.TB, change func(*serve.Options)) *runtime {
	t.Helper()
	return startOn(t, newShop(t), sqliteStore(t, store.Options{}), change)
}

func startOn(t testing.TB, shop *shop, db *store.Store, change func(*serve.Options)) *runtime {
	t.Helper()
	r := &runtime{t: t, shop: shop, model: newScript(), store: db, current: &serve.Current{}, log: &logs{}}
	d, err := deployment(shop.dir, shop.backend.URL, r.model)
	if err != nil {
		t.Fatal(err)
	}
	r.current.Set(d)
	o := serve.Options{
		Store: db, Source: r.current, Version: "1.2.3", PollInterval: 20 * time.Millisecond,
		Log:  slog.New(slog.NewJSONHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Rate: 100000, Burst: 100000,
	}
	if change != nil {
		change(&o)
	}
	r.server = serve.New(o)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.url = "http://" + listener.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.server.Serve(ctx, listener) }()
	r.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		r.current.Close()
	})
	r.key = newKey(t, db, "web")
	return r
}

func newKey(t testing.TB, db *store.Store, app string) string {
	t.Helper()
	secret, _, err := db.CreateKey(context.Background(), app, nil)
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// A reply is an answer, read to its end.
type reply struct {
	status int
	header http.Header
	body   string
}

// as says who makes a request: headers, a name and a value each.
func (r *runtime) as(user string) []string {
	return []string{"Authorization", "Bearer " + r.key, "X-Vatio-User", user}
}

func (r *runtime) request(ctx context.Context, method, path, body string, headers ...string) *http.Request {
	r.t.Helper()
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	request, err := http.NewRequestWithContext(ctx, method, r.url+path, content)
	if err != nil {
		r.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header[http.CanonicalHeaderKey(headers[i])] = append(request.Header[http.CanonicalHeaderKey(headers[i])], headers[i+1])
	}
	return request
}

// do makes a request, reads the answer and checks it against openapi.json.
func (r *runtime) do(method, path, body string, headers ...string) reply {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	response, err := http.DefaultClient.Do(r.request(ctx, method, path, body, headers...))
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	got := reply{response.StatusCode, response.Header, string(data)}
	described(r.t, method, path, got)
	return got
}

func (r *runtime) create(user string) string {
	r.t.Helper()
	got := r.do("POST", "/v1/conversations", "", r.as(user)...)
	var created struct{ ID string }
	if err := json.Unmarshal([]byte(got.body), &created); err != nil || got.status != http.StatusCreated || created.ID == "" {
		r.t.Fatalf("%d %s", got.status, got.body)
	}
	return created.ID
}

// say runs a turn and returns its events as lines of JSON.
func (r *runtime) say(user, id, text string) string {
	r.t.Helper()
	got := r.do("POST", "/v1/conversations/"+id+"/messages", `{"text":`+quote(text)+`}`, append(r.as(user), "Accept", "application/json")...)
	if got.status != http.StatusOK {
		r.t.Fatalf("%d %s", got.status, got.body)
	}
	return steady(got.body)
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

var (
	durations = regexp.MustCompile(`"duration_ms":[0-9.]+`)
	ports     = regexp.MustCompile(`127\.0\.0\.1:[0-9]+`)
	times     = regexp.MustCompile(`"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z"`)
)

// steady replaces what differs from run to run.
func steady(s string) string {
	s = durations.ReplaceAllString(s, `"duration_ms":0`)
	s = ports.ReplaceAllString(s, "host")
	return times.ReplaceAllString(s, `"time"`)
}

func same(t testing.TB, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// problem is the body of an error.
func problem(code, message string) string {
	return `{"error":{"code":"` + code + `","message":` + quote(message) + "}}\n"
}

func (r *runtime) refused(got reply, status int, code, message string) {
	r.t.Helper()
	if diff := cmp.Diff(problem(code, message), got.body); got.status != status || diff != "" {
		r.t.Errorf("status %d, want %d (-want +got)\n%s", got.status, status, diff)
	}
}

// description is openapi.json with its schemas compiled when they are used.
type description struct {
	once     sync.Once
	doc      map[string]any
	compiler *jsonschema.Compiler
	mu       sync.Mutex
	err      error
}

var api description

func (d *description) load() {
	data, err := os.ReadFile("openapi.json")
	if err != nil {
		d.err = err
		return
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		d.err = err
		return
	}
	d.doc = doc.(map[string]any)
	d.compiler = jsonschema.NewCompiler()
	d.err = d.compiler.AddResource("test:///openapi.json", doc)
}

// operation finds the path of the document that a path is of.
func (d *description) operation(path string) string {
	path, _, _ = strings.Cut(path, "?")
	for template := range d.doc["paths"].(map[string]any) {
		parts, given := strings.Split(template, "/"), strings.Split(path, "/")
		if len(parts) != len(given) {
			continue
		}
		fits := true
		for i, part := range parts {
			fits = fits && (part == given[i] || strings.HasPrefix(part, "{"))
		}
		if fits {
			return template
		}
	}
	return ""
}

// described fails the test when an answer is not what openapi.json says.
func described(t testing.TB, method, path string, got reply) {
	t.Helper()
	api.once.Do(api.load)
	if api.err != nil {
		t.Fatal(api.err)
	}
	template := api.operation(path)
	if template == "" {
		return
	}
	operation, ok := api.doc["paths"].(map[string]any)[template].(map[string]any)[strings.ToLower(method)].(map[string]any)
	if !ok {
		return // the method is none of the API's
	}
	pointer := "/paths/" + strings.ReplaceAll(strings.ReplaceAll(template, "~", "~0"), "/", "~1") + "/" + strings.ToLower(method) + "/responses/" + fmt.Sprint(got.status)
	response, ok := operation["responses"].(map[string]any)[fmt.Sprint(got.status)].(map[string]any)
	if !ok {
		t.Errorf("openapi.json has no answer %d of %s %s: %s", got.status, method, template, got.body)
		return
	}
	if ref, ok := response["$ref"].(string); ok {
		pointer = strings.TrimPrefix(ref, "#")
		response = api.doc["components"].(map[string]any)["responses"].(map[string]any)[ref[strings.LastIndex(ref, "/")+1:]].(map[string]any)
	}
	kind, _, _ := strings.Cut(got.header.Get("Content-Type"), ";")
	if _, ok := response["content"].(map[string]any)[kind]; !ok {
		t.Errorf("openapi.json has no %q for %d of %s %s", kind, got.status, method, template)
		return
	}
	var instance any = got.body
	if kind == "application/json" {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(got.body))
		if err != nil {
			t.Errorf("%s %s: %v: %s", method, path, err, got.body)
			return
		}
		instance = value
	}
	api.mu.Lock()
	defer api.mu.Unlock()
	schema, err := api.compiler.Compile("test:///openapi.json#" + pointer + "/content/" + strings.ReplaceAll(kind, "/", "~1") + "/schema")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(instance); err != nil {
		t.Errorf("%s %s answers what openapi.json does not say: %v\n%s", method, path, err, got.body)
	}
	if len(got.header.Values("X-Request-Id")) != 1 || got.header.Get("X-Content-Type-Options") != "nosniff" || got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s %s: headers %v", method, path, got.header)
	}
}
