package openai

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/model/remote"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// longestDescription is how many characters OpenAI takes of a tool's description.
const longestDescription = 1024

// toolSet returns the tools as they travel.
func (m *Model) toolSet(tools []chat.Tool) *remote.ToolSet {
	return m.tools.Of(tools, adapt, func(dst []byte, t chat.Tool, a remote.Adapted) ([]byte, string) {
		dst = append(dst, `{"type":"function","function":{"name":`...)
		dst = jsondoc.AppendQuote(dst, t.Name)
		dst = append(dst, `,"description":`...)
		dst = jsondoc.AppendQuote(dst, a.Tool.Description)
		dst = append(dst, `,"parameters":`...)
		dst = a.Tool.Parameters.AppendCompact(dst)
		note := ""
		if full := remote.Description(t); full != a.Tool.Description {
			note = "\n\nMore about the tool " + t.Name + ":\n" + full
		}
		return append(dst, "}}"...), note
	})
}

func adapt(t chat.Tool) remote.Adapted {
	a := remote.Adapt(provider, t)
	if short := shorten(a.Tool.Description); short != a.Tool.Description {
		a.Tool.Description = short
		a.Changes = append(a.Changes, fmt.Sprintf("the description is longer than %d characters: the whole of it stands in the instructions", longestDescription))
	}
	return a
}

// shorten cuts a description that is too long behind a word.
func shorten(text string) string {
	if utf8.RuneCountInString(text) <= longestDescription {
		return text
	}
	n, cut := 0, 0
	for i, r := range text {
		if n++; n >= longestDescription {
			if cut == 0 {
				cut = i
			}
			break
		}
		if r == ' ' || r == '\n' {
			cut = i
		}
	}
	return strings.TrimRight(text[:cut], " \n") + "…"
}

// request writes the body. It has nothing that a server may not know.
func (m *Model) request(r chat.Request, tools *remote.ToolSet) []byte {
	dst := make([]byte, 0, 1024+len(tools.Encoded())+len(r.Instructions)+remote.Size(r.Messages))
	dst = jsondoc.AppendQuote(append(dst, `{"model":`...), m.name)
	dst = append(dst, `,"messages":`...)
	w := writer{dst: append(dst, '['), tools: tools}
	w.system(strings.TrimSpace(r.Instructions + tools.Notes()))
	for _, message := range r.Messages {
		w.message(message)
	}
	w.flush()
	dst = append(w.dst, ']')
	if len(r.Tools) > 0 {
		dst = append(append(dst, `,"tools":`...), tools.Encoded()...)
	}
	return append(dst, `,"stream":true}`...)
}

// A writer appends messages. Texts of one side that follow one another become
// one message, because the templates of some models insist on turns.
type writer struct {
	dst   []byte
	tools *remote.ToolSet
	role  string // of the text that waits; "": none
	text  string
}

func (w *writer) system(text string) {
	if text != "" {
		w.open("system", text)
		w.dst = append(w.dst, '}')
	}
}

func (w *writer) message(m chat.Message) {
	switch m.Role {
	case chat.User:
		w.say("user", m.Text)
	case chat.Human:
		w.say("assistant", remote.HumanText(m.Text))
	case chat.Agent:
		w.say("assistant", m.Text)
		if len(m.Calls) > 0 {
			w.calls(m.Calls)
		}
	case chat.ToolResults:
		w.flush()
		for _, r := range m.Results {
			w.comma()
			w.dst = append(w.dst, `{"role":"tool","tool_call_id":`...)
			w.dst = jsondoc.AppendQuote(w.dst, remote.CallID(r.ID))
			w.dst = append(w.dst, `,"content":`...)
			w.dst = append(jsondoc.AppendQuote(w.dst, r.Content), '}')
		}
	}
}

// say puts a text with what waits of the same side.
func (w *writer) say(role, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if w.role == role {
		w.text += "\n\n" + text
		return
	}
	w.flush()
	w.role, w.text = role, text
}

// calls writes the assistant's text that waits, if any, with its calls.
func (w *writer) calls(calls []chat.Call) {
	text := ""
	if w.role == "assistant" {
		text, w.role, w.text = w.text, "", ""
	}
	w.flush()
	w.open("assistant", text)
	w.dst = append(w.dst, `,"tool_calls":[`...)
	for i, c := range calls {
		if i > 0 {
			w.dst = append(w.dst, ',')
		}
		w.dst = append(w.dst, `{"id":`...)
		w.dst = jsondoc.AppendQuote(w.dst, remote.CallID(c.ID))
		w.dst = append(w.dst, `,"type":"function","function":{"name":`...)
		w.dst = jsondoc.AppendQuote(w.dst, remote.ToolName(c.Tool))
		w.dst = append(w.dst, `,"arguments":`...)
		w.dst = jsondoc.AppendQuote(w.dst, w.tools.Named(c.Tool).Theirs(c.Arguments))
		w.dst = append(w.dst, "}}"...)
	}
	w.dst = append(w.dst, "]}"...)
}

func (w *writer) flush() {
	if w.role != "" {
		w.open(w.role, w.text)
		w.dst = append(w.dst, '}')
		w.role, w.text = "", ""
	}
}

// open begins a message.
func (w *writer) open(role, text string) {
	w.comma()
	w.dst = append(append(append(w.dst, `{"role":"`...), role...), `","content":`...)
	w.dst = jsondoc.AppendQuote(w.dst, text)
}

func (w *writer) comma() {
	if w.dst[len(w.dst)-1] != '[' {
		w.dst = append(w.dst, ',')
	}
}
