package offline

import (
	"slices"
	"strings"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

const maxText = 2000 // characters of a plain answer

// afterResults answers the results that just came.
func (d *dialogue) afterResults(messages []chat.Message) chat.Reply {
	n := len(messages)
	results := messages[n-1].Results
	ph := d.language(messages).phrases()
	ask := false
	var parts []string
	for i, r := range results {
		v, _ := jsondoc.Parse([]byte(r.Content))
		if r.Tool == chat.IdentifyContactTool && !r.IsError {
			if c, ok := failed(messages[:n-1], "missing_contact_name"); ok && d.find(c.Tool) != nil {
				return call(c.Tool, c.Arguments)
			}
		}
		text := ph.result(r.Content, v)
		if way := d.wayOut(v.Get("error_key").Text(), ph); r.IsError && way != "" {
			text += "\n" + way
		}
		ask = ask || r.IsError && v.Get("error_key").Text() == "missing_contact_phone"
		if i == 0 || text != parts[len(parts)-1] {
			parts = append(parts, text)
		}
	}
	if ask && d.find(chat.RequestContactInfoTool) != nil && !calledThisTurn(messages, chat.RequestContactInfoTool) {
		reply := call(chat.RequestContactInfoTool, "{}")
		reply.Text = ph.needPhone
		return reply
	}
	return say(strings.Join(parts, "\n\n"))
}

// wayOut tells how a contact that a tool misses is given, where no tool asks
// for it.
func (d *dialogue) wayOut(key string, ph *phrases) string {
	switch {
	case key == "missing_contact_phone" && d.find(chat.RequestContactInfoTool) == nil:
		return ph.givePhone
	case key == "missing_contact_email":
		return ph.giveEmail
	case key == "missing_contact_name" && d.find(chat.IdentifyContactTool) == nil:
		return ph.giveName
	}
	return ""
}

func calledThisTurn(messages []chat.Message, tool string) bool {
	for i := len(messages) - 1; i >= 0 && messages[i].Role != chat.User; i-- {
		for _, c := range messages[i].Calls {
			if c.Tool == tool {
				return true
			}
		}
	}
	return false
}

// failed returns the last call whose result has the error key, unless the same
// call came to something else afterwards. It looks at the last turns only.
func failed(messages []chat.Message, key string) (chat.Call, bool) {
	const lookBack = 40
	var settled []chat.Call
	for i := len(messages) - 1; i > 0 && i >= len(messages)-lookBack; i-- {
		if messages[i].Role != chat.ToolResults {
			continue
		}
		for j := min(len(messages[i].Results), len(messages[i-1].Calls)) - 1; j >= 0; j-- {
			r, c := messages[i].Results[j], messages[i-1].Calls[j]
			same := func(s chat.Call) bool { return s.Tool == c.Tool && s.Arguments == c.Arguments }
			v, err := jsondoc.Parse([]byte(r.Content))
			if !r.IsError || err != nil || v.Get("error_key").Text() != key {
				settled = append(settled, c)
			} else if !slices.ContainsFunc(settled, same) {
				return c, true
			}
		}
	}
	return chat.Call{}, false
}

// retry returns the operation that needed a phone number, when the messages
// that now have to be answered bring one.
func (d *dialogue) retry(messages []chat.Message) (chat.Call, bool) {
	shared := false
	i := len(messages)
	for i > 0 && messages[i-1].Role == chat.User {
		i--
		if _, ok := chat.SharedPhone(messages[i].Text); ok {
			shared = true
		} else if _, exact, _ := parseCommand(messages[i].Text, func(k string) bool { return d.find(k) != nil }); exact {
			return chat.Call{}, false
		}
	}
	if !shared {
		return chat.Call{}, false
	}
	c, ok := failed(messages[:i], "missing_contact_phone")
	return c, ok && d.find(c.Tool) != nil
}

// result puts a tool's result into words: its message and its data, or the
// text as it came.
func (ph *phrases) result(content string, v jsondoc.Value) string {
	message := v.Get("message")
	if message.Kind() != jsondoc.String {
		text := strings.TrimSpace(content)
		if text == "" {
			return ph.nothing
		}
		return clip(text, maxText)
	}
	text := strings.TrimSpace(message.Text())
	data := v.Get("data")
	if !data.Exists() || data.IsEmpty() {
		return text
	}
	var w dataWriter
	w.ph = ph
	if data.Kind() == jsondoc.Object {
		w.object("", data, data.Len() > 1)
	} else {
		w.value("data", data, false)
	}
	if w.b.Len() == 0 {
		return text
	}
	return text + "\n\n" + strings.TrimRight(w.b.String(), "\n")
}

// clip shortens s to n characters.
func clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return strings.TrimRight(s[:i], " \n") + "…"
		}
		n--
	}
	return s
}
