package serve

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/serve/store"
	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

func (s *Server) createConversation(w http.ResponseWriter, r *http.Request, c caller) error {
	body, err := object(r, "channel", "contact")
	if err != nil {
		return err
	}
	channel, err := text(body, "channel")
	if err != nil {
		return err
	}
	known, err := contactOf(body)
	if err != nil {
		return err
	}
	if !c.app && (body.Get("channel").Exists() || body.Get("contact").Exists()) {
		return refuse(http.StatusForbidden, "forbidden", "channel and contact are set by apps: a token cannot set them, an app key can")
	}
	on := "web"
	if value(channel) != "" {
		on = *channel
	}
	if channels := []string{"web", "whatsapp", "cli"}; !slices.Contains(channels, on) {
		return invalid("there is no channel %q: use %s", on, diag.Quoted(channels))
	}
	if s.stopping() {
		return stoppingProblem()
	}
	id, err := s.Store.Create(r.Context(), c.Owner, on, executor.Contact{Name: value(known.name), Email: value(known.email), PhoneNumber: value(known.phone)})
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/v1/conversations/"+id)
	writeJSON(w, http.StatusCreated, fmt.Appendf(nil, `{"id":"%s"}`, id))
	return nil
}

func stoppingProblem() *problem {
	return refuse(http.StatusServiceUnavailable, "stopping", "the server is stopping: try again").after(time.Second)
}

func (s *Server) changeConversation(w http.ResponseWriter, r *http.Request, c caller) error {
	body, err := object(r, "contact")
	if err != nil {
		return err
	}
	if !body.Get("contact").Exists() {
		return invalid(`"contact" is missing: {"contact": {"phone_number": "+56912345678"}}`)
	}
	change, err := contactOf(body)
	if err != nil {
		return err
	}
	changed, err := s.Store.ChangeContact(r.Context(), c.Owner, r.PathValue("id"), store.ContactChange{Name: change.name, Email: change.email, PhoneNumber: change.phone})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, append(head(changed), '}'))
	return nil
}

// head is what is told of a conversation before what was said, an open object.
func head(c store.Conversation) []byte {
	b := append([]byte(`{"id":`), jsondoc.AppendQuote(nil, c.ID)...)
	b = append(b, `,"channel":`...)
	b = jsondoc.AppendQuote(b, c.Channel)
	b = append(b, `,"contact":{"name":`...)
	b = jsondoc.AppendQuote(b, c.Contact.Name)
	b = append(b, `,"email":`...)
	b = jsondoc.AppendQuote(b, c.Contact.Email)
	b = append(b, `,"phone_number":`...)
	b = jsondoc.AppendQuote(b, c.Contact.PhoneNumber)
	return fmt.Appendf(b, `},"created":%q,"handed_off":%t,"running":%t`, c.Created.Format(timeFormat), c.HandedOff, c.Running)
}

const timeFormat = "2006-01-02T15:04:05.000Z07:00"

// page is how many messages or events are read at once.
const page = 200

// getConversation writes the transcript as it is read, so that its length is
// no matter.
func (s *Server) getConversation(w http.ResponseWriter, r *http.Request, c caller) error {
	ctx, id := r.Context(), r.PathValue("id")
	conversation, err := s.Store.Get(ctx, c.Owner, id)
	if err != nil {
		return err
	}
	messages, err := s.Store.Messages(ctx, c.Owner, id, 0, page)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	b := append(head(conversation), `,"messages":[`...)
	first := true
	write := func(messages []store.Message) error {
		for _, m := range messages {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(append(b, '\n'), m.Body[:len(m.Body)-1]...)
			b = fmt.Appendf(b, `,"at":%q}`, m.At.Format(timeFormat))
		}
		_, err := w.Write(b)
		b = b[:0]
		return err
	}
	for {
		if err := write(messages); err != nil {
			return nil // the client has gone
		}
		if len(messages) < page {
			break
		}
		if messages, err = s.Store.Messages(ctx, c.Owner, id, messages[len(messages)-1].Seq, page); err != nil {
			panic(http.ErrAbortHandler) // half an answer must not look whole
		}
	}
	if conversation.Running {
		running, err := s.Store.RunningMessages(ctx, c.Owner, id)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		var last int64
		if len(messages) > 0 {
			last = messages[len(messages)-1].Seq
		}
		ended, err := s.Store.Messages(ctx, c.Owner, id, last, page)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if len(ended) > 0 { // meanwhile
			running = ended
		}
		if write(running) != nil {
			return nil
		}
	}
	_, _ = w.Write([]byte("]}\n"))
	return nil
}

func (s *Server) postHuman(w http.ResponseWriter, r *http.Request, c caller) error {
	body, err := object(r, "text")
	if err != nil {
		return err
	}
	says, err := said(body)
	if err != nil {
		return err
	}
	if strings.TrimSpace(says) == "" {
		return invalid("the message is blank: write something to say")
	}
	return s.act(w, r, c, func(conversation *chat.Conversation) (chat.Event, error) { return conversation.Human(says) })
}

func (s *Server) postResume(w http.ResponseWriter, r *http.Request, c caller) error {
	if _, err := object(r); err != nil {
		return err
	}
	return s.act(w, r, c, (*chat.Conversation).Resume)
}

// act lets a person act in a conversation, and answers with the event. A turn that
// runs is waited for, a little: with a person in the conversation they are
// short.
func (s *Server) act(w http.ResponseWriter, r *http.Request, c caller, act func(*chat.Conversation) (chat.Event, error)) error {
	if s.stopping() {
		return stoppingProblem()
	}
	deadline := time.Now().Add(2 * time.Second)
	for {
		var refused error
		event, err := s.Store.Act(r.Context(), c.Owner, r.PathValue("id"), func(conversation *chat.Conversation) (chat.Event, error) {
			var e chat.Event
			e, refused = act(conversation)
			return e, refused
		})
		if err == store.ErrBusy && time.Now().Before(deadline) {
			select {
			case <-r.Context().Done():
				return r.Context().Err()
			case <-time.After(50 * time.Millisecond):
			}
			continue
		}
		if refused != nil && err == refused {
			return refuse(http.StatusConflict, "conflict", "%s", refused)
		}
		if err != nil {
			return err
		}
		w.Header().Set("Last-Event-ID", fmt.Sprint(event.Seq))
		writeJSON(w, http.StatusOK, []byte(event.Body))
		return nil
	}
}

func (s *Server) getCall(w http.ResponseWriter, r *http.Request, c caller) error {
	trace, err := s.Store.Trace(r.Context(), c.Owner, r.PathValue("id"), r.PathValue("call"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, []byte(trace))
	return nil
}
