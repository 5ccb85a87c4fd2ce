package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Conversation is the history of one visitor's turns. The zero value is an
// empty conversation. It is not safe for concurrent use: one turn or one
// operation at a time.
type Conversation struct {
	messages  []Message
	lastID    int
	handedOff bool
	shared    string // a phone number that no turn has told the model yet
}

// Messages returns the history, which the caller must not change.
func (c *Conversation) Messages() []Message { return slices.Clip(c.messages) }

// HandedOff tells whether a person has the conversation: the agent does not
// answer until Resume.
func (c *Conversation) HandedOff() bool { return c.handedOff }

// Human adds what the person who has the conversation says, and returns the
// event for it. It fails when nobody has taken the conversation over, and for
// blank text.
func (c *Conversation) Human(text string) (Event, error) {
	switch {
	case !c.handedOff:
		return Event{}, errors.New("no person has this conversation: it must be handed off first")
	case strings.TrimSpace(text) == "":
		return Event{}, errors.New("the message is blank: write something to say")
	}
	c.messages = append(c.messages, Message{Role: Human, Text: text})
	return Event{Type: HumanEvent, Text: text}, nil
}

// Resume gives the conversation back to the agent and returns the event for
// it. It fails when nobody has taken it over.
func (c *Conversation) Resume() (Event, error) {
	if !c.handedOff {
		return Event{}, errors.New("no person has this conversation: there is nothing to resume")
	}
	c.handedOff = false
	return Event{Type: ResumeEvent}, nil
}

// Share records that the visitor shared a phone number and returns it in the
// form to store: digits only, after a + where there was one. The next turn
// tells the model; that turn may have no text of its own. The contact itself
// is the caller's.
func (c *Conversation) Share(phone string) (string, error) {
	clean, ok := cleanPhone(phone)
	if !ok {
		return "", fmt.Errorf("%q is no phone number: use 7 to 15 digits, with the country first, such as +56912345678", phone)
	}
	c.shared = clean
	return clean, nil
}

// Shared tells whether a shared phone number waits for the next turn.
func (c *Conversation) Shared() bool { return c.shared != "" }

func cleanPhone(s string) (string, bool) {
	var b strings.Builder
	digits := 0
	for i, r := range strings.TrimSpace(s) {
		switch {
		case r >= '0' && r <= '9':
			digits++
			b.WriteRune(r)
		case r == '+' && i == 0:
			b.WriteRune(r)
		case strings.ContainsRune(" -.()/\u00a0", r):
		default:
			return "", false
		}
	}
	return b.String(), digits >= 7 && digits <= 15
}

const sharedBefore, sharedAfter = "(The visitor shared their phone number: ", ")"

// SharedNote is the text of the User message that tells a model that the
// phone number arrived.
func SharedNote(phone string) string { return sharedBefore + phone + sharedAfter }

// SharedPhone returns the phone number of a SharedNote.
func SharedPhone(text string) (phone string, ok bool) {
	rest, ok := strings.CutPrefix(text, sharedBefore)
	if !ok {
		return "", false
	}
	rest, ok = strings.CutSuffix(rest, sharedAfter)
	if !ok {
		return "", false
	}
	return cleanPhone(rest)
}

func (c *Conversation) nextID() string {
	c.lastID++
	return strconv.Itoa(c.lastID)
}

type storedConversation struct {
	Messages  []storedMessage `json:"messages"`
	LastID    int             `json:"last_id"`
	HandedOff bool            `json:"handed_off,omitempty"`
	Shared    string          `json:"shared,omitempty"`
}

type storedMessage struct {
	Role    string         `json:"role"`
	Text    string         `json:"text,omitempty"`
	Calls   []storedCall   `json:"calls,omitempty"`
	Results []storedResult `json:"results,omitempty"`
}

type storedCall struct {
	ID        string `json:"id"`
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
}

type storedResult struct {
	ID      string `json:"id"`
	Tool    string `json:"tool"`
	Content string `json:"content"`
	IsError bool   `json:"is_error,omitempty"`
}

// MarshalJSON writes the conversation so that UnmarshalJSON continues it.
func (c *Conversation) MarshalJSON() ([]byte, error) {
	s := storedConversation{
		Messages: make([]storedMessage, len(c.messages)), LastID: c.lastID,
		HandedOff: c.handedOff, Shared: c.shared,
	}
	for i, m := range c.messages {
		d := storedMessage{Role: m.Role.String(), Text: m.Text}
		for _, call := range m.Calls {
			d.Calls = append(d.Calls, storedCall(call))
		}
		for _, r := range m.Results {
			d.Results = append(d.Results, storedResult(r))
		}
		s.Messages[i] = d
	}
	return json.Marshal(s)
}

// UnmarshalJSON reads what MarshalJSON wrote. It refuses a history in which a
// call has no result: no model would accept it.
func (c *Conversation) UnmarshalJSON(data []byte) error {
	var s storedConversation
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("the stored conversation cannot be read: %w", err)
	}
	messages := make([]Message, 0, len(s.Messages))
	for i, d := range s.Messages {
		m := Message{Text: d.Text}
		for r := User; r <= ToolResults; r++ {
			if r.String() == d.Role {
				m.Role = r
			}
		}
		if m.Role == 0 {
			return fmt.Errorf("the stored conversation cannot be read: message %d has the unknown role %q", i+1, d.Role)
		}
		for _, call := range d.Calls {
			m.Calls = append(m.Calls, Call(call))
		}
		for _, r := range d.Results {
			m.Results = append(m.Results, Result(r))
		}
		messages = append(messages, m)
	}
	if i, ok := dangling(messages); ok {
		return fmt.Errorf("the stored conversation cannot be read: message %d has calls and results that do not match", i+1)
	}
	*c = Conversation{messages: messages, lastID: s.LastID, handedOff: s.HandedOff, shared: s.Shared}
	return nil
}

// dangling returns the first message whose calls lack results, or whose
// results lack calls.
func dangling(messages []Message) (at int, found bool) {
	var open []Call
	for i, m := range messages {
		if len(open) > 0 || m.Role == ToolResults {
			if m.Role != ToolResults || len(open) == 0 || !slices.EqualFunc(open, m.Results, func(c Call, r Result) bool { return c.ID == r.ID }) {
				return i, true
			}
			open = nil
			continue
		}
		open = m.Calls
	}
	return len(messages) - 1, len(open) > 0
}
