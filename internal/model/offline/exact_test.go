package offline

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

func ask(t *testing.T, tools []chat.Tool, text string) chat.Reply {
	t.Helper()
	r, err := newTestModel().Next(context.Background(), chat.Request{Tools: tools, Messages: []chat.Message{{Role: chat.User, Text: text}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestExactForm(t *testing.T) {
	const shopUsage = "\nTo call a tool exactly: reserve_pickup product=… date=…"
	tests := []struct {
		text string
		want chat.Reply
	}{
		{`check_stock product=Picker`, call("check_stock", `{"product":"Picker"}`)},
		{`check_stock product="Quantum Hoe"`, call("check_stock", `{"product":"Quantum Hoe"}`)},
		{`check_stock product='Quantum Hoe'`, call("check_stock", `{"product":"Quantum Hoe"}`)},
		{`check_stock product=Quantum\ Hoe`, call("check_stock", `{"product":"Quantum Hoe"}`)},
		{`check_stock product="a \"b\" \$c \n"`, call("check_stock", `{"product":"a \"b\" $c \\n"}`)},
		{`check_stock product='a "b" \n'`, call("check_stock", `{"product":"a \"b\" \\n"}`)},
		{`check_stock product=a"b c"'d e'`, call("check_stock", `{"product":"ab cd e"}`)},
		{`check_stock product=`, call("check_stock", `{"product":""}`)},
		{`check_stock product=a=b`, call("check_stock", `{"product":"a=b"}`)},
		{`check_stock product=2`, call("check_stock", `{"product":"2"}`)},
		{`check_stock product:=2`, call("check_stock", `{"product":2}`)},
		{`check_stock product:=null`, call("check_stock", `{"product":null}`)},
		{`check_stock undeclared=ñandú`, call("check_stock", `{"undeclared":"ñandú"}`)},
		{`check_stock a.b=1 first-name=2 $x=3`, call("check_stock", `{"a.b":"1","first-name":"2","$x":"3"}`)},
		{`check_stock n:=12345678901234567890 m:=0.10 e:=1e400`, call("check_stock", `{"n":12345678901234567890,"m":0.10,"e":1e400}`)},
		{`check_stock items:=[1, 2, {"a": "b c"}] x=y`, call("check_stock", `{"items":[1,2,{"a":"b c"}],"x":"y"}`)},
		{`check_stock items:='[1, "two"]' x:="text" y:='"text"'`, call("check_stock", `{"items":[1,"two"],"x":"text","y":"text"}`)},
		{`check_stock {"product": "Picker", "n": 1.0}`, call("check_stock", `{"product":"Picker","n":1.0}`)},
		{`check_stock {}`, call("check_stock", `{}`)},
		{"  check_stock\tproduct=Picker  \n", call("check_stock", `{"product":"Picker"}`)},
		{"check_stock\n{\"product\": \"<b>\"}", call("check_stock", `{"product":"<b>"}`)},
		{`reserve_pickup product=Picker quantity:=2 date=2026-12-04 gift_wrap:=false`,
			call("reserve_pickup", `{"product":"Picker","quantity":2,"date":"2026-12-04","gift_wrap":false}`)},
		{`request_contact_info`, call("request_contact_info", `{}`)},
		{`check_stock`, say("To go on I need the product: The product's name, or a part of it.")},

		{`check_stock product="Picker`, say("I did not call check_stock: the value of \"product\": the quote \" is never closed.\nTo call a tool exactly: check_stock product=…")},
		{`check_stock product=don't`, say("I did not call check_stock: the value of \"product\": the quote ' is never closed.\nTo call a tool exactly: check_stock product=…")},
		{`check_stock product=a\`, say("I did not call check_stock: the value of \"product\": the backslash at the end has nothing to escape.\nTo call a tool exactly: check_stock product=…")},
		{`reserve_pickup quantity:=two`, say("I did not call reserve_pickup: the value of \"quantity\" is no JSON: unexpected word \"two\" at byte 0, wanted a value (use quantity=… for text)." + shopUsage)},
		{`reserve_pickup product=a product=b`, say("I did not call reserve_pickup: \"product\" is given twice." + shopUsage)},
		{`reserve_pickup product=Garden trowel`, say("I did not call reserve_pickup: \"trowel\" is neither name=text nor name:=JSON; a value with spaces needs quotes." + shopUsage)},
	}
	tools := append(shopTools(), builtinTools()...)
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, ask(t, tools, tt.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestExactFormOfOtherText(t *testing.T) {
	got := ask(t, shopTools(), `chek_stock product=Picker`)
	if len(got.Calls) > 0 || !strings.HasPrefix(got.Text, "There is no tool \"chek_stock\".\nI am the offline stand-in") {
		t.Errorf("got %+v", got)
	}
	got = ask(t, shopTools(), `check_stock {"product": }`)
	if len(got.Calls) > 0 || !strings.HasPrefix(got.Text, "I did not call check_stock: the arguments are no JSON object: ") {
		t.Errorf("got %+v", got)
	}
	// A key is also a word: what is not in the exact form is read as any text.
	if diff := cmp.Diff(call("check_stock", `{"product":"Picker"}`), ask(t, shopTools(), `check_stock Picker`)); diff != "" {
		t.Error(diff)
	}
}

func FuzzParseCommand(f *testing.F) {
	for _, s := range []string{
		`check_stock product=Picker`, `check_stock {"a": 1}`, `check_stock a:=[1, "b c"] d='e f'`, `check_stock a="\"`, `check_stock`,
		"check_stock a=\\", `other x=1`, `check_stock a:=`, `check_stock =`, "check_stock a=\xff",
	} {
		f.Add(s)
	}
	known := func(k string) bool { return k == "check_stock" }
	f.Fuzz(func(t *testing.T, text string) {
		c, ok, err := parseCommand(text, known)
		if !ok && (err != nil || c != command{}) {
			t.Fatalf("no command, and yet %+v, %v", c, err)
		}
		if !ok || err != nil || c.arguments == "" {
			return
		}
		v, perr := jsondoc.Parse([]byte(c.arguments))
		if perr != nil || v.Kind() != jsondoc.Object {
			t.Fatalf("%q gave %q, which is no JSON object: %v", text, c.arguments, perr)
		}
		// What came out can be given back in the JSON form.
		again, ok, err := parseCommand(c.key+" "+c.arguments, known)
		if !ok || err != nil || again != c {
			t.Fatalf("%q gave %+v, and that gives %+v, %v, %v", text, c, again, ok, err)
		}
	})
}
