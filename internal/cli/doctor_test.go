package cli

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/doctor"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

func TestModelServer(t *testing.T) {
	openai := http.Header{"Authorization": {"Bearer key"}}
	anthropic := http.Header{"Anthropic-Version": {"2023-06-01"}, "X-Api-Key": {"key"}}
	tests := []struct {
		model  workspace.Model
		key    string
		url    string
		header http.Header
	}{
		{said("openai", "m", ""), "key", "https://api.openai.com/v1/models", openai},
		{said("openai", "m", "http://localhost:11434"), "", "http://localhost:11434/v1/models", http.Header{}},
		{said("openai", "m", "https://openrouter.ai/api/v1/chat/completions"), "key", "https://openrouter.ai/api/v1/models", openai},
		{said("anthropic", "m", ""), "key", "https://api.anthropic.com/v1/models", anthropic},
		{said("anthropic", "m", "http://localhost:1"), "", "http://localhost:1/v1/models", http.Header{"Anthropic-Version": {"2023-06-01"}}},
	}
	for _, test := range tests {
		p := keyedOf([]modelChoice{{Model: test.model}})
		base, err := p.baseURL(p.chosen.BaseURL)
		if err != nil {
			t.Errorf("%+v: %v", test.model, err)
			continue
		}
		server := modelServer(p.chosen, base, test.key)
		if diff := cmp.Diff(test.header, server.Header); diff != "" || server.URL.String() != test.url || server.Model != "m" || server.Keyed != (test.key != "") {
			t.Errorf("%+v: %+v (-want +got):\n%s", test.model, server, diff)
		}
	}
}

func TestConversational(t *testing.T) {
	for text, want := range map[string]bool{
		"https://api.example.com":                  false,
		"https://api.example.com/" + unknownValue:  false,
		"https://api.example.com?" + unknownValue:  false,
		"https://" + unknownValue + ".example.com": true,
		unknownValue + "://example.com":            true,
		unknownValue:                               true,
		unknownValue + "/v1":                       true,
		"https://api.example.com:" + unknownValue:  true,
	} {
		if got := conversational(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestAskInOrder runs looks that end in another order than they stand in.
func TestAskInOrder(t *testing.T) {
	e := &examination{}
	first := make(chan struct{})
	var looks []look
	var want []doctor.Finding
	for i := range 20 {
		name := fmt.Sprint(i)
		v := doctor.Verdict{Status: doctor.OK, Text: "can be reached"}
		f := doctor.Finding{Part: networkPart, Status: doctor.OK, Text: name + " can be reached"}
		switch i % 3 {
		case 1:
			v = doctor.Verdict{Status: doctor.Broken, Text: "is gone", Wrong: doctor.WrongAddress}
			f = doctor.Finding{Part: networkPart, Status: doctor.Broken, Text: name + " is gone", Fix: "mend " + name}
		case 2:
			v = doctor.Verdict{Status: doctor.Broken, Text: "is gone", Wrong: doctor.WrongProxy}
			f = doctor.Finding{Part: networkPart, Status: doctor.Broken, Text: name + " is gone", Fix: "check the variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY"}
		}
		want = append(want, f)
		looks = append(looks, look{part: networkPart, name: name, fix: func(doctor.Wrong) string { return "mend " + name }, do: func(context.Context) doctor.Verdict {
			if i == 0 {
				<-first
			} else if i == 19 {
				close(first)
			}
			return v
		}})
	}
	e.ask(t.Context(), looks)
	if diff := cmp.Diff(want, e.report.Findings); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
