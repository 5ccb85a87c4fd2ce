package demo

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// What can be said of an order.
const (
	processing = "processing"
	shipped    = "shipped"
	delivered  = "delivered"
)

type order struct {
	ID       string    `json:"id"`
	Status   string    `json:"status"`
	Placed   string    `json:"placed"`
	Items    []line    `json:"items"`
	Total    amount    `json:"total"`
	Shipment *shipment `json:"shipment"` // null: it has not left

	// Not shown to whoever merely knows the number.
	customer string
	address  address
}

type shipment struct {
	Carrier  string `json:"carrier"`
	Expected string `json:"expected"`
}

type address struct {
	Street   string `json:"street"`
	City     string `json:"city"`
	Postcode string `json:"postcode"`
}

// order returns the order that the request's path names.
func (s *shop) order(r *http.Request) (o *order, no answer, ok bool) {
	id := strings.ToUpper(r.PathValue("id"))
	if !isNumbered(id, "A-") {
		return nil, fail(http.StatusBadRequest, "invalid_order_id", "An order number looks like A-1042."), false
	}
	for _, o := range s.orders {
		if o.ID == id {
			return o, answer{}, true
		}
	}
	return nil, noOrder(id), false
}

func noOrder(id string) answer {
	return fail(http.StatusNotFound, "order_not_found", "There is no order %s.", id)
}

// isNumbered says whether s is prefix and a number of four to nine digits.
func isNumbered(s, prefix string) bool {
	number, found := strings.CutPrefix(s, prefix)
	return found && len(number) >= 4 && len(number) <= 9 && strings.Trim(number, "0123456789") == ""
}

// getOrder answers GET /orders/{id}.
func (s *shop) getOrder(r *http.Request) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, no, ok := s.order(r)
	if !ok {
		return no
	}
	return answer{status: http.StatusOK, body: struct {
		Order order `json:"order"`
	}{*o}}
}

// listOrders answers GET /orders?customer=&open_only=.
func (s *shop) listOrders(r *http.Request) answer {
	customer, no, ok := one(r, "customer")
	if !ok {
		return no
	}
	openOnly := false
	if r.URL.Query().Has("open_only") {
		text, no, ok := one(r, "open_only")
		if !ok {
			return no
		}
		var err error
		if openOnly, err = strconv.ParseBool(text); err != nil {
			return fail(http.StatusBadRequest, "invalid_open_only", "%q must be true or false.", "open_only")
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	orders := []order{}
	for _, o := range s.orders {
		if o.customer == customer && !(openOnly && o.Status == delivered) {
			orders = append(orders, *o)
		}
	}
	return answer{status: http.StatusOK, body: struct {
		Orders []order `json:"orders"`
	}{orders}}
}

// changeOrder answers PATCH /orders/{id}. Fields that are not given stay as they
// are.
func (s *shop) changeOrder(r *http.Request) answer {
	customer := r.Header.Get("X-Customer")
	if customer == "" {
		return fail(http.StatusBadRequest, "missing_customer", "The X-Customer header says whose order it is.")
	}
	var in struct {
		Address *struct {
			Street   *string `json:"street"`
			City     *string `json:"city"`
			Postcode *string `json:"postcode"`
		} `json:"address"`
	}
	if no, ok := read(r, &in); !ok {
		return no
	}
	if in.Address == nil {
		return invalid("%q is missing.", "address")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	o, no, ok := s.order(r)
	if !ok {
		return no
	}
	if o.customer != customer {
		return noOrder(o.ID)
	}
	if o.Status != processing {
		return fail(http.StatusConflict, "order_already_shipped",
			"Order %s is %s, so its address cannot be changed.", o.ID, o.Status)
	}
	changed := o.address
	for _, f := range []struct {
		name string
		from *string
		to   *string
	}{
		{"address.street", in.Address.Street, &changed.Street},
		{"address.city", in.Address.City, &changed.City},
		{"address.postcode", in.Address.Postcode, &changed.Postcode},
	} {
		if f.from == nil {
			continue
		}
		text := strings.TrimSpace(*f.from)
		if text == "" || !isText(text) {
			return invalid("%q must be text of at most %d characters.", f.name, maxText)
		}
		*f.to = text
	}
	o.address = changed
	type withAddress struct {
		order
		Address address `json:"address"`
	}
	return answer{status: http.StatusOK, body: struct {
		Message string      `json:"message"`
		Order   withAddress `json:"order"`
	}{
		fmt.Sprintf("Order %s will go to %s, %s.", o.ID, changed.Street, changed.City),
		withAddress{*o, changed},
	}}
}
