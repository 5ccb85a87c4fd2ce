package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/internal/doctor"
	"github.com/vatio-dev/vatio/internal/model/remote"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/placeholder"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

const networkPart = "network"

// prober looks at servers as calls do: through the proxies of the environment.
func (e *examination) prober() *doctor.Prober {
	return &doctor.Prober{
		Version: buildInfo().Version,
		Proxy:   func(u *url.URL) (*url.URL, error) { return http.ProxyFromEnvironment(&http.Request{URL: u}) },
	}
}

func (e *examination) lookAtModel() {
	const part = "model"
	p := keyedOf(choices(e.config, e.workspace))
	_, err := modelOf(e.config, e.workspace, e.app, e.secret)
	if noKey(err) && e.unread != nil {
		e.found(part, doctor.Broken, "no variable holds the key of %s, and the secrets cannot be opened", p.chosen.Provider)
		return
	}
	if err != nil {
		e.add(broken(part, err))
		return
	}
	if p.keyName == "" {
		e.found(part, doctor.OK, "%s: rules answer, and no server is asked", p.chosen.Provider)
		return
	}
	base, err := p.baseURL(p.chosen.BaseURL)
	if err != nil {
		e.add(broken(part, err))
		return
	}
	key, variable := p.key(base, e.Getenv, e.secret)
	from := "without a key"
	switch {
	case variable:
		from = "with the key of the variable " + p.keyName
	case key != "":
		from = "with the key of the secret " + p.keyName
	}
	e.found(part, doctor.OK, "%s, the model %q, %s", p.chosen.Provider, p.chosen.Name, from)
	prober, server := e.prober(), modelServer(p.chosen, base, key)
	e.looks = append(e.looks, look{
		part: networkPart, name: fmt.Sprintf("%s at %s", p.chosen.Provider, addressOf(base.String())),
		fix: func(w doctor.Wrong) string {
			switch w {
			case doctor.WrongKey:
				return "vatio secrets set " + p.keyName + ", or export the variable of that name"
			case doctor.WrongModel:
				return "check model.name: vatio config list --show-origin"
			}
			return "check model.base_url and the network: vatio config list --show-origin"
		},
		do: func(ctx context.Context) doctor.Verdict { return prober.AskModels(ctx, server) },
	})
}

// modelServer is where the chosen provider, at base, lists its models. key is ""
// for none.
func modelServer(chosen modelChoice, base *url.URL, key string) doctor.ModelServer {
	server := doctor.ModelServer{URL: base.JoinPath("models"), Header: http.Header{}, Model: chosen.Name, Keyed: key != ""}
	if chosen.Provider == "anthropic" {
		server.Header.Set("Anthropic-Version", "2023-06-01")
	}
	switch {
	case key == "":
	case chosen.Provider == "anthropic":
		server.Header.Set("X-Api-Key", key)
	default:
		server.Header.Set("Authorization", "Bearer "+key)
	}
	return server
}

func (e *examination) lookAtRegistry() {
	const part = "registry"
	said := e.counts(e.config, registrySetting, e.workspace)
	switch {
	case said.value == "" && e.workspace == nil:
		return
	case said.value == "":
		e.add(doctor.Finding{Part: part, Status: doctor.OK, Text: "none: deployments are kept in .vatio/deployments", Origin: fromDefault})
		return
	case validRegistry(said.value) != nil:
		return // told of as a setting
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(said.value, "oci://"), "/")
	u := &url.URL{Scheme: "https", Host: host}
	if remote.Local(u) {
		u.Scheme = "http"
	}
	if host == "docker.io" {
		u.Host = "registry-1.docker.io" // where its repositories are
	}
	a, err := doctor.ParseAddress(u.String())
	if err != nil {
		e.add(doctor.Finding{Part: part, Status: doctor.Broken, Text: "the address of the registry cannot be used: " + err.Error(), Origin: said.from})
		return
	}
	e.add(doctor.Finding{Part: part, Status: doctor.OK, Text: "deployments are kept at " + a.String(), Origin: said.from})
	e.looks = append(e.looks, e.connection(backend{a, []string{"the registry"}}, "check registry: vatio config list --show-origin"))
}

// A backend is a server and what uses it.
type backend struct {
	doctor.Address
	by []string
}

func (e *examination) connection(b backend, fix string) look {
	prober := e.prober()
	return look{
		part: networkPart, name: fmt.Sprintf("%s (%s)", b.Address, strings.Join(b.by, ", ")), fix: func(doctor.Wrong) string { return fix },
		do: func(ctx context.Context) doctor.Verdict { return prober.Connect(ctx, b.Address) },
	}
}

// lookAtBackends plans a look at each server that the enabled tools call.
func (e *examination) lookAtBackends() {
	var all []backend
	add := func(by, text string) {
		a, err := doctor.ParseAddress(text)
		if err != nil {
			e.add(doctor.Finding{
				Part: networkPart, Status: doctor.Broken, Fix: "vatio tools check",
				Text: fmt.Sprintf("the address that %s calls cannot be used: %s", by, err),
			})
			return
		}
		i := slices.IndexFunc(all, func(b backend) bool { return b.Address == a })
		if i < 0 {
			all, i = append(all, backend{Address: a}), len(all)
		}
		all[i].by = append(all[i].by, by)
	}
	for _, t := range e.enabled() {
		if t.HTTP == nil || t.HTTP.BaseURL.Template == nil {
			continue
		}
		text, ok := t.HTTP.BaseURL.Text(secretScope(e.secret))
		if ok && !conversational(text) {
			add(t.Key, text)
		}
	}
	for _, s := range grantedServices(e.workspace) {
		text := s.URL
		if name, isEnv := workspace.EnvName(text); isEnv {
			var ok bool
			if text, ok = e.variableOrSecret(name); !ok {
				continue
			}
		}
		add("the service "+s.Name, text)
	}
	for _, b := range all {
		e.looks = append(e.looks, e.connection(b, "check the address and the network: "+remedy(e.workspace, b.by)))
	}
}

// remedy lists the commands that set the addresses which tools and services use.
func remedy(w *workspace.Workspace, by []string) string {
	var commands []string
	add := func(key string) {
		if command := "vatio secrets set " + key; !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
	}
	for _, t := range w.Tools {
		if t.HTTP == nil || t.HTTP.BaseURL.Template == nil || !slices.Contains(by, t.Key) {
			continue
		}
		for _, ref := range t.HTTP.BaseURL.Refs() {
			if ref.Source == placeholder.Env {
				add(ref.Path[0])
			}
		}
	}
	for _, s := range grantedServices(w) {
		if name, isEnv := workspace.EnvName(s.URL); isEnv && slices.Contains(by, "the service "+s.Name) {
			add(name)
		}
	}
	if commands == nil {
		return "vatio tools list"
	}
	return strings.Join(commands, ", ")
}

// unknownValue stands for what only a conversation knows.
const unknownValue = "\x00"

// secretScope gives placeholders the secrets, and unknownValue for all the rest.
type secretScope func(key string) (string, bool)

func (s secretScope) Lookup(r *placeholder.Ref) jsondoc.Value {
	if r.Source != placeholder.Env {
		return jsondoc.Quote(unknownValue)
	}
	value, ok := s(r.Path[0])
	if !ok {
		return jsondoc.Value{}
	}
	return jsondoc.Quote(value)
}

// conversational reports whether a conversation has a say in where text leads.
func conversational(text string) bool {
	scheme, rest, _ := strings.Cut(text, "://")
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return strings.Contains(scheme+rest, unknownValue)
}
