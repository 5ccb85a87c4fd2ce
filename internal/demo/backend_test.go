package demo

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const token = "test-token"

// A reply is all of an answer that a client acts on.
type reply struct {
	Status int
	Header map[string]string
	Body   string
}

// send gives the request to b, with the header's lines added or replaced.
func send(b http.Handler, method, target, body string, header ...string) reply {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	got := reply{Status: w.Code, Header: map[string]string{}, Body: w.Body.String()}
	for _, name := range []string{"Allow", "Content-Type", "Location", "Www-Authenticate"} {
		if v := w.Header().Get(name); v != "" {
			got.Header[name] = v
		}
	}
	return got
}

// answered is the reply with a JSON body and these further header lines.
func answered(status int, body string, header ...string) reply {
	want := reply{Status: status, Header: map[string]string{"Content-Type": "application/json"}, Body: body + "\n"}
	for _, h := range header {
		name, value, _ := strings.Cut(h, ": ")
		want.Header[name] = value
	}
	return want
}

func failed(status int, message, key string) reply {
	return answered(status, `{"message":"`+strings.ReplaceAll(message, `"`, `\"`)+`","error_key":"`+key+`"}`)
}

// book is a reservation as the example's tool sends it.
const book = `{"items":[{"product":"Picker","quantity":2}],"date":"2026-12-04","slot":"morning",` +
	`"contact":{"name":"Guest","phone":"+56912345678"},"hold_days":2,"send_reminders":true,"reminder_hours":[24,2]}`

func TestBackend(t *testing.T) {
	long := strings.Repeat("x", maxText+1)
	order1042 := `{"id":"A-1042","status":"shipped","placed":"2026-11-27","items":[{"name":"Picker","quantity":1,"price":19.90},` +
		`{"name":"Work Gloves","quantity":2,"price":6.90}],"total":33.70,"shipment":{"carrier":"Correo Verde","expected":"2026-12-03"}}`
	order1043 := `{"id":"A-1043","status":"processing","placed":"2026-11-30","items":[{"name":"Leaf Rake","quantity":1,"price":14.50}],` +
		`"total":14.50,"shipment":null`
	order1045 := `{"id":"A-1045","status":"delivered","placed":"2026-10-02","items":[{"name":"Spade","quantity":1,"price":24.90}],` +
		`"total":24.90,"shipment":{"carrier":"Correo Verde","expected":"2026-10-06"}}`
	badOrderID := failed(400, "An order number looks like A-1042.", "invalid_order_id")
	badCode := failed(400, "A reservation's code looks like R-1001.", "invalid_code")

	tests := []struct {
		name, method, target, body string
		header                     []string
		want                       reply
	}{
		// Who may ask, and for what.
		{"no token", "GET", "/products?name=Picker", "", []string{"Authorization: "},
			answered(401, `{"message":"A valid bearer token is needed.","error_key":"unauthorized"}`, `Www-Authenticate: Bearer realm="acme"`)},
		{"wrong token", "GET", "/products?name=Picker", "", []string{"Authorization: Bearer nope"},
			answered(401, `{"message":"A valid bearer token is needed.","error_key":"unauthorized"}`, `Www-Authenticate: Bearer realm="acme"`)},
		{"wrong scheme", "GET", "/nowhere", "", []string{"Authorization: Basic " + token},
			answered(401, `{"message":"A valid bearer token is needed.","error_key":"unauthorized"}`, `Www-Authenticate: Bearer realm="acme"`)},
		{"scheme in another case", "GET", "/products?name=Spade", "", []string{"Authorization: bearer " + token},
			answered(200, `{"data":[{"sku":"HT-04","name":"Spade","stock":0,"price":24.90}]}`)},
		{"no such path", "GET", "/nowhere", "", nil, failed(404, "There is nothing at /nowhere.", "route_not_found")},
		{"below a path", "GET", "/products/1", "", nil, failed(404, "There is nothing at /products/1.", "route_not_found")},
		{"method of a collection", "DELETE", "/products", "", nil,
			answered(405, `{"message":"DELETE is not possible here, only GET.","error_key":"method_not_allowed"}`, "Allow: GET")},
		{"method of an order", "POST", "/orders/A-1042", "{}", nil,
			answered(405, `{"message":"POST is not possible here, only GET, PATCH.","error_key":"method_not_allowed"}`, "Allow: GET, PATCH")},

		// GET /products
		{"product", "GET", "/products?name=Picker", "", nil,
			answered(200, `{"data":[{"sku":"HT-01","name":"Picker","stock":3,"price":19.90}]}`)},
		{"several products", "GET", "/products?name=%20RAKES%20", "", nil,
			answered(200, `{"data":[{"sku":"HT-02","name":"Leaf Rake","stock":12,"price":14.50},{"sku":"HT-03","name":"Garden Rake","stock":7,"price":16.75}]}`)},
		{"accents", "GET", "/products?name=cafe", "", nil,
			answered(200, `{"data":[{"sku":"PS-01","name":"Café Planter","stock":5,"price":12.05}]}`)},
		{"no product", "GET", "/products?name=Quantum%20Hoe", "", nil, answered(200, `{"data":[]}`)},
		{"nothing but signs", "GET", "/products?name=%25%26", "", nil, answered(200, `{"data":[]}`)},
		{"name missing", "GET", "/products", "", nil, failed(400, `"name" is missing from the query.`, "missing_name")},
		{"name blank", "GET", "/products?name=%20", "", nil, failed(400, `"name" is missing from the query.`, "missing_name")},
		{"name twice", "GET", "/products?name=a&name=b", "", nil, failed(400, `"name" is given more than once.`, "invalid_query")},
		{"name too long", "GET", "/products?name=" + long, "", nil, failed(400, `"name" must be text of at most 120 characters.`, "invalid_name")},
		{"name not UTF-8", "GET", "/products?name=%FF", "", nil, failed(400, `"name" must be text of at most 120 characters.`, "invalid_name")},
		{"name with NUL", "GET", "/products?name=a%00b", "", nil, failed(400, `"name" must be text of at most 120 characters.`, "invalid_name")},
		{"broken query", "GET", "/products?name=a;b", "", nil, failed(400, "The query cannot be read.", "invalid_query")},

		// POST /restock-alerts
		{"alert", "POST", "/restock-alerts", `{"product":"spades","email":"ana@acme.example","name":"Ana"}`, nil,
			answered(201, `{"message":"We will write to ana@acme.example when Spade is back.","alert":{"product":"Spade","email":"ana@acme.example","name":"Ana"}}`)},
		{"alert without a name", "POST", "/restock-alerts", `{"product":"Pala","email":"ana@acme.example"}`, nil,
			answered(201, `{"message":"We will write to ana@acme.example when Spade is back.","alert":{"product":"Spade","email":"ana@acme.example"}}`)},
		{"alert in stock", "POST", "/restock-alerts", `{"product":"Picker","email":"ana@acme.example"}`, nil,
			failed(409, "Picker is in stock: there are 3.", "in_stock")},
		{"alert for nothing", "POST", "/restock-alerts", `{"product":"Quantum Hoe","email":"ana@acme.example"}`, nil,
			answered(404, `{"message":"There is no product called \"Quantum Hoe\".","error_key":"product_not_found"}`)},
		{"alert without a product", "POST", "/restock-alerts", `{"email":"ana@acme.example"}`, nil,
			failed(422, `"product" must be a product's name.`, "invalid_fields")},
		{"alert without an email", "POST", "/restock-alerts", `{"product":"Spade"}`, nil,
			failed(422, `"email" must be an email address.`, "invalid_fields")},
		{"alert with a long name", "POST", "/restock-alerts", `{"product":"Spade","email":"a@b.example","name":"` + long + `"}`, nil,
			failed(422, `"name" must be text of at most 120 characters.`, "invalid_fields")},

		// What a body must be.
		{"body of another type", "POST", "/restock-alerts", "product=Spade", []string{"Content-Type: application/x-www-form-urlencoded"},
			failed(415, "The body must be application/json.", "unsupported_media_type")},
		{"no body", "POST", "/restock-alerts", "", []string{"Content-Type: application/json"},
			failed(400, "The body is not valid JSON.", "invalid_json")},
		{"not JSON", "POST", "/restock-alerts", `{"product":`, nil, failed(400, "The body is not valid JSON.", "invalid_json")},
		{"two values", "POST", "/restock-alerts", `{} {}`, nil, failed(400, "The body is more than one JSON value.", "invalid_json")},
		{"a list", "POST", "/restock-alerts", `[]`, nil, failed(422, "The body must be an object.", "invalid_fields")},
		{"unknown field", "POST", "/restock-alerts", `{"prodcut":"Spade"}`, nil,
			failed(422, `"prodcut" is not a field of this request.`, "invalid_fields")},
		{"too large", "POST", "/restock-alerts", `"` + strings.Repeat("x", maxBody) + `"`, nil,
			failed(413, "The body is over 65536 bytes.", "body_too_large")},
		{"number for text", "POST", "/restock-alerts", `{"product":1}`, nil, failed(422, `"product" must be text.`, "invalid_fields")},
		{"text for a number", "POST", "/reservations", `{"items":[{"product":"Picker","quantity":"2"}]}`, nil,
			failed(422, `"items.quantity" must be a whole number.`, "invalid_fields")},
		{"text for a boolean", "POST", "/reservations", `{"send_reminders":"true"}`, nil,
			failed(422, `"send_reminders" must be true or false.`, "invalid_fields")},
		{"object for a list", "POST", "/reservations", `{"items":{}}`, nil, failed(422, `"items" must be a list.`, "invalid_fields")},
		{"text for an object", "POST", "/reservations", `{"contact":"Ana"}`, nil, failed(422, `"contact" must be an object.`, "invalid_fields")},

		// GET /orders/{id}
		{"order", "GET", "/orders/A-1042", "", nil, answered(200, `{"order":`+order1042+`}`)},
		{"order in lower case", "GET", "/orders/a-1043", "", nil, answered(200, `{"order":`+order1043+`}}`)},
		{"no such order", "GET", "/orders/A-9999", "", nil, failed(404, "There is no order A-9999.", "order_not_found")},
		{"order id with a slash", "GET", "/orders/A%2F1042", "", nil, badOrderID},
		{"order id too short", "GET", "/orders/A-104", "", nil, badOrderID},
		{"order id too long", "GET", "/orders/A-1234567890", "", nil, badOrderID},
		{"order id of letters", "GET", "/orders/A-10x2", "", nil, badOrderID},
		{"order id without prefix", "GET", "/orders/1042", "", nil, badOrderID},

		// GET /orders
		{"orders", "GET", "/orders?customer=alice", "", nil, answered(200, `{"orders":[`+order1042+`,`+order1043+`},`+order1045+`]}`)},
		{"open orders", "GET", "/orders?customer=alice&open_only=true", "", nil, answered(200, `{"orders":[`+order1042+`,`+order1043+`}]}`)},
		{"all orders", "GET", "/orders?customer=alice&open_only=false", "", nil, answered(200, `{"orders":[`+order1042+`,`+order1043+`},`+order1045+`]}`)},
		{"orders of a stranger", "GET", "/orders?customer=carla", "", nil, answered(200, `{"orders":[]}`)},
		{"orders of nobody", "GET", "/orders", "", nil, failed(400, `"customer" is missing from the query.`, "missing_customer")},
		{"orders perhaps open", "GET", "/orders?customer=alice&open_only=maybe", "", nil,
			failed(400, `"open_only" must be true or false.`, "invalid_open_only")},
		{"orders open blank", "GET", "/orders?customer=alice&open_only=", "", nil,
			failed(400, `"open_only" is missing from the query.`, "missing_open_only")},

		// PATCH /orders/{id}
		{"address", "PATCH", "/orders/A-1043", `{"address":{"street":"5 Río Street","city":"Osorno","postcode":"5290000"}}`, []string{"X-Customer: alice"},
			answered(200, `{"message":"Order A-1043 will go to 5 Río Street, Osorno.","order":`+order1043+
				`,"address":{"street":"5 Río Street","city":"Osorno","postcode":"5290000"}}}`)},
		{"part of an address", "PATCH", "/orders/A-1043", `{"address":{"street":"5 Río Street"}}`, []string{"X-Customer: alice"},
			answered(200, `{"message":"Order A-1043 will go to 5 Río Street, Valdivia.","order":`+order1043+
				`,"address":{"street":"5 Río Street","city":"Valdivia","postcode":"5090000"}}}`)},
		{"address after shipping", "PATCH", "/orders/A-1042", `{"address":{"city":"Osorno"}}`, []string{"X-Customer: alice"},
			failed(409, "Order A-1042 is shipped, so its address cannot be changed.", "order_already_shipped")},
		{"address of another's order", "PATCH", "/orders/A-1044", `{"address":{"city":"Osorno"}}`, []string{"X-Customer: alice"},
			failed(404, "There is no order A-1044.", "order_not_found")},
		{"address of no order", "PATCH", "/orders/A-9999", `{"address":{"city":"Osorno"}}`, []string{"X-Customer: alice"},
			failed(404, "There is no order A-9999.", "order_not_found")},
		{"address of a bad id", "PATCH", "/orders/x", `{"address":{"city":"Osorno"}}`, []string{"X-Customer: alice"}, badOrderID},
		{"address by nobody", "PATCH", "/orders/A-1043", `{"address":{"city":"Osorno"}}`, nil,
			failed(400, "The X-Customer header says whose order it is.", "missing_customer")},
		{"no address", "PATCH", "/orders/A-1043", `{}`, []string{"X-Customer: alice"},
			failed(422, `"address" is missing.`, "invalid_fields")},
		{"blank city", "PATCH", "/orders/A-1043", `{"address":{"street":"5 Río Street","city":" "}}`, []string{"X-Customer: alice"},
			failed(422, `"address.city" must be text of at most 120 characters.`, "invalid_fields")},

		// GET /pickup-slots
		{"slots", "GET", "/pickup-slots?date=2026-12-04", "", nil,
			answered(200, `{"date":"2026-12-04","slots":[{"slot":"morning","from":"10:00","to":"13:00","free":6},{"slot":"afternoon","from":"15:00","to":"18:00","free":4}]}`)},
		{"a full slot", "GET", "/pickup-slots?date=2026-12-05", "", nil,
			answered(200, `{"date":"2026-12-05","slots":[{"slot":"morning","from":"10:00","to":"13:00","free":0},{"slot":"afternoon","from":"15:00","to":"18:00","free":6}]}`)},
		{"slots of a Sunday", "GET", "/pickup-slots?date=2026-12-06", "", nil, answered(200, `{"date":"2026-12-06","slots":[]}`)},
		{"slots of no day", "GET", "/pickup-slots?date=2026-02-30", "", nil, failed(400, `"date" must be a day such as 2026-12-04.`, "invalid_date")},
		{"slots without a day", "GET", "/pickup-slots", "", nil, failed(400, `"date" is missing from the query.`, "missing_date")},

		// POST /reservations
		{"reservation", "POST", "/reservations", book, nil,
			answered(201, `{"message":"Reserved 2 Picker for 2026-12-04, between 10:00 and 13:00. The code is R-1002.",`+
				`"reservation":{"code":"R-1002","date":"2026-12-04","slot":"morning","hold_until":"2026-12-06","items":[{"name":"Picker","quantity":2,"price":19.90}],"total":39.80}}`,
				"Location: /reservations/R-1002")},
		{"reservation of two things", "POST", "/reservations",
			`{"items":[{"product":"HT-06","quantity":1,"gift_wrap":true},{"product":"rastrillo","quantity":1,"gift_wrap":false}],"date":"2026-12-31","slot":"afternoon",` +
				`"contact":{"phone":"(56) 9-1234 5678","email":"ana@acme.example"},"hold_days":1}`, nil,
			answered(201, `{"message":"Reserved 1 Work Gloves, 1 Garden Rake for 2026-12-31, between 15:00 and 18:00. The code is R-1002.",`+
				`"reservation":{"code":"R-1002","date":"2026-12-31","slot":"afternoon","hold_until":"2027-01-01","items":[{"name":"Work Gloves","quantity":1,"price":6.90,"gift_wrap":true},`+
				`{"name":"Garden Rake","quantity":1,"price":16.75}],"total":23.65}}`,
				"Location: /reservations/R-1002")},
		{"more than there is", "POST", "/reservations", strings.Replace(book, `"quantity":2`, `"quantity":4`, 1), nil,
			failed(409, "Only 3 Picker left, and 4 were asked for.", "out_of_stock")},
		{"sold out", "POST", "/reservations", strings.Replace(book, "Picker", "Spade", 1), nil,
			failed(409, "Spade is sold out.", "out_of_stock")},
		{"more than there is, in two lines", "POST", "/reservations",
			strings.Replace(book, `"quantity":2}`, `"quantity":2},{"product":"Recolector","quantity":2}`, 1), nil,
			failed(409, "Only 3 Picker left, and 4 were asked for.", "out_of_stock")},
		{"a full morning", "POST", "/reservations", strings.Replace(book, "2026-12-04", "2026-12-05", 1), nil,
			failed(409, "The morning of 2026-12-05 is full.", "slot_full")},
		{"a Sunday", "POST", "/reservations", strings.Replace(book, "2026-12-04", "2026-12-06", 1), nil,
			failed(422, "The shop is closed on 2026-12-06, a Sunday.", "closed")},
		{"no such product", "POST", "/reservations", strings.Replace(book, "Picker", "Quantum Hoe", 1), nil,
			failed(404, `There is no product called "Quantum Hoe".`, "product_not_found")},
		{"one of two products", "POST", "/reservations", strings.Replace(book, "Picker", "rake", 1), nil,
			failed(422, `"rake" could be Leaf Rake or Garden Rake.`, "ambiguous_product")},
		{"no items", "POST", "/reservations", `{}`, nil, failed(422, `"items" must be a list of 1 to 10 products.`, "invalid_fields")},
		{"blank product", "POST", "/reservations", strings.Replace(book, "Picker", " ", 1), nil,
			failed(422, `"items.0.product" must be a product's name.`, "invalid_fields")},
		{"none of a product", "POST", "/reservations", strings.Replace(book, `"quantity":2`, `"quantity":0`, 1), nil,
			failed(422, `"items.0.quantity" must be a number from 1 to 20.`, "invalid_fields")},
		{"too many of a product", "POST", "/reservations", strings.Replace(book, `"quantity":2`, `"quantity":21`, 1), nil,
			failed(422, `"items.0.quantity" must be a number from 1 to 20.`, "invalid_fields")},
		{"no day", "POST", "/reservations", strings.Replace(book, "2026-12-04", "tomorrow", 1), nil,
			failed(422, `"date" must be a day such as 2026-12-04.`, "invalid_fields")},
		{"no slot", "POST", "/reservations", strings.Replace(book, "morning", "night", 1), nil,
			failed(422, `"slot" must be morning or afternoon.`, "invalid_fields")},
		{"no phone", "POST", "/reservations", strings.Replace(book, "+56912345678", "", 1), nil,
			failed(422, `"contact.phone" must be a phone number.`, "invalid_fields")},
		{"no phone number", "POST", "/reservations", strings.Replace(book, "+56912345678", "+569 CALL ME", 1), nil,
			failed(422, `"contact.phone" must be a phone number.`, "invalid_fields")},
		{"no address for mail", "POST", "/reservations", strings.Replace(book, `"name":"Guest"`, `"email":"ana@acme"`, 1), nil,
			failed(422, `"contact.email" must be an email address.`, "invalid_fields")},
		{"a long name", "POST", "/reservations", strings.Replace(book, "Guest", long, 1), nil,
			failed(422, `"contact.name" must be text of at most 120 characters.`, "invalid_fields")},
		{"held too long", "POST", "/reservations", strings.Replace(book, `"hold_days":2`, `"hold_days":8`, 1), nil,
			failed(422, `"hold_days" must be a number from 0 to 7.`, "invalid_fields")},
		{"reminded too early", "POST", "/reservations", strings.Replace(book, "[24,2]", "[24,100]", 1), nil,
			failed(422, `"reminder_hours.1" must be a number from 1 to 72.`, "invalid_fields")},

		// DELETE /reservations/{code}
		{"cancelled", "DELETE", "/reservations/r-1001?phone=%2B56%209%208765%204321", "", nil, reply{Status: 204, Header: map[string]string{}}},
		{"cancelled by a stranger", "DELETE", "/reservations/R-1001?phone=%2B56912345678", "", nil,
			failed(404, "There is no reservation R-1001 for this phone number.", "reservation_not_found")},
		{"cancelled by no number", "DELETE", "/reservations/R-1001?phone=x", "", nil,
			failed(404, "There is no reservation R-1001 for this phone number.", "reservation_not_found")},
		{"nothing to cancel", "DELETE", "/reservations/R-9999?phone=%2B56987654321", "", nil,
			failed(404, "There is no reservation R-9999 for this phone number.", "reservation_not_found")},
		{"cancelled by nobody", "DELETE", "/reservations/R-1001", "", nil, failed(400, `"phone" is missing from the query.`, "missing_phone")},
		{"not a code", "DELETE", "/reservations/A-1001?phone=%2B56987654321", "", nil, badCode},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := send(New(token), tt.method, tt.target, tt.body, tt.header...)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s %s %s (-want +got):\n%s", tt.method, tt.target, tt.body, diff)
			}
		})
	}
}

// What one request does, the next one sees; and the same requests get the same
// answers from every new shop.
func TestBackendRemembers(t *testing.T) {
	requests := []struct{ method, target, body string }{
		{"POST", "/reservations", book},
		{"POST", "/reservations", book},
		{"GET", "/products?name=picker", ""},
		{"GET", "/pickup-slots?date=2026-12-04", ""},
		{"DELETE", "/reservations/R-1002?phone=56912345678", ""},
		{"DELETE", "/reservations/R-1002?phone=56912345678", ""},
		{"GET", "/products?name=picker", ""},
		{"GET", "/pickup-slots?date=2026-12-04", ""},
		{"POST", "/reservations", strings.Replace(book, `"quantity":2`, `"quantity":1`, 1)},
		{"POST", "/restock-alerts", `{"product":"Spade","email":"ana@acme.example"}`},
		{"POST", "/restock-alerts", `{"product":"Spade","email":"ANA@acme.example"}`},
	}
	slotsOf := func(morning string) string {
		return `{"date":"2026-12-04","slots":[{"slot":"morning","from":"10:00","to":"13:00","free":` + morning +
			`},{"slot":"afternoon","from":"15:00","to":"18:00","free":4}]}`
	}
	reservation := func(code, quantity, total string) reply {
		return answered(201, `{"message":"Reserved `+quantity+` Picker for 2026-12-04, between 10:00 and 13:00. The code is `+code+`.",`+
			`"reservation":{"code":"`+code+`","date":"2026-12-04","slot":"morning","hold_until":"2026-12-06","items":[{"name":"Picker","quantity":`+quantity+
			`,"price":19.90}],"total":`+total+`}}`, "Location: /reservations/"+code)
	}
	want := []reply{
		reservation("R-1002", "2", "39.80"),
		failed(409, "Only 1 Picker left, and 2 were asked for.", "out_of_stock"),
		answered(200, `{"data":[{"sku":"HT-01","name":"Picker","stock":1,"price":19.90}]}`),
		answered(200, slotsOf("5")),
		{Status: 204, Header: map[string]string{}},
		failed(404, "There is no reservation R-1002 for this phone number.", "reservation_not_found"),
		answered(200, `{"data":[{"sku":"HT-01","name":"Picker","stock":3,"price":19.90}]}`),
		answered(200, slotsOf("6")),
		reservation("R-1003", "1", "19.90"),
		answered(201, `{"message":"We will write to ana@acme.example when Spade is back.","alert":{"product":"Spade","email":"ana@acme.example"}}`),
		answered(200, `{"message":"You are already on the list for Spade.","alert":{"product":"Spade","email":"ana@acme.example"}}`),
	}
	for range 2 {
		b := New(token)
		var got []reply
		for _, r := range requests {
			got = append(got, send(b, r.method, r.target, r.body))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("answers (-want +got):\n%s", diff)
		}
	}
}

func TestAlertsAreBounded(t *testing.T) {
	b := New(token)
	for i := range maxAlerts {
		b.shop.alerts = append(b.shop.alerts, alert{Product: "Spade", Email: strings.Repeat("a", i+1) + "@acme.example"})
	}
	got := send(b, "POST", "/restock-alerts", `{"product":"Spade","email":"ana@acme.example"}`)
	if diff := cmp.Diff(failed(409, "The list for Spade is full.", "list_full"), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNoTokenLetsNobodyIn(t *testing.T) {
	for _, header := range []string{"", "Bearer", "Bearer "} {
		if got := send(New(""), "GET", "/products?name=Picker", "", "Authorization: "+header); got.Status != http.StatusUnauthorized {
			t.Errorf("Authorization %q: status %d, want 401", header, got.Status)
		}
	}
}

// Three pickers are there: of many who want one at once, three get it, each
// under a code of its own, and undoing all of it restores the shop.
func TestBackendConcurrently(t *testing.T) {
	b := New(token)
	one := strings.Replace(book, `"quantity":2`, `"quantity":1`, 1)
	var wg sync.WaitGroup
	statuses := make([]int, 32)
	for i := range statuses {
		wg.Go(func() {
			statuses[i] = send(b, "POST", "/reservations", one).Status
			send(b, "GET", "/products?name=picker", "")
			send(b, "GET", "/pickup-slots?date=2026-12-04", "")
			send(b, "GET", "/orders?customer=alice", "")
			send(b, "PATCH", "/orders/A-1043", `{"address":{"city":"Osorno"}}`, "X-Customer: alice")
			send(b, "POST", "/restock-alerts", `{"product":"Spade","email":"ana@acme.example"}`)
		})
	}
	wg.Wait()
	count := map[int]int{}
	for _, s := range statuses {
		count[s]++
	}
	if diff := cmp.Diff(map[int]int{201: 3, 409: 29}, count); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	if n := len(b.shop.alerts); n != 1 {
		t.Errorf("%d alerts, want 1", n)
	}
	for _, code := range []string{"R-1002", "R-1003", "R-1004"} {
		wg.Go(func() {
			if got := send(b, "DELETE", "/reservations/"+code+"?phone=56912345678", ""); got.Status != 204 {
				t.Errorf("cancelling %s: %v", code, got)
			}
		})
	}
	wg.Wait()
	fresh := newShop()
	if diff := cmp.Diff(fresh.products, b.shop.products, cmp.AllowUnexported(product{})); diff != "" {
		t.Errorf("products (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(fresh.pickups, b.shop.pickups, cmp.AllowUnexported(pickup{})); diff != "" {
		t.Errorf("pickups (-want +got):\n%s", diff)
	}
}

// No request, however odd, makes the shop fail.
func FuzzBackend(f *testing.F) {
	f.Add("GET", "/products", "name=Picker", []byte(nil))
	f.Add("POST", "/reservations", "", []byte(book))
	f.Add("PATCH", "/orders/A-1043", "", []byte(`{"address":{"street":"5 Río Street"}}`))
	f.Add("DELETE", "/reservations/R-1001", "phone=56987654321", []byte(nil))
	f.Fuzz(func(t *testing.T, method, path, query string, body []byte) {
		r := httptest.NewRequest(http.MethodGet, "/", bytes.NewReader(body))
		r.Method, r.URL.Path, r.URL.RawQuery = method, path, query
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Customer", Customer)
		w := httptest.NewRecorder()
		New(token).ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
	})
}
