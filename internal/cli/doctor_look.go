package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"

	"github.com/vatio-dev/vatio/internal/doctor"
	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/internal/toolbox"
	"github.com/vatio-dev/vatio/internal/userconfig"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/tool"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// An examination is one run of the doctor. What a step finds out the next ones
// use.
type examination struct {
	*doctorOptions
	cmd    *cobra.Command
	report doctor.Report

	workspace *workspace.Workspace // nil: none, or it cannot be read
	faults    diag.List
	store     *secrets.Store    // nil: no workspace
	snapshot  *secrets.Snapshot // nil: it cannot be opened
	unread    error             // why
	config    *viper.Viper
	looks     []look
}

func (e *examination) add(f doctor.Finding) { e.report.Findings = append(e.report.Findings, f) }

func (e *examination) found(part string, s doctor.Status, format string, args ...any) {
	e.add(doctor.Finding{Part: part, Status: s, Text: fmt.Sprintf(format, args...)})
}

// look looks at everything. The error is one of usage.
func (e *examination) look(ctx context.Context) error {
	if err := e.load(); err != nil {
		return err
	}
	e.lookAtSettings()
	e.lookAtModel()
	if e.workspace != nil {
		e.lookAtSecrets()
		e.lookAtGrants()
	}
	e.lookAtRegistry()
	if e.workspace != nil {
		e.lookAtBackends()
	}
	e.ask(ctx, e.looks)
	return nil
}

// load reads the workspace and its secrets.
func (e *examination) load() error {
	const part = "workspace"
	root, err := e.workspaceRoot()
	if errors.Is(err, workspace.ErrNone) {
		e.add(doctor.Finding{Part: part, Status: doctor.Warning, Text: err.Error(), Fix: "vatio init"})
		return nil
	}
	if err != nil {
		return err
	}
	e.report.Workspace, e.store = root, e.secretStore(root)
	e.snapshot, e.unread = e.store.Read()
	if errors.Is(e.unread, errInterrupted) {
		return e.unread
	}
	w, faults, _, err := e.checkAgainst(func(key string) bool {
		_, ok := e.snapshot.Lookup(key, e.env)
		return ok
	}, e.unread, root)
	if err != nil {
		e.add(broken(part, err))
		return nil
	}
	e.workspace = w
	// A secret without a value is told of below, with all that ask for it.
	e.faults = slices.DeleteFunc(faults, func(d diag.Diagnostic) bool { return d.Code == "unset-secret" })
	e.found(part, doctor.OK, "%s, in the environment %q", root, e.env)
	errs, warnings := e.faults.Count()
	switch {
	case errs > 0:
		e.add(doctor.Finding{
			Part: part, Status: doctor.Broken, Fix: "vatio tools check",
			Text: fmt.Sprintf("%s and %s; the errors are in %s", count(errs, "error"), count(warnings, "warning"), strings.Join(brokenFiles(e.faults), ", ")),
		})
	case warnings > 0:
		e.add(doctor.Finding{Part: part, Status: doctor.Warning, Text: "the files have " + count(warnings, "warning"), Fix: "vatio tools check"})
	default:
		e.found(part, doctor.OK, "the files have no errors")
	}
	if enabled := len(e.enabled()); enabled > 0 {
		e.found(part, doctor.OK, "%s enabled", count(enabled, "tool")+" of its own")
	}
	return nil
}

// enabled lists the tools of the workspace that agent.tools enables, in its order.
func (e *examination) enabled() []*tool.Tool {
	var tools []*tool.Tool
	for _, l := range e.workspace.Agent.Tools {
		if i := slices.IndexFunc(e.workspace.Tools, func(t *tool.Tool) bool { return t.Key == l.Name }); i >= 0 {
			tools = append(tools, e.workspace.Tools[i])
		}
	}
	return tools
}

// secret looks up a secret of the environment.
func (e *examination) secret(key string) (string, bool) {
	if e.snapshot == nil {
		return "", false
	}
	v, ok := e.snapshot.Lookup(key, e.env)
	return v.Reveal(), ok
}

// variableOrSecret looks up what a variable may give, or else a secret.
func (e *examination) variableOrSecret(name string) (string, bool) {
	if value := e.Getenv(name); value != "" {
		return value, true
	}
	return e.secret(name)
}

func (e *examination) lookAtSettings() {
	const part = "settings"
	var err error
	if e.config, err = e.configuration(e.cmd); err != nil {
		f := broken(part, err)
		f.Fix = "mend the file by hand"
		e.add(f)
	}
	path, err := e.userConfigFile()
	if err != nil {
		e.add(broken(part, err))
	} else if _, err := userconfig.Read(path); err == nil {
		for _, u := range unknownSettings(path) {
			e.add(doctor.Finding{Part: part, Status: doctor.Warning, Text: u.String(), Origin: fromUser, Fix: "mend " + path + " by hand"})
		}
	}
	for _, s := range settings() {
		said := e.counts(e.config, s.key, e.workspace)
		if said.value == "" {
			continue
		}
		f := doctor.Finding{Part: part, Status: doctor.OK, Text: s.key + ": " + s.shown(said.value), Origin: said.from}
		if s.key == modelURLSetting {
			f.Text = s.key + ": " + addressOf(said.value)
		}
		if err := s.check(said.value); err != nil {
			f = broken(part, err)
			f.Origin = said.from
		}
		e.add(f)
	}
}

// addressOf is what may be shown of an address.
func addressOf(text string) string {
	a, err := doctor.ParseAddress(text)
	if err != nil {
		return "no address: " + err.Error()
	}
	return a.String()
}

func (e *examination) lookAtSecrets() {
	const part = "secrets"
	if e.unread != nil {
		e.add(broken(part, secretError(e.unread)))
		return
	}
	if !e.store.Exists() {
		e.found(part, doctor.OK, "there are none yet: vatio secrets set KEY makes the store")
	} else if identity, err := e.store.Identity(); err != nil {
		e.add(broken(part, secretError(err)))
	} else {
		e.add(doctor.Finding{
			Part: part, Status: doctor.OK, Origin: identity.Source,
			Text: fmt.Sprintf("%s, encrypted for %s; yours is %s", count(len(e.snapshot.Entries()), "value"), count(len(e.snapshot.Recipients()), "recipient"), identity.Recipient),
		})
	}
	o := &checkSecretsOptions{app: e.app, env: e.env}
	if e.cmd.Flags().Changed("env") {
		o.setting = " --env " + e.env
	}
	uses := secretUses(e.workspace)
	missing := o.missing(uses, e.snapshot)
	for _, m := range missing {
		e.add(doctor.Finding{
			Part: part, Status: doctor.Broken, Fix: m.Command,
			Text: fmt.Sprintf("%s has no value in %s; it is used by %s", m.Key, e.env, strings.Join(m.UsedBy, ", ")),
		})
	}
	if len(missing) == 0 && len(uses) > 0 {
		e.found(part, doctor.OK, "every secret that is used (%d) has a value in %s", len(uses), e.env)
	}
}

func (e *examination) lookAtGrants() {
	const part = "grants"
	w := e.workspace
	if w.Deployment == nil {
		for _, t := range e.enabled() {
			if t.Service != nil {
				e.add(doctor.Finding{
					Part: part, Status: doctor.Warning, Fix: fmt.Sprintf("grant it in a %s at or above the workspace", workspace.DeploymentName),
					Text: fmt.Sprintf("the tool %q is left out: there is no %s to grant the service %q", t.Key, workspace.DeploymentName, t.Service.Name),
				})
			}
		}
		return
	}
	file := filepath.Join(w.Deployment.Dir, workspace.DeploymentName)
	if w.Deployment.Agent == nil {
		e.add(doctor.Finding{Part: part, Status: doctor.Warning, Text: "nothing is granted to this workspace", Origin: file, Fix: "vatio tools check"})
		return
	}
	var names []string
	for _, s := range w.Deployment.Agent.Services {
		names = append(names, s.Name)
	}
	e.add(doctor.Finding{
		Part: part, Status: doctor.OK, Origin: file,
		Text: fmt.Sprintf("the agent %q is granted %s", w.Deployment.Agent.ID, strings.Join(names, ", ")),
	})
	// Names without a value are told of as secrets.
	if e.unread != nil || len(e.unsetGrants()) > 0 {
		return
	}
	if _, err := toolbox.ResolveGrants(w.Deployment.Agent, e.variableOrSecret); err != nil {
		f := broken(part, err)
		f.Fix = "vatio tools check"
		e.add(f)
	}
}

// unsetGrants lists the names of grants without a value.
func (e *examination) unsetGrants() []string {
	return slices.DeleteFunc(toolbox.EnvNames(e.workspace.Deployment.Agent), func(name string) bool {
		_, ok := e.variableOrSecret(name)
		return ok
	})
}
