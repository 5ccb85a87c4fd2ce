package builtin

import (
	"context"

	"github.com/vatio-dev/vatio/internal/chat"
)

// whatsApp is the channel on which a phone number can be asked for.
const whatsApp = "whatsapp"

func identifyContact(s Session) builtin {
	b := define(chat.Tool{
		Name:        chat.IdentifyContactTool,
		Description: "Stores the name that the visitor gave, so that later messages and tools know it.",
		WhenToUse: "The visitor says what their name is, or corrects it. Pass the name as they wrote it; " +
			"never one that was guessed or taken from an email address.",
	}, `{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":200,`+
		`"description":"The visitor's name as they gave it"}},"required":["name"]}`)
	b.run = func(ctx context.Context, a arguments) chat.Outcome {
		name := a.text("name")
		if control(name) {
			return failure("the arguments do not fit: name: must not hold line breaks or other control characters", invalidArguments)
		}
		if s.Identify(ctx, name) != nil {
			return failure("The name could not be stored.", contactNotSaved)
		}
		return success("The visitor's name is stored: " + name)
	}
	return b
}

func requestContactInfo(s Session) builtin {
	b := define(chat.Tool{
		Name: chat.RequestContactInfoTool,
		Description: "Asks the visitor, with a button on WhatsApp, to share their phone number. This ends the turn. " +
			"The number arrives only if the visitor shares it, with a later message.",
		WhenToUse: "Another tool needs the visitor's phone number and it is not known yet. " +
			"When the number has arrived, call that other tool again.",
	}, `{"type":"object","properties":{}}`)
	b.channel = whatsApp
	b.run = func(ctx context.Context, _ arguments) chat.Outcome {
		if s.RequestContactInfo(ctx) != nil {
			return failure("The visitor could not be asked for their phone number.", requestNotSent)
		}
		o := success("The visitor was asked to share their phone number. It arrives only if they share it in a later message; " +
			"what needed it can be tried again then.")
		o.EndTurn = true
		return o
	}
	return b
}
