package anthropic

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/model/remote"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// What stands where the API insists on words and a conversation has none.
const (
	notBegun   = "(The visitor has not written yet.)"
	goOn       = "(Go on.)"
	emptyError = "(The tool failed and said nothing.)"
)

// toolSet returns the tools as they travel.
func (m *Model) toolSet(tools []chat.Tool) *remote.ToolSet {
	return m.tools.Of(tools, func(t chat.Tool) remote.Adapted { return remote.Adapt(provider, t) },
		func(dst []byte, t chat.Tool, a remote.Adapted) ([]byte, string) {
			dst = jsondoc.AppendQuote(append(dst, `{"name":`...), t.Name)
			if !remote.Blank(a.Tool.Description) {
				dst = jsondoc.AppendQuote(append(dst, `,"description":`...), a.Tool.Description)
			}
			dst = append(dst, `,"input_schema":`...)
			return append(a.Tool.Parameters.AppendCompact(dst), '}'), ""
		})
}

// request writes the body. It has nothing that a server may not know.
func (m *Model) request(r chat.Request, tools *remote.ToolSet) []byte {
	dst := make([]byte, 0, 1024+len(tools.Encoded())+len(r.Instructions)+remote.Size(r.Messages))
	dst = jsondoc.AppendQuote(append(dst, `{"model":`...), m.name)
	dst = strconv.AppendInt(append(dst, `,"max_tokens":`...), MaxTokens, 10)
	if !remote.Blank(r.Instructions) {
		dst = jsondoc.AppendQuote(append(dst, `,"system":`...), strings.TrimSpace(r.Instructions))
	}
	w := writer{dst: append(dst, `,"messages":[`...), tools: tools}
	for _, message := range r.Messages {
		w.message(message)
	}
	w.end()
	dst = append(w.dst, ']')
	switch {
	case len(r.Tools) > 0:
		dst = append(append(dst, `,"tools":`...), tools.Encoded()...)
	case len(w.called) > 0: // a history with calls is refused without tools
		dst = append(dst, `,"tools":[`...)
		for i, name := range w.called {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = jsondoc.AppendQuote(append(dst, `{"name":`...), name)
			dst = append(dst, `,"input_schema":{"type":"object"}}`...)
		}
		dst = append(dst, `],"tool_choice":{"type":"none"}`...)
	}
	return append(dst, `,"stream":true}`...)
}

// A writer appends messages. Those of one side that follow one another become
// one, because the two sides have to take turns.
type writer struct {
	dst    []byte
	tools  *remote.ToolSet
	role   string // of the message that is open; "": none yet
	text   string // that waits to become a block of it
	called []string
}

func (w *writer) message(m chat.Message) {
	switch m.Role {
	case chat.User:
		w.say("user", m.Text)
	case chat.Human:
		if !remote.Blank(m.Text) {
			w.say("assistant", remote.HumanText(m.Text))
		}
	case chat.Agent:
		w.say("assistant", m.Text)
		for _, c := range m.Calls {
			w.call(c)
		}
	case chat.ToolResults:
		for _, r := range m.Results {
			w.result(r)
		}
	}
}

// say puts a text with what waits of the same side.
func (w *writer) say(role, text string) {
	if remote.Blank(text) {
		return
	}
	w.turn(role)
	if w.text != "" {
		w.text += "\n\n"
	}
	w.text += text
}

func (w *writer) call(c chat.Call) {
	w.turn("assistant")
	name := remote.ToolName(c.Tool)
	if !slices.Contains(w.called, name) {
		w.called = append(w.called, name)
	}
	w.block()
	w.dst = append(w.dst, `{"type":"tool_use","id":`...)
	w.dst = jsondoc.AppendQuote(w.dst, remote.CallID(c.ID))
	w.dst = append(w.dst, `,"name":`...)
	w.dst = jsondoc.AppendQuote(w.dst, name)
	w.dst = append(w.dst, `,"input":`...)
	w.dst = append(append(w.dst, w.tools.Named(c.Tool).Theirs(c.Arguments)...), '}')
}

func (w *writer) result(r chat.Result) {
	w.turn("user")
	w.block()
	w.dst = append(w.dst, `{"type":"tool_result","tool_use_id":`...)
	w.dst = jsondoc.AppendQuote(w.dst, remote.CallID(r.ID))
	content := r.Content
	if remote.Blank(content) {
		content = ""
		if r.IsError {
			content = emptyError
		}
	}
	if content != "" {
		w.dst = jsondoc.AppendQuote(append(w.dst, `,"content":`...), content)
	}
	if r.IsError {
		w.dst = append(w.dst, `,"is_error":true`...)
	}
	w.dst = append(w.dst, '}')
}

// turn makes role's the message that is open. The first is the user's.
func (w *writer) turn(role string) {
	switch {
	case w.role == role:
		return
	case w.role != "":
		w.close()
		w.dst = append(w.dst, ',')
	case role != "user":
		w.turn("user")
		w.text = notBegun
		w.turn(role)
		return
	}
	w.role = role
	w.dst = append(append(append(w.dst, `{"role":"`...), role...), `","content":[`...)
}

// block begins a block, behind the text that waits.
func (w *writer) block() {
	w.flush()
	if w.dst[len(w.dst)-1] != '[' {
		w.dst = append(w.dst, ',')
	}
}

func (w *writer) flush() {
	if text := w.text; text != "" {
		w.text = ""
		w.block()
		w.dst = append(w.dst, `{"type":"text","text":`...)
		w.dst = append(jsondoc.AppendQuote(w.dst, text), '}')
	}
}

func (w *writer) close() {
	w.flush()
	w.dst = append(w.dst, "]}"...)
}

// end closes the last message, which is the user's: what the assistant has said
// last, a model would only write on.
func (w *writer) end() {
	switch w.role {
	case "":
		w.say("user", notBegun)
	case "assistant":
		w.say("user", goOn)
	}
	w.close()
}
