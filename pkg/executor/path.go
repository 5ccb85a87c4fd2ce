package executor

import (
	"fmt"

	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// A pathWriter builds a raw path and remembers which stretches are values.
type pathWriter struct {
	raw    []byte // percent-encoded
	plain  []byte // as a server sees it that decodes before it looks for segments
	values []stretch
}

type stretch struct{ start, end int }

func newPathWriter() pathWriter {
	buffer := make([]byte, 128)
	return pathWriter{raw: buffer[:0:64], plain: buffer[64:64:128]}
}

// literal adds what the author wrote.
func (w *pathWriter) literal(s string) {
	w.raw = appendLiteralPath(w.raw, s)
	w.plain = appendUnescaped(w.plain, s)
}

// value adds a value as part of one segment: a slash in it is encoded.
func (w *pathWriter) value(s string) {
	start := len(w.plain)
	w.raw = appendEscaped(w.raw, s)
	w.plain = append(w.plain, s...)
	w.values = append(w.values, stretch{start, len(w.plain)})
}

// urlValue adds the path of a value that is a URL itself.
func (w *pathWriter) urlValue(s string) {
	start := len(w.plain)
	w.literal(s)
	w.values = append(w.values, stretch{start, len(w.plain)})
}

// dots returns the first value that takes part in a segment "." or "..", -1 for
// none: a proxy that decodes would then change the endpoint.
func (w *pathWriter) dots() int {
	start := 0
	for i := 0; i <= len(w.plain); i++ {
		if i < len(w.plain) && w.plain[i] != '/' && w.plain[i] != '\\' {
			continue
		}
		if segment := string(w.plain[start:i]); segment == "." || segment == ".." {
			for n, v := range w.values {
				if v.start <= i && start <= v.end {
					return n
				}
			}
		}
		start = i + 1
	}
	return -1
}

// appendPath adds request.path to the base path in w.
func appendPath(w *pathWriter, t tool.Text, v *values) *failure {
	own := newPathWriter()
	var buffer [4]*placeholder.Ref
	refs := buffer[:0] // of own.values
	_, ok, _ := t.Append(nil, v, func(dst []byte, p placeholder.Part) ([]byte, error) {
		if p.Ref == nil {
			own.literal(p.Text)
		} else {
			own.value(v.text(p))
			refs = append(refs, p.Ref)
		}
		return dst, nil
	})
	if !ok {
		return missingIn("path", t, v)
	}
	if i := own.dots(); i >= 0 {
		return &failure{keyArguments, fmt.Sprintf("the path cannot take the value of %s: it would bring a \".\" or \"..\" segment into it", refs[i])}
	}
	w.raw = joinPaths(w.raw, own.raw)
	return nil
}

// joinPaths puts exactly one slash between base and path.
func joinPaths(base, path []byte) []byte {
	for len(base) > 0 && base[len(base)-1] == '/' {
		base = base[:len(base)-1]
	}
	for len(path) > 0 && path[0] == '/' {
		path = path[1:]
	}
	return append(append(base, '/'), path...)
}
