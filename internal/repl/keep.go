package repl

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vatio-dev/vatio/internal/atomicfile"
	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/markdown"
	"github.com/vatio-dev/vatio/pkg/executor"
)

const (
	keptVersion = 1
	keptTexts   = 1 << 20  // bytes of a conversation's texts that are kept
	keptFile    = 16 << 20 // bytes of the file that are read, at most
)

// A kept conversation is what --resume goes on with.
type kept struct {
	Version      int                `json:"version"`
	Saved        time.Time          `json:"saved"`
	Owner        string             `json:"owner"`
	Environment  string             `json:"environment"`
	Channel      string             `json:"channel"`
	Contact      keptContact        `json:"contact"`
	Conversation *chat.Conversation `json:"conversation"`
}

type keptContact struct {
	Name        string `json:"name,omitempty"`
	Email       string `json:"email,omitempty"`
	PhoneNumber string `json:"phone_number,omitempty"`
}

// state is all by which what is kept can differ.
type state struct {
	messages                    int
	last                        string
	handedOff, shared           bool
	contact                     executor.Contact
	owner, environment, channel string
}

func (l *loop) state() state {
	s := state{
		messages: len(l.conv.Messages()), handedOff: l.conv.HandedOff(), shared: l.conv.Shared(), contact: l.Session.Contact(),
		owner: l.Session.Owner(), environment: l.Session.Environment(), channel: l.Session.Channel(),
	}
	if s.messages > 0 {
		s.last = l.conv.Messages()[s.messages-1].Text
	}
	return s
}

// keep writes the conversation down when it has changed. A conversation in which
// nothing was said does not take the place of the last one.
func (l *loop) keep() {
	now := l.state()
	if l.ConversationFile == "" || !Interactive(l.IO) || l.unkept || now == l.keptState || now.messages == 0 {
		return
	}
	if err := l.write(); err != nil {
		l.unkept = true
		l.printer.Notice(fmt.Sprintf("the conversation is not kept in %q: %s", l.ConversationFile, atomicfile.Reason(err)))
		return
	}
	l.keptState = now
}

func (l *loop) write() error {
	if err := os.MkdirAll(filepath.Dir(l.ConversationFile), 0o700); err != nil {
		return err
	}
	if !l.ownFile {
		if _, err := readKept(l.ConversationFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
			if err := l.moveAside(err); err != nil {
				return err
			}
		}
		l.ownFile = true
	}
	redact, c := l.Session.Redact, l.Session.Contact()
	data, err := json.Marshal(kept{
		Version: keptVersion, Saved: l.IO.Now().UTC().Truncate(time.Second),
		Owner: redact(l.Session.Owner()), Environment: l.Session.Environment(), Channel: l.Session.Channel(),
		Contact:      keptContact{redact(c.Name), redact(c.Email), redact(c.PhoneNumber)},
		Conversation: l.conv.Last(keptTexts).Redacted(redact),
	})
	if err != nil {
		return err
	}
	return atomicfile.Write(l.ConversationFile, append(data, '\n'), 0o600)
}

// readKept reads what write wrote.
func readKept(path string) (*kept, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, keptFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > keptFile {
		return nil, errors.New("it is larger than 16 MiB")
	}
	var version struct {
		Version int `json:"version"`
	}
	if json.Unmarshal(data, &version) == nil && version.Version > keptVersion {
		return nil, errors.New("a newer version wrote it")
	}
	var k kept
	if json.Unmarshal(data, &k) != nil || k.Version != keptVersion || k.Conversation == nil {
		return nil, errors.New("it is damaged")
	}
	return &k, nil
}

// moveAside gives a file that cannot be read another name, and says so.
func (l *loop) moveAside(why error) error {
	name := strings.TrimSuffix(l.ConversationFile, ".json") + l.IO.Now().Format(".2006-01-02-150405") + ".unread.json"
	if err := os.Rename(l.ConversationFile, name); err != nil {
		return err
	}
	l.printer.Notice(fmt.Sprintf("the last conversation cannot be read: %s; the file is %q now", atomicfile.Reason(why), name))
	return nil
}

// resume loads the last conversation, and who it was with as far as the session
// does not say otherwise. It returns what there is to show of it.
func (l *loop) resume() (shown *kept) {
	k, err := readKept(l.ConversationFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.printer.Notice("there is no conversation to go on with: a new one begins")
		return nil
	case err != nil:
		if moved := l.moveAside(err); moved != nil {
			l.unkept = true
			l.printer.Notice(fmt.Sprintf("the last conversation in %q cannot be read: %s; it stays there, and this one is not kept", l.ConversationFile, atomicfile.Reason(err)))
		}
		return nil
	}
	l.ownFile = true
	*l.conv = *k.Conversation
	c := l.Session.Contact()
	for _, f := range [...]struct{ name, now, before string }{
		{"name", c.Name, k.Contact.Name}, {"email", c.Email, k.Contact.Email}, {"phone_number", c.PhoneNumber, k.Contact.PhoneNumber},
	} {
		if f.now == "" && f.before != "" {
			_ = l.Session.SetContact(f.name, f.before) // what is not taken is asked for again
		}
	}
	if l.Session.Channel() == usualChannel && k.Channel != usualChannel {
		if err := l.Session.SetChannel(k.Channel); err != nil {
			l.printer.Notice(err.Error())
		}
	}
	l.keptState = l.state()
	return k
}

// showResumed says what the conversation was about.
func (l *loop) showResumed(k *kept) {
	if k == nil {
		return
	}
	messages := l.conv.Messages()
	l.printer.say(l.dim(fmt.Sprintf("the conversation of %s goes on", k.Saved.In(l.IO.Now().Location()).Format("2006-01-02 15:04"))))
	from := len(messages)
	for from > 0 {
		from--
		if messages[from].Role == chat.User {
			break
		}
	}
	for _, m := range messages[from:] {
		l.printer.said(m)
	}
	var about []string
	if k.Owner != l.Session.Owner() {
		about = append(about, "it was with "+k.Owner)
	}
	if k.Environment != l.Session.Environment() {
		about = append(about, "in the environment "+k.Environment)
	}
	if c := l.Session.Contact(); c != (executor.Contact{}) {
		about = append(about, "contact: "+joined([]string{c.Name, c.Email, c.PhoneNumber}))
	}
	if ch := l.Session.Channel(); ch != usualChannel {
		about = append(about, "channel: "+ch)
	}
	if len(about) > 0 {
		l.printer.say(l.dim(oneLine(strings.Join(about, "; "), lineLimit)))
	}
	if l.conv.HandedOff() {
		l.printer.say(l.dim("● a person has this conversation; /resume gives it back to the agent"))
	}
	l.printer.say("")
}

// dim is a text in the background, between whose words lines are broken.
func (l *loop) dim(text string) string {
	lines := markdown.Wrap(text, l.columns())
	for i := range lines {
		lines[i] = l.color().Dim(lines[i])
	}
	return strings.Join(lines, "\n")
}

// said shows the start of what somebody said earlier.
func (p *Printer) said(m chat.Message) {
	who := map[chat.Role]string{chat.User: "visitor", chat.Agent: "agent", chat.Human: "human"}[m.Role]
	if who == "" || strings.TrimSpace(m.Text) == "" && len(m.Calls) == 0 {
		return
	}
	room := lineLimit
	if n := p.columns(); n > 0 {
		room = max(20, 3*n) - len(who)
	}
	var calls []string
	for _, c := range m.Calls {
		calls = append(calls, "→ "+oneLine(c.Tool, 60))
	}
	text := strings.TrimSpace(folded(m.Text, room) + " " + strings.Join(calls, " "))
	color := p.color
	if p.json {
		color = p.errors
	}
	lines := []string{who + ": " + text}
	if n := p.columns(); n > 0 {
		lines = markdown.Wrap(lines[0], n)
	}
	lines[0] = color.Bold(who+":") + strings.TrimPrefix(lines[0], who+":")
	p.say(strings.Join(lines, "\n"))
}
