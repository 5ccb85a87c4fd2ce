package cli

import (
	"context"
	"time"

	"github.com/vatio-dev/vatio/internal/deploy"
	"github.com/vatio-dev/vatio/pkg/diag"
)

// A historyEntry is one step of an environment as --json prints it.
type historyEntry struct {
	Time    time.Time `json:"time"`
	Action  string    `json:"action"`
	Current bool      `json:"current"`
	Undone  bool      `json:"undone"`
	deployed
}

func (o *statusOptions) printHistory(ctx context.Context, store *deploy.Store) error {
	entries, err := store.History(ctx, o.history)
	if err != nil {
		return err
	}
	list := []historyEntry{}
	rows := [][]string{{"WHEN", "WHAT", "DIGEST", "COMMIT", "AUTHOR", ""}}
	for _, e := range entries {
		list = append(list, historyEntry{
			Time: e.Time.UTC(), Action: e.Action, Current: e.Current, Undone: e.Undone, deployed: deployedAs(o.history, e.Deployment),
		})
		state := ""
		switch {
		case e.Current:
			state = "runs now"
		case e.Undone:
			state = "rolled back"
		}
		rows = append(rows, []string{
			e.Time.Local().Format(minutes), e.Action, shortDigest(e.Deployment.Digest), commitText(e.Deployment), diag.Printable(e.Deployment.Author), state,
		})
	}
	if o.json {
		return writeJSON(o.app, list)
	}
	return writeTable(o.Out, rows)
}
