package builtin

import (
	"cmp"
	"context"
	"strings"

	"github.com/vatio-dev/vatio/internal/chat"
)

func handoff(h Handoff, s Session) builtin {
	b := define(chat.Tool{
		Name: chat.HandoffTool,
		Description: "Gives the conversation to a person of the business. Nobody but that person answers from then on, " +
			"until they give it back.",
		WhenToUse: cmp.Or(strings.TrimSpace(h.When), "The visitor asks for a person, or needs what no other tool can do."),
	}, `{"type":"object","properties":{"reason":{"type":"string","minLength":1,"maxLength":1000,`+
		`"description":"What the visitor needs and what was tried, in one or two sentences for the person who takes over"}},"required":["reason"]}`)
	message := cmp.Or(strings.TrimSpace(h.Message), "A person will take over from here.")
	b.run = func(ctx context.Context, a arguments) chat.Outcome {
		if s.HandOff(ctx, a.text("reason")) != nil {
			return failure("The conversation could not be handed to a person.", handoffFailed)
		}
		return success(message)
	}
	return b
}
