package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vatio-dev/vatio/internal/agent"
	"github.com/vatio-dev/vatio/internal/auth"
	"github.com/vatio-dev/vatio/internal/toolbox"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// The key pair of a workspace, in its root.
const (
	publicKeyFile  = "identity.pub"
	privateKeyFile = "identity.pem"
)

func (a *app) authCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:   "auth",
		Short: "Make keys and development tokens for private tools",
		Example: `  vatio auth new-key
  vatio auth token --sub alice`,
	}, a.authNewKeyCommand(), a.authTokenCommand())
}

type newKeyOptions struct {
	*app
	algorithm string
	replace   bool
}

func (a *app) authNewKeyCommand() *cobra.Command {
	o := &newKeyOptions{app: a}
	cmd := &cobra.Command{
		Use:   "new-key",
		Short: "Make a key pair: " + publicKeyFile + " to verify tokens, " + privateKeyFile + " to sign them",
		Example: `  vatio auth new-key
  vatio auth new-key --algorithm EdDSA`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	cmd.Flags().StringVar(&o.algorithm, "algorithm", "", "`NAME` of the signature algorithm (default: auth.algorithm, or ES256)")
	cmd.Flags().BoolVar(&o.replace, "replace", false, "replace the keys that are there")
	return cmd
}

func (o *newKeyOptions) run(cmd *cobra.Command) error {
	root, err := o.workspaceRoot()
	if err != nil {
		return err
	}
	w, _, err := workspace.Load(root)
	if err != nil {
		return err
	}
	if o.algorithm == "" {
		if o.algorithm = "ES256"; w.Auth != nil && w.Auth.Algorithm != "" {
			o.algorithm = w.Auth.Algorithm
		}
	}
	private, public, err := auth.NewKey(o.algorithm)
	if err != nil {
		return usagef(cmd, "--algorithm must be %s, not %q", diag.Quoted(workspace.Algorithms[:]), o.algorithm)
	}
	if !o.replace {
		for _, name := range []string{privateKeyFile, publicKeyFile} {
			if _, err := os.Lstat(filepath.Join(root, name)); err == nil {
				return withHint(fmt.Errorf("%s exists: tokens signed with its key would no longer be accepted", name),
					"run: vatio auth new-key --replace")
			}
		}
	}
	// The private key is kept out of git before it exists.
	if err := addLine(filepath.Join(root, ".gitignore"), privateKeyFile); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(root, privateKeyFile), private, 0o600); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(root, publicKeyFile), public, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(o.Err, "wrote %s and %s (kept out of git)\n", publicKeyFile, privateKeyFile)
	if w.Config == nil || w.Auth != nil && w.Auth.PublicKey == publicKeyFile && w.Auth.Algorithm == o.algorithm {
		return nil
	}
	verb := "add to"
	if w.Auth != nil {
		verb = "change in"
	}
	fmt.Fprintf(o.Err, "%s %s:\n\nauth:\n  public_key: %s\n  algorithm: %s\n", verb, workspace.FileName, publicKeyFile, o.algorithm)
	return nil
}

// addLine adds a line to a text file that does not have it.
func addLine(path, line string) error {
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	text := string(data)
	for existing := range strings.Lines(text) {
		if strings.TrimSpace(existing) == line {
			return nil
		}
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return writeFile(path, []byte(text+line+"\n"), 0o644)
}

type tokenOptions struct {
	*app
	subject string
	claims  []string
	ttl     time.Duration
}

func (a *app) authTokenCommand() *cobra.Command {
	o := &tokenOptions{app: a}
	cmd := &cobra.Command{
		Use:   "token --sub ID",
		Short: "Sign a development token with " + privateKeyFile,
		Long: `Sign a token that stands for a signed-in visitor, and print it. A claim k=v is a
string, k:=v is JSON.`,
		Example: `  vatio auth token --sub alice
  vatio auth token --sub alice --claim email=alice@example.com --claim 'roles:=["buyer"]' --ttl 15m`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	cmd.Flags().StringVar(&o.subject, "sub", "", "the subject: who the visitor is")
	cmd.Flags().StringArrayVar(&o.claims, "claim", nil, "a further claim, `k=v` or k:=JSON; may be repeated")
	cmd.Flags().DurationVar(&o.ttl, "ttl", time.Hour, "how long the token is valid")
	return cmd
}

func (o *tokenOptions) run(cmd *cobra.Command) error {
	switch {
	case strings.TrimSpace(o.subject) == "":
		return usagef(cmd, "--sub is required: it says who the visitor is")
	case o.ttl <= 0:
		return usagef(cmd, "--ttl must be positive, not %s", o.ttl)
	}
	root, err := o.workspaceRoot()
	if err != nil {
		return err
	}
	w, faults, err := workspace.Load(root)
	if err != nil {
		return err
	}
	switch {
	case w.Config == nil || w.Slug == "":
		return o.tell(&brokenWorkspace{faults})
	case w.Auth == nil || w.Auth.Algorithm == "":
		return withHint(fmt.Errorf("%s has no auth block that names an algorithm", workspace.FileName), "run: vatio auth new-key")
	}
	now := o.Now()
	claims := map[string]any{"sub": o.subject, "aud": w.Slug, "iat": now.Unix(), "exp": now.Add(o.ttl).Unix()}
	if w.Auth.Issuer != "" {
		claims["iss"] = w.Auth.Issuer
	}
	given := map[string]bool{}
	for _, c := range o.claims {
		name, value, err := parseClaim(cmd, c)
		if err != nil {
			return err
		}
		if given[name] {
			return usagef(cmd, "--claim %s is given twice", name)
		}
		given[name], claims[name] = true, value
	}
	private, err := os.ReadFile(filepath.Join(root, privateKeyFile))
	if err != nil {
		return withHint(fmt.Errorf("there is no private key %s to sign with", privateKeyFile), "run: vatio auth new-key --replace")
	}
	token, err := auth.Sign(private, w.Auth.Algorithm, claims)
	if err != nil {
		return fmt.Errorf("%s: %w", privateKeyFile, err)
	}
	if err := o.refusal(w, token); err != nil {
		fmt.Fprintf(o.Err, "vatio: this token will be refused: %s\n", printableLines(err.Error()))
	}
	_, err = fmt.Fprintln(o.Out, token)
	return err
}

// refusal says why the workspace would not accept a token. It may be meant so, to
// see what happens then.
func (o *tokenOptions) refusal(w *workspace.Workspace, token string) error {
	verifier, err := agent.Verifier(w, o.Now)
	if err != nil {
		return err
	}
	principal, err := verifier.Verify(token)
	if err == nil {
		_, err = toolbox.TokenOwner(principal, w.Slug)
	}
	return err
}

// rawJSON is marshalled as it stands.
type rawJSON []byte

func (r rawJSON) MarshalJSON() ([]byte, error) { return r, nil }

// parseClaim reads k=v, a string, or k:=JSON.
func parseClaim(cmd *cobra.Command, text string) (string, any, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" || name == ":" {
		return "", nil, usagef(cmd, "--claim must be k=v or k:=JSON, not %q", text)
	}
	name, isJSON := strings.CutSuffix(name, ":")
	switch name {
	case "sub", "exp":
		return "", nil, usagef(cmd, "--claim %s: use --sub and --ttl", name)
	}
	if !isJSON {
		return name, value, nil
	}
	document, err := jsondoc.Parse([]byte(value))
	if err != nil {
		return "", nil, usagef(cmd, "--claim %s: the value is no JSON: %s", name, err)
	}
	return name, rawJSON(document.Raw()), nil
}
