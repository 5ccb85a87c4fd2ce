package executor

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// A request is one call, ready to be sent.
type request struct {
	method  string
	url     url.URL
	header  http.Header
	lines   []string // the values in header, in one piece
	body    []byte
	hasBody bool
	strict  bool // others than the workspace's author take part in the host
	service bool // its messages are fixed
}

// buildHTTP evaluates the templates of an HTTP tool.
func buildHTTP(h *tool.HTTP, v *values) (*request, *failure) {
	b, f := resolveBase(h.BaseURL, v)
	if f != nil {
		return nil, f
	}
	if f := appendPath(&b.path, h.Path, v); f != nil {
		return nil, f
	}
	r := &request{
		method: h.Method,
		url:    b.url(),
		strict: slices.ContainsFunc(h.BaseURL.Refs(), foreign),
	}
	if len(h.Query) > 0 {
		r.url.RawQuery = string(appendQuery(make([]byte, 0, 128), h.Query, v))
	}
	r.newHeader(len(h.Headers))
	if f := r.addHeaders(h.Headers, v); f != nil {
		return nil, f
	}
	if h.Body != nil {
		r.body, r.hasBody = appendJSON(make([]byte, 0, 256), h.Body, v)
	}
	return r, nil
}

// url returns the URL of b. The raw path leaves as it stands: it holds nothing
// that net/url would encode differently.
func (b *base) url() url.URL {
	raw := string(b.path.raw)
	path, err := url.PathUnescape(raw)
	if err != nil {
		path = raw // not reached: the path was written by appendEscaped and appendLiteralPath
	}
	return url.URL{Scheme: b.scheme, Host: b.host, Path: path, RawPath: raw}
}

// foreign reports whether the workspace's author does not choose the value.
func foreign(r placeholder.Ref) bool { return r.Source != placeholder.Env }
