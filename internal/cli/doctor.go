package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/doctor"
	"github.com/vatio-dev/vatio/internal/iox"
	"github.com/vatio-dev/vatio/pkg/diag"
)

type doctorOptions struct {
	*app
	env    string
	asJSON bool
}

func (a *app) doctorCommand() *cobra.Command {
	o := &doctorOptions{app: a}
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what keeps the agent from working, and say how to mend it",
		Long: `Look at everything that a conversation needs: the workspace, the settings and
where each stands, the model, the secrets, the grants, the registry, and whether
their servers can be reached.

Backends and services are sent no request: their names are looked up, they are
connected to and, for https, a TLS handshake is made. A model server is asked for
its list of models, with the key. Each look ends after 5 seconds. No secret is
shown; of an address, scheme, host and port alone.

--json prints an object: "workspace" (its directory, "" for none), "environment",
and "findings", an array of objects with "part" (workspace, settings, model,
secrets, grants, registry or network), "status" (ok, warning or broken), "text"
and, where there is one, "origin" (the place that says so) and "fix" (a command,
or what to do).

Exit codes: 0 nothing is broken, though there may be warnings, 1 something is, 2
wrong usage, 130 interrupted.`,
		Example: `  vatio doctor
  vatio doctor --env live
  vatio doctor --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.validEnvironment(cmd, o.env); err != nil {
				return err
			}
			return o.run(cmd)
		},
	}
	a.environmentFlag(cmd, &o.env)
	addModelFlags(cmd)
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print a JSON object")
	return cmd
}

func (o *doctorOptions) run(cmd *cobra.Command) error {
	ctx, stop := o.interruptible(cmd.Context())
	defer stop()
	e := &examination{doctorOptions: o, cmd: cmd, report: doctor.Report{Environment: o.env, Findings: []doctor.Finding{}}}
	if err := e.look(ctx); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errInterrupted
	}
	var err error
	if o.asJSON {
		err = writeJSON(o.app, e.report)
	} else {
		err = o.print(&e.report)
	}
	if err != nil {
		return err
	}
	broken, warnings := e.report.Count()
	fmt.Fprintln(o.Err, o.verdict(broken, warnings))
	if broken > 0 {
		return errFailed
	}
	return nil
}

func (o *doctorOptions) verdict(broken, warnings int) string {
	colors := o.ErrColors()
	switch {
	case broken > 0:
		return colors.Red(count(broken, "problem") + ", " + count(warnings, "warning"))
	case warnings > 0:
		return colors.Yellow("no problem, " + count(warnings, "warning"))
	}
	return colors.Green("no problems")
}

// print prints the findings for people, those of one part below its name.
func (o *doctorOptions) print(r *doctor.Report) error {
	colors := o.Colors()
	marks := map[doctor.Status]string{
		doctor.OK: colors.Green("✓"), doctor.Warning: colors.Yellow("!"), doctor.Broken: colors.Red("✗"),
	}
	if o.Getenv("TERM") == "dumb" {
		marks = map[doctor.Status]string{doctor.OK: "ok  ", doctor.Warning: "warn", doctor.Broken: "FAIL"}
	}
	var b strings.Builder
	part := ""
	for _, f := range r.Findings {
		if f.Part != part {
			if part != "" {
				b.WriteByte('\n')
			}
			part = f.Part
			b.WriteString(colors.Bold(part) + "\n")
		}
		writeFinding(&b, f, marks[f.Status], colors)
	}
	_, err := io.WriteString(o.Out, b.String())
	return err
}

func writeFinding(b *strings.Builder, f doctor.Finding, mark string, colors iox.Palette) {
	fmt.Fprintf(b, "  %s %s", mark, diag.Printable(f.Text))
	if f.Origin != "" {
		b.WriteString(colors.Dim(" (" + f.Origin + ")"))
	}
	b.WriteByte('\n')
	if f.Fix != "" {
		fmt.Fprintf(b, "      %s\n", colors.Cyan(diag.Printable(f.Fix)))
	}
}

// broken turns an error into a finding; its hint becomes what to do.
func broken(part string, err error) doctor.Finding {
	f := doctor.Finding{Part: part, Status: doctor.Broken, Text: err.Error()}
	var hinted *hintError
	if errors.As(err, &hinted) {
		f.Fix = strings.TrimPrefix(hinted.hint, "run: ")
	}
	return f
}

// A look is what is asked of a server when everything else is known.
type look struct {
	part string
	name string // of the server, with what it is for
	fix  func(doctor.Wrong) string
	do   func(ctx context.Context) doctor.Verdict
}

// ask runs the looks at once and appends what they come to, in their order.
func (e *examination) ask(ctx context.Context, looks []look) {
	found := make([]doctor.Finding, len(looks))
	doctor.Each(len(looks), func(i int) {
		l := looks[i]
		v := l.do(ctx)
		found[i] = doctor.Finding{Part: l.part, Status: v.Status, Text: l.name + " " + v.Text}
		switch v.Wrong {
		case "":
		case doctor.WrongProxy:
			found[i].Fix = "check the variables HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
		default:
			found[i].Fix = l.fix(v.Wrong)
		}
	})
	e.report.Findings = append(e.report.Findings, found...)
}
