package store_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/serve/store"
	"github.com/vatio-dev/vatio/pkg/executor"
)

func TestAnotherOwnerFindsNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, d database) {
		ctx := context.Background()
		s := d.open(t, store.Options{})
		id := create(t, s)
		say(t, s, id, "secret", "answer")
		turn := begin(t, s, id)
		if _, err := turn.Finish(ctx, store.Batch{Traces: []store.Trace{{Call: "1", Body: []byte("{}")}}}, nil, true); err != nil {
			t.Fatal(err)
		}
		running := begin(t, s, id)
		if _, err := running.Append(ctx, store.Batch{Events: bodies(chat.Event{Type: chat.UserEvent, Text: "secret"})}); err != nil {
			t.Fatal(err)
		}
		name := "Mallory"
		for _, who := range []struct{ owner, id string }{
			{bob, id}, {"", id}, {"web/alice ", id}, {"WEB/ALICE", id}, {"web/%", id}, {alice, strings.ToUpper(id)},
			{alice, "x"}, {alice, ""}, {alice, "\x00"}, {alice, strings.Repeat("a", 26)}, {alice, "' OR 1=1 --"},
		} {
			calls := map[string]func() error{
				"Get":    func() error { _, err := s.Get(ctx, who.owner, who.id); return err },
				"Begin":  func() error { _, _, err := s.Begin(ctx, who.owner, who.id, "", nil); return err },
				"Events": func() error { _, _, err := s.Events(ctx, who.owner, who.id, 0, 10); return err },
				"Trace":  func() error { _, err := s.Trace(ctx, who.owner, who.id, "1"); return err },
				"Act": func() error {
					_, err := s.Act(ctx, who.owner, who.id, (*chat.Conversation).Resume)
					return err
				},
				"ChangeContact": func() error {
					_, err := s.ChangeContact(ctx, who.owner, who.id, store.ContactChange{Name: &name})
					return err
				},
			}
			for call, do := range calls {
				if err := do(); !errors.Is(err, store.ErrNotFound) {
					t.Errorf("%s as %q of %q: %v", call, who.owner, who.id, err)
				}
			}
			if !store.IsID(who.id) {
				continue
			}
			messages, err := s.Messages(ctx, who.owner, who.id, 0, 10)
			if err != nil || len(messages) != 0 {
				t.Errorf("Messages as %q: %v, %v", who.owner, messages, err)
			}
			messages, err = s.RunningMessages(ctx, who.owner, who.id)
			if err != nil || len(messages) != 0 {
				t.Errorf("RunningMessages as %q: %v, %v", who.owner, messages, err)
			}
		}
		said, err := s.RunningMessages(ctx, alice, id)
		if err != nil || len(said) != 1 || said[0].Body != `{"role":"user","text":"secret"}` {
			t.Errorf("RunningMessages as the owner: %+v, %v", said, err)
		}
		c, err := s.Get(ctx, alice, id)
		if err != nil || c.Contact.Name != "" || !c.HandedOff {
			t.Errorf("changed: %+v, %v", c, err)
		}
	})
}

func TestContact(t *testing.T) {
	onBoth(t, func(t *testing.T, d database) {
		ctx := context.Background()
		s := d.open(t, store.Options{})
		id, err := s.Create(ctx, alice, "whatsapp", executor.Contact{Name: "Ana", Email: "ana@example.com", PhoneNumber: "+56911111111"})
		if err != nil {
			t.Fatal(err)
		}
		text := func(s string) *string { return &s }
		steps := []struct {
			change store.ContactChange
			want   executor.Contact
			shared bool
		}{
			{store.ContactChange{}, executor.Contact{Name: "Ana", Email: "ana@example.com", PhoneNumber: "+56911111111"}, false},
			{store.ContactChange{PhoneNumber: text("+56911111111")}, executor.Contact{Name: "Ana", Email: "ana@example.com", PhoneNumber: "+56911111111"}, false},
			{store.ContactChange{Email: text("")}, executor.Contact{Name: "Ana", PhoneNumber: "+56911111111"}, false},
			{store.ContactChange{PhoneNumber: text("+56922222222")}, executor.Contact{Name: "Ana", PhoneNumber: "+56922222222"}, true},
			{store.ContactChange{Name: text("Eva")}, executor.Contact{Name: "Eva", PhoneNumber: "+56922222222"}, true},
			{store.ContactChange{PhoneNumber: text("")}, executor.Contact{Name: "Eva"}, false},
			{store.ContactChange{PhoneNumber: text("+56933333333")}, executor.Contact{Name: "Eva", PhoneNumber: "+56933333333"}, true},
		}
		for i, step := range steps {
			c, err := s.ChangeContact(ctx, alice, id, step.change)
			if err != nil {
				t.Fatal(err)
			}
			same(t, step.want, c.Contact)
			same(t, "whatsapp", c.Channel)
			turn := begin(t, s, id)
			if turn.History.Shared() != step.shared {
				t.Errorf("step %d: Shared is %t", i+1, turn.History.Shared())
			}
			if err := turn.Abandon(ctx); err != nil { // of which no model was told
				t.Fatal(err)
			}
		}
		turn := begin(t, s, id)
		// Another number arrives while the model is told of this one.
		if _, err := s.ChangeContact(ctx, alice, id, store.ContactChange{PhoneNumber: text("+56944444444")}); err != nil {
			t.Fatal(err)
		}
		if _, err := turn.Finish(ctx, store.Batch{Name: "Eva", Events: bodies(chat.Event{Type: chat.UserEvent})}, nil, false); err != nil {
			t.Fatal(err)
		}
		turn = begin(t, s, id)
		if !turn.History.Shared() || turn.Contact.PhoneNumber != "+56944444444" {
			t.Errorf("the second number is lost: %+v", turn.Contact)
		}
		if _, err := turn.Finish(ctx, store.Batch{Name: "Eva", Events: bodies(chat.Event{Type: chat.UserEvent})}, nil, false); err != nil {
			t.Fatal(err)
		}
		if begin(t, s, id).History.Shared() {
			t.Error("a number is told twice")
		}
	})
}

func TestAPerson(t *testing.T) {
	onBoth(t, func(t *testing.T, d database) {
		ctx := context.Background()
		s := d.open(t, store.Options{})
		id := create(t, s)
		human := func(c *chat.Conversation) (chat.Event, error) { return c.Human("I am Eva.") }
		if _, err := s.Act(ctx, alice, id, human); err == nil || err.Error() != "no person has this conversation: it must be handed off first" {
			t.Errorf("without a handoff: %v", err)
		}
		if _, err := begin(t, s, id).Finish(ctx, store.Batch{Events: bodies(chat.Event{Type: chat.UserEvent, Text: "help"})}, []chat.Message{{Role: chat.User, Text: "help"}}, true); err != nil {
			t.Fatal(err)
		}
		e, err := s.Act(ctx, alice, id, human)
		if err != nil {
			t.Fatal(err)
		}
		same(t, int64(2), e.Seq)
		if _, err := s.Act(ctx, alice, id, (*chat.Conversation).Resume); err != nil {
			t.Fatal(err)
		}
		same(t, []string{`1 1 {"type":"user","text":"help"}`, `2 2 {"type":"human","text":"I am Eva."}`, `3 3 {"type":"resume"}`}, eventsOf(t, s, id, 0))
		same(t, []string{`1 {"role":"user","text":"help"}`, `2 {"role":"human","text":"I am Eva."}`}, messagesOf(t, s, id))
		if c, err := s.Get(ctx, alice, id); err != nil || c.HandedOff {
			t.Errorf("after resume: %+v, %v", c, err)
		}
	})
}

func TestKeys(t *testing.T) {
	onBoth(t, func(t *testing.T, d database) {
		ctx := context.Background()
		s := d.open(t, store.Options{})
		secret, k, err := s.CreateKey(ctx, "web", nil)
		if err != nil {
			t.Fatal(err)
		}
		narrow, n, err := s.CreateKey(ctx, "shop", []string{"tools:read", "tools:write"})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(secret, "vatio_") || len(secret) != 58 || secret == narrow {
			t.Errorf("keys %q and %q", secret, narrow)
		}
		for secret, want := range map[string]store.Key{secret: k, narrow: n} {
			got, err := s.Key(ctx, secret)
			if err != nil {
				t.Fatal(err)
			}
			same(t, want, got)
		}
		for _, wrong := range []string{"", "vatio_", secret[:57], secret + "a", strings.ToUpper(secret), store.HashKey(secret), k.ID, "' OR ''='"} {
			if _, err := s.Key(ctx, wrong); !errors.Is(err, store.ErrNoKey) {
				t.Errorf("%q: %v", wrong, err)
			}
		}
		if err := s.RevokeKey(ctx, "nope"); !errors.Is(err, store.ErrNoKey) {
			t.Errorf("revoking none: %v", err)
		}
		for range 2 {
			if err := s.RevokeKey(ctx, k.ID); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Key(ctx, secret); !errors.Is(err, store.ErrNoKey) {
			t.Errorf("a revoked key: %v", err)
		}
		keys, err := s.Keys(ctx)
		if err != nil || len(keys) != 2 {
			t.Fatalf("%+v, %v", keys, err)
		}
		for _, listed := range keys {
			if (listed.ID == k.ID) == listed.Revoked.IsZero() {
				t.Errorf("listed as %+v", listed)
			}
		}
		for app, want := range map[string]string{
			"":      `"" is no name of an app: a-z, 0-9 and - are allowed, it starts with a letter and has 64 at most`,
			"Web":   `"Web" is no name of an app: a-z, 0-9 and - are allowed, it starts with a letter and has 64 at most`,
			"a/b":   `"a/b" is no name of an app: a-z, 0-9 and - are allowed, it starts with a letter and has 64 at most`,
			"web\n": `"web\n" is no name of an app: a-z, 0-9 and - are allowed, it starts with a letter and has 64 at most`,
		} {
			if _, _, err := s.CreateKey(ctx, app, nil); err == nil || err.Error() != want {
				t.Errorf("%q: %v", app, err)
			}
		}
		if _, _, err := s.CreateKey(ctx, "web", []string{"a b"}); err == nil || err.Error() != `"a b" is no scope: letters, digits and punctuation without spaces are allowed` {
			t.Errorf("a scope with a space: %v", err)
		}
	})
}

// The file of SQLite holds what visitors said, and no key.
func TestTheFileIsPrivate(t *testing.T) {
	path := t.TempDir() + "/.vatio/conversations.db"
	s, err := store.OpenSQLite(context.Background(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	secret, _, err := s.CreateKey(context.Background(), "web", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	same(t, os.FileMode(0o600), info.Mode().Perm())
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), secret) || !strings.Contains(string(data), store.HashKey(secret)) {
		t.Error("the file holds the key itself, or not its hash")
	}
}

func TestPostgresRefusals(t *testing.T) {
	for address, want := range map[string]string{
		"mysql://root:hunter22@localhost/x":                      "a database is given as postgres://USER:PASSWORD@HOST:PORT/NAME",
		"postgres://u:hunter22@localhost:99999999/x":             "the address of the database cannot be read: write postgres://USER:PASSWORD@HOST:PORT/NAME, with special characters percent-encoded",
		"postgres://u:hunter22@127.0.0.1:1/shop?sslmode=disable": `the database "shop" at 127.0.0.1:1 cannot be used: it cannot be reached`,
	} {
		_, err := store.OpenPostgres(context.Background(), address, store.Options{Patience: 100 * time.Millisecond})
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
	}
}

// A server that goes away for a moment costs time and nothing else.
func TestPostgresRestarts(t *testing.T) {
	server := postgres.Server(t)
	s := postgresDatabase(t).open(t, store.Options{Patience: 30 * time.Second, Lease: time.Minute})
	ids := make([]string, 8)
	for i := range ids {
		ids[i] = create(t, s)
	}
	stop := make(chan struct{})
	counts := make(chan int, len(ids))
	for _, id := range ids {
		go func() {
			n := 0
			for ; ; n++ {
				select {
				case <-stop:
					counts <- n
					return
				default:
					say(t, s, id, "hi", "answer")
				}
			}
		}()
	}
	time.Sleep(200 * time.Millisecond)
	server.Restart(t, 300*time.Millisecond)
	time.Sleep(300 * time.Millisecond)
	close(stop)
	said := 0
	for range ids {
		said += <-counts
	}
	messages, events := 0, 0
	for _, id := range ids {
		messages += len(messagesOf(t, s, id))
		events += len(eventsOf(t, s, id, 0))
	}
	if messages != 2*said || events != 3*said || said == 0 {
		t.Errorf("%d turns left %d messages and %d events", said, messages, events)
	}
}
