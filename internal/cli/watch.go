package cli

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/vatio-dev/vatio/internal/secrets"
	"github.com/vatio-dev/vatio/pkg/diag"
)

// clearScreen moves to the top left and clears what can be seen; what has
// scrolled away stays.
const clearScreen = "\x1b[H\x1b[2J"

// runWatch checks, and checks again on every change, until it is interrupted.
// Each result replaces the one before on a terminal, and elsewhere follows it
// below a line with the time.
func (o *checkOptions) runWatch(ctx context.Context, root string) error {
	ctx, stop := o.interruptible(ctx)
	defer stop()
	w, err := newWatcher(root)
	if err != nil {
		return err
	}
	defer w.close()
	store := secrets.New(secrets.Options{
		Workspace: root, Getenv: o.Getenv, Now: o.Now,
		Passphrase: sync.OnceValues(o.passphrase), // not on every change
	})
	shown := ""
	for content := true; ; {
		if err := w.sync(); err != nil {
			return err
		}
		workspace, list, notice, err := o.checkWith(store, root, o.env)
		if err != nil {
			return err
		}
		if workspace.Auth != nil {
			if err := w.follow(workspace.Auth.PublicKey); err != nil {
				return err
			}
		}
		var text strings.Builder
		if err := diag.WriteText(&text, list, o.Colors().DiagStyle()); err != nil {
			return err
		}
		if content || text.String() != shown {
			shown = text.String()
			if err := o.show(shown, notice+o.summary(list)); err != nil {
				return err
			}
		}
		if content, err = w.next(ctx); err != nil {
			return err
		}
	}
}

func (o *checkOptions) show(diagnostics, summary string) error {
	now := o.Now().Format("15:04:05")
	head := "--- " + now + "\n"
	if o.OutTerminal && o.Getenv("TERM") != "dumb" {
		head = clearScreen
	}
	if _, err := fmt.Fprint(o.Out, head, diagnostics); err != nil {
		return err
	}
	_, err := fmt.Fprintf(o.Err, "%s at %s, watching for changes (Ctrl-C ends)\n", summary, now)
	return err
}
