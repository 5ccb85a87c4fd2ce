package chat

import "github.com/vatio-dev/vatio/pkg/jsondoc"

// Last returns a copy of the conversation that holds its last turns, as many of
// them as have at most so many bytes of text. A single turn that has more is
// left out, too.
func (c *Conversation) Last(limit int) *Conversation {
	start, size := len(c.messages), 0
	for i := len(c.messages) - 1; i >= 0; i-- {
		size += c.messages[i].size()
		if size > limit {
			break
		}
		if c.messages[i].Role == User {
			start = i
		}
	}
	last := *c
	last.messages = append([]Message(nil), c.messages[start:]...)
	return &last
}

func (m Message) size() int {
	n := len(m.Text)
	for _, c := range m.Calls {
		n += len(c.Tool) + len(c.Arguments)
	}
	for _, r := range m.Results {
		n += len(r.Tool) + len(r.Content)
	}
	return n
}

// Redacted returns a copy of the conversation with each of its texts given to
// redact. Arguments that were JSON still are.
func (c *Conversation) Redacted(redact func(string) string) *Conversation {
	copied := *c
	copied.messages = make([]Message, len(c.messages))
	for i, m := range c.messages {
		d := Message{Role: m.Role, Text: redact(m.Text)}
		for _, call := range m.Calls {
			call.Arguments = redactedJSON(call.Arguments, redact)
			d.Calls = append(d.Calls, call)
		}
		for _, r := range m.Results {
			r.Content = redact(r.Content)
			d.Results = append(d.Results, r)
		}
		copied.messages[i] = d
	}
	copied.shared = redact(c.shared)
	return &copied
}

func redactedJSON(text string, redact func(string) string) string {
	redacted := redact(text)
	if redacted == text {
		return text
	}
	if _, err := jsondoc.Parse([]byte(text)); err != nil {
		return redacted
	}
	if _, err := jsondoc.Parse([]byte(redacted)); err == nil {
		return redacted
	}
	// A number or a name was a secret.
	return string(append(jsondoc.AppendQuote([]byte(`{"redacted":`), redacted), '}'))
}
