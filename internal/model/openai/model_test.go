package openai

import (
	"errors"
	"testing"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/model/remote"
	"github.com/vatio-dev/vatio/internal/model/remote/remotetest"
)

const testKey = "sk-proj-Zx81qPwL0aB7/+c=dEfG"

func newTestModel(t testing.TB, o Options, l *remotetest.Timeline) *Model {
	t.Helper()
	if o.Name == "" {
		o.Name = "test-1"
	}
	o.Version = "1.2.3"
	m, err := newModel(o, l.Clock())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// said is an answer and how it came.
type said struct {
	Reply  chat.Reply
	Deltas []string
	Err    string
}

func ask(t testing.TB, m *Model, r chat.Request) said {
	t.Helper()
	var got said
	reply, err := m.Next(t.Context(), r, func(text string) { got.Deltas = append(got.Deltas, text) })
	got.Reply = reply
	if err != nil {
		got.Err = err.Error()
		if _, ok := errors.AsType[*remote.Fault](err); !ok {
			t.Errorf("%T is no *remote.Fault: %v", err, err)
		}
	}
	return got
}

// hello is the shortest request there is.
func hello() chat.Request {
	return chat.Request{Messages: []chat.Message{{Role: chat.User, Text: "hi"}}}
}
