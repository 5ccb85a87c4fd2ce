package placeholder_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/placeholder"
)

// scope looks paths up in one JSON document {"params":…, "env":…, …}.
type scope struct{ root jsondoc.Value }

func (s scope) Lookup(r *placeholder.Ref) jsondoc.Value {
	v := s.root.Get(r.Source.String())
	for _, name := range r.Path {
		if v.Kind() == jsondoc.Array {
			i := 0
			fmt.Sscan(name, &i)
			v = v.Index(i)
			continue
		}
		v = v.Get(name)
	}
	return v
}

const values = `{
	"params": {"name": "Ana", "city": "São Paulo", "n": 3, "price": 0.10, "big": 12345678901234567890, "yes": true, "no": false,
		"zero": 0, "empty": "", "nothing": null, "list": [1, {"a": "b"}], "none": [], "blank": {}, "object": {"z": 1, "a": [true]},
		"first-name": "Eva", "items": [{"sku": "A"}, {"sku": "B"}], "0": "zero key"},
	"env": {"KEY": "secret-value", "REGION": "eu"},
	"auth": {"subject": "u-1", "token": "t", "claims": {"email": "a@b.c", "roles": ["admin", "buyer"]}},
	"contact": {"email": "ana@example.com"}
}`

func TestValue(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// literal texts
		{``, `""`},
		{`plain`, `"plain"`},
		{`a || b`, `"a || b"`},
		{`$9.99`, `"$9.99"`},
		{`$filter`, `"$filter"`},
		{`$`, `"$"`},
		{`$$`, `"$$"`},
		{`$params`, `"$params"`},
		{`${HOME}/x`, `"${HOME}/x"`},
		{`${param.x}`, `"${param.x}"`},
		{`${parameters.x}`, `"${parameters.x}"`},
		{`$$params.name`, `"$params.name"`},
		{`$${params.name}`, `"${params.name}"`},
		{`$$param.name`, `"$param.name"`},
		{`a $$|| b`, `"a || b"`},
		{`$$9`, `"$$9"`},
		{`5$ off`, `"5$ off"`},
		// lone placeholders keep their type
		{`$params.name`, `"Ana"`},
		{`$params.n`, `3`},
		{`$params.price`, `0.10`},
		{`$params.big`, `12345678901234567890`},
		{`$params.yes`, `true`},
		{`$params.no`, `false`},
		{`$params.zero`, `0`},
		{`$params.list`, `[1, {"a": "b"}]`},
		{`$params.none`, `[]`},
		{`$params.blank`, `{}`},
		{`${params.n}`, `3`},
		{`${params.first-name}`, `"Eva"`},
		{`$params.items.1.sku`, `"B"`},
		{`$params.object.a.0`, `true`},
		{`$auth.claims.roles.1`, `"buyer"`},
		{`$auth.subject`, `"u-1"`},
		{`$contact.email`, `"ana@example.com"`},
		// interpolation
		{`Hi $params.name.`, `"Hi Ana."`},
		{`Hi $params.name...`, `"Hi Ana..."`},
		{`$params.name-$params.n`, `"Ana-3"`},
		{`${params.n}x`, `"3x"`},
		{`$params.price|$params.big`, `"0.10|12345678901234567890"`},
		{`=$params.object`, `"={\"z\":1,\"a\":[true]}"`},
		{`https://$env.REGION.acme.com`, `"https://eu.acme.com"`},
		{`$contact.email.x`, `"ana@example.com.x"`},
		{`$auth.token.x`, `"t.x"`},
		{`$params.n $params.n`, `"3 3"`},
		{` $params.n`, `" 3"`},
		{`$$$params.name`, `"$$params.name"`},
		{`a$$params.b$params.n`, `"a$params.b3"`},
		{`$params.items.0.sku[`, `"A["`},
		{`$params.name[x]`, `"Ana[x]"`},
		// missing
		{`$params.absent`, ``},
		{`$params.nothing`, ``},
		{`$params.empty`, ``},
		{`Bearer $env.ABSENT`, ``},
		{`$params.name $params.absent`, ``},
		// alternatives
		{`$params.absent || $params.name`, `"Ana"`},
		{`$params.absent||$params.name`, `"Ana"`},
		{`$params.name || $params.absent`, `"Ana"`},
		{`$params.none || $params.n`, `3`},
		{`$params.blank || $params.n`, `3`},
		{`$params.no || $params.n`, `false`},
		{`$params.zero || $params.n`, `0`},
		{`$params.absent || any thing `, `"any thing "`},
		{`$params.absent || ${params.n}`, `3`},
		{`$params.name $params.absent || $params.name || any`, `"Ana"`},
		{`$params.absent $params.n || $params.empty || any`, `"any"`},
		{`$params.absent || $params.none`, ``},
		{`$params.absent || `, ``},
		{`|| $params.n`, `3`},
		{`$params.absent || 3`, `"3"`},
		{`$params.absent || $$params.x`, `"$params.x"`},
		{`$params.n $$|| x`, `"3 || x"`},
		{`$params.absent ||| x`, `"| x"`},
		{"$params.absent\n||\n$params.n", `3`},
	} {
		template, faults := placeholder.Compile(c.text)
		if len(faults) > 0 {
			t.Errorf("Compile(%q): %v", c.text, faults)
			continue
		}
		s := scope{jsondoc.MustParse(values)}
		value, ok := template.Value(s)
		if got := string(value.Raw()); got != c.want || ok != (c.want != "") {
			t.Errorf("Value(%q) = %s, %v; want %s", c.text, got, ok, c.want)
		}
		if missing := template.MissingRef(s); (missing == nil) != ok {
			t.Errorf("MissingRef(%q) = %v, the value is there: %v", c.text, missing, ok)
		}
		text, ok := template.Text(s)
		if text != value.Text() || ok != (c.want != "") {
			t.Errorf("Text(%q) = %q, %v; the value is %q", c.text, text, ok, value.Text())
		}
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ text, at, message, hint string }{
		{`a $param.product b`, `$param.product`, `unknown source "param" in placeholder "$param.product"`, `did you mean "$params.product"?`},
		{`$Params.x.y`, `$Params.x.y`, `unknown source "Params" in placeholder "$Params.x.y"`, `did you mean "$params.x.y"?`},
		{`$secrets.api_key`, `$secrets.api_key`, `unknown source "secrets" in placeholder "$secrets.api_key"`, `did you mean "$env.API_KEY"?`},
		{`$claims.email`, `$claims.email`, `unknown source "claims" in placeholder "$claims.email"`, `did you mean "$auth.claims.email"?`},
		{`$what.ever`, `$what.ever`, `unknown source "what" in placeholder "$what.ever", wanted "params", "env", "auth" or "contact"`, `write "$$what.ever" for the literal text`},
		{`x $params.`, `$params.`, `the placeholder "$params." does not name a parameter`, `write "$params.name", or "$$params." for the literal text`},
		{`${params}`, `${params}`, `the placeholder "${params}" does not name a parameter`, `write "$params.name", or "$${params}" for the literal text`},
		{`${params.}`, `${params.}`, `the placeholder "${params.}" does not name a parameter`, `write "$params.name", or "$${params.}" for the literal text`},
		{`${params..x}`, `${params..x}`, `"${params..x}" is no path: names are joined by single dots`, ``},
		{`${params.x and`, `${params.x`, `the placeholder "${params.x" has no closing brace`, `write "${params.x}", or "$${params.x" for the literal text`},
		{`$params.x[0]`, `$params.x[0]`, `a placeholder takes no brackets: "$params.x[0]"`, `write "$params.x.0"`},
		{`$params.x[0].y z`, `$params.x[0].y`, `a placeholder takes no brackets: "$params.x[0].y"`, `write "$params.x.0.y"`},
		{`$params.x["a-b"]`, `$params.x["a-b"]`, `a placeholder takes no brackets: "$params.x[\"a-b\"]"`, `write "${params.x.a-b}"`},
		{`$env.acme_api`, `$env.acme_api`, `"acme_api" is no name of a secret in placeholder "$env.acme_api": names are A-Z, 0-9 and _, start with a letter and have 64 characters at most`, `did you mean "$env.ACME_API"?`},
		{`${env.A.B}`, `${env.A.B}`, `"${env.A.B}" goes too deep: $env takes one name`, `write "$env.A"`},
		{`$auth.sub`, `$auth.sub`, `unknown field "sub" in placeholder "$auth.sub", wanted "subject", "token" or "claims"`, `did you mean "$auth.subject"?`},
		{`$auth.claim.role`, `$auth.claim.role`, `unknown field "claim" in placeholder "$auth.claim.role", wanted "subject", "token" or "claims"`, `did you mean "$auth.claims.role"?`},
		{`$auth.email`, `$auth.email`, `unknown field "email" in placeholder "$auth.email", wanted "subject", "token" or "claims"`, `for a claim of the token write "$auth.claims.email"`},
		{`$auth.claims`, `$auth.claims`, `the placeholder "$auth.claims" does not name a claim`, `write "$auth.claims.email", with the claim's name`},
		{`ñ $contact.phone`, `$contact.phone`, `unknown field "phone" in placeholder "$contact.phone", wanted "name", "email" or "phone_number"`, `did you mean "$contact.phone_number"?`},
	} {
		_, faults := placeholder.Compile(c.text)
		start := strings.Index(c.text, c.at)
		want := []placeholder.Fault{{Start: start, End: start + len(c.at), Message: c.message, Hint: c.hint}}
		if diff := cmp.Diff(want, faults); diff != "" {
			t.Errorf("Compile(%q) (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestEveryFaultIsReported(t *testing.T) {
	_, faults := placeholder.Compile(`$param.a $env.b || $params.ok $auth.x`)
	var starts []int
	for _, f := range faults {
		starts = append(starts, f.Start)
	}
	if diff := cmp.Diff([]int{0, 9, 30}, starts); diff != "" {
		t.Error(diff)
	}
}

func TestRefs(t *testing.T) {
	template, _ := placeholder.Compile(`$params.a.0 ${env.KEY}-$auth.claims.x || $contact.email`)
	want := []placeholder.Ref{
		{Source: placeholder.Params, Path: []string{"a", "0"}, Start: 0, End: 11},
		{Source: placeholder.Env, Path: []string{"KEY"}, Start: 12, End: 22},
		{Source: placeholder.Auth, Path: []string{"claims", "x"}, Start: 23, End: 37},
		{Source: placeholder.Contact, Path: []string{"email"}, Start: 41, End: 55},
	}
	if diff := cmp.Diff(want, template.Refs()); diff != "" {
		t.Error(diff)
	}
	for text, lone := range map[string]bool{`$params.a`: true, `${params.a}`: true, `$params.a || x`: false, ` $params.a`: false, `x`: false} {
		template, _ := placeholder.Compile(text)
		if template.Lone() != lone {
			t.Errorf("Lone(%q) = %v", text, !lone)
		}
		if _, literal := template.Literal(); literal != (text == "x") {
			t.Errorf("Literal(%q) = %v", text, literal)
		}
	}
}

func TestParseRef(t *testing.T) {
	for _, c := range []struct{ text, message, hint string }{
		{`params.product`, ``, ``},
		{`params.items.0.first-name`, ``, ``},
		{`contact.phone_number`, ``, ``},
		{`env.KEY`, ``, ``},
		{`auth.subject`, ``, ``},
		{`auth.claims.email`, ``, ``},
		{`$params.product`, `"$params.product" has a $: a required value is named by its path alone`, `write "params.product"`},
		{`${params.product}`, `"${params.product}" has a $: a required value is named by its path alone`, `write "params.product"`},
		{`param.product`, `unknown source "param" in path "param.product"`, `did you mean "params.product"?`},
		{`product`, `unknown source "product" in path "product", wanted "params", "env", "auth" or "contact"`, `write "params.product"`},
		{`contact.phone`, `unknown field "phone" in path "contact.phone", wanted "name", "email" or "phone_number"`, `did you mean "contact.phone_number"?`},
		{`phone_number`, `unknown source "phone_number" in path "phone_number", wanted "params", "env", "auth" or "contact"`, `write "contact.phone_number"`},
		{`params`, `the path "params" does not name a parameter`, `write "params.name"`},
		{`params.x[0]`, `a path takes no brackets: "params.x[0]"`, `write "params.x.0"`},
		{``, `unknown source "" in path "", wanted "params", "env", "auth" or "contact"`, `write "params.name", with the parameter's name`},
	} {
		ref, fault := placeholder.ParseRef(c.text)
		if c.message == "" {
			if fault != nil || ref.String() != c.text {
				t.Errorf("ParseRef(%q) = %v, %v", c.text, ref, fault)
			}
			continue
		}
		want := &placeholder.Fault{End: len(c.text), Message: c.message, Hint: c.hint}
		if diff := cmp.Diff(want, fault); diff != "" {
			t.Errorf("ParseRef(%q) (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestAppendWritesEachPart(t *testing.T) {
	template, _ := placeholder.Compile(`/orders/$params.name/$params.n`)
	got, ok, err := template.Append([]byte("http:"), scope{jsondoc.MustParse(values)}, func(dst []byte, p placeholder.Part) ([]byte, error) {
		if p.Ref != nil {
			return fmt.Appendf(dst, "<%s=%s>", p.Ref, p.Text), nil
		}
		return append(dst, p.Text...), nil
	})
	if want := `http:/orders/<params.name=Ana>/<params.n=3>`; string(got) != want || !ok || err != nil {
		t.Errorf("got %q, %v, %v; want %q", got, ok, err, want)
	}
}

// A text of a million bytes takes time in proportion to its length, whatever it
// repeats. The bound is far from what is needed: it is there for what is quadratic.
func TestLongTexts(t *testing.T) {
	for _, unit := range []string{"${params.x ", "$params.x[", "$$", "$", "||", "$params.a || ", "${params.x}", "$x.y ", "$env.", "a$$params.b ", "$params.a.0.", "{{", "$${"} {
		text := strings.Repeat(unit, 1<<20/len(unit)) + "]}"
		done := make(chan struct{})
		go func() {
			defer close(done)
			placeholder.Compile(text)
		}()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatalf("%q repeated takes over 20 s", unit)
		}
	}
}
