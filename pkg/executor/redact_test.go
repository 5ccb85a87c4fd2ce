package executor

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

func TestRedactText(t *testing.T) {
	const key = `k3y"with/odd\chars é`
	for _, test := range []struct {
		name, text, want string
		secrets          []string
	}{
		{"nothing", "a text", "a text", nil},
		{"as it is", "<s3cr3t-value>", "<[redacted]>", []string{"s3cr3t-value"}},
		{"twice", "s3cr3t-values3cr3t-value", "[redacted][redacted]", []string{"s3cr3t-value"}},
		{"seven characters", "sevench", "sevench", []string{"sevench"}},
		{"seven characters in more bytes", "ñevench", "ñevench", []string{"ñevench"}},
		{"eight characters", "eight8ch", "[redacted]", []string{"eight8ch"}},
		{"without its scheme word", "token abcdefgh!", "token [redacted]!", []string{"Bearer abcdefgh"}},
		{"with its scheme word", "was: Bearer abcdefgh", "was: [redacted]", []string{"Bearer abcdefgh"}},
		{"what follows the scheme word is short", "Bearer abc abc", "[redacted] abc", []string{"Bearer abc"}},
		{"without white space around it", "<abcdefgh>", "<[redacted]>", []string{" abcdefgh\n"}},
		{"one within another", "x prefix-secret-suffix secret-suffix", "x [redacted] [redacted]", []string{"secret-suffix", "prefix-secret-suffix"}},
		{"overlapping", "aaaabbbbcccc", "[redacted]", []string{"aaaabbbb", "bbbbcccc"}},
		{"JSON escapes", `{"a":"k3y\"with\/odd\\chars \u00e9","b":"k3y\"with/odd\\chars é"}`, `{"a":"[redacted]","b":"[redacted]"}`, []string{key}},
		{"JSON escapes of any character", `\u006b3y\u0022with\u002Fodd\u005cchars \u00E9.`, `[redacted].`, []string{key}},
		{"JSON in JSON", `"{\"a\":\"k3y\\\"with/odd\\\\chars é\"}"`, `"{\"a\":\"[redacted]\"}"`, []string{key}},
		{"a pair of surrogates", `a\ud83d\ude00bcdefgh`, `[redacted]`, []string{"a😀bcdefgh"}},
		{"percent", "?a=k3y%22with%2Fodd%5Cchars%20%C3%A9&b", "?a=[redacted]&b", []string{key}},
		{"percent, lower case and partly", "k3y%22with/odd%5cchars%20%c3%a9", "[redacted]", []string{key}},
		{"form", "a=k3y%22with%2Fodd%5Cchars+%C3%A9", "a=[redacted]", []string{key}},
		{"a plus stays a plus", "ab+cdefgh", "[redacted]", []string{"ab+cdefgh"}},
		{"percent in the secret", "100%2525sure 100%25sure", "[redacted] [redacted]", []string{"100%25sure"}},
		{"JSON in a query", "?q=%7B%22a%22%3A%22k3y%5C%22with%2Fodd%5C%5Cchars%20%C3%A9%22%7D", "?q=%7B%22a%22%3A%22[redacted]%22%7D", []string{key}},
		{"base64 of itself", "x " + base64.StdEncoding.EncodeToString([]byte("s3cr3t-value")) + " y", "x [redacted] y", []string{"s3cr3t-value"}},
		{"base64, padded", "x " + base64.StdEncoding.EncodeToString([]byte("s3cr3t-value!")) + " y", "x [redacted] y", []string{"s3cr3t-value!"}},
		{"base64 after a user name", "Basic " + base64.StdEncoding.EncodeToString([]byte("user:s3cr3t-value")), "Basic dXNlcj[redacted]", []string{"s3cr3t-value"}},
		{"base64 in the middle", base64.RawURLEncoding.EncodeToString([]byte("ab~~s3cr3t-value??z")), "YWJ-f[redacted]_eg", []string{"s3cr3t-value?"}},
		{"base64 in a query", "?a=" + url.QueryEscape(base64.StdEncoding.EncodeToString([]byte("~~??>>s3cr3t>>>"))), "?a=fn4%2FPz4%2B[redacted]", []string{"s3cr3t>>>"}},
		{"no text", "a\uFFFD\uFFFDbcdefgh", "[redacted]", []string{"a\xFF\xFEbcdefgh"}},
		{"broken escapes", `%zz%4 \u12 \x \`, `%zz%4 \u12 \x \`, []string{"whatever"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := newRedactor(test.secrets).text(test.text)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// JSON stays JSON, wherever the secret lies.
func TestRedactJSON(t *testing.T) {
	for _, test := range []struct{ name, text, want, secret string }{
		{"in a string", `{"a": "x s3cr3t-value y", "b":1.0}`, `{"a": "x [redacted] y", "b":1.0}`, "s3cr3t-value"},
		{"in a name", `{"s3cr3t-value":[]}`, `{"[redacted]":[]}`, "s3cr3t-value"},
		{"escaped", `["\u00733cr3t-value\n"]`, `["[redacted]\n"]`, "s3cr3t-value"},
		{"a number", `[12345678,1,112345678900]`, `["[redacted]",1,"[redacted]"]`, "12345678"},
		{"a JSON text", `{"k":{"type":"x", "id":12},"z":"type"}`, `{"k":"[redacted]","z":"type"}`, `{"type":"x", "id":12}`},
		{"across strings", `["abcd","efgh","z"]`, `["[redacted]","[redacted]","z"]`, `abcd","efgh`},
		{"half an escape", `["x\u00ef0123456y"]`, `["x[redacted]y"]`, "ef0123456"},
		{"ends in half an escape", `["x01234\u00ef"]`, `["x[redacted]"]`, `01234\u00`},
		{"literals stay", `[true,false,null,"true,false"]`, `[true,false,null,"[redacted]"]`, "true,false"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, ok := newRedactor([]string{test.secret}).json([]byte(test.text))
			if diff := cmp.Diff(test.want, string(got)); diff != "" || !ok {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if _, err := jsondoc.Parse(got); err != nil {
				t.Error(err)
			}
		})
	}
}

// encodings are what a server may make of a secret.
func encodings(secret string) []string {
	quoted, _ := json.Marshal(secret)
	var unicode, percent strings.Builder
	for _, r := range secret {
		if r < 0x10000 {
			fmt.Fprintf(&unicode, `\u%04x`, r)
		} else {
			unicode.WriteRune(r)
		}
	}
	for _, b := range []byte(secret) {
		fmt.Fprintf(&percent, "%%%02x", b)
	}
	list := []string{
		secret, string(quoted[1 : len(quoted)-1]), string(jsondoc.Quote(secret).Raw()), unicode.String(),
		strings.ReplaceAll(string(quoted[1:len(quoted)-1]), "/", `\/`),
		url.QueryEscape(secret), url.PathEscape(secret), string(appendEscaped(nil, secret)), percent.String(),
	}
	for _, before := range []string{"", "u", "us", "usr"} {
		for _, after := range []string{"", "v", "vw"} {
			for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
				list = append(list, e.EncodeToString([]byte(before+secret+after)))
			}
		}
	}
	return list
}

// Random secrets in random places: no encoding of a secret is left, what
// surrounds it is, and JSON stays JSON.
func TestRedactProperty(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	alphabets := []string{"abcdefghijklmnopqrstuvwxyz0123456789", "AZ09-._~+/=", `"\/<>&%+ '` + "\n\t", "éñ日😀", "{}[]:,\"0"}
	pick := func(alphabet []rune, n int) string {
		var b strings.Builder
		for range n {
			b.WriteRune(alphabet[random.IntN(len(alphabet))])
		}
		return b.String()
	}
	for range 3000 {
		alphabet := []rune(alphabets[random.IntN(len(alphabets))] + alphabets[0])
		secret := "q" + pick(alphabet, 7+random.IntN(40)) + "j"
		r := newRedactor([]string{secret})
		for i, form := range encodings(secret) {
			before, after := pick([]rune("<>;.!"), 3), pick([]rune("<>;.!"), 3)
			if got := r.text(before + form + after); strings.Contains(got, form) || !strings.HasPrefix(got, before) || !strings.HasSuffix(got, after) || !strings.Contains(got, redactedMark) {
				t.Fatalf("%q as %q (%d): %q", secret, form, i, got)
			}
			document := jsondoc.AppendQuote([]byte(`{"a":[1,`), before+form+after)
			document = append(document, `],"z":true}`...)
			got, ok := r.json(document)
			parsed, err := jsondoc.Parse(got)
			if !ok || err != nil {
				t.Fatalf("%q in %s: %s: %v", secret, document, got, err)
			}
			if text := parsed.Get("a").Index(1).Text(); strings.Contains(text, form) || !strings.HasPrefix(text, before) || !strings.HasSuffix(text, after) {
				t.Fatalf("%q in %s: %s", secret, document, got)
			}
		}
	}
}

// What holds no secret comes back as it went in, and long texts are searched as
// short ones are.
func TestSieve(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	secrets := []string{"s3cr3t-value", "Bearer abcdefghij", "\x00\x00\x00\x00\x00\x00\x00\x00x"}
	r := newRedactor(secrets)
	for range 2000 {
		b := make([]byte, sieveFrom+random.IntN(64))
		for i := range b {
			b[i] = "abcdefghijs3cr3t-"[random.IntN(17)]
		}
		text := string(b)
		want := text
		if at := random.IntN(len(text)); random.IntN(2) == 0 {
			form := r.needles[random.IntN(len(r.needles))].text
			text = text[:at] + form + text[at:]
			want = ""
		}
		if got := r.text(text); want != "" && got != want && !strings.Contains(text, "s3cr3t-value") || want == "" && got == text {
			t.Fatalf("%q", text)
		}
	}
	var many []string
	for i := range 200 {
		many = append(many, fmt.Sprintf("secret number %d", i))
	}
	long := strings.Repeat("x", sieveFrom)
	if got := newRedactor(many).text(long + "secret number 77" + long); got != long+redactedMark+long {
		t.Errorf("many secrets: %q", got[sieveFrom:])
	}
}

func FuzzRedact(f *testing.F) {
	f.Fuzz(func(t *testing.T, secret, text string) {
		r := newRedactor([]string{secret})
		got := r.text(text)
		if utf8.RuneCountInString(secret) >= minSecret && strings.Contains(got, secret) && !strings.Contains(redactedMark+redactedMark, secret) && !strings.Contains(secret, "redacted") {
			// The mark itself can complete a text that was none before.
			if !strings.Contains(secret, "[") && !strings.Contains(secret, "]") {
				t.Errorf("%q is left in %q", secret, got)
			}
		}
		if cut := r.cutText(text); !strings.HasPrefix(cut, got) && strings.HasPrefix(got, text) {
			// Only the end may differ, and only by what a secret begins with.
			kept := strings.TrimSuffix(cut, redactedMark)
			if kept == cut || !strings.HasPrefix(text, kept) {
				t.Errorf("%q in %q: %q", secret, text, cut)
			}
		}
		if _, err := jsondoc.Parse([]byte(text)); err != nil {
			return
		}
		if redacted, ok := r.json([]byte(text)); ok {
			if _, err := jsondoc.Parse(redacted); err != nil {
				t.Errorf("%q in %q: %q: %v", secret, text, redacted, err)
			}
		}
	})
}

// From end to end: nothing of the outcome holds a secret, and what is none stays.
func TestOutcomeIsRedacted(t *testing.T) {
	const token, apiKey, pathKey, bodyKey, unused = "tok/en+value==", "key-of-acme", "path key/é", `body"key\x`, "https-not-sent"
	answer := "HTTP/1.1 200 OK\r\nX-Echo: " + token + "\r\nX-Basic: " + base64.StdEncoding.EncodeToString([]byte("u:"+apiKey)) + "\r\n\r\n" +
		`{"message":"auth ` + token + `","data":{"` + apiKey + `":"` + url.QueryEscape(pathKey) + `","raw":"body\"key\\x","n":1.50,"unused":"` + unused + `"}}`
	w := listenRaw(t, answer)
	probe := httpTool(t, "access: private\nrequest:\n  method: POST\n  base_url: $env.API\n  path: /$env.PATH_KEY\n  query: {k: $env.API_KEY, o: {k: $env.BODY_KEY}}\n  headers: {Authorization: Bearer $auth.token}\n  body: {k: $env.BODY_KEY, list: [$env.API_KEY]}\nrespond:\n  data: {all: $.data}\n")
	o := newClient(t).Call(t.Context(), probe, nil, Scope{
		Env:       env("API", w.url()+"/api-in-address", "API_KEY", apiKey, "PATH_KEY", pathKey, "BODY_KEY", bodyKey, "UNUSED", unused),
		Principal: &Principal{Subject: "s", Token: token},
	})
	if want := `{"result":"ok","message":"auth [redacted]","data":{"all":{"[redacted]":"[redacted]","raw":"[redacted]","n":1.50,"unused":"https-not-sent"}}}`; o.Content != want {
		t.Errorf("%s\nwant %s", o.Content, want)
	}
	trace := *o.Trace
	trace.URL = strings.ReplaceAll(trace.URL, w.Addr().String(), "HOST")
	if trace.Start.IsZero() || trace.Duration <= 0 {
		t.Errorf("%v %v", trace.Start, trace.Duration)
	}
	want := Trace{
		Method: "POST",
		URL:    "http://HOST/api-in-address/[redacted]?k=[redacted]&o=%7B%22k%22%3A%22[redacted]%22%7D",
		RequestHeaders: []Header{
			{"Accept-Encoding", "gzip"}, {"Authorization", "Bearer [redacted]"}, {"Content-Type", "application/json"}, {"User-Agent", "vatio/1.2.3"},
		},
		RequestBody:     `{"k":"[redacted]","list":["[redacted]"]}`,
		Status:          200,
		ResponseHeaders: []Header{{"X-Basic", "dT[redacted]"}, {"X-Echo", "[redacted]"}},
		ResponseBody:    `{"message":"auth [redacted]","data":{"[redacted]":"[redacted]","raw":"[redacted]","n":1.50,"unused":"https-not-sent"}}`,
		Start:           trace.Start,
		Duration:        trace.Duration,
		RequestBytes:    43,
		ResponseBytes:   int64(len(answer) - strings.Index(answer, "\r\n\r\n") - 4),
	}
	if diff := cmp.Diff(want, trace); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A secret that only makes up the address is shown; elsewhere it is not.
func TestAddressIsNoSecret(t *testing.T) {
	w := listen(t, respond("404 Not Found", "", `{"message":"HOSTURL is here"}`))
	o := newClient(t).Call(t.Context(), getTool(t, "", ""), nil, Scope{Env: env("API", w.url())})
	if o.Trace.URL != w.url()+"/p" {
		t.Error(o.Trace.URL)
	}
	o = newClient(t).Call(t.Context(), getTool(t, "query: {callback: $env.API}\n", ""), nil, Scope{Env: env("API", w.url())})
	if want := "[redacted]/p?callback=[redacted]"; o.Trace.URL != want {
		t.Errorf("%s, want %s", o.Trace.URL, want)
	}
}

// An error key that is a secret is none.
func TestErrorKeyIsRedacted(t *testing.T) {
	w := listen(t, respond("400 Bad", "", `{"message":"key_of_acme","error_key":"key_of_acme"}`))
	o := newClient(t).Call(t.Context(), getTool(t, "headers: {X-Key: $env.KEY}\n", ""), nil, Scope{Env: env("API", w.url(), "KEY", "key_of_acme")})
	if want := ErrorResult("[redacted]", "http_400"); o.Content != want {
		t.Errorf("%s\nwant %s", o.Content, want)
	}
}

func TestServiceIsRedacted(t *testing.T) {
	lookup := serviceTool(t, "name = \"lookup\"\ndescription = \"d\"\nservice = \"records\"\npath = \"/x\"\n[parameters]\ntype = \"object\"\n")
	grant := &Grant{Headers: []Header{{"Authorization", "Token abcdefgh"}, {"X-Short", "short"}}}
	for _, test := range []struct{ name, answer, want string }{
		{"JSON", respond("200 OK", "", `{"a":"Token abcdefgh","n":1.0,"b":"abcd\u0065fgh short"}`), "{\n  \"a\": \"[redacted]\",\n  \"n\": 1.0,\n  \"b\": \"[redacted] short\"\n}"},
		{"text", respond("200 OK", "", `it was YWJjZGVmZ2g=`), "it was [redacted]"},
		{"an error's JSON", respond("403 No", "", `{"a": "abcdefgh"}`), `{"a": "[redacted]"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := listen(t, test.answer)
			grant.URL = w.url()
			o := newClient(t).Call(t.Context(), lookup, nil, Scope{Grant: grant})
			if diff := cmp.Diff(test.want, o.Content); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if got := fmt.Sprintf("%+v", o); strings.Contains(got, "abcdefgh") {
				t.Error(got)
			}
		})
	}
}

// A refusal names the placeholder and not what the path has come to, in which
// quoting could hide a secret.
func TestFailureIsRedacted(t *testing.T) {
	probe := httpTool(t, "request:\n  method: GET\n  base_url: $env.API\n  path: /q/$env.TOK/$params.p\n")
	for _, secret := range []string{"key-of-acme", "abc\x07defghijk", "abc\vdefghijk", "abc\x01defghijk", "abc\xFFdefghijk", "abc\U000E0001defghijk"} {
		o := newClient(t).Call(t.Context(), probe, []byte(`{"p":".."}`), Scope{Env: env("API", "http://h", "TOK", secret)})
		if want := ErrorResult(`The path cannot take the value of params.p: it would bring a "." or ".." segment into it.`, "invalid_arguments"); o.Content != want {
			t.Errorf("%q: %s\nwant %s", secret, o.Content, want)
		}
	}
}
