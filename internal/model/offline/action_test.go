package offline

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vatio-dev/vatio/internal/chat"
)

func TestActions(t *testing.T) {
	tests := []struct {
		name, description, when string
		changes                 bool
		actions                 string
		situation               string
	}{
		{"get_order", "Look up an order.", "The visitor wants to cancel.", false, "", ""},
		{"lookup", "", "", false, "", ""},
		{"ver_saldo", "Muestra el saldo.", "", false, "", ""},
		{"my_orders", "List the orders of the customer.", "", false, "", ""},
		{"orders", "Searches orders.", "", false, "", ""},
		{"branch_hours", "Opening hours of a branch.", "", false, "", ""},
		{"precio_consulta", "Precio de una consulta.", "", false, "", ""},
		{"weather", "The weather of a city.", "", false, "", ""},
		{"cancel_order", "Cancels an order.", "The customer wants to cancel an order (anular, pedido).", true, "cancel cancels anular", ""},
		{"reserve", "Reserve a product.", "The visitor wants to book a product and collect it (reservar para retiro).", true, "reserve book collect reservar", ""},
		{"notify_restock", "Send an email when it is back.", "A product is sold out (avísame cuando llegue).", true, "notify send avisame", "sold"},
		{"agendar_cita", "Agenda una cita.", "El paciente quiere pedir hora o agendar (book an appointment).", true, "agendar agenda pedir book", ""},
		{"block_card", "Block a lost card.", "The customer lost their card (bloquear tarjeta).", true, "block bloquear", "lost"},
		{"delete_user", "Shows nobody the user again.", "", true, "delete", ""},
		{"frobnicate", "", "", true, "frobnicate", ""},
	}
	for _, tt := range tests {
		info := newIndex(newLexicon(), []chat.Tool{testTool(tt.name, tt.description, tt.when, "")}).tools[0]
		var words []string
		for _, a := range info.actions {
			words = append(words, a.word)
		}
		got := []any{info.changes, strings.Join(words, " "), strings.Join(info.situation, " ")}
		if diff := cmp.Diff([]any{tt.changes, tt.actions, tt.situation}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestForms(t *testing.T) {
	tests := []struct{ verb, asks, tells string }{
		{"cancelar", "cancelar cancela cancele cancelen cancélame cancelarla cancelarlo cancélalo canceles", "cancelo cancelaste cancelamos cancelaba cancelarán"},
		{"cancel", "cancel cancelar cancela cancele cancélala", "cancelo cancelaste"},
		{"reserve", "reserve reservar reserva resérvame resérvalo", "reservo reservamos"},
		{"mover", "mover mueve muévela mueva moverlo", "muevo movemos"},
		{"pagar", "pagar paga pague págalo paguen", "pago pagaste"},
		{"avísame", "avísame avisa avisar avisarme", "aviso"},
	}
	st := newStemmer()
	lex := newLexicon()
	is := func(verb, word string) bool {
		a, w := lex.split(st, verb)[0], lex.split(st, word)[0]
		forms := formsOf(w.word)
		return baseForm(w.word) && (&action{a, formsOf(a.word)}).is(&w, &forms)
	}
	for _, tt := range tests {
		for w := range strings.FieldsSeq(tt.asks) {
			if !is(tt.verb, w) {
				t.Errorf("%s is not taken for %s", w, tt.verb)
			}
		}
		for w := range strings.FieldsSeq(tt.tells + " charge moved canasta reservation payment") {
			if is(tt.verb, w) {
				t.Errorf("%s is taken for %s", w, tt.verb)
			}
		}
	}
}
