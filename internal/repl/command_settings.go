package repl

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/executor"
)

func (l *loop) asCommand(_ context.Context, owner string) error {
	return l.setting("talking as", owner, l.Session.Owner, l.Session.SetOwner)
}

// tokenCommand shows who that is, and never the token.
func (l *loop) tokenCommand(_ context.Context, jwt string) error {
	return l.setting("talking as", jwt, l.Session.Owner, l.Session.SetToken)
}

// allScopes stands for no bounds.
const allScopes = "all"

func (l *loop) scopeCommand(_ context.Context, argument string) error {
	if argument != "" {
		scopes := strings.FieldsFunc(argument, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
		if len(scopes) == 1 && scopes[0] == allScopes {
			scopes = nil
		}
		known := l.Session.AllScopes()
		for _, s := range scopes {
			if !slices.Contains(known, s) {
				l.printer.Notice(unknownScope(s, known))
			}
		}
		l.Session.SetScopes(scopes)
	}
	text := allScopes
	if scopes := l.Session.Scopes(); scopes != nil {
		text = strings.Join(scopes, ", ")
	}
	l.printer.say("scopes: " + oneLine(text, lineLimit))
	return nil
}

func unknownScope(scope string, known []string) string {
	text := fmt.Sprintf("no tool asks for the scope %q", scope)
	if near := diag.Nearest(scope, known); near != "" {
		return text + fmt.Sprintf(": did you mean %q?", near)
	}
	if len(known) == 0 {
		return text + ": none asks for any"
	}
	return text + ": they ask for " + diag.Quoted(known)
}

func (l *loop) channelCommand(_ context.Context, name string) error {
	return l.setting("channel", name, l.Session.Channel, l.Session.SetChannel)
}

func (l *loop) envCommand(_ context.Context, name string) error {
	return l.setting("environment", name, l.Session.Environment, l.Session.SetEnvironment)
}

// setting sets a value where there is one, and shows what it is then.
func (l *loop) setting(what, value string, get func() string, set func(string) error) error {
	if value != "" {
		if err := set(value); err != nil {
			return err
		}
	}
	l.printer.say(what + ": " + oneLine(get(), lineLimit))
	return nil
}

// contactFields lists what is known of a visitor, in the order it is shown.
var contactFields = [...]string{"name", "email", "phone_number"}

func (l *loop) contactCommand(_ context.Context, argument string) error {
	assignments, err := parseContact(argument)
	if err != nil {
		return err
	}
	for _, a := range assignments {
		if err := l.Session.SetContact(a.field, a.value); err != nil {
			return err
		}
	}
	l.printer.say(contactLines(l.Session.Contact()))
	return nil
}

func contactLines(c executor.Contact) string {
	var b strings.Builder
	for i, value := range [...]string{c.Name, c.Email, c.PhoneNumber} {
		if i > 0 {
			b.WriteByte('\n')
		}
		if value == "" {
			value = "-"
		}
		b.WriteString(pad(contactFields[i], 14) + oneLine(value, lineLimit))
	}
	return b.String()
}

type assignment struct{ field, value string }

// parseContact reads `name=Ana María email=ana@example.org`. A value reaches
// to the next word that holds an equals sign outside of quotes, and may stand
// in quotes itself.
func parseContact(s string) ([]assignment, error) {
	var list []assignment
	for _, word := range splitQuoted(s) {
		field, value, found := strings.Cut(word, "=")
		if !found || strings.ContainsAny(field, `"'`) {
			if len(list) == 0 {
				return nil, fmt.Errorf("%q is no FIELD=VALUE: the fields are %s", word, diag.Quoted(contactFields[:]))
			}
			last := &list[len(list)-1]
			last.value = strings.TrimLeft(last.value+" "+unquote(word), " ")
			continue
		}
		if !isContactField(field) {
			if near := diag.Nearest(field, contactFields[:]); near != "" {
				return nil, fmt.Errorf("a contact has no field %q: did you mean %q?", field, near)
			}
			return nil, fmt.Errorf("a contact has no field %q: the fields are %s", field, diag.Quoted(contactFields[:]))
		}
		list = append(list, assignment{field, unquote(value)})
	}
	return list, nil
}

func isContactField(s string) bool {
	for _, f := range contactFields {
		if f == s {
			return true
		}
	}
	return false
}

// splitQuoted splits at white space, but not inside of double quotes. A quote
// that is never closed is a character like any other.
func splitQuoted(s string) []string {
	var words []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		end := 0
		for end < len(s) && !strings.ContainsRune(" \t\n", rune(s[end])) {
			if s[end] == '"' {
				if closing := strings.IndexByte(s[end+1:], '"'); closing >= 0 {
					end += closing + 1
				}
			}
			end++
		}
		words = append(words, s[:end])
		s = s[end:]
	}
	return words
}

func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// shareCommand shares a phone number, which is a turn of its own.
func (l *loop) shareCommand(ctx context.Context, phone string) error {
	number, err := new(chat.Conversation).Share(phone)
	if err != nil {
		return err
	}
	if err := l.Session.SetContact("phone_number", number); err != nil {
		return err
	}
	if _, err := l.conv.Share(number); err != nil {
		return err
	}
	_ = l.turn(ctx, "")
	return nil
}
