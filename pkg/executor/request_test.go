package executor

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// What stands on the wire, byte for byte.
func TestRequestOnTheWire(t *testing.T) {
	principal := &Principal{Subject: "user-7", Issuer: "https://id.example", Token: "tok.en.value", Claims: jsondoc.MustParse(`{"org":{"id":42},"roles":["a","b"]}`)}
	contact := Contact{Name: "Ana Pérez", PhoneNumber: "+56 9 1234"}
	for _, test := range []struct{ name, tool, arguments, env, want string }{
		{
			name: "everything",
			tool: `
request:
  method: GET
  base_url: "$env.API/v1/"
  path: /products/$params.id/stock
  query: { name: "$params.product", page: 2, all: true, tag: ["a b", "$params.none", "$params.id"], "sp ace": "x" }
  headers: { Authorization: "Bearer $env.KEY", X-Contact: "$contact.name", X-None: "$contact.email" }
`,
			arguments: `{"product":"Lemon & Lime","id":"a/b c"}`,
			want: `GET /v1/products/a%2Fb%20c/stock?name=Lemon%20%26%20Lime&page=2&all=true&tag=a%20b&tag=a%2Fb%20c&sp%20ace=x HTTP/1.1
Host: HOST
User-Agent: vatio/1.2.3
Accept-Encoding: gzip
Authorization: Bearer key-of-acme
X-Contact: Ana Pérez

`,
		}, {
			name:      "digits, order and types",
			tool:      "request:\n  method: POST\n  base_url: $env.API\n  path: /o\n  body:\n    z: $params.n\n    a: {deep: [1, $params.f, $params.none, null]}\n    when: 2024-01-02\n    text: n is $params.n\n    empty: {gone: $params.none}\n    list: $params.list\n    no: ~\n    exact: 0.10\n    flag: $params.flag\n    zero: $params.zero\n",
			arguments: `{"n": 12345678901234567890, "f":0.10, "list":[ ], "flag":false,"zero":0}`,
			want: `POST /o HTTP/1.1
Host: HOST
User-Agent: vatio/1.2.3
Content-Length: 174
Accept-Encoding: gzip
Content-Type: application/json

{"z":12345678901234567890,"a":{"deep":[1,0.10,null]},"when":"2024-01-02","text":"n is 12345678901234567890","empty":{},"list":[],"no":null,"exact":0.10,"flag":false,"zero":0}`,
		}, {
			name:      "query values",
			tool:      "request:\n  method: GET\n  base_url: $env.API\n  path: /q\n  query:\n    list: $params.list\n    object: $params.object\n    many: $params.empty\n    falsy: $params.flag\n    zero: $params.zero\n    unreserved: aZ09-._~\n    reserved: \"!*'();:@&=+$,/?#[]%é\"\n    null: ~\n    fallback: $params.none || $params.flag || x\n    blank: \"\"\n",
			arguments: `{"list":[1,"a,b",null,{"k":[1, 2]},[3]],"object":{ "b":1.0, "a":"é" },"empty":[],"flag":false,"zero":0}`,
			want: `GET /q?list=1&list=a%2Cb&list=%7B%22k%22%3A%5B1%2C2%5D%7D&list=%5B3%5D&object=%7B%22b%22%3A1.0%2C%22a%22%3A%22%C3%A9%22%7D&falsy=false&zero=0&unreserved=aZ09-._~&reserved=%21%2A%27%28%29%3B%3A%40%26%3D%2B%24%2C%2F%3F%23%5B%5D%25%C3%A9&fallback=false&blank= HTTP/1.1
Host: HOST
User-Agent: vatio/1.2.3
Accept-Encoding: gzip

`,
		}, {
			name:      "literal path text is encoded where it must be, encoded text stays",
			tool:      "request:\n  method: DELETE\n  base_url: $env.API\n  path: \"/añ o/%2F%zz/a:b@c!$&'()*+,;=~[x]\\\\/$params.v\"\n",
			arguments: `{"v":"%2e%2e;é!$&'()*+,;=:@"}`,
			want: `DELETE /a%C3%B1%20o/%2F%25zz/a:b@c!$&'()*+,;=~%5Bx%5D%5C/%252e%252e%3B%C3%A9%21%24%26%27%28%29%2A%2B%2C%3B%3D%3A%40 HTTP/1.1
Host: HOST
User-Agent: vatio/1.2.3
Accept-Encoding: gzip

`,
		}, {
			name: "a POST without a body sends none",
			tool: "request:\n  method: POST\n  base_url: $env.API\n  path: /p\n  headers: {Idempotency-Key: abc}\n",
			want: `POST /p HTTP/1.1
Host: HOST
User-Agent: vatio/1.2.3
Content-Length: 0
Accept-Encoding: gzip
idempotency-key: abc

`,
		}, {
			name: "an empty body is sent, and the tool's own headers count",
			tool: "request:\n  method: PATCH\n  base_url: $env.API\n  path: /p\n  headers: {content-type: application/merge-patch+json, user-agent: mine/1, accept-encoding: identity}\n  body: {}\n",
			want: `PATCH /p HTTP/1.1
Host: HOST
User-Agent: mine/1
Content-Length: 2
Accept-Encoding: identity
Content-Type: application/merge-patch+json

{}`,
		}, {
			name: "base path joined with one slash",
			tool: "request:\n  method: GET\n  base_url: $env.SLASHED\n  path: /\n",
			want: "GET /base/x%20y/ HTTP/1.1\nHost: HOST\nUser-Agent: vatio/1.2.3\nAccept-Encoding: gzip\n\n",
		}, {
			name: "no base path",
			tool: "request:\n  method: GET\n  base_url: $env.API\n  path: //x\n",
			want: "GET /x HTTP/1.1\nHost: HOST\nUser-Agent: vatio/1.2.3\nAccept-Encoding: gzip\n\n",
		}, {
			name: "binary secrets leave byte for byte",
			tool: "request:\n  method: GET\n  base_url: $env.API\n  path: /$env.RAW\n  query: {q: $env.RAW}\n  headers: {X-Raw: $env.RAW}\n",
			want: "GET /%FF%FE?q=%FF%FE HTTP/1.1\nHost: HOST\nUser-Agent: vatio/1.2.3\nAccept-Encoding: gzip\nX-Raw: \xFF\xFE\n\n",
		}, {
			name: "the principal",
			tool: "access: private\nrequest:\n  method: GET\n  base_url: $env.API\n  path: /u/$auth.subject/$auth.claims.org.id\n  query: {role: $auth.claims.roles, second: $auth.claims.roles.1, none: $auth.claims.x.y}\n  headers: {Authorization: Bearer $auth.token}\n",
			want: "GET /u/user-7/42?role=a&role=b&second=b HTTP/1.1\nHost: HOST\nUser-Agent: vatio/1.2.3\nAccept-Encoding: gzip\nAuthorization: Bearer tok.en.value\n\n",
		}, {
			name:      "schema: coercion and defaults",
			tool:      "parameters:\n  type: object\n  properties:\n    n: {type: integer}\n    s: {type: string}\n    d: {type: string, default: dflt}\n    b: {type: boolean}\n  required: [n]\nrequest:\n  method: GET\n  base_url: $env.API\n  path: /c\n  query: {n: $params.n, s: $params.s, d: $params.d, b: $params.b}\n",
			arguments: `{"n":"7","s":0.10,"b":"true","d":null,"other":1}`,
			want:      "GET /c?n=7&s=0.10&d=dflt&b=true HTTP/1.1\nHost: HOST\nUser-Agent: vatio/1.2.3\nAccept-Encoding: gzip\n\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := listen(t, okJSON)
			arguments := test.arguments
			if arguments == "" {
				arguments = "{}"
			}
			o := newClient(t).Call(t.Context(), httpTool(t, test.tool), []byte(arguments), Scope{
				Env:       env("API", w.url(), "KEY", "key-of-acme", "SLASHED", w.url()+"/base/x y//", "RAW", "\xFF\xFE"),
				Principal: principal,
				Contact:   contact,
			})
			if o.Content != `{"result":"ok","message":"ok"}` || o.IsError || o.ErrorKey != "" {
				t.Errorf("outcome: %+v", o)
			}
			if diff := cmp.Diff([]string{test.want}, w.sent()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestServiceRequestOnTheWire(t *testing.T) {
	w := listen(t, okJSON)
	lookup := serviceTool(t, `name = "lookup"
description = "d"
service = "records"
path = "/agent-tools/lookup"
[parameters]
type = "object"
required = ["id"]
[parameters.properties.id]
type = "string"
[parameters.properties.size]
type = "integer"
default = 3
`)
	o := newClient(t).Call(t.Context(), lookup, []byte(`{ "extra": [1.0, 2], "id": 7.50, "a":null }`), Scope{
		Grant: &Grant{URL: w.url() + "/base/", Headers: []Header{{"x-internal-token", "Bearer abcdefgh"}, {"X-Trace", "1"}}},
		Owner: "web/alice", Agent: "records-agent",
	})
	if diff := cmp.Diff([]string{`POST /base/agent-tools/lookup HTTP/1.1
Host: HOST
User-Agent: vatio/1.2.3
Content-Length: 38
Accept-Encoding: gzip
Content-Type: application/json
X-Internal-Token: Bearer abcdefgh
X-Trace: 1
X-Vessel-Agent: records-agent
X-Vessel-Owner: web/alice
X-Vessel-Tool: lookup

{"extra":[1.0,2],"id":"7.50","a":null}`}, w.sent()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if want := "{\n  \"message\": \"ok\"\n}"; o.Content != want || o.IsError {
		t.Errorf("%+v", o)
	}
}
