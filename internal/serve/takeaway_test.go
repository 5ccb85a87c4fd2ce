package serve_test

import (
	"database/sql"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/vatio-dev/vatio/internal/serve/store"
)

// takeAway lets every lease of a database run out.
func takeAway(t testing.TB, database string) {
	t.Helper()
	driver := "sqlite"
	if store.IsPostgres(database) {
		driver = "pgx"
	} else {
		database = "file:" + database + "?_pragma=busy_timeout(10000)"
	}
	db, err := sql.Open(driver, database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("UPDATE leases SET until = 0"); err != nil {
		t.Fatal(err)
	}
}
