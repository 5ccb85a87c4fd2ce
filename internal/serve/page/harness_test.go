package page_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/vatio-dev/vatio/internal/agent"
	"github.com/vatio-dev/vatio/internal/auth"
	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/serve"
	"github.com/vatio-dev/vatio/internal/serve/page"
	"github.com/vatio-dev/vatio/internal/serve/store"
	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

const (
	localKey    = store.KeyPrefix + "key-of-this-test"
	secretToken = "token-of-the-shop-4711"
)

const vatioYML = `workspace: acme
agent:
  instructions: Help.
  tools: [check_stock, place_order, identify_contact, request_contact_info]
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
  path: /v2/products
  headers: { Authorization: "Bearer $env.API_TOKEN", Accept-Language: es-CL }
  query: { name: "$params.product" }
respond:
  data: { products: "$.data" }
  message: "Found {{count}}."
`

const orderYML = `description: Place an order.
when_to_use: The visitor wants to buy.
parameters:
  type: object
  properties: { product: { type: string }, units: { type: integer } }
  required: [product, units]
request:
  method: POST
  base_url: "$env.API_URL"
  path: /v2/orders
  headers: { Authorization: "Bearer $env.API_TOKEN" }
  body: { product: "$params.product", units: "$params.units", note: "Left at the door, please" }
respond:
  data: { order: "$.order" }
  message: Placed.
`

const stockAnswer = `{"data":[{"sku":"PK-200","name":"Picker 200","units":12,"price":149990,"serial":12345678901234567890,"warehouse":{"city":"Santiago","aisle":"B-7"}},` +
	`{"sku":"PK-90","name":"Picker mini","units":0,"price":89990,"serial":7,"warehouse":null}],"page":1}`

const tidyAnswer = "Yes, the **Picker 200** is available:\n\n| Product | In stock | Price |\n|---|---:|---:|\n| Picker 200 | 12 | $149.990 |\n| Picker mini | 0 | $89.990 |\n\n" +
	"It ships from *Santiago*. You can\n\n1. pick it up today, or\n2. have it sent:\n   - Santiago: tomorrow\n   - elsewhere: 3 days\n\nSee [the catalogue](https://acme.example/catalogue?q=picker), or say `order 2 pickers`."

// hostile is what a model must not be able to do anything with.
const hostile = `<img src=x onerror="document.title='owned'"> <script>document.title='owned'</script> <b>bold?</b>

[click](javascript:document.title='owned') [tab](java` + "\t" + `script:alert(1)) [data](data:text/html,<script>1</script>) [file](file:///etc/passwd) ![pixel](https://tracker.example/p.png) [fine](https://acme.example/a"onmouseover="x)

# <svg onload=alert(1)>

| <i>a</i> | [b](vbscript:x) |
|---|---|
| <iframe src=//evil.example> | ` + "`</code><script>`" + ` |

` + "```html\"><script>alert(1)</script>\n<script>alert(2)</script>\n```"

const rightToLeft = "مرحبا، المنتج **Picker 200** متوفر (12).\n\n- الأول\n- الثاني"

// A model does what the visitor's last message says.
type model struct {
	mu   sync.Mutex
	gate chan struct{} // what "slowly" waits for between its pieces
}

func (*model) Name() (string, string) { return "stub", "stub-1" }

// hold makes "slowly" wait; the function that it returns lets it go on.
func (m *model) hold() func() {
	gate := make(chan struct{})
	m.mu.Lock()
	m.gate = gate
	m.mu.Unlock()
	return sync.OnceFunc(func() { close(gate) })
}

func (m *model) Next(ctx context.Context, r chat.Request, delta func(string)) (chat.Reply, error) {
	last := r.Messages[len(r.Messages)-1]
	if last.Role == chat.ToolResults {
		text := tidyAnswer
		for _, result := range last.Results {
			if result.Tool != "check_stock" {
				text = "Done."
			}
		}
		return m.write(ctx, text, delta)
	}
	word, rest, _ := strings.Cut(last.Text, " ")
	call := func(calls ...chat.Call) (chat.Reply, error) { return chat.Reply{Calls: calls}, nil }
	switch strings.ToLower(word) {
	case "is":
		return call(chat.Call{Tool: "check_stock", Arguments: `{"product":"Picker"}`})
	case "order":
		return call(chat.Call{Tool: "place_order", Arguments: `{"product":"Picker 200","units":2}`}, chat.Call{Tool: "check_stock", Arguments: `{"product":"broken"}`})
	case "wrong":
		return call(chat.Call{Tool: "check_stock", Arguments: `{"colour":"red"}`})
	case "call":
		return call(chat.Call{Tool: "request_contact_info", Arguments: `{}`})
	case "person":
		return call(chat.Call{Tool: "handoff", Arguments: `{"reason":"they asked"}`})
	case "hostile":
		return m.write(ctx, hostile, delta)
	case "arabic":
		return m.write(ctx, rightToLeft, delta)
	case "long":
		return m.write(ctx, strings.Repeat("pneumonoultramicroscopic", 60)+"\n\n`"+strings.Repeat("x", 700)+"`\n\n"+strings.Repeat("Words and words. ", 120), delta)
	case "fail":
		return chat.Reply{}, errors.New("the provider answered HTTP 529, overloaded: try again")
	case "slowly":
		m.mu.Lock()
		gate := m.gate
		m.mu.Unlock()
		if delta != nil {
			delta("First half")
		}
		select {
		case <-gate:
		case <-ctx.Done():
			return chat.Reply{}, ctx.Err()
		}
		if delta != nil {
			delta(" and second half.")
		}
		return chat.Reply{Text: "First half and second half."}, nil
	}
	return m.write(ctx, "You said: "+strings.TrimSpace(word+" "+rest), delta)
}

func (*model) write(_ context.Context, text string, delta func(string)) (chat.Reply, error) {
	if delta != nil {
		for piece := range strings.SplitAfterSeq(text, " ") {
			delta(piece)
		}
	}
	return chat.Reply{Text: text}, nil
}

// A site is a server under test.
type site struct {
	url   string
	key   string // of the app web
	token string // of the user alice
	model *model
	wire  *wire
}

// newSite starts a server; dev says whether it is a development server, which is
// reached directly, for a wire in between is not a place that it answers at.
func newSite(t *testing.T, dev bool) *site {
	t.Helper()
	dir := t.TempDir()
	private, public, err := auth.NewKey("ES256")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"vatio.yml": vatioYML, "identity.pub": string(public), "tools/check_stock.yml": stockYML, "tools/place_order.yml": orderYML} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Query().Get("name") == "broken":
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"error":"<img src=x onerror=alert(1)>","token":"`+secretToken+`"}`)
		case r.Method == http.MethodPost:
			w.WriteHeader(http.StatusCreated)
			_, _ = io.WriteString(w, `{"order":{"number":"A-1042","total":299980}}`)
		default:
			_, _ = io.WriteString(w, stockAnswer)
		}
	}))
	t.Cleanup(backend.Close)
	w, faults, err := workspace.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{model: &model{}}
	s.token, err = auth.Sign(private, "ES256", map[string]any{"sub": "alice", "iss": "https://acme.example", "aud": "acme", "exp": time.Now().Add(time.Hour).Unix()})
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"API_URL": backend.URL, "API_TOKEN": secretToken}
	client := executor.New(executor.Options{Version: "1"})
	made, err := agent.New(w, faults, agent.Options{
		Model: s.model, Client: client, Now: time.Now, CacheDir: filepath.Join(dir, ".vatio"),
		Secret:   func(key string) (string, bool) { v, ok := values[key]; return v, ok },
		Variable: func(string) string { return "" },
	})
	if err != nil {
		t.Fatal(err)
	}
	current := &serve.Current{}
	current.Set(serve.Deployment{Agent: made, Workspace: "acme", Environment: "local", Version: "1", Close: func() {
		client.Close()
		_ = made.Close()
	}})
	db, err := store.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "conversations.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s.key, _, err = db.CreateKey(t.Context(), "web", nil); err != nil {
		t.Fatal(err)
	}
	server := serve.New(serve.Options{
		Store: db, Source: current, Log: slog.New(slog.DiscardHandler), Version: "1", Dev: dev, LocalKey: localKey, Traces: true,
		Page: page.Handler(page.Options{Dev: dev}), Rate: 1000, Burst: 1000, PollInterval: 20 * time.Millisecond, ShutdownGrace: time.Second,
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		current.Close()
		_ = db.Close()
	})
	s.url = "http://" + listener.Addr().String() + "/"
	if !dev {
		s.wire = newWire(t, listener.Addr().String())
		s.url = "http://" + s.wire.listener.Addr().String() + "/"
	}
	return s
}

// elsewhere says something in a conversation by way of the API, as soon as no turn
// runs in it.
func (s *site) elsewhere(t *testing.T, id, text string) {
	t.Helper()
	for range 200 {
		r, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"v1/conversations/"+id+"/messages", strings.NewReader(fmt.Sprintf(`{"text":%q}`, text)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "application/json")
		r.Header.Set("Authorization", "Bearer "+localKey)
		r.Header.Set("X-Vatio-User", "visitor")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		switch answer.StatusCode {
		case http.StatusOK:
			return
		case http.StatusConflict:
			time.Sleep(20 * time.Millisecond)
		default:
			t.Fatalf("%d %s", answer.StatusCode, body)
		}
	}
	t.Fatal("a turn runs all the time")
}

// A wire is a network between a browser and a server, which can be cut.
type wire struct {
	listener net.Listener
	mu       sync.Mutex
	down     bool
	open     map[net.Conn]bool
}

func newWire(t *testing.T, to string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l, open: map[net.Conn]bool{}}
	t.Cleanup(func() {
		_ = l.Close()
		w.cut()
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go w.carry(c, to)
		}
	}()
	return w
}

func (w *wire) carry(c net.Conn, to string) {
	defer c.Close()
	far, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer far.Close()
	w.mu.Lock()
	if w.down {
		w.mu.Unlock()
		return
	}
	w.open[c] = true
	w.mu.Unlock()
	go func() {
		_, _ = io.Copy(far, c)
		_ = far.Close()
	}()
	_, _ = io.Copy(c, far)
	w.mu.Lock()
	delete(w.open, c)
	w.mu.Unlock()
}

// cut ends what is connected, and lets nothing through until mend.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = true
	for c := range w.open {
		_ = c.Close()
	}
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
}

// A browser is one that was started; each tab has a profile of its own.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("there is no Chromium here: install chromium to run this")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("lang", "en-US"),
		chromedp.WSURLReadTimeout(time.Minute),
	)
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	browser, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	if err := chromedp.Do(browser); err != nil {
		t.Skipf("Chromium does not start here: %v", err)
	}
	return browser
}

// A tab shows the page. What the browser complains of fails the test, unless it is
// expected.
type tab struct {
	t        *testing.T
	ctx      context.Context
	mu       sync.Mutex
	expected []string
}

func newTab(t *testing.T, browser context.Context) *tab {
	t.Helper()
	b := &tab{t: t}
	complain := func(what string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, e := range b.expected {
			if strings.Contains(what, e) {
				return
			}
		}
		t.Errorf("the browser says: %s", what)
	}
	listen := func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			complain(e.ExceptionDetails.Text + " " + description(e.ExceptionDetails))
		case *log.EventEntryAdded:
			if string(e.Entry.Level) == "error" || string(e.Entry.Level) == "warning" {
				complain(e.Entry.Text + " " + e.Entry.URL)
			}
		}
	}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext(), chromedp.WithListener(listen))
	t.Cleanup(cancel)
	b.ctx = ctx
	b.do()
	b.ctx, cancel = context.WithTimeout(ctx, 100*time.Second)
	t.Cleanup(cancel)
	if _, err := chromedp.Call(b.ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	b.size(1280, 800)
	return b
}

// expect lets the browser complain of what holds this text.
func (b *tab) expect(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expected = append(b.expected, text)
}

func description(e *runtime.ExceptionDetails) string {
	if e.Exception == nil {
		return ""
	}
	return e.Exception.Description
}

type (
	css  = chromedp.CSS
	step = chromedp.Action[chromedp.Void]
)

func (b *tab) do(steps ...step) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.shoot("failure")
		b.t.Fatal(err)
	}
}

func (b *tab) size(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

func (b *tab) dark(on bool) {
	b.t.Helper()
	value := "light"
	if on {
		value = "dark"
	}
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: value}},
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) open(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url), chromedp.WaitVisible(css("#composer")))
	b.until("the page is ready", `document.querySelector('#text').placeholder !== ''`)
}

// eval returns the value of an expression.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.shoot("failure")
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits until an expression is true.
func (b *tab) until(what, expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 30*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingInterval(30*time.Millisecond), chromedp.WithPollingTimeout(0))); err != nil {
		b.shoot("failure")
		text, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.body.innerText`))
		b.t.Fatalf("waiting until %s: %v\nthe page shows\n%s", what, err, text)
	}
}

// write types a message as a person does, ended with Enter.
func (b *tab) write(text string) {
	b.t.Helper()
	b.do(chromedp.Focus(css("#text")), chromedp.SendKeys(css("#text"), text+"\r"))
}

// say writes a message and waits for the end of the turn.
func (b *tab) say(text string) {
	b.t.Helper()
	before := eval[int](b, `document.querySelectorAll('.say.user').length`)
	b.write(text)
	b.until("the turn has ended", fmt.Sprintf(`document.querySelectorAll('.say.user:not(.pending)').length > %d && %s`, before, quiet))
}

const quiet = `document.querySelector('#stop').hidden && !document.querySelector('.typing, .draft, .pending')`

// shoot writes what the tab shows to a file, where somebody asked for it.
func (b *tab) shoot(name string) {
	dir := os.Getenv("VATIO_PAGE_SCREENSHOTS")
	if dir == "" {
		return
	}
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Sleep(300*time.Millisecond)); err != nil {
		return
	}
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Logf("no screenshot: %v", err)
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		b.t.Error(err)
	}
}

// reads makes the browser one of somebody who reads a language.
func (b *tab) reads(language string) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: "Mozilla/5.0", AcceptLanguage: language})
	if err != nil {
		b.t.Fatal(err)
	}
}
