package doctor

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
)

const maxList = 8 << 20 // bytes that are read of a list of models

// A ModelServer is where a model answers.
type ModelServer struct {
	URL    *url.URL    // of the list of models
	Header http.Header // with the key; it goes to URL and nowhere else
	Model  string      // that is to be in the list
	Keyed  bool        // Header has a key
}

// AskModels asks a server for its models once.
func (p *Prober) AskModels(ctx context.Context, s ModelServer) Verdict {
	ctx, cancel := context.WithTimeout(ctx, p.timeout())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL.String(), nil)
	if err != nil {
		return Verdict{Broken, "cannot be asked: its address is not valid", WrongAddress}
	}
	maps.Copy(req.Header, s.Header)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "vatio/"+p.Version)
	client := p.client()
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return Verdict{Broken, "cannot be reached: " + p.cause(ctx, err, "no answer"), WrongAddress}
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return s.refused(resp.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxList))
	if err != nil {
		return Verdict{Broken, "does not answer to its end: " + p.cause(ctx, err, "no end of the answer"), ""}
	}
	return s.listed(body)
}

func (p *Prober) client() *http.Client {
	t := &http.Transport{MaxResponseHeaderBytes: 64 << 10, DisableKeepAlives: true, TLSHandshakeTimeout: p.timeout(), ForceAttemptHTTP2: true}
	if p.Roots != nil {
		t.TLSClientConfig = &tls.Config{RootCAs: p.Roots}
	}
	if p.Proxy != nil {
		t.Proxy = func(r *http.Request) (*url.URL, error) { return p.Proxy(r.URL) }
	}
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// refused is the verdict on a status that brings no list.
func (s ModelServer) refused(status int) Verdict {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		if !s.Keyed {
			return Verdict{Broken, fmt.Sprintf("asks for a key (HTTP %d)", status), WrongKey}
		}
		return Verdict{Broken, fmt.Sprintf("refuses the key (HTTP %d)", status), WrongKey}
	case status >= 300 && status <= 399:
		return Verdict{Broken, fmt.Sprintf("answers with a redirect (HTTP %d), which is not followed", status), WrongAddress}
	case status == http.StatusNotFound || status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented:
		return Verdict{Warning, fmt.Sprintf("answers, but lists no models there (HTTP %d): whether the key and the model are right is not known", status), WrongAddress}
	case status == http.StatusTooManyRequests:
		return Verdict{Warning, fmt.Sprintf("was asked too often (HTTP %d)", status), ""}
	case status >= 500:
		return Verdict{Broken, fmt.Sprintf("fails (HTTP %d)", status), ""}
	}
	return Verdict{Warning, fmt.Sprintf("answers with HTTP %d: whether the key and the model are right is not known", status), WrongAddress}
}

// listed is the verdict on a list, which some servers do not give all at once.
func (s ModelServer) listed(body []byte) Verdict {
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
		HasMore bool `json:"has_more"`
	}
	if json.Unmarshal(body, &list) != nil || list.Data == nil {
		return Verdict{Warning, "answers, but not with a list of models: it may not be the API of the provider", WrongAddress}
	}
	for _, m := range list.Data {
		if sameModel(m.ID, s.Model) {
			return Verdict{OK, fmt.Sprintf("answers and has the model %q", s.Model), ""}
		}
	}
	if list.HasMore {
		return Verdict{OK, "answers", ""}
	}
	return Verdict{Warning, fmt.Sprintf("answers, but does not list the model %q", s.Model), WrongModel}
}

// sameModel reports whether a model goes by a name: its own, or that without what
// providers put behind it, as in qwen3:latest and claude-sonnet-4-5-20250929.
func sameModel(id, name string) bool {
	rest, found := strings.CutPrefix(strings.TrimPrefix(id, "models/"), strings.TrimPrefix(name, "models/"))
	if !found {
		return false
	}
	date, dated := strings.CutPrefix(rest, "-")
	return rest == "" || rest[0] == ':' || dated && len(date) == 8 && strings.Trim(date, "0123456789") == ""
}
