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
	const (
		givePhone = "Share it with /share +56912345678, or start with --contact phone_number=+56912345678."
		askCode   = "To go on I need the code: The code of the reservation, such as R-1001."
		askStreet = "To go on I need the address street: Street and number."
		askDoctor = "To go on I need the doctor id (a whole number): The number of the doctor"
		askDay    = "To go on I need the date (a date, such as 2026-12-04): The day of the appointment"
		again     = "I did not understand that. "
	)
	store := append(append(shopTools(), accountTools()...), builtinTools()[0], builtinTools()[3])
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
			texts: []string{"Reserve 2 Picker for pickup on 2026-12-04", "no, 3", "no, the Quantum Hoe", "sorry, on Friday", "Do you have the blue hoe in stock?", "no, the red one", "no, el rojo"},
			want: []string{"> Reserve 2 Picker for pickup on 2026-12-04", `! reserve_pickup {"product":"Picker","quantity":2,"date":"2026-12-04"}`, "Done.",
				"> no, 3", `! reserve_pickup {"product":"Picker","quantity":3,"date":"2026-12-04"}`, "Done.",
				"> no, the Quantum Hoe", `! reserve_pickup {"product":"Quantum Hoe","quantity":3,"date":"2026-12-04"}`, "Done.",
				"> sorry, on Friday", `! reserve_pickup {"product":"Quantum Hoe","quantity":3,"date":"2026-12-04"}`, "Done.",
				"> Do you have the blue hoe in stock?", `! check_stock {"product":"blue hoe"}`, "Done.",
				"> no, the red one", `! check_stock {"product":"red hoe"}`, "Done.",
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
			want: []string{"> Reserve 2 Picker for pickup on 2026-12-04", `! reserve_pickup {"product":"Picker","quantity":2,"date":"2026-12-04"}`, "contact.phone_number is missing", givePhone,
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
				"contact.phone_number is missing", givePhone},
		},
		{
			name: "a missing email is named", tools: shopTools(),
			results: map[string]chat.Outcome{"check_stock": failure("falta contact.email", "missing_contact_email")},
			texts:   []string{"¿Tienen el Picker en stock?"},
			want: []string{"> ¿Tienen el Picker en stock?", `! check_stock {"product":"Picker"}`,
				"falta contact.email", "El correo se indica con /contact email=ana@acme.example, o al empezar con --contact email=ana@acme.example."},
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
			name: "a question that is open lets the visitor go to a person", tools: store,
			results: map[string]chat.Outcome{chat.HandoffTool: {Content: `{"result":"ok","message":"A person takes over."}`}},
			texts:   []string{"cancel my reservation", "I want to talk to a human"},
			want: []string{"> cancel my reservation", askCode,
				"> I want to talk to a human", `! handoff {"reason":"I want to talk to a human"}`, "A person takes over."},
		},
		{
			name: "and in Spanish", tools: store,
			results: map[string]chat.Outcome{chat.HandoffTool: {Content: `{"result":"ok","message":"A person takes over."}`}},
			texts:   []string{"Change the delivery address of order A-1043", "necesito hablar con una persona"},
			want: []string{"> Change the delivery address of order A-1043", askStreet,
				"> necesito hablar con una persona", `! handoff {"reason":"necesito hablar con una persona"}`, "A person takes over."},
		},
		{
			name: "a question that is open can be left", tools: store,
			texts: []string{"cancel my reservation", "no, cancel that", "cancel my reservation", "no", "cancelar mi reserva", "nada",
				"Change the delivery address of order A-1043", "nothing", "quiero cancelar mi reserva", "olvídalo"},
			want: []string{"> cancel my reservation", askCode, "> no, cancel that", "All right, I leave it.",
				"> cancel my reservation", askCode, "> no", "All right, I leave it.",
				"> cancelar mi reserva", "Para seguir necesito «code»: The code of the reservation, such as R-1001.", "> nada", "De acuerdo, lo dejo.",
				"> Change the delivery address of order A-1043", askStreet, "> nothing", "All right, I leave it.",
				"> quiero cancelar mi reserva", "Para seguir necesito «code»: The code of the reservation, such as R-1001.", "> olvídalo", "De acuerdo, lo dejo."},
		},
		{
			name: "a request for another tool leaves the question", tools: careTools(),
			texts: []string{"book an appointment", "cancel AP-119", "cancel my appointment", "which doctors are there?"},
			want: []string{"> book an appointment", askDoctor, "> cancel AP-119", `! cancel_appointment {"code":"AP-119"}`, "Done.",
				"> cancel my appointment", "To go on I need the code: The code of the appointment such as AP-101", "> which doctors are there?", "! find_doctors {}", "Done."},
		},
		{
			name: "what is no answer is not taken for one", tools: careTools(),
			texts: []string{"book an appointment", "my son is 12 years old", "doctor 2", "when are you open?", "my birthday is on 2026-12-20", "how about tomorrow?"},
			want: []string{"> book an appointment", askDoctor, "> my son is 12 years old", again + askDoctor, "> doctor 2", askDay,
				"> when are you open?", again + askDay, "> my birthday is on 2026-12-20", again + askDay,
				"> how about tomorrow?", `! book_appointment {"doctor_id":2,"date":"2026-12-02"}`, "Done."},
		},
		{
			name: "nor are words without a name in them", tools: shopTools(),
			texts: []string{"I want to check stock", "I am not sure", "no sé", "the Picker"},
			want: []string{"> I want to check stock", "To go on I need the product: The product's name, or a part of it.",
				"> I am not sure", again + "To go on I need the product: The product's name, or a part of it.",
				"> no sé", "No lo entendí. Para seguir necesito «product»: The product's name, or a part of it.",
				"> the Picker", `! check_stock {"product":"Picker"}`, "Done."},
		},
		{
			name: "what was given of an address is taken", tools: store,
			texts: []string{"change the address of my order A-1042 to Av. Providencia 123", "Santiago",
				"Change the delivery address of order A-1043", "Av. Providencia 123, Santiago"},
			want: []string{"> change the address of my order A-1042 to Av. Providencia 123", "To go on I need the address city.",
				"> Santiago", `! update_order_address {"order_id":"A-1042","address":{"street":"Av. Providencia 123","city":"Santiago"}}`, "Done.",
				"> Change the delivery address of order A-1043", askStreet,
				"> Av. Providencia 123, Santiago", `! update_order_address {"order_id":"A-1043","address":{"street":"Av. Providencia 123","city":"Santiago"}}`, "Done."},
		},
		{
			name: "a phone number in a message is nothing's argument", tools: store,
			results: map[string]chat.Outcome{"reserve_pickup": failure("The phone number is not known.", "missing_contact_phone")},
			texts:   []string{"Reserve 2 Picker for pickup on 2026-12-04", "my phone number is +56912345678", "cancel my reservation", "my phone number is +56912345678", "R-1001"},
			want: []string{"> Reserve 2 Picker for pickup on 2026-12-04", `! reserve_pickup {"product":"Picker","quantity":2,"date":"2026-12-04"}`, "The phone number is not known.", givePhone,
				"> my phone number is +56912345678",
				"I cannot store a phone number from a message. Share it with /share +56912345678, or start with --contact phone_number=+56912345678.",
				"> cancel my reservation", askCode,
				"> my phone number is +56912345678",
				"I cannot store a phone number from a message. Share it with /share +56912345678, or start with --contact phone_number=+56912345678. " + askCode,
				"> R-1001", `! cancel_reservation {"code":"R-1001"}`, "Done."},
		},
		{
			name: "nor is an email address", tools: store,
			results: map[string]chat.Outcome{"notify_restock": failure("The email is not known.", "missing_contact_email")},
			texts:   []string{"Notify me when the Picker is back", "ana@acme.example"},
			want: []string{"> Notify me when the Picker is back", `! notify_restock {"product":"Picker"}`, "The email is not known.",
				"Give it with /contact email=ana@acme.example, or start with --contact email=ana@acme.example.",
				"> ana@acme.example", "I cannot store an email address from a message. Give it with /contact email=ana@acme.example, or start with --contact email=ana@acme.example."},
		},
		{
			name: "what it can do is listed once", tools: careTools()[:1],
			texts: []string{"asdf", "zxcv", "thank you", "gracias", "hello", "ayuda"},
			want: []string{"> asdf", "I am the offline stand-in: I match words, I am not a language model. I can do this:",
				"- find_doctors: List the doctors of the clinic.", "To call a tool exactly: find_doctors",
				"> zxcv", "I did not understand that. Write \"help\" to see what I can do.",
				"> thank you", "You're welcome!", "> gracias", "¡De nada!", "> hello", "Hello! How can I help?",
				"> ayuda", "Soy el sustituto sin conexión: comparo palabras, no soy un modelo de lenguaje. Puedo hacer esto:",
				"- find_doctors: List the doctors of the clinic.", "Para llamar una herramienta tal cual: find_doctors"},
		},
		{
			name: "a language is told from a verb alone", tools: clinicTools(),
			texts: []string{"Agendar cita", "pediatría", "mañana"},
			want: []string{"> Agendar cita", "Para seguir necesito «especialidad» (uno de: pediatría, cardiología, dermatología).",
				"> pediatría", "Para seguir necesito «fecha» (una fecha, como 2026-12-04 o 4/12/2026).",
				"> mañana", `! agendar_cita {"especialidad":"pediatría","fecha":"2026-12-02"}`, "Done."},
		},
		{
			name: "what changes something is not done once more by the way", tools: shopTools(),
			texts: []string{"Reserve 2 Picker for pickup on 2026-12-04", "and on Friday?"},
			want: []string{"> Reserve 2 Picker for pickup on 2026-12-04", `! reserve_pickup {"product":"Picker","quantity":2,"date":"2026-12-04"}`, "Done.",
				"> and on Friday?", "I am the offline stand-in: I match words, I am not a language model. I can do this:",
				"- check_stock: Check product stock.", "- get_order: Look up the status of an order.", "- reserve_pickup: Reserve a product for pickup at the shop.",
				"- cancel_reservation: Cancel a reservation.", "- pickup_slots: List the free pickup times of a day.", "To call a tool exactly: check_stock product=…"},
		},
		{
			name: "what is only told is asked about before it is done", tools: bankTools(),
			texts: []string{"I lost my card, it ends in 4321", "yes please", "I lost my card, it ends in 4321", "no", "I lost my card, it ends in 4321", "Is there a branch in Valparaíso?"},
			want: []string{"> I lost my card, it ends in 4321", `Should I call block_card {"last_four":"4321"}? Answer yes or no.`,
				"> yes please", `! block_card {"last_four":"4321"}`, "Done.",
				"> I lost my card, it ends in 4321", `Should I call block_card {"last_four":"4321"}? Answer yes or no.`,
				"> no", "All right, I leave it.",
				"> I lost my card, it ends in 4321", `Should I call block_card {"last_four":"4321"}? Answer yes or no.`,
				"> Is there a branch in Valparaíso?", `! find_branch {"city":"Valparaíso"}`, "Done."},
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
