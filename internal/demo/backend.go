// Package demo is what `vatio demo` starts: the applications behind the example
// workspaces, answering over HTTP as real ones would, and the guided
// conversations with them. Answers depend on the requests that came before and on
// nothing else: no clock is read and no random number drawn.
package demo

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"
)

// A Backend is the shop's API. It keeps everything in memory and is safe for
// concurrent use.
//
//	GET    /products?name=            what is sold under a name
//	POST   /restock-alerts            an email when a product is back
//	GET    /orders?customer=          a customer's orders
//	GET    /orders/{id}               one order
//	PATCH  /orders/{id}               a new delivery address
//	GET    /pickup-slots?date=        the pickup times of a day
//	POST   /reservations              products kept for a pickup
//	DELETE /reservations/{code}       a reservation undone
//
// Errors carry a JSON object with "message" and "error_key".
type Backend struct {
	token [sha256.Size]byte
	mux   *http.ServeMux
	shop  *shop
}

var _ http.Handler = (*Backend)(nil)

// New returns a shop with its opening stock that serves whoever sends token as
// its bearer token. An empty token lets nobody in.
func New(token string) *Backend {
	b := &Backend{token: sha256.Sum256([]byte(token)), mux: http.NewServeMux(), shop: newShop()}
	b.route("/products", methods{http.MethodGet: b.shop.findProducts})
	b.route("/restock-alerts", methods{http.MethodPost: b.shop.addAlert})
	b.route("/orders", methods{http.MethodGet: b.shop.listOrders})
	b.route("/orders/{id}", methods{http.MethodGet: b.shop.getOrder, http.MethodPatch: b.shop.changeOrder})
	b.route("/pickup-slots", methods{http.MethodGet: b.shop.listSlots})
	b.route("/reservations", methods{http.MethodPost: b.shop.addReservation})
	b.route("/reservations/{code}", methods{http.MethodDelete: b.shop.cancelReservation})
	b.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(http.StatusNotFound, "route_not_found", "There is nothing at %s.", r.URL.Path).write(w)
	})
	return b
}

// methods maps each method a path knows to what answers it.
type methods map[string]func(*http.Request) answer

func (b *Backend) route(path string, m methods) {
	allowed := make([]string, 0, len(m))
	for method := range m {
		allowed = append(allowed, method)
	}
	slices.Sort(allowed)
	allow := strings.Join(allowed, ", ")
	b.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		handle, ok := m[r.Method]
		if !ok {
			w.Header().Set("Allow", allow)
			fail(http.StatusMethodNotAllowed, "method_not_allowed",
				"%s is not possible here, only %s.", r.Method, allow).write(w)
			return
		}
		handle(r).write(w)
	})
}

// ServeHTTP answers one request.
func (b *Backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !b.authorized(r) {
		w.Header().Set("WWW-Authenticate", `Bearer realm="acme"`)
		fail(http.StatusUnauthorized, "unauthorized", "A valid bearer token is needed.").write(w)
		return
	}
	b.mux.ServeHTTP(w, r)
}

func (b *Backend) authorized(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return false
	}
	// Hashed first: the time of the comparison tells nothing, not even a length.
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], b.token[:]) == 1
}
