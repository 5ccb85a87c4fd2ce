package executor

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vatio-dev/vatio/pkg/tool"
)

// Thousands of callers at once on one client, each with its own secret and its
// own answer. They all wait for each other: none is answered before most have
// been sent.
func TestConcurrentCalls(t *testing.T) {
	callers, together := 5000, 500
	if testing.Short() {
		callers, together = 500, 50
	}
	gate := make(chan struct{})
	var mu sync.Mutex
	waiting := 0
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		if waiting++; waiting == together {
			close(gate)
		}
		mu.Unlock()
		<-gate
		_, _ = fmt.Fprintf(w, `{"message":"%s","key":"%s"}`, r.URL.Query().Get("id"), r.Header.Get("X-Key"))
	}))
	s.Config.ErrorLog = quiet()
	s.Start()
	defer s.Close()
	probe := getTool(t, "query: {id: $params.id}\nheaders: {X-Key: $env.KEY}\n", "respond:\n  data: {key: $.key}\n")
	c := newClient(t)
	slots := make(chan struct{}, together) // so that no more files are open than systems allow
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			id := fmt.Sprintf("caller-%d", caller)
			o := c.Call(t.Context(), probe, fmt.Appendf(nil, `{"id":%q}`, id), Scope{Env: env("API", s.URL, "KEY", "secret-of-"+id), Timeout: time.Minute})
			if want := `{"result":"ok","message":"` + id + `","data":{"key":"[redacted]"}}`; o.Content != want {
				t.Errorf("%s\nwant %s", o.Content, want)
			}
		})
	}
	all.Wait()
	if waiting != callers {
		t.Errorf("%d requests for %d calls", waiting, callers)
	}
}

// Calls leave nothing behind, however many there were.
func TestFlatMemory(t *testing.T) {
	calls := 50_000
	if testing.Short() {
		calls = 5_000
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, stock)
	}))
	defer s.Close()
	c, probe, scope := newClient(t), httpTool(t, checkStock), stockScope(s.URL)
	burst := func(n int) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range n / 8 {
					if o := c.Call(t.Context(), probe, []byte(`{"product":"Picker"}`), scope); o.IsError {
						t.Error(o.Content)
						return
					}
				}
			})
		}
		all.Wait()
	}
	heap := func() (bytes uint64, goroutines int) {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc, runtime.NumGoroutine()
	}
	burst(2_000)
	bytes, goroutines := heap()
	burst(calls)
	after, running := heap()
	if after > bytes+1<<20 {
		t.Errorf("%d bytes are in use after %d calls, %d before", after, calls, bytes)
	}
	if running > goroutines+32 {
		t.Errorf("%d goroutines run after %d calls, %d before", running, calls, goroutines)
	}
}

// What a call allocates is bounded by the size of its answer, as the package
// documentation states.
func TestMemoryOfACall(t *testing.T) {
	lookup := serviceTool(t, "name = \"lookup\"\ndescription = \"d\"\nservice = \"records\"\npath = \"/x\"\n[parameters]\ntype = \"object\"\n")
	mapped := httpTool(t, strings.Replace(checkStock, `"$.data"`, `"$.data[*].name"`, 1))
	for _, test := range []struct {
		name, body string
		times      int
	}{
		{"small", stock, 16},
		{"records", products(4000), 16},
		{"text", strings.Repeat("x", MaxBody), 16},
		{"as many values as fit", `{"data":[` + strings.Repeat("1,", MaxBody/2-20) + `1]}`, 80},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := New(Options{Transport: stub{test.body}})
			defer c.Close()
			scope := stockScope("http://app")
			scope.Grant = &Grant{URL: "http://app", Headers: []Header{{"X-Internal-Token", "token-of-the-app"}}}
			for _, called := range []*tool.Tool{mapped, lookup} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				c.Call(t.Context(), called, []byte(`{"product":"Picker"}`), scope)
				runtime.ReadMemStats(&after)
				if used, most := int(after.TotalAlloc-before.TotalAlloc), test.times*len(test.body)+32<<10; used > most {
					t.Errorf("%s: %d bytes were allocated for an answer of %d, over %d", called.Key, used, len(test.body), most)
				}
			}
		})
	}
}
