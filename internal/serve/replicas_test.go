package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vatio-dev/vatio/internal/serve"
	"github.com/vatio-dev/vatio/internal/serve/store"
)

// lease is short, so that a dead turn is closed soon.
const lease = 500 * time.Millisecond

func openStore(database string) (*store.Store, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if store.IsPostgres(database) {
		return store.OpenPostgres(ctx, database, store.Options{Lease: lease})
	}
	return store.OpenSQLite(ctx, database, store.Options{Lease: lease})
}

// A spec tells a process of a test what to serve.
type spec struct{ Dir, Backend, Database string }

// replica is a process that serves until it is killed.
func replica(text string) {
	var s spec
	err := json.Unmarshal([]byte(text), &s)
	if err != nil {
		panic(err)
	}
	db, err := openStore(s.Database)
	if err != nil {
		panic(err)
	}
	d, err := deployment(s.Dir, s.Backend, newScript())
	if err != nil {
		panic(err)
	}
	current := &serve.Current{}
	current.Set(d)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println("http://" + l.Addr().String())
	server := serve.New(serve.Options{Store: db, Source: current, Log: slog.New(slog.DiscardHandler), Rate: 1e6, Burst: 1e6})
	if err := server.Serve(context.Background(), l); err != nil {
		panic(err)
	}
}

// A process is a replica that can be killed.
type process struct {
	*runtime
	cmd *exec.Cmd
}

func startProcess(t testing.TB, beside *runtime, database string) *process {
	t.Helper()
	text, err := json.Marshal(spec{beside.shop.dir, beside.shop.backend.URL, database})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "VATIO_SERVE_REPLICA="+string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{&runtime{t: t, shop: beside.shop, store: beside.store, key: beside.key}, cmd}
	t.Cleanup(p.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	p.url = strings.TrimSpace(line)
	return p
}

// kill ends the process as kill -9 does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// onBoth runs a test with replicas on one SQLite file and on one PostgreSQL
// database.
func onBoth(t *testing.T, run func(t *testing.T, database string)) {
	t.Run("sqlite", func(t *testing.T) { run(t, filepath.Join(t.TempDir(), "conversations.db")) })
	t.Run("postgres", func(t *testing.T) { run(t, postgres.Server(t).Database(t)) })
}

func startReplica(t testing.TB, shop *shop, database string) *runtime {
	t.Helper()
	db, err := openStore(database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return startOn(t, shop, db, func(o *serve.Options) { o.SweepInterval = 50 * time.Millisecond })
}

func TestTwoReplicas(t *testing.T) {
	onBoth(t, func(t *testing.T, database string) {
		shop := newShop(t)
		one, two := startReplica(t, shop, database), startReplica(t, shop, database)
		two.key = one.key // they share the keys too
		id := one.create("alice")
		path := "/v1/conversations/" + id
		two.say("alice", id, "first")
		l := one.listen("POST", path+"/messages", `{"text":"wait here"}`, one.as("alice")...)
		l.expect(`5 {"type":"user","text":"wait here"}`)
		<-one.model.waiting
		two.refused(two.do("POST", path+"/messages", `{"text":"hi"}`, two.as("alice")...), 409, "turn_running", "a turn of this conversation is running: wait until it has ended")
		elsewhere := two.listen("GET", path+"/events", "", append(two.as("alice"), "Last-Event-ID", "4")...)
		elsewhere.expect(`5 {"type":"user","text":"wait here"}`)
		time.Sleep(2 * lease) // which is renewed
		close(one.model.release)
		for _, l := range []*listener{l, elsewhere} {
			l.expect(`6 {"type":"agent","text":"You said: wait here"}`, `7 {"type":"turn_end","tool_calls":0}`, "end")
		}
		if got := two.say("alice", id, "history"); !strings.Contains(got, `"5 messages."`) {
			t.Error(got)
		}
	})
}

// A replica is killed in the middle of a turn. The others close the turn, and the
// conversation goes on.
func TestAReplicaIsKilled(t *testing.T) {
	onBoth(t, func(t *testing.T, database string) {
		shop := newShop(t)
		living := startReplica(t, shop, database)
		dying := startProcess(t, living, database)
		id := living.create("alice")
		path := "/v1/conversations/" + id
		living.say("alice", id, "first")
		l := dying.listen("POST", path+"/messages", `{"text":"stock slow"}`, dying.as("alice")...)
		l.expect(`5 {"type":"user","text":"stock slow"}`, `6 {"type":"tool_call","id":"1","tool":"check_stock","arguments":{"product":"slow"}}`)
		<-shop.asked
		follower := living.listen("GET", path+"/events", "", append(living.as("alice"), "Last-Event-ID", "5")...)
		follower.expect(`6 {"type":"tool_call","id":"1","tool":"check_stock","arguments":{"product":"slow"}}`)
		dying.kill()
		const interrupted = `{\"result\":\"error\",\"message\":\"the turn was interrupted before the tool answered; whether it did its work is not known\",\"error_key\":\"interrupted\"}`
		follower.expect(
			`7 {"type":"tool_result","id":"1","tool":"check_stock","is_error":true,"content":"`+interrupted+`"}`,
			`8 {"type":"error","message":"the turn was interrupted: the process that ran it stopped"}`,
			`9 {"type":"turn_end","tool_calls":1}`, "end")
		transcript := steady(living.do("GET", path, "", living.as("alice")...).body)
		if !strings.HasSuffix(transcript, `
{"role":"user","text":"stock slow","at":"time"},
{"role":"agent","calls":[{"id":"1","tool":"check_stock","arguments":"{\"product\":\"slow\"}"}],"at":"time"},
{"role":"tool_results","results":[{"id":"1","tool":"check_stock","content":"`+interrupted+`","is_error":true}],"at":"time"},
{"role":"agent","text":"(This turn was interrupted before it was answered.)","at":"time"}]}
`) {
			t.Error(transcript)
		}
		if got := living.say("alice", id, "stock Picker"); !strings.Contains(got, `"id":"2"`) {
			t.Errorf("the next call is numbered as the one that was lost: %s", got)
		}
	})
}

// One of three replicas is killed under load: no message that was accepted is
// lost, none is there twice, and every conversation goes on.
func TestAReplicaIsKilledUnderLoad(t *testing.T) {
	onBoth(t, func(t *testing.T, database string) {
		shop := newShop(t)
		living := startReplica(t, shop, database)
		replicas := []*process{startProcess(t, living, database), startProcess(t, living, database), startProcess(t, living, database)}
		const conversations, turns = 24, 12
		var group sync.WaitGroup
		killed := make(chan struct{})
		ids, sent := make([]string, conversations), make([][]string, conversations)
		for i := range ids {
			ids[i] = living.create("alice")
			group.Go(func() {
				for n := range turns {
					if i == 0 && n == turns/3 {
						replicas[0].kill()
						close(killed)
					}
					text := fmt.Sprintf("stock %d-%d", i, n)
					sent[i] = append(sent[i], text)
					// The client asks again, another replica and by the same name, until
					// it has an answer.
					for try := i + n; ; try++ {
						r := replicas[try%len(replicas)]
						request := r.request(context.Background(), "POST", "/v1/conversations/"+ids[i]+"/messages", `{"text":"`+text+`"}`,
							append(r.as("alice"), "Idempotency-Key", fmt.Sprint(n), "Accept", "application/json")...)
						response, err := http.DefaultClient.Do(request)
						if err == nil {
							response.Body.Close()
							if response.StatusCode == http.StatusOK {
								break
							}
						}
						time.Sleep(20 * time.Millisecond)
					}
				}
			})
		}
		group.Wait()
		<-killed
		interrupted := 0
		for i, id := range ids {
			messages, err := living.store.Messages(t.Context(), "web/alice", id, 0, 1000)
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, m := range messages {
				var body struct{ Role, Text string }
				if err := json.Unmarshal([]byte(m.Body), &body); err != nil {
					t.Fatal(err)
				}
				if body.Role == "user" {
					said = append(said, body.Text)
				}
				if strings.Contains(m.Body, "(This turn was interrupted") {
					interrupted++
				}
			}
			same(t, sent[i], said)
		}
		t.Logf("%d turns were interrupted", interrupted)
		asked := map[string]int{}
		for len(shop.asked) > 0 {
			asked[<-shop.asked]++
		}
		for url, n := range asked {
			if n > 1 {
				t.Errorf("%s was called %d times", url, n)
			}
		}
	})
}

// A turn that was taken away does nothing more.
func TestATurnIsTakenAway(t *testing.T) {
	onBoth(t, func(t *testing.T, database string) {
		r := startReplica(t, newShop(t), database)
		id := r.create("alice")
		l := r.listen("POST", "/v1/conversations/"+id+"/messages", `{"text":"wait"}`, r.as("alice")...)
		l.next()
		l.expect(`2 {"type":"user","text":"wait"}`)
		<-r.model.waiting
		// As if it could not renew its lease for too long.
		takeAway(t, database)
		l.expect(`{"type":"error","message":"the turn was taken away from this server, which could not reach the database in time"}`, "end")
		r.say("alice", id, "after")
		if got := r.do("GET", "/metrics", "").body; !strings.Contains(got, `vatio_turns_total{outcome="lost"} 1`) {
			t.Error(got)
		}
	})
}

// A publish is picked up by the next turn; the one that runs keeps its agent.
func TestAPublish(t *testing.T) {
	r := start(t, nil)
	id := r.create("alice")
	r.say("alice", id, "first")
	l := r.listen("POST", "/v1/conversations/"+id+"/messages", `{"text":"wait"}`, r.as("alice")...)
	l.expect(`5 {"type":"user","text":"wait"}`)
	<-r.model.waiting
	closed := make(chan struct{})
	d, err := deployment(r.shop.dir, r.shop.backend.URL, newScript())
	if err != nil {
		t.Fatal(err)
	}
	current := r.current
	before, release, err := current.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	before.Close()
	release()
	second := d
	second.Version = "sha256:2"
	current.Set(second)
	third := d
	third.Close = func() { close(closed) }
	current.Set(third)
	other := r.create("alice")
	r.say("alice", other, "hi")
	close(r.model.release)
	l.expect(`6 {"type":"agent","text":"You said: wait"}`, `7 {"type":"turn_end","tool_calls":0}`, "end")
	current.Close()
	<-closed
}

// PostgreSQL is restarted under load: turns take longer, and that is all.
func TestPostgresRestartsUnderLoad(t *testing.T) {
	server := postgres.Server(t)
	db, err := store.OpenPostgres(t.Context(), server.Database(t), store.Options{Patience: 30 * time.Second, Lease: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	r := startOn(t, newShop(t), db, nil)
	const conversations = 16
	stop := make(chan struct{})
	var group sync.WaitGroup
	ids, sent := make([]string, conversations), make([][]string, conversations)
	for i := range ids {
		ids[i] = r.create("alice")
	}
	for i := range ids {
		group.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				text := fmt.Sprintf("stock %d-%d", i, n)
				sent[i] = append(sent[i], text)
				got := r.say("alice", ids[i], text)
				if !strings.HasSuffix(got, `{"type":"turn_end","tool_calls":1}]`+"\n") || strings.Contains(got, `"type":"error"`) {
					t.Errorf("%s: %s", text, got)
				}
			}
		})
	}
	for range 2 {
		time.Sleep(300 * time.Millisecond)
		server.Restart(t, 300*time.Millisecond)
	}
	time.Sleep(300 * time.Millisecond)
	close(stop)
	group.Wait()
	for i, id := range ids {
		messages, err := db.Messages(t.Context(), "web/alice", id, 0, 100000)
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, m := range messages {
			var body struct{ Role, Text string }
			if err := json.Unmarshal([]byte(m.Body), &body); err != nil {
				t.Fatal(err)
			}
			if body.Role == "user" {
				said = append(said, body.Text)
			}
		}
		same(t, sent[i], said)
		same(t, 4*len(sent[i]), len(messages))
	}
}
