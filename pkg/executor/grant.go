package executor

import (
	"errors"
	"fmt"
	"net/textproto"
	"strings"

	"github.com/vatio-dev/vatio/pkg/tool"
)

// A Grant is where a service is and what it is sent besides the call. Every
// header value is treated as a secret.
type Grant struct {
	URL     string // http:// or https:// with a host; a path in it is kept
	Headers []Header
}

// Check reports why no service can be called with g, nil when one can. The
// error holds no header value. Call checks every time; whoever checks when a
// program starts finds a wrong address before a model does.
func (g Grant) Check() error {
	_, f := g.base()
	if f == nil {
		r := &request{}
		r.newHeader(len(g.Headers))
		f = g.setHeaders(r)
	}
	if f != nil {
		return errors.New(f.reason)
	}
	return nil
}

func (g Grant) base() (base, *failure) {
	return parseBase("granted url", g.URL, []piece{{0, len(g.URL), nil}})
}

// setHeaders adds the granted headers. Those that say who is calling, what the
// body is or how the connection is used are not a grant's to set.
func (g Grant) setHeaders(r *request) *failure {
	for _, h := range g.Headers {
		name := textproto.CanonicalMIMEHeaderKey(h.Name)
		if reserved(name) {
			return &failure{keyArguments, fmt.Sprintf("the header %q cannot be granted", h.Name)}
		}
		if _, twice := r.header[name]; twice {
			return &failure{keyArguments, fmt.Sprintf("the header %q is granted twice", h.Name)}
		}
		if f := r.setHeader(h.Name, h.Value); f != nil {
			return f
		}
	}
	return nil
}

// reserved reports the headers of the message itself and of one hop (RFC 9110
// section 7.6.1), and the runtime's own. The name is in canonical form.
func reserved(name string) bool {
	return name == "Content-Type" || tool.FramingHeader(name) || strings.HasPrefix(name, "X-Vessel-")
}
