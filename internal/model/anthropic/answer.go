package anthropic

import (
	"bytes"
	"cmp"
	"slices"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/internal/model/remote"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// perCall is what a block counts for beside its text, so that their number is
// bounded too.
const perCall = 256

// An answer is put together of the events of a stream.
type answer struct {
	exchange *remote.Exchange
	delta    func(text string) // may be nil

	text   remote.Pieces
	parted bool // a call came behind the text
	blocks []*block
	finish string // "": the server has not said yet why the answer ended
	reason string // of a refusal
	whole  bool
	begun  bool // there was an event of the API
	alien  bool // there was one that cannot be
}

// A block is one piece of an answer's content as it arrives.
type block struct {
	index     int64
	kind      string
	id        string
	name      string
	input     string // as it began: an object, empty where pieces follow
	arguments remote.Pieces
}

// read reads the stream to its end. The error is a *remote.Fault.
func (a *answer) read() error {
	for event, err := range a.exchange.Events() {
		if err != nil {
			return err
		}
		if a.whole {
			continue
		}
		if err := a.event(event); err != nil {
			return err
		}
	}
	if err := a.say(a.text.End()); err != nil {
		return err
	}
	switch {
	case !a.whole || a.finish == "":
		if a.alien && !a.begun {
			return a.exchange.Malformed("something that is no message")
		}
		return a.exchange.Cut()
	case a.finish == string(sdk.StopReasonMaxTokens):
		return a.exchange.TooLong()
	case a.finish == "model_context_window_exceeded":
		return a.exchange.NoRoom()
	case a.finish == string(sdk.StopReasonRefusal):
		return a.exchange.Declined(a.reason)
	case a.finish == string(sdk.StopReasonPauseTurn): // only with tools that the server runs, and it has none
		return a.exchange.Cut()
	}
	return nil
}

// event takes in one event: a step of a message, an error, or a whole message of
// a server that does not stream.
func (a *answer) event(e remote.Event) error {
	doc, err := jsondoc.Parse(bytes.ToValidUTF8(e.Data, []byte("\uFFFD"))) // a character may be cut in two
	if err != nil || doc.Kind() != jsondoc.Object {
		if e.Name == "error" {
			return a.exchange.Refused(0, "", string(e.Data))
		}
		return a.exchange.Malformed("an event that is no JSON object")
	}
	kind := doc.Get("type").Text()
	if kind == "" {
		kind = e.Name
	}
	if wrong := doc.Get("error"); kind == "error" || wrong.Exists() && wrong.Kind() != jsondoc.Null {
		code, message := remote.ErrorObject(doc)
		return a.exchange.Refused(0, code, message)
	}
	switch kind {
	case "message_start", "ping", "content_block_stop":
		a.begun = true
	case "content_block_start":
		a.begun = true
		var start sdk.ContentBlockStartEvent
		if err := start.UnmarshalJSON(e.Data); err != nil {
			return a.exchange.Malformed("a content block that is none")
		}
		return a.start(start.Index, start.ContentBlock)
	case "content_block_delta":
		a.begun = true
		var delta sdk.ContentBlockDeltaEvent
		if err := delta.UnmarshalJSON(e.Data); err != nil {
			return a.exchange.Malformed("a piece of a content block that is none")
		}
		return a.piece(delta)
	case "message_delta":
		a.begun = true
		var delta sdk.MessageDeltaEvent
		if err := delta.UnmarshalJSON(e.Data); err != nil {
			return a.exchange.Malformed("the end of a message that is none")
		}
		if delta.Delta.StopReason != "" {
			a.finish = string(delta.Delta.StopReason)
			a.reason = delta.Delta.StopDetails.Explanation
		}
	case "message_stop":
		a.begun = true
		a.end()
	case "message":
		return a.message(doc)
	default:
		a.alien = a.alien || kind == ""
	}
	return nil
}

// end says that no more follows.
func (a *answer) end() {
	a.whole = true
	a.exchange.End()
}

// message takes in a whole message.
func (a *answer) message(doc jsondoc.Value) error {
	a.begun = true
	var index int64
	for content := range doc.Get("content").Elements() {
		var b sdk.ContentBlockStartEventContentBlockUnion
		if err := b.UnmarshalJSON(content.Raw()); err != nil {
			return a.exchange.Malformed("a content block that is none")
		}
		if err := a.start(index, b); err != nil {
			return err
		}
		index++
	}
	if reason := doc.Get("stop_reason"); reason.Kind() == jsondoc.String {
		a.finish = reason.Text()
		a.reason = doc.Get("stop_details").Get("explanation").Text()
	}
	a.end()
	return nil
}

// start begins a block, which some servers send whole.
func (a *answer) start(index int64, c sdk.ContentBlockStartEventContentBlockUnion) error {
	if err := a.say(a.text.End()); err != nil {
		return err
	}
	b := &block{index: index, kind: c.Type, id: c.ID, name: c.Name}
	if err := a.add(b); err != nil {
		return err
	}
	switch b.kind {
	case "text":
		return a.words(c.JSON.Text.Raw())
	case "tool_use":
		a.parted = true
		if raw := c.JSON.Input.Raw(); raw != "" && raw != "null" {
			b.input = raw
		}
		return a.exchange.Got(perCall + len(b.name) + len(b.input))
	}
	return nil
}

// add appends a block, while there are not too many.
func (a *answer) add(b *block) error {
	if len(a.blocks) >= remote.MaxAnswer/perCall {
		return a.exchange.Got(remote.MaxAnswer + 1)
	}
	a.blocks = append(a.blocks, b)
	return nil
}

// piece takes in a piece of a block.
func (a *answer) piece(e sdk.ContentBlockDeltaEvent) error {
	b, err := a.block(e)
	if err != nil {
		return err
	}
	switch {
	case e.Delta.Type == "text_delta" && b.kind == "text":
		return a.words(e.Delta.JSON.Text.Raw())
	case e.Delta.Type == "input_json_delta" && b.kind == "tool_use":
		return a.exchange.Got(len(b.arguments.Add(e.Delta.JSON.PartialJSON.Raw())))
	}
	return nil
}

// block returns the block that a piece belongs to. A text may not have been
// begun.
func (a *answer) block(e sdk.ContentBlockDeltaEvent) (*block, error) {
	for _, b := range slices.Backward(a.blocks) {
		if b.index == e.Index || !e.JSON.Index.Valid() {
			return b, nil
		}
	}
	b := &block{index: e.Index}
	if e.Delta.Type == "text_delta" {
		b.kind = "text"
	}
	return b, a.add(b)
}

// words takes in a piece of the text, given as JSON.
func (a *answer) words(raw string) error {
	if a.parted && len(raw) > len(`""`) {
		a.parted = false
		if a.text.Len() > 0 {
			if err := a.say(a.text.AddText("\n\n")); err != nil {
				return err
			}
		}
	}
	return a.say(a.text.Add(raw))
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

// reply returns the finished answer.
func (a *answer) reply(tools *remote.ToolSet) chat.Reply {
	r := chat.Reply{Text: a.text.String()}
	slices.SortStableFunc(a.blocks, func(b, c *block) int { return cmp.Compare(b.index, c.index) })
	for _, b := range a.blocks {
		if b.kind != "tool_use" {
			continue
		}
		b.arguments.End()
		arguments := b.arguments.String()
		if arguments == "" {
			arguments = cmp.Or(b.input, "{}")
		}
		r.Calls = append(r.Calls, chat.Call{ID: b.id, Tool: b.name, Arguments: tools.Named(b.name).Ours(arguments)})
	}
	return r
}
