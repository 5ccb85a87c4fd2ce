package secrets

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

func TestValueKeepsItsBytes(t *testing.T) {
	raw := []byte("\xff\x00 a\r\n")
	v := NewValue(raw)
	raw[0] = 'x'
	if got, want := v.Reveal(), "\xff\x00 a\r\n"; got != want {
		t.Errorf("Reveal() = %q, want %q", got, want)
	}
	if got := (Value{}).Reveal(); got != "" {
		t.Errorf("the zero Value reveals %q", got)
	}
	if !v.Equal(NewValue([]byte("\xff\x00 a\r\n"))) || v.Equal(NewValue(nil)) {
		t.Error("Equal does not compare the content")
	}
}

func TestValueIsRedacted(t *testing.T) {
	v := NewValue([]byte("hunter2"))
	for _, verb := range strings.Split("v +v #v s +s #s q +q #q x X #x d o O b c U e f g t 10s -20v", " ") {
		if got := fmt.Sprintf("%"+verb, v); got != "[redacted]" {
			t.Errorf("%%%s prints %q", verb, got)
		}
		if got := fmt.Sprintf("%"+verb, &v); got != "[redacted]" {
			t.Errorf("%%%s of a pointer prints %q", verb, got)
		}
	}

	type hidden struct{ v Value }
	type shown struct {
		V Value
		P *Value
		M map[string]Value
		S []Value
		h hidden
	}
	s := shown{V: v, P: &v, M: map[string]Value{"k": v}, S: []Value{v}, h: hidden{v}}
	type named struct{ V Value }
	printed := map[string]string{}
	for _, verb := range strings.Split("v +v #v s q x X d p T", " ") {
		printed["%"+verb] = fmt.Sprintf("%"+verb, s)
		printed["%"+verb+" hidden"] = fmt.Sprintf("%"+verb, s.h)
		printed["%"+verb+" of a pointer"] = fmt.Sprintf("%"+verb, &s)
		printed["%"+verb+" itself"] = fmt.Sprintf("%"+verb, v)
	}
	printed["print"] = fmt.Sprint(v, s)
	printed["error"] = fmt.Errorf("cannot use %v: %w", v, errors.New("no")).Error()
	printed["diff"] = cmp.Diff(v, NewValue([]byte("hunter3")))
	for name, text := range map[string]func() ([]byte, error){
		"json": func() ([]byte, error) { return json.Marshal(s) },
		"yaml": func() ([]byte, error) { return yaml.Marshal(struct{ V Value }{v}) },
		"xml":  func() ([]byte, error) { return xml.Marshal(named{v}) },
		"gob": func() ([]byte, error) {
			var b bytes.Buffer
			err := gob.NewEncoder(&b).Encode(struct{ V Value }{v})
			return b.Bytes(), err
		},
		"slog text": func() ([]byte, error) {
			var b bytes.Buffer
			slog.New(slog.NewTextHandler(&b, nil)).Info("m", "v", v, "s", s)
			return b.Bytes(), nil
		},
		"slog json": func() ([]byte, error) {
			var b bytes.Buffer
			slog.New(slog.NewJSONHandler(&b, nil)).Info("m", "v", v, "s", s)
			return b.Bytes(), nil
		},
	} {
		b, err := text()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !bytes.Contains(b, []byte("[redacted]")) {
			t.Errorf("%s prints %q, without [redacted]", name, b)
		}
		printed[name] = string(b)
	}
	func() {
		defer func() { printed["panic"] = fmt.Sprint(recover()) }()
		panic(v)
	}()
	for name, text := range printed {
		for _, leak := range []string{"hunter2", "68756e746572", "68756E746572", "104 117 110", "aHVudGVy"} {
			if strings.Contains(text, leak) {
				t.Errorf("%s prints the value: %q", name, text)
			}
		}
	}
}
