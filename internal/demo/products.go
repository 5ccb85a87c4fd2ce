package demo

import (
	"fmt"
	"net/http"
	"strings"
)

type product struct {
	SKU   string `json:"sku"`
	Name  string `json:"name"`
	Stock int    `json:"stock"`
	Price amount `json:"price"`

	spanish  string
	searched string // both names, folded
}

// findProducts answers GET /products?name=.
func (s *shop) findProducts(r *http.Request) answer {
	name, no, ok := one(r, "name")
	if !ok {
		return no
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	data := []product{}
	for _, p := range s.search(name) {
		data = append(data, *p)
	}
	return answer{status: http.StatusOK, body: struct {
		Data []product `json:"data"`
	}{data}}
}

// pick returns the one product that name means: its SKU, its name, or words that
// no other product has.
func (s *shop) pick(name string) (p *product, no answer, ok bool) {
	folded := fold(strings.TrimSpace(name))
	for _, p := range s.products {
		if fold(p.SKU) == folded || fold(p.Name) == folded || fold(p.spanish) == folded {
			return p, answer{}, true
		}
	}
	found := s.search(name)
	switch len(found) {
	case 1:
		return found[0], answer{}, true
	case 0:
		return nil, fail(http.StatusNotFound, "product_not_found", "There is no product called %q.", name), false
	}
	names := make([]string, len(found))
	for i, p := range found {
		names[i] = p.Name
	}
	return nil, fail(http.StatusUnprocessableEntity, "ambiguous_product",
		"%q could be %s.", name, strings.Join(names, " or ")), false
}

// An alert is an email to send when a product is back.
type alert struct {
	Product string `json:"product"`
	Email   string `json:"email"`
	Name    string `json:"name,omitempty"`
}

// maxAlerts keeps the memory of a shop that is never restocked in bounds.
const maxAlerts = 1000

// addAlert answers POST /restock-alerts.
func (s *shop) addAlert(r *http.Request) answer {
	var in alert
	if no, ok := read(r, &in); !ok {
		return no
	}
	in.Product, in.Email, in.Name = strings.TrimSpace(in.Product), strings.TrimSpace(in.Email), strings.TrimSpace(in.Name)
	switch {
	case in.Product == "" || !isText(in.Product):
		return invalid("%q must be a product's name.", "product")
	case !isEmail(in.Email):
		return invalid("%q must be an email address.", "email")
	case !isText(in.Name):
		return invalid("%q must be text of at most %d characters.", "name", maxText)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p, no, ok := s.pick(in.Product)
	if !ok {
		return no
	}
	if p.Stock > 0 {
		return fail(http.StatusConflict, "in_stock", "%s is in stock: there are %d.", p.Name, p.Stock)
	}
	in.Product = p.Name
	type created struct {
		Message string `json:"message"`
		Alert   alert  `json:"alert"`
	}
	for _, a := range s.alerts {
		if a.Product == in.Product && strings.EqualFold(a.Email, in.Email) {
			return answer{status: http.StatusOK, body: created{
				fmt.Sprintf("You are already on the list for %s.", p.Name), a}}
		}
	}
	if len(s.alerts) == maxAlerts {
		return fail(http.StatusConflict, "list_full", "The list for %s is full.", p.Name)
	}
	s.alerts = append(s.alerts, in)
	return answer{status: http.StatusCreated, body: created{
		fmt.Sprintf("We will write to %s when %s is back.", in.Email, p.Name), in}}
}
