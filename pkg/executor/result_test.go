package executor

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	dataAndMessage = "respond:\n  data: {products: \"$.data\"}\n  message: {when_empty: Nothing., default: \"Found {{count}}, {{count}}.\"}\n"
	dataOnly       = "respond:\n  data: {products: \"$.data\"}\n"
	literal        = "respond:\n  message: Done.\n"
)

func gzipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = io.WriteString(z, s)
	z.Close()
	return b.String()
}

func zlibbed(s string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = io.WriteString(z, s)
	z.Close()
	return b.String()
}

func deflated(s string) string {
	var b bytes.Buffer
	z, _ := flate.NewWriter(&b, 6)
	_, _ = io.WriteString(z, s)
	z.Close()
	return b.String()
}

// From the bytes of an answer to the content.
func TestResult(t *testing.T) {
	for _, test := range []struct{ name, respond, answer, want, key string }{
		{"data and count", dataAndMessage, respond("200 OK", "", `{"data":[{"id":1.50,"b":1,"a":2},"x"]}`),
			`{"result":"ok","message":"Found 2, 2.","data":{"products":[{"id":1.50,"b":1,"a":2},"x"]}}`, ""},
		{"white space goes, text stays as it came", dataAndMessage, respond("201 Created", "", "{ \"data\" : [ \"\\u00e9\\/ é\" , 1E+2 ] }"),
			`{"result":"ok","message":"Found 2, 2.","data":{"products":["\u00e9\/ é",1E+2]}}`, ""},
		{"empty array", dataAndMessage, respond("200 OK", "", `{"data":[]}`),
			`{"result":"ok","message":"Nothing.","data":{"products":[]}}`, ""},
		{"nothing matched", dataAndMessage, respond("200 OK", "", `{"other":1}`),
			`{"result":"ok","message":"Nothing.","data":{"products":null}}`, ""},
		{"no array, not empty", dataAndMessage, respond("200 OK", "", `{"data":{"a":1}}`),
			`{"result":"ok","message":"Found 1, 1.","data":{"products":{"a":1}}}`, ""},
		{"no array, empty object", dataAndMessage, respond("200 OK", "", `{"data":{}}`),
			`{"result":"ok","message":"Nothing.","data":{"products":{}}}`, ""},
		{"false is not empty", dataAndMessage, respond("200 OK", "", `{"data":false}`),
			`{"result":"ok","message":"Found 1, 1.","data":{"products":false}}`, ""},
		{"duplicate keys: the last counts", dataAndMessage, respond("200 OK", "", `{"data":[1],"data":[2,3]}`),
			`{"result":"ok","message":"Found 2, 2.","data":{"products":[2,3]}}`, ""},
		{"no content", dataAndMessage, "HTTP/1.1 204 No Content\n\n",
			`{"result":"ok","message":"Nothing.","data":{"products":null}}`, ""},
		{"BOM", dataAndMessage, respond("200 OK", "", "\xEF\xBB\xBF"+`{"data":[1]}`),
			`{"result":"ok","message":"Found 1, 1.","data":{"products":[1]}}`, ""},
		{"the count is that of the first array", "respond:\n  data: {first: \"$.a\", second: \"$.b[*]\", third: \"$.c\"}\n  message: \"{{count}}\"\n",
			respond("200 OK", "", `{"a":"x","b":[1,2,3],"c":[]}`),
			`{"result":"ok","message":"3","data":{"first":"x","second":[1,2,3],"third":[]}}`, ""},
		{"the whole body, and an array of no matches", "respond:\n  data: {all: $, none: \"$..zz\"}\n  message: ok\n",
			respond("200 OK", "", `"x"`), `{"result":"ok","message":"ok","data":{"all":"x","none":[]}}`, ""},
		{"without when_empty", "respond:\n  data: {x: \"$.x[*]\"}\n  message: \"{{count}} found\"\n", respond("200 OK", "", `{}`),
			`{"result":"ok","message":"0 found","data":{"x":[]}}`, ""},

		{"the body's message", dataOnly, respond("200 OK", "", `{"message":"Hi \"you\" é\n","data":1}`),
			`{"result":"ok","message":"Hi \"you\" é\n","data":{"products":1}}`, ""},
		{"no respond at all", "", respond("200 OK", "", `{"message":"m","secret":1}`), `{"result":"ok","message":"m"}`, ""},
		{"no message anywhere", dataOnly, respond("200 OK", "", `{"data":1}`),
			`{"result":"error","message":"The service answered HTTP 200, but neither the tool nor the answer has a message, so there is no result. The call was carried out and must not simply be repeated.","error_key":"invalid_result"}`, "invalid_result"},
		{"a blank message is none", "", respond("202 Accepted", "", `{"message":" \n"}`),
			`{"result":"error","message":"The service answered HTTP 202, but neither the tool nor the answer has a message, so there is no result. The call was carried out and must not simply be repeated.","error_key":"invalid_result"}`, "invalid_result"},
		{"a message that is no string is none", "", respond("200 OK", "", `{"message":5}`),
			`{"result":"error","message":"The service answered HTTP 200, but neither the tool nor the answer has a message, so there is no result. The call was carried out and must not simply be repeated.","error_key":"invalid_result"}`, "invalid_result"},
		{"text without data", "", respond("200 OK", "Content-Type: text/plain\n", `hello`),
			`{"result":"error","message":"The service answered HTTP 200, but neither the tool nor the answer has a message, so there is no result. The call was carried out and must not simply be repeated.","error_key":"invalid_result"}`, "invalid_result"},
		{"a literal message needs no JSON", literal, respond("200 OK", "", `<html>`), `{"result":"ok","message":"Done."}`, ""},
		{"data from text", dataAndMessage, respond("200 OK", "", `<html>`),
			`{"result":"error","message":"The service answered HTTP 200, but its body is no JSON: unexpected character '<' at byte 0, wanted a value.","error_key":"invalid_response"}`, "invalid_response"},
		{"trailing garbage", dataAndMessage, respond("200 OK", "", `{"data":[]} x`),
			`{"result":"error","message":"The service answered HTTP 200, but its body is no JSON: unexpected character 'x' at byte 12, wanted the end of the text.","error_key":"invalid_response"}`, "invalid_response"},

		{"404 with words", dataAndMessage, respond("404 Not Found", "", `{"message":"No such product","error_key":"not_found","data":[1]}`),
			`{"result":"error","message":"No such product","error_key":"not_found"}`, "not_found"},
		{"422 with a bad key", dataAndMessage, respond("422 X", "", `{"message":"M","error_key":"Not-Found"}`),
			`{"result":"error","message":"M","error_key":"http_422"}`, "http_422"},
		{"500 with nothing", literal, respond("500 Oops", "", `oops`),
			`{"result":"error","message":"The service answered HTTP 500.","error_key":"http_500"}`, "http_500"},
		{"503 blank message, key of one letter", literal, respond("503 Oops", "", `{"message":"  ","error_key":"k"}`),
			`{"result":"error","message":"The service answered HTTP 503.","error_key":"k"}`, "k"},
		{"304", literal, "HTTP/1.1 304 Not Modified\n\n", `{"result":"error","message":"The service answered HTTP 304.","error_key":"http_304"}`, "http_304"},

		{"gzip", dataAndMessage, respond("200 OK", "Content-Encoding: gzip\n", gzipped(`{"data":[1]}`)),
			`{"result":"ok","message":"Found 1, 1.","data":{"products":[1]}}`, ""},
		{"zlib, as deflate", dataAndMessage, respond("200 OK", "Content-Encoding: Deflate\n", zlibbed(`{"data":[1]}`)),
			`{"result":"ok","message":"Found 1, 1.","data":{"products":[1]}}`, ""},
		{"bare deflate", dataAndMessage, respond("200 OK", "Content-Encoding: deflate\n", deflated(`{"data":[1]}`)),
			`{"result":"ok","message":"Found 1, 1.","data":{"products":[1]}}`, ""},
		{"twice", dataAndMessage, respond("200 OK", "Content-Encoding: deflate, x-gzip\n", gzipped(zlibbed(`{"data":[1]}`))),
			`{"result":"ok","message":"Found 1, 1.","data":{"products":[1]}}`, ""},
		{"empty, said to be gzip", dataAndMessage, respond("200 OK", "Content-Encoding: gzip\n", ""),
			`{"result":"ok","message":"Nothing.","data":{"products":null}}`, ""},
		{"gzip cut short", dataAndMessage, respond("200 OK", "Content-Encoding: gzip\n", gzipped(`{"data":[1]}`)[:20]),
			`{"result":"error","message":"The service's answer could not be decoded: it is not valid gzip.","error_key":"invalid_response"}`, "invalid_response"},
		{"not gzip at all", literal, respond("200 OK", "Content-Encoding: gzip\n", `{"data":[1]} and more`),
			`{"result":"error","message":"The service's answer could not be decoded: it is not valid gzip.","error_key":"invalid_response"}`, "invalid_response"},
		{"brotli", literal, respond("200 OK", "Content-Encoding: br\n", `x`),
			`{"result":"error","message":"The service's answer could not be decoded: it is encoded as \"br\", which was not asked for.","error_key":"invalid_response"}`, "invalid_response"},

		{"latin-1", dataOnly, respond("200 OK", "Content-Type: application/json; charset=ISO-8859-1\n", "{\"message\":\"se\xF1or\"}"),
			`{"result":"ok","message":"señor","data":{"products":null}}`, ""},
		{"shift_jis", dataOnly, respond("200 OK", "Content-Type: text/json;charset=\"Shift_JIS\"\n", "{\"message\":\"\x93\xFA\x96{\"}"),
			`{"result":"ok","message":"日本","data":{"products":null}}`, ""},
		{"UTF-16 by its mark", dataOnly, respond("200 OK", "", "\xFF\xFE"+utf16le(`{"message":"é😀"}`)),
			`{"result":"ok","message":"é😀","data":{"products":null}}`, ""},
		{"UTF-16 by its name", dataOnly, respond("200 OK", "Content-Type: application/json; charset=utf-16le\n", utf16le(`{"message":"é"}`)),
			`{"result":"ok","message":"é","data":{"products":null}}`, ""},
		{"a mark says more than the name", dataOnly, respond("200 OK", "Content-Type: application/json; charset=latin1\n", "\xEF\xBB\xBF"+`{"message":"é"}`),
			`{"result":"ok","message":"é","data":{"products":null}}`, ""},
		{"no text", dataOnly, respond("200 OK", "", "{\"message\":\"a\xFF\xFEb\xE2\x82\"}"),
			"{\"result\":\"ok\",\"message\":\"a\uFFFD\uFFFDb\uFFFD\uFFFD\",\"data\":{\"products\":null}}", ""},
		{"unknown charset", dataOnly, respond("200 OK", "Content-Type: application/json; charset=klingon\n", `{"message":"é"}`),
			`{"result":"ok","message":"é","data":{"products":null}}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			head, body, _ := strings.Cut(test.answer, "\n\n")
			raw := strings.ReplaceAll(head, "\n", "\r\n") + "\r\n\r\n" + body
			w := listenRaw(t, raw)
			o := newClient(t).Call(t.Context(), getTool(t, "", test.respond), []byte("{}"), Scope{Env: env("API", w.url())})
			if diff := cmp.Diff(test.want, o.Content); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if o.ErrorKey != test.key || o.IsError != (test.key != "") {
				t.Errorf("%v %q", o.IsError, o.ErrorKey)
			}
		})
	}
}

func utf16le(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r > 0xFFFF {
			r -= 0x10000
			hi, lo := 0xD800+r>>10, 0xDC00+r&0x3FF
			b.Write([]byte{byte(hi), byte(hi >> 8), byte(lo), byte(lo >> 8)})
			continue
		}
		b.Write([]byte{byte(r), byte(r >> 8)})
	}
	return b.String()
}

func TestServiceAnswers(t *testing.T) {
	lookup := serviceTool(t, "name = \"lookup\"\ndescription = \"d\"\nservice = \"records\"\npath = \"/x\"\n[parameters]\ntype = \"object\"\n")
	for _, test := range []struct {
		name, answer, want, key string
	}{
		{"JSON", respond("200 OK", "", `{"b":[1.0,{}],"a":"\u00e9"}`), "{\n  \"b\": [\n    1.0,\n    {}\n  ],\n  \"a\": \"\\u00e9\"\n}", ""},
		{"text", respond("200 OK", "", "hi  there\n"), "hi  there\n", ""},
		{"empty", respond("201 Created", "", ""), "[HTTP 201, empty]", ""},
		{"no content", "HTTP/1.1 204 No Content\n\n", "[HTTP 204, empty]", ""},
		{"JSON between white space", respond("200 OK", "", "\n [1]\r\n"), "[\n  1\n]", ""},
		{"a JSON string", respond("200 OK", "", `"x"`), `"x"`, ""},
		{"a JSON number", respond("200 OK", "", "1E400\n"), "1E400", ""},
		{"JSON with a mark before it", respond("200 OK", "", "\xEF\xBB\xBF[]"), "[]", ""},
		{"JSON twice is text", respond("200 OK", "", "{} {}"), "{} {}", ""},
		{"white space is not empty", respond("200 OK", "", " \n"), " \n", ""},
		{"4xx as it came", respond("404 Not Found", "", "{\"a\": 1}\n"), "{\"a\": 1}\n", "http_404"},
		{"4xx, text", respond("422 No", "", " id must be\r\nA-1042 "), " id must be\r\nA-1042 ", "http_422"},
		{"304", "HTTP/1.1 304 Not Modified\n\n", "lookup failed (HTTP 304)", "http_304"},
		{"5xx empty", respond("500 Oops", "", ""), "lookup failed (HTTP 500)", "http_500"},
		{"a status of its own", respond("799 Oops", "", "x"), "lookup failed (HTTP 799)", "http_799"},
		{"4xx empty", respond("400 Bad", "", ""), "[HTTP 400, empty]", "http_400"},
		{"5xx", respond("502 Bad", "", `{"a": 1}`), "lookup failed (HTTP 502)", "http_502"},
		{"3xx", respond("302 Found", "Location: /y\n", "x"), "lookup failed (HTTP 302)", "http_302"},
		{"too large", respond("200 OK", "", strings.Repeat("x", MaxBody+1)), "lookup: the service's answer was too large", "response_too_large"},
		{"cut", "HTTP/1.1 200 OK\nContent-Length: 10\n\nabc", "lookup: the service is unreachable", "unreachable"},
		{"deep nesting is not indented", respond("200 OK", "", strings.Repeat("[", 9000)+strings.Repeat("]", 9000)), strings.Repeat("[", 9000) + strings.Repeat("]", 9000), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			head, body, _ := strings.Cut(test.answer, "\n\n")
			w := listenRaw(t, strings.ReplaceAll(head, "\n", "\r\n")+"\r\n\r\n"+body)
			o := newClient(t).Call(t.Context(), lookup, []byte("{}"), Scope{Grant: &Grant{URL: w.url()}})
			if diff := cmp.Diff(test.want, o.Content); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if o.ErrorKey != test.key || o.IsError != (test.key != "") {
				t.Errorf("%v %q", o.IsError, o.ErrorKey)
			}
			if sent := w.sent(); len(sent) != 1 {
				t.Errorf("%d requests", len(sent))
			}
		})
	}
}

// One client unpacks one body after another, a broken one between them.
func TestGzipAgain(t *testing.T) {
	bodies := []string{gzipped(`{"message":"one"}`), "broken", gzipped(`{"message":"two"}`)[:10], gzipped(`{"message":"three"}`)}
	var served atomic.Int32
	w := listenFunc(t, func(conn net.Conn, _ string) bool {
		body := bodies[served.Add(1)-1]
		_, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body)
		return err == nil
	})
	c, probe := newClient(t), getTool(t, "", "")
	var got []string
	for range bodies {
		got = append(got, c.Call(t.Context(), probe, nil, Scope{Env: env("API", w.url())}).Content)
	}
	broken := ErrorResult("The service's answer could not be decoded: it is not valid gzip.", "invalid_response")
	want := []string{`{"result":"ok","message":"one"}`, broken, broken, `{"result":"ok","message":"three"}`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
