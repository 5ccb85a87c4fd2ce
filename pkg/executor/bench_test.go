package executor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const checkStock = `parameters:
  type: object
  properties:
    product: { type: string }
  required: [product]
request:
  method: GET
  base_url: "$env.ACME_API"
  path: /products
  requires: [params.product]
  query: { name: "$params.product" }
  headers: { Authorization: "Bearer $env.ACME_TOKEN" }
respond:
  data:
    products: "$.data"
  message:
    when_empty: No products matched that name.
    default: "Found {{count}} matching products."
`

const stock = `{"data":[{"id":"p-1","name":"Lemon Picker","stock":12,"price":"49.90"},{"id":"p-2","name":"Berry Picker","stock":0,"price":"19.90"}]}`

// A stub answers without a network.
type stub struct{ body string }

func (s stub) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: 200, Request: r,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(strings.NewReader(s.body)),
		ContentLength: int64(len(s.body)),
	}, nil
}

func stockScope(url string) Scope {
	return Scope{Env: env("ACME_API", url, "ACME_TOKEN", "token-of-acme-0123456789")}
}

func TestAllocations(t *testing.T) {
	c := New(Options{Transport: stub{stock}})
	defer c.Close()
	probe, arguments, scope := httpTool(t, checkStock), []byte(`{"product":"Picker"}`), stockScope("http://acme.example/v1")
	allocations := testing.AllocsPerRun(200, func() {
		if o := c.Call(t.Context(), probe, arguments, scope); o.IsError {
			t.Fatal(o.Content)
		}
	})
	if allocations > 80 {
		t.Errorf("%v allocations per call, over 80", allocations)
	}
}

func BenchmarkCallWithoutNetwork(b *testing.B) {
	c := New(Options{Transport: stub{stock}})
	defer c.Close()
	probe, arguments, scope := httpTool(b, checkStock), []byte(`{"product":"Picker"}`), stockScope("http://acme.example/v1")
	b.ReportAllocs()
	for b.Loop() {
		if o := c.Call(b.Context(), probe, arguments, scope); o.IsError {
			b.Fatal(o.Content)
		}
	}
}

// byHand is what someone would write instead of check_stock.
func byHand(client *http.Client, base string) error {
	var arguments struct {
		Product string `json:"product"`
	}
	if err := json.Unmarshal([]byte(`{"product":"Picker"}`), &arguments); err != nil {
		return err
	}
	r, err := http.NewRequest("GET", base+"/products?name="+url.QueryEscape(arguments.Product), nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer token-of-acme-0123456789")
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	var answer struct {
		Data []any `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	_, err = json.Marshal(map[string]any{
		"result": "ok", "message": "Found " + strconv.Itoa(len(answer.Data)) + " matching products.",
		"data": map[string]any{"products": answer.Data},
	})
	return err
}

func serveBody(b *testing.B, body string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = io.WriteString(w, body)
	}))
	b.Cleanup(s.Close)
	return s.URL
}

// BenchmarkCheckStock measures a call and the same by hand in turns; "ratio" is
// the time of the first over that of the second.
func BenchmarkCheckStock(b *testing.B) {
	base := serveBody(b, stock)
	c, probe, scope := newClient(b), httpTool(b, checkStock), stockScope(base)
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	call := func() {
		if o := c.Call(b.Context(), probe, []byte(`{"product":"Picker"}`), scope); o.IsError {
			b.Fatal(o.Content)
		}
	}
	hand := func() {
		if err := byHand(client, base); err != nil {
			b.Fatal(err)
		}
	}
	compare(b, call, hand)
}

// compare runs both in turns of 50 and reports the ratio of their times.
func compare(b *testing.B, call, hand func()) {
	call()
	hand()
	var ours, theirs time.Duration
	calls := 0
	for b.Loop() {
		start := time.Now()
		for range 50 {
			call()
		}
		middle := time.Now()
		for range 50 {
			hand()
		}
		ours += middle.Sub(start)
		theirs += time.Since(middle)
		calls += 50
	}
	b.ReportMetric(float64(ours.Nanoseconds())/float64(calls), "ns/call")
	b.ReportMetric(float64(theirs.Nanoseconds())/float64(calls), "ns/hand")
	b.ReportMetric(float64(ours)/float64(theirs), "ratio")
}

// BenchmarkCallers measures 64 callers against net/http and encoding/json;
// "throughput" is the share of theirs that is reached.
func BenchmarkCallers(b *testing.B) {
	for _, test := range []struct {
		name  string
		items int
		path  string
	}{{"1KiB", 8, "$.data"}, {"500KiB", 4000, "$.data[*].name"}} {
		b.Run(test.name, func(b *testing.B) {
			body := products(test.items)
			base := serveBody(b, body)
			c := newClient(b)
			probe := httpTool(b, strings.Replace(checkStock, `"$.data"`, strconv.Quote(test.path), 1))
			scope := stockScope(base)
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 128}}
			defer client.CloseIdleConnections()
			call := func() error {
				if o := c.Call(b.Context(), probe, []byte(`{"product":"Picker"}`), scope); o.IsError {
					return fmt.Errorf("%s", o.Content)
				}
				return nil
			}
			hand := func() error { return byHandNames(client, base, test.items < 100) }
			var ours, theirs time.Duration
			for b.Loop() {
				ours += callers(b, 64, 4, call)
				theirs += callers(b, 64, 4, hand)
			}
			b.ReportMetric(float64(len(body)), "bytes")
			b.ReportMetric(theirs.Seconds()/ours.Seconds(), "throughput")
		})
	}
}

func byHandNames(client *http.Client, base string, whole bool) error {
	if whole {
		return byHand(client, base)
	}
	r, err := http.NewRequest("GET", base+"/products?name=Picker", nil)
	if err != nil {
		return err
	}
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	var answer struct {
		Data []struct {
			Name string `json:"name"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	names := make([]string, len(answer.Data))
	for i := range answer.Data {
		names[i] = answer.Data[i].Name
	}
	_, err = json.Marshal(map[string]any{"result": "ok", "message": "Found", "data": map[string]any{"products": names}})
	return err
}

func callers(b *testing.B, callers, each int, do func() error) time.Duration {
	var all sync.WaitGroup
	start := time.Now()
	for range callers {
		all.Go(func() {
			for range each {
				if err := do(); err != nil {
					b.Error(err)
				}
			}
		})
	}
	all.Wait()
	return time.Since(start)
}

func products(n int) string {
	var b bytes.Buffer
	b.WriteString(`{"data":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"p-%06d","name":"Lemon Picker %d","stock":%d,"price":"49.90","description":"Picks lemons and limes, by hand."}`, i, i, i%17)
	}
	b.WriteString(`]}`)
	return b.String()
}
