package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/serve/store"
	"github.com/vatio-dev/vatio/pkg/executor"
)

// BenchmarkTurn is a whole turn in databases and conversations of many sizes: how
// many messages there are elsewhere must not matter, nor those of this
// conversation but for the newest.
func BenchmarkTurn(b *testing.B) {
	for _, kind := range []string{"sqlite", "postgres"} {
		for _, size := range []struct{ elsewhere, here int }{{0, 0}, {0, 200}, {0, 2000}, {1_000_000, 0}, {1_000_000, 200}, {1_000_000, 2000}} {
			b.Run(fmt.Sprintf("%s/elsewhere=%d/here=%d", kind, size.elsewhere, size.here), func(b *testing.B) {
				var s *store.Store
				var driver, source string
				if kind == "sqlite" {
					path := b.TempDir() + "/conversations.db"
					s = opened(b, func(ctx context.Context) (*store.Store, error) { return store.OpenSQLite(ctx, path, store.Options{}) })
					driver, source = "sqlite", "file:"+path+"?_pragma=busy_timeout(10000)&_pragma=synchronous(0)"
				} else {
					address := postgres.Server(b).Database(b)
					s = opened(b, func(ctx context.Context) (*store.Store, error) {
						return store.OpenPostgres(ctx, address, store.Options{})
					})
					driver, source = "pgx", address
				}
				db, err := sql.Open(driver, source)
				if err != nil {
					b.Fatal(err)
				}
				defer db.Close()
				fill(b, db, kind, size.elsewhere)
				id, err := s.Create(context.Background(), alice, "web", executor.Contact{})
				if err != nil {
					b.Fatal(err)
				}
				if size.here > 0 {
					seed(b, db, id, size.here)
				}
				b.ReportAllocs()
				for b.Loop() {
					turn(b, s, id)
				}
			})
		}
	}
}

// turn is what a turn with one tool call costs.
func turn(b *testing.B, s *store.Store, id string) {
	ctx := context.Background()
	t, _, err := s.Begin(ctx, alice, id, "", func(*store.Turn) ([][]byte, error) {
		return bodies(chat.Event{Type: chat.UserEvent, Text: "hi"}), nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for _, batch := range [][][]byte{
		bodies(chat.Event{Type: chat.ToolCallEvent, ID: "1", Tool: "a"}),
		bodies(chat.Event{Type: chat.ToolResultEvent, ID: "1", Tool: "a", Content: "{}"}),
	} {
		if _, err := t.Append(ctx, store.Batch{Events: batch}); err != nil {
			b.Fatal(err)
		}
	}
	_, err = t.Finish(ctx, store.Batch{Events: bodies(chat.Event{Type: chat.AgentEvent, Text: "hello"}, chat.Event{Type: chat.TurnEndEvent})}, []chat.Message{
		{Role: chat.User, Text: "hi"}, {Role: chat.Agent, Calls: []chat.Call{{ID: "1", Tool: "a", Arguments: "{}"}}},
		{Role: chat.ToolResults, Results: []chat.Result{{ID: "1", Tool: "a", Content: "{}"}}}, {Role: chat.Agent, Text: "hello"},
	}, false)
	if err != nil {
		b.Fatal(err)
	}
}

// fill puts messages and events of other conversations into a database, 20 to
// each.
func fill(b *testing.B, db *sql.DB, kind string, n int) {
	b.Helper()
	if n == 0 {
		return
	}
	numbers := fmt.Sprintf("(SELECT generate_series(1, %d) AS n) AS numbers", n)
	if kind == "sqlite" {
		numbers = fmt.Sprintf("(WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < %d) SELECT n FROM r) AS numbers", n)
	}
	const text = `'{"role":"user","text":"a message of some length, as visitors write them when they ask for something"}'`
	for _, statement := range []string{
		"INSERT INTO messages (conversation, seq, turn, at, size, body) SELECT 'c' || (n / 20), n % 20, n % 20, 0, 90, " + text + " FROM " + numbers,
		"INSERT INTO events (conversation, seq, turn, at, body) SELECT 'c' || (n / 20), n % 20, n % 20, 0, " + text + " FROM " + numbers,
	} {
		if _, err := db.Exec(statement); err != nil {
			b.Fatal(err)
		}
	}
	if kind == "postgres" {
		if _, err := db.Exec("ANALYZE"); err != nil {
			b.Fatal(err)
		}
	}
}

// seed makes a conversation long.
func seed(b *testing.B, db *sql.DB, id string, n int) {
	b.Helper()
	for seq := 1; seq <= n; seq++ {
		role := [2]string{"user", "agent"}[(seq+1)%2]
		body := fmt.Sprintf(`{"role":%q,"text":"a message of some length, as visitors write them when they ask for something: %d"}`, role, seq)
		if _, err := db.Exec("INSERT INTO messages (conversation, seq, turn, at, size, body) VALUES ($1, $2, $3, 0, $4, $5)", id, seq, (seq+1)/2, len(body), body); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := db.Exec("UPDATE conversations SET turns = $2 WHERE id = $1", id, n); err != nil {
		b.Fatal(err)
	}
}
