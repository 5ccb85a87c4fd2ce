package executor

import (
	"fmt"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/vatio-dev/vatio/pkg/tool"
)

// addHeaders evaluates request.headers.
func (r *request) addHeaders(fields []tool.Field, v *values) *failure {
	for i := range fields {
		text, ok := textOf(&fields[i].Value, v)
		if !ok {
			continue
		}
		if f := r.setHeader(fields[i].Name, text); f != nil {
			return f
		}
	}
	return nil
}

// setHeader sets one field. Control characters other than a tab cannot be sent
// in one (RFC 9110 section 5.5), and a line break would start another.
func (r *request) setHeader(name, value string) *failure {
	if strings.ContainsFunc(name, notToken) || name == "" {
		return &failure{keyArguments, fmt.Sprintf("%q is no name of a header", name)}
	}
	for i := range len(value) {
		if c := value[i]; c < ' ' && c != '\t' || c == 0x7F {
			return &failure{keyArguments, fmt.Sprintf("the header %q would hold a line break or another control character (%#02x at byte %d of its value)", name, c, i)}
		}
	}
	r.put(textproto.CanonicalMIMEHeaderKey(name), value)
	return nil
}

// notToken reports what may not stand in a name (RFC 9110 section 5.6.2).
func notToken(c rune) bool {
	return c >= 0x80 || !isUnreserved(byte(c)) && !strings.ContainsRune("!#$%&'*+^`|", c)
}

// setDefault sets a field that the tool does not set itself.
func (r *request) setDefault(name, value string) {
	if _, ok := r.header[name]; !ok {
		r.put(name, value)
	}
}

// newHeader makes room for what the tool or grant sets and what we add.
func (r *request) newHeader(fields int) {
	r.header = make(http.Header, fields+ownHeaders)
	r.lines = make([]string, 0, fields+ownHeaders)
}

const ownHeaders = 6

// put sets a field whose name is in canonical form.
func (r *request) put(name, value string) {
	r.lines = append(r.lines, value)
	r.header[name] = r.lines[len(r.lines)-1 : len(r.lines) : len(r.lines)]
}

// finishHeaders adds what every request carries.
func (c *Client) finishHeaders(r *request) {
	r.setDefault("User-Agent", c.userAgent)
	r.setDefault("Accept-Encoding", "gzip")
	if r.hasBody {
		r.setDefault("Content-Type", "application/json")
	}
}
