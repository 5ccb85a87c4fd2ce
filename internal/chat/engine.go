package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// DefaultBudget is how many tool calls a turn may make where nothing else is
// configured.
const DefaultBudget = 8

// An Engine runs turns. It keeps nothing between them, so one Engine may run
// the turns of many conversations at once if its Toolbox allows that.
type Engine struct {
	Model        Model
	Tools        Toolbox
	Instructions string
	Budget       int  // tool calls per turn; 0: DefaultBudget
	Stream       bool // emit agent_delta events while the model writes
}

// Errors of Turn that a caller may want to tell apart.
var (
	ErrBlank     = errors.New("the message is blank: write something to say")
	ErrCancelled = errors.New("the turn was cancelled")
)

// The notes that stand in the history for an answer that never came. They keep
// visitor and agent taking turns, which some models insist on.
const (
	cancelledNote = "(This turn was cancelled before it was answered.)"
	failedNote    = "(This turn failed before it was answered.)"
)

const handedOffText = "a person has this conversation; the agent does not answer until it is resumed"

// Turn runs one turn: it adds text to conv, asks the model, dispatches its
// calls, and returns when the model has answered. Every event is given to
// emit, in order, on the goroutine that called Turn; the last one is turn_end,
// but for blank text, which is refused with an error event alone.
//
// Each error that Turn returns has been emitted as an error event before.
// A done ctx gives an error that is ErrCancelled and the context's own; conv
// can be used again after any error.
func (e *Engine) Turn(ctx context.Context, conv *Conversation, text string, emit func(Event)) error {
	text = strings.TrimSpace(text)
	if text == "" && conv.shared == "" {
		emit(Event{Type: ErrorEvent, Text: ErrBlank.Error()})
		return ErrBlank
	}
	t := turn{Engine: e, conv: conv, emit: emit, budget: e.Budget}
	if t.budget <= 0 {
		t.budget = DefaultBudget
	}
	if conv.shared != "" {
		t.say(User, UserEvent, SharedNote(conv.shared))
		conv.shared = ""
	}
	if text != "" {
		t.say(User, UserEvent, text)
	}
	err := t.run(ctx)
	if err != nil {
		note := failedNote
		if ctx.Err() != nil {
			note = cancelledNote
			err = fmt.Errorf("%w%w", ErrCancelled, silent{context.Cause(ctx)})
		}
		conv.messages = append(conv.messages, Message{Role: Agent, Text: note})
		emit(Event{Type: ErrorEvent, Text: err.Error()})
	}
	emit(Event{Type: TurnEndEvent, ToolCalls: t.calls})
	return err
}

// silent keeps an error findable with errors.Is and out of the text that
// people read.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }

// A turn is the state of one Turn.
type turn struct {
	*Engine
	conv   *Conversation
	emit   func(Event)
	budget int
	calls  int
	tools  []Tool
}

func (t *turn) say(role Role, event EventType, text string) {
	t.conv.messages = append(t.conv.messages, Message{Role: role, Text: text})
	t.emit(Event{Type: event, Text: text})
}

func (t *turn) run(ctx context.Context) error {
	if t.conv.handedOff {
		t.emit(Event{Type: HandoffEvent, Text: handedOffText})
		return nil
	}
	t.tools = t.Tools.Tools(ctx)
	offered := t.tools
	// Each round spends budget until one is refused; the model then gets a
	// round without tools. What goes on after that goes on for ever.
	for range t.budget + 3 {
		if ctx.Err() != nil {
			return ErrCancelled
		}
		reply, err := t.ask(ctx, offered)
		if err != nil {
			return err
		}
		if len(reply.Calls) == 0 {
			if strings.TrimSpace(reply.Text) == "" {
				return errors.New("the model gave an empty answer: ask again, or choose another model")
			}
			t.say(Agent, AgentEvent, reply.Text)
			return nil
		}
		d := t.dispatch(ctx, reply)
		switch {
		case ctx.Err() != nil:
			return ErrCancelled
		case d.handoff:
			t.conv.handedOff = true
			t.emit(Event{Type: HandoffEvent, Text: handedOffText})
			t.endWith(d)
			return nil
		case d.end:
			t.endWith(d)
			return nil
		case d.refused:
			offered = nil
		}
	}
	return fmt.Errorf("the model kept calling tools after %d of its answers: the turn was ended", t.budget+3)
}

func (t *turn) ask(ctx context.Context, offered []Tool) (Reply, error) {
	var delta func(string)
	if t.Stream {
		delta = func(text string) {
			if text != "" {
				t.emit(Event{Type: AgentDeltaEvent, Text: text})
			}
		}
	}
	return t.Model.Next(ctx, Request{
		Instructions: t.Instructions,
		Tools:        offered,
		Messages:     slices.Clip(t.conv.messages),
	}, delta)
}

// endWith closes a turn that a tool ended: the agent's words are those that
// came with the call, or else the result's message.
func (t *turn) endWith(d dispatched) {
	if d.endText != "" {
		t.say(Agent, AgentEvent, d.endText)
	}
}

// dispatched is what became of the calls of one answer.
type dispatched struct {
	refused bool   // every call was over the budget
	end     bool   // a tool ended the turn
	handoff bool   // a person has the conversation now
	endText string // what the agent says then
}

// dispatch runs the calls of one answer concurrently. It writes the answer and
// all of its results into the history, whatever happens.
func (t *turn) dispatch(ctx context.Context, reply Reply) dispatched {
	calls := slices.Clone(reply.Calls)
	for i := range calls {
		calls[i].ID = t.conv.nextID()
		if strings.TrimSpace(calls[i].Arguments) == "" {
			calls[i].Arguments = "{}" // what some models write for none
		}
	}
	if strings.TrimSpace(reply.Text) != "" {
		t.emit(Event{Type: AgentEvent, Text: reply.Text})
	}
	for _, c := range calls {
		t.emit(Event{Type: ToolCallEvent, ID: c.ID, Tool: c.Tool, Arguments: c.Arguments})
	}

	d := dispatched{refused: true}
	answers := make([]chan Outcome, len(calls))
	for i, c := range calls {
		answers[i] = make(chan Outcome, 1)
		t.calls++
		if t.calls > t.budget {
			answers[i] <- refusal("tool_budget_spent", "all %d tool calls of this turn are used: answer with what is known", t.budget)
			continue
		}
		d.refused = false
		if o, bad := t.faulty(c); bad {
			answers[i] <- o
			continue
		}
		go func() { answers[i] <- t.call(ctx, c) }()
	}

	results := make([]Result, len(calls))
	for i, c := range calls {
		o := <-answers[i]
		results[i] = Result{ID: c.ID, Tool: c.Tool, Content: o.Content, IsError: o.IsError}
		ev := Event{Type: ToolResultEvent, ID: c.ID, Tool: c.Tool, Content: o.Content, IsError: o.IsError}
		if h := o.HTTP; h != nil {
			ev.HTTP = &HTTP{Method: h.Method, URL: h.URL, Status: h.Status, DurationMS: h.Duration.Milliseconds()}
		}
		t.emit(ev)
		handoff := c.Tool == HandoffTool && !o.IsError
		if (o.EndTurn || handoff) && d.endText == "" {
			d.endText = messageOf(o.Content)
		}
		d.end = d.end || o.EndTurn
		d.handoff = d.handoff || handoff
	}
	if strings.TrimSpace(reply.Text) != "" && !d.handoff {
		d.endText = ""
	}
	t.conv.messages = append(t.conv.messages,
		Message{Role: Agent, Text: reply.Text, Calls: calls},
		Message{Role: ToolResults, Results: results})
	return d
}

// call runs one call. What a cancelled turn cuts short is told as that, and
// not as a fault of the service.
func (t *turn) call(ctx context.Context, c Call) Outcome {
	o := t.Tools.Call(ctx, c)
	if ctx.Err() != nil && o.IsError {
		http := o.HTTP
		o = refusal("cancelled", "the turn was cancelled before the tool answered; whether it did its work is not known")
		o.HTTP = http
	}
	return o
}

// faulty returns the result of a call that cannot be run: an invented name, or
// arguments that are no JSON.
func (t *turn) faulty(c Call) (Outcome, bool) {
	if !slices.ContainsFunc(t.tools, func(tool Tool) bool { return tool.Name == c.Tool }) {
		if len(t.tools) == 0 {
			return refusal("unknown_tool", "there is no tool %q: no tools are available", c.Tool), true
		}
		names := make([]string, len(t.tools))
		for i, tool := range t.tools {
			names[i] = tool.Name
		}
		return refusal("unknown_tool", "there is no tool %q: the tools are %s", c.Tool, strings.Join(names, ", ")), true
	}
	if _, err := jsondoc.Parse([]byte(c.Arguments)); err != nil {
		return refusal("invalid_arguments", "the arguments are no JSON: %s", err), true
	}
	return Outcome{}, false
}

func refusal(key, format string, args ...any) Outcome {
	return Outcome{Content: executor.ErrorResult(fmt.Sprintf(format, args...), key), IsError: true}
}

// messageOf returns the message of a tool's result, or all of a result that
// is no such object.
func messageOf(content string) string {
	if v, err := jsondoc.Parse([]byte(content)); err == nil {
		if m := v.Get("message"); m.Kind() == jsondoc.String {
			return m.Text()
		}
	}
	return strings.TrimSpace(content)
}
