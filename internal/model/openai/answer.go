package openai

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	sdk "github.com/openai/openai-go/v3"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/model/remote"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// perCall is what a call counts for beside its text, so that their number is
// bounded too.
const perCall = 256

// An answer is put together of the chunks of a stream.
type answer struct {
	exchange *remote.Exchange
	delta    func(text string) // may be nil

	text    remote.Pieces
	refusal remote.Pieces
	calls   []*call
	finish  string // "": the server has not said yet why the answer ended
	strange bool   // there were events, but none with choices
}

// A call is one tool call as it arrives.
type call struct {
	index     int64
	id        string
	name      string
	arguments remote.Pieces
}

// read reads the stream to its end. The error is a *remote.Fault.
func (a *answer) read() error {
	for event, err := range a.exchange.Events() {
		if err != nil {
			return err
		}
		if err := a.event(event.Data); err != nil {
			return err
		}
	}
	if err := a.say(a.text.End()); err != nil {
		return err
	}
	a.refusal.End()
	switch a.finish {
	case "":
		if a.strange && a.text.Len() == 0 {
			return a.exchange.Malformed("something that is no chat completion")
		}
		return a.exchange.Cut()
	case "length", "max_tokens":
		return a.exchange.TooLong()
	case "content_filter":
		return a.exchange.Declined(a.refusal.String())
	case "error":
		return a.exchange.Refused(0, "", "")
	case "insufficient_system_resource":
		return a.exchange.Refused(503, "", "")
	}
	if a.refusal.Len() > 0 && a.text.Len() == 0 {
		return a.exchange.Declined(a.refusal.String())
	}
	return nil
}

// event takes in one event: a chunk, an error, or a whole completion of a server
// that does not stream.
func (a *answer) event(data []byte) error {
	doc, err := jsondoc.Parse(bytes.ToValidUTF8(data, []byte("\uFFFD"))) // a character may be cut in two
	if err != nil || doc.Kind() != jsondoc.Object {
		return a.exchange.Malformed("an event that is no JSON object")
	}
	if e := doc.Get("error"); e.Exists() && e.Kind() != jsondoc.Null || doc.Get("object").Text() == "error" {
		code, message := remote.ErrorObject(doc)
		return a.exchange.Refused(0, code, message)
	}
	if !doc.Get("choices").Exists() {
		a.strange = true
		return nil
	}
	var chunk sdk.ChatCompletionChunk
	if err := chunk.UnmarshalJSON(data); err != nil {
		return a.exchange.Malformed("an event that is no chunk of a chat completion")
	}
	for i, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		if message := doc.Get("choices").Index(i).Get("message"); message.Kind() == jsondoc.Object && choice.Delta.RawJSON() == "" {
			if err := choice.Delta.UnmarshalJSON(message.Raw()); err != nil {
				return a.exchange.Malformed("a message that is none")
			}
		}
		if err := a.take(choice.Delta); err != nil {
			return err
		}
		if choice.FinishReason != "" {
			a.finish = choice.FinishReason
			a.exchange.Finished()
		}
	}
	return nil
}

func (a *answer) take(d sdk.ChatCompletionChunkChoiceDelta) error {
	if err := a.content(d.JSON.Content.Raw()); err != nil {
		return err
	}
	if err := a.exchange.Got(len(a.refusal.Add(d.JSON.Refusal.Raw()))); err != nil {
		return err
	}
	for _, c := range d.ToolCalls {
		index := c.Index
		if !c.JSON.Index.Valid() {
			index = a.unnumbered(c.ID, c.Function.Name)
		}
		if err := a.callDelta(index, c.ID, c.Function.Name, c.Function.JSON.Arguments.Raw()); err != nil {
			return err
		}
	}
	if old, err := jsondoc.Parse([]byte(d.JSON.FunctionCall.Raw())); err == nil && old.Kind() == jsondoc.Object {
		return a.callDelta(0, "", old.Get("name").Text(), string(old.Get("arguments").Raw()))
	}
	return nil
}

// content takes in a piece of text, which some servers send as a list of parts.
func (a *answer) content(raw string) error {
	if !strings.HasPrefix(raw, "[") {
		return a.say(a.text.Add(raw))
	}
	parts, err := jsondoc.Parse([]byte(raw))
	if err != nil {
		return nil
	}
	for part := range parts.Elements() {
		if part.Get("type").Text() == "text" {
			if err := a.say(a.text.Add(string(part.Get("text").Raw()))); err != nil {
				return err
			}
		}
	}
	return nil
}

// say gives a piece of the text on.
func (a *answer) say(piece string) error {
	if piece == "" {
		return nil
	}
	if err := a.exchange.Got(len(piece)); err != nil {
		return err
	}
	if a.delta != nil {
		a.delta(piece)
	}
	return nil
}

// unnumbered returns the index of a call that a server gives none: that of the
// call with its id, a new one for a call with a name, or else the last one.
func (a *answer) unnumbered(id, name string) int64 {
	for _, c := range a.calls {
		if id != "" && c.id == id {
			return c.index
		}
	}
	switch {
	case len(a.calls) == 0:
		return 0
	case name != "":
		return a.calls[len(a.calls)-1].index + 1
	}
	return a.calls[len(a.calls)-1].index
}

// callDelta takes in a piece of a call. raw is the JSON of its arguments.
func (a *answer) callDelta(index int64, id, name, raw string) error {
	var c *call
	for _, other := range slices.Backward(a.calls) {
		if other.index == index {
			c = other
			break
		}
	}
	if c == nil || c.another(id, name, raw) {
		if err := a.exchange.Got(perCall); err != nil {
			return err
		}
		c = &call{index: index}
		a.calls = append(a.calls, c)
	}
	if c.id == "" {
		c.id = id
	}
	added := 0
	if name != "" && name != c.name && c.arguments.Len() == 0 {
		c.name += name
		added = len(name)
	}
	switch {
	case strings.HasPrefix(raw, "{"): // an object, where it should be a string that holds one
		added += len(c.arguments.AddText(raw))
	default:
		added += len(c.arguments.Add(raw))
	}
	return a.exchange.Got(added)
}

// another reports whether a piece with the index of c belongs to a call of its
// own: some servers give several calls the same index, each whole in one piece.
func (c *call) another(id, name, raw string) bool {
	if id != "" && c.id != "" && id != c.id {
		return true
	}
	if name == "" || !strings.HasPrefix(raw, "{") && !strings.HasPrefix(raw, `"{`) || !strings.HasSuffix(c.arguments.String(), "}") {
		return false
	}
	_, err := jsondoc.Parse([]byte(c.arguments.String()))
	return err == nil
}

// reply returns the finished answer.
func (a *answer) reply(tools *remote.ToolSet) chat.Reply {
	r := chat.Reply{Text: a.text.String()}
	slices.SortStableFunc(a.calls, func(b, c *call) int { return cmp.Compare(b.index, c.index) })
	for _, c := range a.calls {
		c.arguments.End()
		if c.name == "" && c.id == "" && c.arguments.Len() == 0 {
			continue
		}
		r.Calls = append(r.Calls, chat.Call{ID: c.id, Tool: c.name, Arguments: tools.Named(c.name).Ours(c.arguments.String())})
	}
	return r
}
