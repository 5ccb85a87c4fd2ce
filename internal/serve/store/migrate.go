package store

import (
	"context"
	"embed"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations
var migrations embed.FS

// migrate brings the tables up to date. Of several processes that start at once
// one does it and the others wait.
func (s *Store) migrate(ctx context.Context) error {
	files, err := fs.Sub(migrations, "migrations/"+s.migrations)
	if err != nil {
		return err
	}
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true), goose.WithTableName("vatio_migrations")}
	if s.goose == goose.DialectPostgres {
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 60), lock.WithUnlockTimeout(1, 10))
		if err != nil {
			return err
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	deadline := time.Now().Add(s.patience)
	return s.again(ctx, func(error) bool { return time.Now().Before(deadline) }, func() error {
		provider, err := goose.NewProvider(s.goose, s.write, files, options...)
		if err != nil {
			return err
		}
		_, err = provider.Up(ctx)
		return err
	})
}
