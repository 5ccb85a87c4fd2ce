// Package page is the test page of the runtime: a conversation with an agent and,
// beside it, how each tool call went over the wire. It is a client of the HTTP
// API like any other, made of a few files that a browser reads as they are.
//
// It promises:
//
//   - Nothing runs or loads but these files, by a Content-Security-Policy that
//     leaves no room: what a model or a backend writes is shown as text.
//   - The page itself knows no secret. An app key is entered, or comes in the
//     fragment of the address, which a browser does not send.
package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

//go:embed assets
var assets embed.FS

// policy allows a page its own files and its own server. Trusted types make
// a browser refuse what would turn text into HTML.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// Options say what the page is for.
type Options struct {
	// Dev is for a server whose key comes with the address that it prints; the
	// page says so to those who come without.
	Dev bool
}

// A file is an asset in both of its forms.
type file struct {
	kind         string
	plain, small []byte
	tag          string // of the content, without quotes
}

// Handler answers "/" with the page, and the paths of its files; every other path
// with 404. It is safe for concurrent use.
func Handler(o Options) http.Handler {
	files, err := load(o)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err != nil {
			refuse(w, http.StatusInternalServerError, "internal", "the test page is broken")
			return
		}
		serve(w, r, files)
	})
}

func serve(w http.ResponseWriter, r *http.Request, files map[string]file) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	} else if name == "index.html" {
		name = "" // one address for one thing
	}
	f, ok := files[name]
	if !ok {
		refuse(w, http.StatusNotFound, "not_found", "there is nothing here: /openapi.json says what there is")
		return
	}
	h := w.Header()
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "method_not_allowed", r.URL.Path+" is to be read: use GET, HEAD")
		return
	}
	h.Set("Content-Type", f.kind)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-cache") // ask whether it is the same
	h.Set("Vary", "Accept-Encoding")
	body, tag := f.plain, f.tag
	if acceptsGzip(r) {
		h.Set("Content-Encoding", "gzip")
		body, tag = f.small, f.tag+"-gzip"
	}
	h.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(`{"error":{"code":"` + code + `","message":` + strconv.QuoteToASCII(message) + "}}\n"))
}

// load reads the files and compresses them once.
func load(o Options) (map[string]file, error) {
	entries, err := assets.ReadDir("assets")
	if err != nil {
		return nil, err
	}
	files := make(map[string]file, len(entries))
	for _, e := range entries {
		plain, err := assets.ReadFile("assets/" + e.Name())
		if err != nil {
			return nil, err
		}
		if e.Name() == "index.html" && o.Dev {
			plain = bytes.Replace(plain, []byte(`data-dev="false"`), []byte(`data-dev="true"`), 1)
		}
		var b bytes.Buffer
		z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			return nil, err
		}
		if _, err := z.Write(plain); err != nil {
			return nil, err
		}
		if err := z.Close(); err != nil {
			return nil, err
		}
		sum := sha256.Sum256(plain)
		files[e.Name()] = file{kindOf(e.Name()), plain, b.Bytes(), base64.RawURLEncoding.EncodeToString(sum[:12])}
	}
	return files, nil
}

// kindOf does not ask the machine, whose answer may be any.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	}
	return "text/javascript; charset=utf-8"
}

// acceptsGzip reads Accept-Encoding (RFC 9110, section 12.5.3).
func acceptsGzip(r *http.Request) bool {
	gzip, any := -1.0, -1.0
	for _, header := range r.Header.Values("Accept-Encoding") {
		for part := range strings.SplitSeq(header, ",") {
			name, parameter, _ := strings.Cut(part, ";")
			q := 1.0
			if key, value, ok := strings.Cut(strings.TrimSpace(parameter), "="); ok && strings.EqualFold(strings.TrimSpace(key), "q") {
				if f, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil {
					q = f
				}
			}
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "gzip", "x-gzip":
				gzip = q
			case "*":
				any = q
			}
		}
	}
	if gzip < 0 {
		gzip = any
	}
	return gzip > 0
}
