package toolbox_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/toolbox"
	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

func TestResolveGrants(t *testing.T) {
	agent := &workspace.Grants{ID: "records-agent", Services: []workspace.Service{
		{Name: "records", URL: "env:RECORDS_URL", Headers: []workspace.Header{
			{Name: "X-Internal-Token", Value: "env:TOKEN"}, {Name: "X-Fixed", Value: "environment"}, {Name: "X-Again", Value: "env:TOKEN"},
		}},
		{Name: "billing", URL: "http://billing:8000/v1", Headers: []workspace.Header{{Name: "Authorization", Value: "env:BILLING"}}},
	}}
	full := map[string]string{"RECORDS_URL": "https://app:8000", "TOKEN": "tok", "BILLING": "Bearer b"}
	without := func(names ...string) map[string]string {
		left := maps.Clone(full)
		for _, name := range names {
			delete(left, name)
		}
		return left
	}
	with := func(name, value string) map[string]string {
		changed := maps.Clone(full)
		changed[name] = value
		return changed
	}
	for _, test := range []struct {
		name   string
		values map[string]string
		want   map[string]toolbox.Grant
		wrong  string
	}{
		{"all", full, map[string]toolbox.Grant{
			"records": {executor.Grant{URL: "https://app:8000", Headers: []executor.Header{
				{Name: "X-Internal-Token", Value: "tok"}, {Name: "X-Fixed", Value: "environment"}, {Name: "X-Again", Value: "tok"},
			}}, []string{"TOKEN", "", "TOKEN"}},
			"billing": {executor.Grant{URL: "http://billing:8000/v1", Headers: []executor.Header{{Name: "Authorization", Value: "Bearer b"}}}, []string{"BILLING"}},
		}, ""},
		{"one missing", without("TOKEN"), nil, "the deployment needs TOKEN, in the environment or as secrets"},
		{"all missing, in one error", without("TOKEN", "RECORDS_URL", "BILLING"), nil, "the deployment needs BILLING, RECORDS_URL, TOKEN, in the environment or as secrets"},
		{"no address", with("RECORDS_URL", "app:8000"), nil, `the service "records" cannot be called: the granted url cannot be used: it must start with http:// or https://`},
		{"a query", with("RECORDS_URL", "http://app?x=1"), nil, `the service "records" cannot be called: the granted url cannot be used: it must have no query and no fragment`},
		{"a password", with("RECORDS_URL", "http://u:hunter2@app"), nil, `the service "records" cannot be called: the granted url must not hold a user name or password: send credentials in a header`},
		{"a line break", with("BILLING", "Bearer\nsecret"), nil, `the service "billing" cannot be called: the header "Authorization" would hold a line break or another control character (0x0a at byte 6 of its value)`},
	} {
		t.Run(test.name, func(t *testing.T) {
			grants, err := toolbox.ResolveGrants(agent, func(name string) (string, bool) { v, ok := test.values[name]; return v, ok })
			got := ""
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(test.want, grants); diff != "" || got != test.wrong {
				t.Errorf("%s\nwant %s\n(-want +got)\n%s", got, test.wrong, diff)
			}
		})
	}
	if names := toolbox.EnvNames(agent); !slices.Equal(names, []string{"RECORDS_URL", "TOKEN", "BILLING"}) {
		t.Error(names)
	}
}
