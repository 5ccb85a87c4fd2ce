package offline

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/executor"
)

// box answers every call with what its table says, or with "ok".
type box struct {
	tools   []chat.Tool
	results map[string]chat.Outcome
	phone   bool
}

func (b *box) Tools(context.Context) []chat.Tool { return b.tools }

func (b *box) Call(_ context.Context, c chat.Call) chat.Outcome {
	if c.Tool == "reserve_pickup" && b.phone {
		return chat.Outcome{Content: `{"result":"ok","message":"Reserved."}`}
	}
	if o, ok := b.results[c.Tool]; ok {
		return o
	}
	return chat.Outcome{Content: `{"result":"ok","message":"Done."}`}
}

func failure(message, key string) chat.Outcome {
	return chat.Outcome{Content: executor.ErrorResult(message, key), IsError: true}
}

// talk plays the visitor's messages and returns what happened: "> " a message,
// "! " a call, and the agent's words.
func talk(t *testing.T, b *box, texts ...string) []string {
	t.Helper()
	conv := &chat.Conversation{}
	e := &chat.Engine{Model: newTestModel(), Tools: b}
	var out []string
	for _, text := range texts {
		if phone, ok := strings.CutPrefix(text, "/share "); ok {
			if _, err := conv.Share(phone); err != nil {
				t.Fatal(err)
			}
			b.phone, text = true, ""
		}
		err := e.Turn(context.Background(), conv, text, func(ev chat.Event) {
			switch ev.Type {
			case chat.UserEvent:
				out = append(out, "> "+ev.Text)
			case chat.ToolCallEvent:
				out = append(out, "! "+ev.Tool+" "+ev.Arguments)
			case chat.AgentEvent, chat.ErrorEvent:
				out = append(out, strings.Split(ev.Text, "\n")...)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestDialogues(t *testing.T) {
	acme := append(shopTools(), builtinTools()...)
	tests := []struct {
		name    string
		tools   []chat.Tool
		results map[string]chat.Outcome
		texts   []string
		want    []string
	}{
		{
			name: "missing arguments are asked for one after the other", tools: shopTools(),
			texts: []string{"I want to reserve a pickup", "Picker", "tomorrow"},
			want: []string{"> I want to reserve a pickup", "To go on I need the product: The product's name.",
				"> Picker", "To go on I need the date (a date, such as 2026-12-04): The day of the pickup, as YYYY-MM-DD.",
				"> tomorrow", `! reserve_pickup {"product":"Picker","date":"2026-12-02"}`, "Done."},
		},
		{
			name: "in Spanish", tools: shopTools(),
			texts: []string{"Quiero reservar para retiro", "el Quantum Hoe", "4 de diciembre, 2 por favor"},
			want: []string{"> Quiero reservar para retiro", "Para seguir necesito «product»: The product's name.",
				"> el Quantum Hoe", "Para seguir necesito «date» (una fecha, como 2026-12-04 o 4/12/2026): The day of the pickup, as YYYY-MM-DD.",
				"> 4 de diciembre, 2 por favor", `! reserve_pickup {"product":"Quantum Hoe","quantity":2,"date":"2026-12-04"}`, "Done."},
		},
		{
			name: "one message may answer more than was asked", tools: shopTools(),
			texts: []string{"I want to reserve a pickup", "the Picker, on Friday morning"},
			want: []string{"> I want to reserve a pickup", "To go on I need the product: The product's name.",
				"> the Picker, on Friday morning", `! reserve_pickup {"product":"Picker","date":"2026-12-04","slot":"morning"}`, "Done."},
		},
		{
			name: "an answer that does not fit is asked for again", tools: shopTools(),
			texts: []string{"free pickup slots", "whenever", "2026-12-05"},
			want: []string{"> free pickup slots", "To go on I need the date (a date, such as 2026-12-04): The day, as YYYY-MM-DD.",
				"> whenever", "I did not understand that. To go on I need the date (a date, such as 2026-12-04): The day, as YYYY-MM-DD.",
				"> 2026-12-05", `! pickup_slots {"date":"2026-12-05"}`, "Done."},
		},
		{
			name: "the visitor turns to something else", tools: shopTools(),
			texts: []string{"I want to check stock", "Where is order A-9999?", "check stock", "cancel_reservation code=R-1"},
			want: []string{"> I want to check stock", "To go on I need the product: The product's name, or a part of it.",
				"> Where is order A-9999?", `! get_order {"order_id":"A-9999"}`, "Done.",
				"> check stock", "To go on I need the product: The product's name, or a part of it.",
				"> cancel_reservation code=R-1", `! cancel_reservation {"code":"R-1"}`, "Done."},
		},
		{
			name: "the visitor drops it", tools: shopTools(),
			texts: []string{"I want to check stock", "never mind"},
			want: []string{"> I want to check stock", "To go on I need the product: The product's name, or a part of it.",
				"> never mind", "All right, I leave it."},
		},
		{
			name: "a key alone asks, and the answer is any text", tools: shopTools(),
			texts: []string{"check_stock", `"Lord of the Rings"`},
			want: []string{"> check_stock", "To go on I need the product: The product's name, or a part of it.",
				`> "Lord of the Rings"`, `! check_stock {"product":"Lord of the Rings"}`, "Done."},
		},
		{
			name: "corrections", tools: shopTools(),
			texts: []string{"Reserve 2 Picker for pickup on 2026-12-04", "no, 3", "no, the Quantum Hoe", "and on Friday?", "Do you have the blue hoe in stock?", "no, the red one", "no, el rojo"},
			want: []string{"> Reserve 2 Picker for pickup on 2026-12-04", `! reserve_pickup {"product":"Picker","quantity":2,"date":"2026-12-04"}`, "Done.",
				"> no, 3", `! reserve_pickup {"product":"Picker","quantity":3,"date":"2026-12-04"}`, "Done.",
				"> no, the Quantum Hoe", `! reserve_pickup {"product":"Quantum Hoe","quantity":3,"date":"2026-12-04"}`, "Done.",
				"> and on Friday?", `! reserve_pickup {"product":"Quantum Hoe","quantity":3,"date":"2026-12-04"}`, "Done.",
				"> Do you have the blue hoe in stock?", `! check_stock {"product":"blue hoe"}`, "Done.",
				"> no, the red one", `! check_stock {"product":"red"}`, "Done.",
				"> no, el rojo", `! check_stock {"product":"rojo"}`, "Done."},
		},
		{
			name: "the phone number arrives and the operation is tried again", tools: acme,
			results: map[string]chat.Outcome{
				"reserve_pickup":       failure("contact.phone_number is missing", "missing_contact_phone"),
				"request_contact_info": {Content: `{"result":"ok","message":"I asked for your phone number."}`, EndTurn: true},
			},
			texts: []string{"Reserve 2 Picker for pickup on 2026-12-04", "why?", "/share +56 9 1234 5678"},
			want: []string{"> Reserve 2 Picker for pickup on 2026-12-04", `! reserve_pickup {"product":"Picker","quantity":2,"date":"2026-12-04"}`,
				"This needs your phone number. Please share it.", "! request_contact_info {}",
				"> why?",
				"I am the offline stand-in: I match words, I am not a language model. I can do this:",
				"- check_stock: Check product stock.", "- get_order: Look up the status of an order.", "- reserve_pickup: Reserve a product for pickup at the shop.",
				"- cancel_reservation: Cancel a reservation.", "- pickup_slots: List the free pickup times of a day.",
				"- knowledge_lookup: Searches the documents that the business wrote for its visitors and returns the passages that fit best, each with its file and the headings it stands under.", "- identify_contact: Stores the name that the visitor gave, so that later messages and tools know it.",
				"- request_contact_info: Asks the visitor, with a button on WhatsApp, to share their phone number.", "- handoff: Gives the conversation to a person of the business.",
				"To call a tool exactly: check_stock product=…",
				"> (The visitor shared their phone number: +56912345678)", `! reserve_pickup {"product":"Picker","quantity":2,"date":"2026-12-04"}`, "Reserved."},
		},
		{
			name: "the number arrives later, and once", tools: shopTools(),
			results: map[string]chat.Outcome{"reserve_pickup": failure("contact.phone_number is missing", "missing_contact_phone")},
			texts: []string{"Reserve 2 Picker for pickup on 2026-12-04", "Do you have the Picker in stock?", "/share +56912345678",
				"check_stock product=x", "/share +56912345679"},
			want: []string{"> Reserve 2 Picker for pickup on 2026-12-04", `! reserve_pickup {"product":"Picker","quantity":2,"date":"2026-12-04"}`, "contact.phone_number is missing",
				"> Do you have the Picker in stock?", `! check_stock {"product":"Picker"}`, "Done.",
				"> (The visitor shared their phone number: +56912345678)", `! reserve_pickup {"product":"Picker","quantity":2,"date":"2026-12-04"}`, "Reserved.",
				"> check_stock product=x", `! check_stock {"product":"x"}`, "Done.",
				"> (The visitor shared their phone number: +56912345679)", "Thank you, the number arrived."},
		},
		{
			name: "without a way to ask for the number it says what is missing", tools: shopTools(),
			results: map[string]chat.Outcome{"reserve_pickup": failure("contact.phone_number is missing", "missing_contact_phone")},
			texts:   []string{"Reserve 2 Picker for pickup on 2026-12-04"},
			want: []string{"> Reserve 2 Picker for pickup on 2026-12-04", `! reserve_pickup {"product":"Picker","quantity":2,"date":"2026-12-04"}`,
				"contact.phone_number is missing"},
		},
		{
			name: "a missing email is named", tools: shopTools(),
			results: map[string]chat.Outcome{"check_stock": failure("falta contact.email", "missing_contact_email")},
			texts:   []string{"¿Tienen el Picker en stock?"},
			want: []string{"> ¿Tienen el Picker en stock?", `! check_stock {"product":"Picker"}`,
				"falta contact.email"},
		},
		{
			name: "a missing name is given and the operation is tried again", tools: acme,
			results: map[string]chat.Outcome{"check_stock": failure("contact.name is missing", "missing_contact_name")},
			texts:   []string{"Do you have the Picker in stock?", "my name is Ana"},
			want: []string{"> Do you have the Picker in stock?", `! check_stock {"product":"Picker"}`, "contact.name is missing",
				"> my name is Ana", `! identify_contact {"name":"Ana"}`, `! check_stock {"product":"Picker"}`, "contact.name is missing"},
		},
		{
			name: "a spent budget ends in words", tools: shopTools(),
			results: map[string]chat.Outcome{"check_stock": failure("all calls are used", "tool_budget_spent")},
			texts:   []string{"check_stock product=a"},
			want:    []string{"> check_stock product=a", `! check_stock {"product":"a"}`, "all calls are used"},
		},
		{
			name: "no tools", tools: nil,
			texts: []string{"hello", "hola"},
			want: []string{"> hello", "Hello! I am the offline stand-in: I match words, I am not a language model. No tools are available, so there is nothing else that I can do.",
				"> hola", "¡Hola! Soy el sustituto sin conexión: comparo palabras, no soy un modelo de lenguaje. No hay herramientas disponibles, así que no puedo hacer nada más."},
		},
		{
			name: "nested values are asked for one by one",
			tools: []chat.Tool{testTool("update_address", "Change the delivery address of an order.", "The visitor moved.",
				`{"type":"object","properties":{"order_id":{"type":"string","description":"Such as A-1043."},"address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"},"postcode":{"type":"string"}},"required":["street","city"]}},"required":["order_id","address"]}`)},
			texts: []string{"Change the delivery address of order A-1043", "Main Street 5", "Springfield"},
			want: []string{"> Change the delivery address of order A-1043", "To go on I need the address street.", "> Main Street 5",
				"To go on I need the address city.", "> Springfield",
				`! update_address {"order_id":"A-1043","address":{"street":"Main Street 5","city":"Springfield"}}`, "Done."},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := talk(t, &box{tools: tt.tools, results: tt.results}, tt.texts...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
