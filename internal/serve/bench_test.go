package serve_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vatio-dev/vatio/internal/serve/store"
)

// BenchmarkOverhead keeps 200 conversations busy, with a model that takes 2 s for
// an answer, and reports what a turn takes beside that.
func BenchmarkOverhead(b *testing.B) {
	for _, kind := range []string{"sqlite", "postgres"} {
		for _, text := range []string{"slow 2s", "stock Picker"} {
			b.Run(kind+"/"+strings.ReplaceAll(text, " ", "-"), func(b *testing.B) {
				db := sqliteStore(b, store.Options{})
				if kind == "postgres" {
					var err error
					if db, err = store.OpenPostgres(context.Background(), postgres.Server(b).Database(b), store.Options{}); err != nil {
						b.Fatal(err)
					}
					defer db.Close()
				}
				r := startOn(b, newShop(b), db, nil)
				const clients = 200
				client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
				defer client.CloseIdleConnections()
				var left atomic.Int64
				var mu sync.Mutex
				var took []time.Duration
				ids := make([]string, clients)
				for i := range ids {
					ids[i] = r.create(fmt.Sprint("user", i))
				}
				left.Store(int64(b.N))
				b.ResetTimer()
				var group sync.WaitGroup
				for i := range clients {
					group.Go(func() {
						time.Sleep(time.Duration(i) * 2 * time.Second / clients)
						for left.Add(-1) >= 0 {
							begin := time.Now()
							request := r.request(context.Background(), "POST", "/v1/conversations/"+ids[i]+"/messages", `{"text":"`+text+`"}`, r.as(fmt.Sprint("user", i))...)
							response, err := client.Do(request)
							if err != nil {
								b.Error(err)
								return
							}
							data, err := io.ReadAll(response.Body)
							response.Body.Close()
							if err != nil || !strings.Contains(string(data), "turn_end") {
								b.Errorf("%v %s", err, data)
								return
							}
							spent := time.Since(begin)
							mu.Lock()
							took = append(took, spent)
							mu.Unlock()
						}
					})
				}
				group.Wait()
				b.StopTimer()
				slices.Sort(took)
				base := time.Duration(0)
				if strings.HasPrefix(text, "slow") {
					base = 2 * time.Second
				}
				at := func(p int) float64 { return float64(took[(len(took)-1)*p/100]-base) / float64(time.Millisecond) }
				b.ReportMetric(at(50), "p50-ms")
				b.ReportMetric(at(99), "p99-ms")
				var m goruntime.MemStats
				goruntime.GC()
				goruntime.ReadMemStats(&m)
				b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "heap-MB")
			})
		}
	}
}
