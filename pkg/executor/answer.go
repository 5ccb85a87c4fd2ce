package executor

import (
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// MaxBody is how many bytes of a decoded body are read; one more is too large.
const MaxBody = 1_000_000

// maxWire bounds what is read of a compressed body, which can be endless and
// decode to nothing. Valid compression of MaxBody bytes is never that long.
const maxWire = 2 * MaxBody

// maxCodings bounds how often a body may be compressed.
const maxCodings = 4

// An answer is what a service sent back.
type answer struct {
	status int
	header http.Header
	text   []byte // the decoded body, UTF-8
	clean  bool   // no secret occurs in text
	// secrets also knows them as they look in the charset of the answer.
	secrets *redactor
}

var errTooLarge = errors.New("executor: body too large")

// A codingError is a body that is not what its Content-Encoding says.
type codingError struct{ reason string }

func (e *codingError) Error() string { return e.reason }

// readBody reads and decodes the body, and closes it.
func (c *Client) readBody(response *http.Response) ([]byte, error) {
	defer response.Body.Close()
	codings, err := codingsOf(response.Header)
	if err != nil {
		return nil, err
	}
	if len(codings) == 0 {
		if response.ContentLength > MaxBody {
			return nil, errTooLarge
		}
		return readLimited(response.Body, response.ContentLength, MaxBody)
	}
	wire := &wireReader{r: response.Body, left: maxWire}
	body, err := c.decode(wire, codings)
	switch {
	case err == nil || errors.Is(err, errTooLarge):
		return body, err
	case wire.err != nil: // the connection failed, not the coding
		return body, wire.err
	case !wire.any:
		return nil, nil // an empty body is no stream
	}
	return body, &codingError{fmt.Sprintf("it is not valid %s", codings[len(codings)-1])}
}

// codingsOf lists the codings in the order in which they were applied.
func codingsOf(h http.Header) ([]string, error) {
	var codings []string
	for _, line := range h["Content-Encoding"] {
		for coding := range strings.SplitSeq(line, ",") {
			switch coding = strings.ToLower(strings.TrimSpace(coding)); coding {
			case "", "identity":
			case "gzip", "x-gzip", "deflate":
				codings = append(codings, coding)
			default:
				return nil, &codingError{unasked(coding)}
			}
		}
	}
	if len(codings) > maxCodings {
		return nil, &codingError{"it is compressed more than " + fmt.Sprint(maxCodings) + " times"}
	}
	return codings, nil
}

// unasked names a coding that is known; any other text may hold a secret.
func unasked(coding string) string {
	switch coding {
	case "br", "compress", "x-compress", "zstd":
		return "it is encoded as " + strconv.Quote(coding) + ", which was not asked for"
	}
	return "it is encoded in a way that was not asked for"
}

func (c *Client) decode(wire io.Reader, codings []string) ([]byte, error) {
	r := wire
	for i := len(codings) - 1; i >= 0; i-- {
		if codings[i] == "deflate" {
			r = &inflater{source: r}
			continue
		}
		z, err := c.gunzip(r)
		if err != nil {
			return nil, err
		}
		defer c.inflaters.Put(z)
		r = z
	}
	return readLimited(r, -1, MaxBody)
}

func (c *Client) gunzip(r io.Reader) (*gzip.Reader, error) {
	z, ok := c.inflaters.Get().(*gzip.Reader)
	if !ok {
		return gzip.NewReader(r)
	}
	if err := z.Reset(r); err != nil {
		c.inflaters.Put(z)
		return nil, err
	}
	return z, nil
}

// An inflater reads "deflate", which servers take to mean either the zlib
// format (as RFC 9110 section 8.4.1.2 does) or bare deflate.
type inflater struct {
	source io.Reader
	r      io.Reader
}

func (d *inflater) Read(p []byte) (int, error) {
	if d.r == nil {
		var head [2]byte
		n, err := io.ReadFull(d.source, head[:])
		if err != nil {
			return 0, err
		}
		source := io.MultiReader(strings.NewReader(string(head[:n])), d.source)
		if head[0]&0x0F == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			if d.r, err = zlib.NewReader(source); err != nil {
				return 0, err
			}
		} else {
			d.r = flate.NewReader(source)
		}
	}
	return d.r.Read(p)
}

// A wireReader bounds a compressed body and keeps the connection's error, which
// decoders replace with their own.
type wireReader struct {
	r    io.Reader
	left int
	any  bool
	err  error
}

func (w *wireReader) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	w.any = w.any || n > 0
	if err != nil && err != io.EOF {
		w.err = err
	}
	if w.left -= n; w.left < 0 {
		w.err = errTooLarge
		return 0, errTooLarge
	}
	return n, err
}

// readLimited reads up to limit bytes; what it has read comes with the error.
// length is a hint, -1 when unknown.
func readLimited(r io.Reader, length int64, limit int) ([]byte, error) {
	size := 2 << 10
	if length >= 0 && length <= int64(limit) {
		size = int(length) + 1
	}
	body := make([]byte, 0, size)
	for {
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case len(body) > limit:
			return body[:limit], errTooLarge
		case err == io.EOF:
			return body, nil
		case err != nil:
			return body, err
		}
		if len(body) == cap(body) {
			grown := make([]byte, len(body), min(2*cap(body), limit+1))
			copy(grown, body)
			body = grown
		}
	}
}
