package executor

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
)

// What is refused before anything is sent: the whole content and nothing on
// the wire.
func TestRefusedBeforeSending(t *testing.T) {
	const get = "request:\n  method: GET\n  base_url: $env.API\n  path: /p\n"
	for _, test := range []struct{ name, tool, arguments, want string }{
		{"private without principal comes first", "access: private\n" + get, `nonsense`,
			`{"result":"error","message":"This needs a caller who has signed in.","error_key":"authentication_required"}`},
		{"arguments no JSON", get, `{"a":`,
			`{"result":"error","message":"The arguments are no JSON: unexpected end of the text at byte 5, wanted a value.","error_key":"invalid_arguments"}`},
		{"arguments an array", get, `[1]`,
			`{"result":"error","message":"The arguments must be a JSON object, not an array.","error_key":"invalid_arguments"}`},
		{"arguments null", get, `null`,
			`{"result":"error","message":"The arguments must be a JSON object, not a null.","error_key":"invalid_arguments"}`},
		{"requires: phone", get + "  requires: [contact.phone_number, params.x]\n", `{}`,
			`{"result":"error","message":"The contact's phone number is not known (contact.phone_number).","error_key":"missing_contact_phone"}`},
		{"requires: email", get + "  requires: [contact.email]\n", `{}`,
			`{"result":"error","message":"The contact's email address is not known (contact.email).","error_key":"missing_contact_email"}`},
		{"requires: name, after one that is there", get + "  requires: [params.x, contact.name, contact.email]\n", `{"x":false}`,
			`{"result":"error","message":"The contact's name is not known (contact.name).","error_key":"missing_contact_name"}`},
		{"requires: empty string", get + "  requires: [params.x]\n", `{"x":""}`,
			`{"result":"error","message":"The call needs params.x, which has no value.","error_key":"missing_requirement"}`},
		{"requires: null in a path", get + "  requires: [params.x.0.y]\n", `{"x":[{"y":null}]}`,
			`{"result":"error","message":"The call needs params.x.0.y, which has no value.","error_key":"missing_requirement"}`},
		{"requires: env", get + "  requires: [env.NONE]\n", `{}`,
			`{"result":"error","message":"The call needs env.NONE, which has no value.","error_key":"missing_requirement"}`},
		{"base_url missing", "request:\n  method: GET\n  base_url: https://$env.NONE.example\n  path: /p\n", `{}`,
			`{"result":"error","message":"The call needs env.NONE for its base_url, which has no value.","error_key":"missing_requirement"}`},
		{"path missing", "request:\n  method: GET\n  base_url: $env.API\n  path: /p/$params.a/$params.b\n", `{"a":1}`,
			`{"result":"error","message":"The call needs params.b for its path, which has no value.","error_key":"missing_requirement"}`},
		{"path dots", "request:\n  method: GET\n  base_url: $env.API\n  path: /p/$params.a/q\n", `{"a":".."}`,
			`{"result":"error","message":"The path cannot take the value of params.a: it would bring a \".\" or \"..\" segment into it.","error_key":"invalid_arguments"}`},
		{"header line break", get + "  headers: {X-A: $params.a}\n", `{"a":"x\r\nEvil: 1"}`,
			`{"result":"error","message":"The header \"X-A\" would hold a line break or another control character (0x0d at byte 1 of its value).","error_key":"invalid_arguments"}`},
		{"header NUL", get + "  headers: {X-A: $params.a}\n", `{"a":"\u0000"}`,
			`{"result":"error","message":"The header \"X-A\" would hold a line break or another control character (0x00 at byte 0 of its value).","error_key":"invalid_arguments"}`},
		{"base_url without scheme", "request:\n  method: GET\n  base_url: $env.BARE\n  path: /p\n", `{}`,
			`{"result":"error","message":"The base_url that env.BARE gives cannot be used: it must start with http:// or https://.","error_key":"invalid_arguments"}`},
		{"base_url with a secret line break", "request:\n  method: GET\n  base_url: $env.BROKEN\n  path: /p\n", `{}`,
			`{"result":"error","message":"The base_url that env.BROKEN gives cannot be used: it has no valid host.","error_key":"invalid_arguments"}`},
		{"base_url user info is not shown", "request:\n  method: GET\n  base_url: $env.USERINFO\n  path: /p\n", `{}`,
			`{"result":"error","message":"The base_url must not hold a user name or password: send credentials in a header.","error_key":"invalid_arguments"}`},
		{"host from a value", "request:\n  method: GET\n  base_url: https://${params.h}.acme.com\n  path: /p\n", `{"h":"evil.com/x"}`,
			`{"result":"error","message":"The base_url cannot take the value of params.h: a host may only hold A-Z, a-z, 0-9, dots and hyphens.","error_key":"invalid_arguments"}`},
		{"schema", "parameters:\n  type: object\n  properties: {product: {type: string}}\n  required: [product]\n" + get, `{}`,
			`{"result":"error","message":"The arguments do not fit: product: is required.","error_key":"invalid_arguments"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := listen(t, okJSON)
			o := newClient(t).Call(t.Context(), httpTool(t, test.tool), []byte(test.arguments), Scope{
				Env: env("API", w.url(), "BARE", "localhost:3000", "BROKEN", "http://a\n", "USERINFO", "http://u:hunter2@h"),
			})
			if diff := cmp.Diff(test.want, o.Content); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			key := jsondoc.MustParse(test.want).Get("error_key").Text()
			if !o.IsError || o.Trace != nil || o.ErrorKey != key {
				t.Errorf("%+v", o)
			}
			if sent := w.sent(); sent != nil {
				t.Errorf("sent %q", sent)
			}
		})
	}
}

func TestListViolations(t *testing.T) {
	var all []jsonschema.Violation
	want := ""
	for i := range 20 {
		all = append(all, jsonschema.Violation{Path: fmt.Sprintf("items.%d", i), Message: "must be a boolean"})
		want += fmt.Sprintf("items.%d: must be a boolean; ", i)
	}
	all = append(all, jsonschema.Violation{Message: "is wrong"})
	if got := listViolations(all[20:]); got != "is wrong" {
		t.Error(got)
	}
	if got := listViolations(all); got != want+"and 1 more" {
		t.Error(got)
	}
}

func TestServiceRefusedBeforeSending(t *testing.T) {
	w := listen(t, okJSON)
	lookup := serviceTool(t, "name = \"lookup\"\ndescription = \"d\"\nservice = \"records\"\npath = \"/x\"\n[parameters]\ntype = \"object\"\nrequired = [\"id\"]\n[parameters.properties.id]\ntype = \"string\"\n")
	for _, test := range []struct {
		name, arguments string
		scope           Scope
		want            string
	}{
		{"arguments", `{}`, Scope{}, "lookup: the arguments do not fit: id: is required"},
		{"no grant", `{"id":"1"}`, Scope{}, `lookup: the service "records" is not granted to this agent`},
		{"grant url", `{"id":"1"}`, Scope{Grant: &Grant{URL: "http://h?x"}}, `lookup: the granted url cannot be used: it must have no query and no fragment`},
		{"grant header", `{"id":"1"}`, Scope{Grant: &Grant{URL: w.url(), Headers: []Header{{"X-A", "a\nb"}}}}, `lookup: the header "X-A" would hold a line break or another control character (0x0a at byte 1 of its value)`},
		{"grant header name", `{"id":"1"}`, Scope{Grant: &Grant{URL: w.url(), Headers: []Header{{"X A", "a"}}}}, `lookup: "X A" is no name of a header`},
		{"owner", `{"id":"1"}`, Scope{Grant: &Grant{URL: w.url()}, Owner: "web/a\u0085"}, `lookup: the header "X-Vessel-Owner" would hold a control character`},
		{"owner ends in a space", `{"id":"1"}`, Scope{Grant: &Grant{URL: w.url()}, Owner: "web/a "}, `lookup: the header "X-Vessel-Owner" would lose the white space around its value`},
		{"the runtime's header", `{"id":"1"}`, Scope{Grant: &Grant{URL: w.url(), Headers: []Header{{"x-VESSEL-owner", "web/bob"}}}}, `lookup: the header "x-VESSEL-owner" cannot be granted`},
		{"the message's header", `{"id":"1"}`, Scope{Grant: &Grant{URL: w.url(), Headers: []Header{{"content-type", "text/plain"}}}}, `lookup: the header "content-type" cannot be granted`},
		{"a hop's header", `{"id":"1"}`, Scope{Grant: &Grant{URL: w.url(), Headers: []Header{{"TE", "trailers"}}}}, `lookup: the header "TE" cannot be granted`},
		{"granted twice", `{"id":"1"}`, Scope{Grant: &Grant{URL: w.url(), Headers: []Header{{"X-A", "1"}, {"x-a", "2"}}}}, `lookup: the header "x-a" is granted twice`},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := newClient(t).Call(t.Context(), lookup, []byte(test.arguments), test.scope)
			if o.Content != test.want || !o.IsError || o.Trace != nil {
				t.Errorf("%+v\nwant %s", o, test.want)
			}
		})
	}
	if sent := w.sent(); sent != nil {
		t.Errorf("sent %q", sent)
	}
}
