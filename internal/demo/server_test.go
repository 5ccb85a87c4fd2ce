package demo

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

func TestServer(t *testing.T) {
	s, err := shopExample().Start(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(s.URL(), "http://127.0.0.1:") {
		t.Errorf("URL is %q, not on loopback", s.URL())
	}
	const want = `{"data":[{"sku":"HT-01","name":"Picker","stock":3,"price":19.90}]}` + "\n"
	if status, body := get(t, s.URL()+"/products?name=Picker"); status != 200 || body != want {
		t.Errorf("answer is %d %s, want 200 %s", status, body, want)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := s.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
	wg.Wait()
	if status, body := get(t, s.URL()+"/products?name=Picker"); status != 0 {
		t.Errorf("a closed server answers %d %s", status, body)
	}
}

func TestServerEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := shopExample().Start(ctx, token)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case <-s.served:
	case <-time.After(5 * time.Second):
		t.Fatal("the server goes on after its context ended")
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestStartWithoutToken(t *testing.T) {
	s, err := shopExample().Start(t.Context(), "")
	if err == nil {
		s.Close()
		t.Fatal("Start took an empty token")
	}
	if got, want := err.Error(), "the sample backend needs a token"; got != want {
		t.Errorf("error is %q, want %q", got, want)
	}
}
