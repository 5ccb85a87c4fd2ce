package toolbox

import (
	"testing"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/tool"
)

func TestMarks(t *testing.T) {
	m := newMarks()
	text := m.of("env.AUTH_TOKEN", "AUTH_TOKEN") + " " + m.of("auth.token", "AUTH_TOKEN") + " " + m.of("env.AUTH_TOKEN", "AUTH_TOKEN") + " $HOME"
	if got, want := m.quote(text), `"${AUTH_TOKEN} ${AUTH_TOKEN_2} ${AUTH_TOKEN} \$HOME"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := m.quote("${HOME} it's"), `'${HOME} it'\''s'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAddressAndMore(t *testing.T) {
	load := func(query string) *tool.Tool {
		loaded, faults := tool.LoadHTTP(diag.NewFile("tools/a.yml", []byte("description: x\nwhen_to_use: y\nrequest:\n  method: GET\n  base_url: $env.API\n  path: /\n  query: {k: "+query+"}\nrespond: {message: m}\n")))
		if err := faults.Err(); err != nil {
			t.Fatal(err)
		}
		return loaded
	}
	for query, want := range map[string]string{"$env.KEY": "", "$env.API": "API", "x": ""} {
		own := load(query)
		if got := addressAndMore(own, addressKeys(own)); got != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
}
