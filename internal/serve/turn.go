package serve

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/vatio-dev/vatio/internal/builtin"
	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/serve/store"
	"github.com/vatio-dev/vatio/internal/toolbox"
	"github.com/vatio-dev/vatio/pkg/executor"
)

var (
	errTurnTimeout = errors.New("the turn took too long")
	errPanic       = errors.New("the turn failed badly")
)

// A liveTurn is a turn that runs in this process. Its events are stored in the
// background and shown to clients once they are.
type liveTurn struct {
	*Server
	turn       *store.Turn
	deployment Deployment
	caller     toolbox.Caller
	visitor    *builtin.Visitor
	says       string
	engine     chat.Engine
	cancel     context.CancelCauseFunc
	wake       chan struct{} // for the storing goroutine; has room for one

	mu      sync.Mutex
	items   []item // everything that was emitted, in order
	sent    int    // items that were taken for storing
	visible int    // items that clients may see
	ending  bool   // what comes now is stored with the end of the turn
	traces  []store.Trace
	done    bool          // nothing comes any more
	lost    error         // why the end could not be stored; nil when it was
	changed chan struct{} // closed, and replaced, when visible or done change
}

// An item is an event of a turn. Pieces of an answer are shown and not stored:
// they have no number.
type item struct {
	seq   int64
	delta bool
	body  []byte
}

// newTurn prepares a turn that is about to begin.
func (s *Server) newTurn(turn *store.Turn, d Deployment, c toolbox.Caller, says string, stream bool) *liveTurn {
	lt := &liveTurn{
		Server: s, turn: turn, deployment: d, caller: c, visitor: &builtin.Visitor{}, says: strings.TrimSpace(says),
		wake: make(chan struct{}, 1), changed: make(chan struct{}),
	}
	lt.visitor.SetChannel(turn.Channel)
	lt.visitor.Update(func(known *executor.Contact) { *known = turn.Contact })
	lt.engine = *d.Engine(&measuredTools{d.Toolbox(lt.visitor, c, nil), lt})
	lt.engine.Model = &measuredModel{lt.engine.Model, s.metrics}
	lt.engine.Stream = stream
	return lt
}

// opening returns the events that the turn begins with: those that the engine
// emits for what the visitor says, and before the first the one that describes
// the conversation.
func (lt *liveTurn) opening(ctx context.Context) [][]byte {
	var bodies [][]byte
	add := func(e chat.Event) { bodies = append(bodies, chat.AppendEvent(nil, e)) }
	if lt.turn.First {
		add(chat.Event{Type: chat.StartEvent, Start: lt.start(ctx)})
	}
	if phone := lt.turn.Shared(); phone != "" {
		add(chat.Event{Type: chat.UserEvent, Text: chat.SharedNote(phone)})
	}
	if lt.says != "" {
		add(chat.Event{Type: chat.UserEvent, Text: lt.says})
	}
	return bodies
}

// begin lets the turn run in the background, for which a slot was taken. events is
// the stored opening.
func (lt *liveTurn) begin(turn *store.Turn, events []store.Event, release func()) {
	s := lt.Server
	lt.turn = turn
	for _, e := range events {
		lt.items = append(lt.items, item{seq: e.Seq, body: []byte(e.Body)})
	}
	lt.sent, lt.visible = len(lt.items), len(lt.items)
	timed, stopTimer := context.WithTimeoutCause(s.base, s.TurnTimeout, errTurnTimeout)
	ctx, cancel := context.WithCancelCause(timed)
	lt.cancel = cancel
	s.mu.Lock()
	s.live[turn.ID] = lt
	s.mu.Unlock()
	go func() {
		defer s.running.Done()
		defer func() { <-s.slots }()
		defer release()
		defer stopTimer()
		defer cancel(nil)
		lt.run(ctx)
		s.mu.Lock()
		if s.live[turn.ID] == lt { // and not the next one already
			delete(s.live, turn.ID)
		}
		s.mu.Unlock()
	}()
}

// liveOf returns the turn of a conversation that runs in this process, or nil.
func (s *Server) liveOf(id string) *liveTurn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live[id]
}

func (lt *liveTurn) run(ctx context.Context) {
	begin := time.Now()
	before := len(lt.turn.History.Messages())
	storing, renewing := make(chan struct{}), make(chan struct{})
	engineDone, stopRenewing := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(storing)
		for range lt.wake {
			lt.store(engineDone)
		}
	}()
	go func() {
		defer close(renewing)
		lt.renew(engineDone)
	}()
	err := lt.talk(ctx)
	close(lt.wake)
	stopRenewing()
	<-storing
	<-renewing

	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	outcome := lt.finish(ending, err, lt.turn.History.Messages()[before:])
	took := time.Since(begin)
	lt.metrics.turns(outcome).Inc()
	lt.metrics.turnSeconds.Update(took.Seconds())
	lt.logTurn(outcome, took, err)
}

// talk runs the engine. A panic in it is an error.
func (lt *liveTurn) talk(ctx context.Context) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			lt.Log.Error("a turn failed badly", "conversation", lt.turn.ID, "fault", fault, "stack", string(debug.Stack()))
			err = errPanic
		}
	}()
	return lt.engine.Turn(ctx, lt.turn.History, lt.says, lt.emit)
}

func (lt *liveTurn) start(ctx context.Context) *chat.Start {
	provider, model := lt.engine.Model.Name()
	start := &chat.Start{Workspace: lt.deployment.Workspace, Environment: lt.deployment.Environment, Provider: provider, Model: model}
	for _, tool := range lt.engine.Tools.Tools(ctx) {
		start.Tools = append(start.Tools, tool.Name)
	}
	return start
}

// emit takes an event of the engine. It does not wait for the database.
func (lt *liveTurn) emit(e chat.Event) {
	if e.Type == chat.UserEvent {
		return // part of the opening
	}
	body := chat.AppendEvent(nil, e)
	lt.mu.Lock()
	lt.items = append(lt.items, item{delta: e.Type == chat.AgentDeltaEvent, body: body})
	wake := false
	switch e.Type {
	case chat.AgentDeltaEvent:
		if lt.visible == len(lt.items)-1 {
			lt.visible++
			lt.tell()
		}
	case chat.ErrorEvent, chat.TurnEndEvent:
		lt.ending = true
	case chat.ToolCallEvent, chat.ToolResultEvent:
		wake = true
	}
	lt.mu.Unlock()
	if wake {
		lt.stir()
	}
}

func (lt *liveTurn) stir() {
	select {
	case lt.wake <- struct{}{}:
	default:
	}
}

// tell wakes whoever waits for a change. lt.mu must be held.
func (lt *liveTurn) tell() {
	close(lt.changed)
	lt.changed = make(chan struct{})
}

// store stores what was emitted, for as long as the turn runs: while the database
// is away it waits for it.
func (lt *liveTurn) store(running context.Context) {
	ctx := context.WithoutCancel(running)
	for {
		lt.mu.Lock()
		if lt.ending {
			lt.mu.Unlock()
			return
		}
		batch, last := lt.batch()
		lt.mu.Unlock()
		if len(batch.Events) == 0 {
			return
		}
		events, err := lt.turn.Append(ctx, batch)
		switch {
		case err == nil:
			lt.mu.Lock()
			lt.show(events, last)
			lt.traces = lt.traces[len(batch.Traces):]
			lt.mu.Unlock()
			return
		case errors.Is(err, store.ErrUnavailable) && running.Err() == nil:
			lt.metrics.storeErrors.Inc()
			lt.Log.Error("cannot store what happens in a turn: trying again", "conversation", lt.turn.ID)
		default:
			lt.cancel(err)
			return
		}
	}
}

// batch returns what is not stored yet and the number of items that it reaches.
// lt.mu must be held.
func (lt *liveTurn) batch() (store.Batch, int) {
	b := store.Batch{Traces: lt.traces, Name: lt.visitor.Contact().Name}
	for _, it := range lt.items[lt.sent:] {
		if !it.delta {
			b.Events = append(b.Events, it.body)
		}
	}
	return b, len(lt.items)
}

// show lets clients see what was stored. lt.mu must be held.
func (lt *liveTurn) show(events []store.Event, last int) {
	for i := lt.sent; i < last; i++ {
		if !lt.items[i].delta {
			lt.items[i].seq = events[0].Seq
			events = events[1:]
		}
	}
	lt.sent, lt.visible = last, last
	for lt.visible < len(lt.items) && lt.items[lt.visible].delta {
		lt.visible++
	}
	lt.tell()
}

// settled waits until all that was emitted before is stored.
func (lt *liveTurn) settled(ctx context.Context) error {
	lt.mu.Lock()
	want := len(lt.items)
	for lt.sent < want {
		changed := lt.changed
		lt.mu.Unlock()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
		lt.mu.Lock()
	}
	lt.mu.Unlock()
	return ctx.Err()
}

// renew keeps the lease.
func (lt *liveTurn) renew(ctx context.Context) {
	ticker := time.NewTicker(lt.Store.Lease() / 4)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if err := lt.turn.Renew(ctx); errors.Is(err, store.ErrFenced) {
				lt.cancel(err)
				return
			}
		}
	}
}

// finish stores the end of the turn and says how it ended.
func (lt *liveTurn) finish(ctx context.Context, failed error, messages []chat.Message) string {
	lt.mu.Lock()
	batch, last := lt.batch()
	lt.mu.Unlock()
	outcome := outcomeOf(failed, lt.turn.History.HandedOff())
	var events []store.Event
	err := failed
	if failed == errPanic {
		if abandoned := lt.turn.Abandon(ctx); abandoned != nil {
			err = abandoned
		}
	} else {
		for {
			events, err = lt.turn.Finish(ctx, batch, messages, lt.turn.History.HandedOff())
			if !errors.Is(err, store.ErrUnavailable) || ctx.Err() != nil {
				break
			}
			lt.metrics.storeErrors.Inc()
			lt.Log.Error("cannot store the end of a turn: trying again", "conversation", lt.turn.ID)
		}
	}
	lt.mu.Lock()
	defer lt.mu.Unlock()
	lt.done = true
	if err != nil {
		lt.lost = err
		lt.tell()
		return "lost"
	}
	lt.show(events, last)
	return outcome
}

func outcomeOf(failed error, handedOff bool) string {
	switch {
	case failed == errPanic:
		return "lost"
	case errors.Is(failed, chat.ErrCancelled):
		return "cancelled"
	case failed != nil:
		return "failed"
	case handedOff:
		return "handed_off"
	}
	return "answered"
}

// since returns the items that may be seen after the first n, whether nothing
// comes any more, and what is closed when there is a change.
func (lt *liveTurn) since(n int) (items []item, done bool, changed <-chan struct{}) {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	return lt.items[n:max(n, lt.visible)], lt.done, lt.changed
}

// failure says to a client why a turn has no end; nil when it has.
func (lt *liveTurn) failure() *problem {
	lt.mu.Lock()
	defer lt.mu.Unlock()
	switch {
	case lt.lost == nil:
		return nil
	case errors.Is(lt.lost, store.ErrFenced):
		return refuse(503, "interrupted", "the turn was taken away from this server, which could not reach the database in time")
	case lt.lost == errPanic:
		return refuse(500, "internal", "the turn failed: something went wrong here")
	}
	return refuse(503, "unavailable", "the turn could not be stored: the database does not answer").after(5 * time.Second)
}

func (lt *liveTurn) logTurn(outcome string, took time.Duration, err error) {
	attrs := []slog.Attr{
		slog.String("conversation", lt.turn.ID), slog.Int64("turn", lt.turn.Number), slog.String("owner", lt.caller.Owner),
		slog.String("outcome", outcome), slog.Float64("ms", float64(took.Microseconds())/1000), slog.String("deployment", lt.deployment.Version),
	}
	level := slog.LevelInfo
	if err != nil {
		level = slog.LevelWarn
		attrs = append(attrs, slog.String("error", err.Error()))
		if cause := errors.Unwrap(err); errors.Is(err, chat.ErrCancelled) && cause == nil {
			attrs = append(attrs, slog.String("cause", causeOf(err)))
		}
	}
	lt.Log.LogAttrs(context.Background(), level, "turn", attrs...)
}

// causeOf names what ended a turn from outside.
func causeOf(err error) string {
	for _, known := range []error{errTurnTimeout, errShutdown, store.ErrFenced, store.ErrUnavailable} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return ""
}

// measuredTools are the tools of a turn. A call waits until it is stored, so that
// no call is made that nobody would know of.
type measuredTools struct {
	chat.Toolbox
	lt *liveTurn
}

func (m *measuredTools) Call(ctx context.Context, c chat.Call) (o chat.Outcome) {
	defer func() {
		if fault := recover(); fault != nil {
			m.lt.Log.Error("a tool call failed badly", "conversation", m.lt.turn.ID, "tool", c.Tool, "fault", fault, "stack", string(debug.Stack()))
			o = chat.Outcome{Content: executor.ErrorResult("the tool could not be called: something went wrong here", "internal"), IsError: true}
		}
	}()
	if err := m.lt.settled(ctx); err != nil {
		return chat.Outcome{Content: executor.ErrorResult("the turn was cancelled before the tool was called", "cancelled"), IsError: true}
	}
	begin := time.Now()
	o = m.Toolbox.Call(ctx, c)
	m.lt.metrics.called(c.Tool, o, time.Since(begin))
	if m.lt.Traces && o.HTTP != nil {
		trace := store.Trace{Call: c.ID, Body: appendTrace(nil, c, o.HTTP)}
		m.lt.mu.Lock()
		m.lt.traces = append(m.lt.traces, trace)
		m.lt.mu.Unlock()
	}
	return o
}

// measuredModel is the model of a turn.
type measuredModel struct {
	chat.Model
	metrics *meters
}

func (m *measuredModel) Next(ctx context.Context, r chat.Request, delta func(string)) (chat.Reply, error) {
	begin := time.Now()
	reply, err := m.Model.Next(ctx, r, delta)
	provider, _ := m.Name()
	m.metrics.asked(provider, time.Since(begin), err != nil && ctx.Err() == nil)
	return reply, err
}

// slot takes the right to run a turn.
func (s *Server) slot() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping() {
		return stoppingProblem()
	}
	select {
	case s.slots <- struct{}{}:
		s.running.Add(1)
		return nil
	default:
		s.metrics.full.Inc()
		return refuse(503, "too_many_turns", "%d turns are running, which is all that may: try again", s.Turns).after(time.Second)
	}
}

// leave gives the right of slot back, where no turn was started.
func (s *Server) leave() {
	<-s.slots
	s.running.Done()
}
