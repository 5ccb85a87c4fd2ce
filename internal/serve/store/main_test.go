package store_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vatio-dev/vatio/internal/serve/store"
	"github.com/vatio-dev/vatio/internal/serve/store/storetest"
)

var postgres storetest.Main

func TestMain(m *testing.M) { os.Exit(postgres.Run(m)) }

// A database can be opened more than once: each store is another process.
type database struct {
	name string
	open func(t testing.TB, o store.Options) *store.Store
}

// onBoth runs a test on SQLite and on PostgreSQL.
func onBoth(t *testing.T, run func(t *testing.T, d database)) {
	t.Run("sqlite", func(t *testing.T) { run(t, sqliteDatabase(t)) })
	t.Run("postgres", func(t *testing.T) { run(t, postgresDatabase(t)) })
}

func sqliteDatabase(t testing.TB) database {
	path := filepath.Join(t.TempDir(), ".vatio", "conversations.db")
	return database{"sqlite", func(t testing.TB, o store.Options) *store.Store {
		t.Helper()
		return opened(t, func(ctx context.Context) (*store.Store, error) { return store.OpenSQLite(ctx, path, o) })
	}}
}

func postgresDatabase(t testing.TB) database {
	address := postgres.Server(t).Database(t)
	return database{"postgres", func(t testing.TB, o store.Options) *store.Store {
		t.Helper()
		return opened(t, func(ctx context.Context) (*store.Store, error) { return store.OpenPostgres(ctx, address, o) })
	}}
}

func opened(t testing.TB, open func(context.Context) (*store.Store, error)) *store.Store {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
