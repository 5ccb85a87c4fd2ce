package demo

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
	"sync"
)

// Records is the application behind the records-agent example: the repair
// records of a workshop, answering each owner with what that owner may see. It
// keeps everything in memory and is safe for concurrent use.
//
//	POST /agent-tools/list      the owner's records
//	POST /agent-tools/lookup    one record
//	POST /agent-tools/search    the records that hold some words
//	POST /agent-tools/notes     a note on one's own record
//
// A caller shows the token in X-Internal-Token; X-Vessel-Owner says whom it
// speaks for. The owner of a customer's account sees that customer's records and
// the notices, the staff (desk/…) everything, anybody else the notices alone. A
// record that one may not see is answered as one that does not exist.
type Records struct {
	token    [sha256.Size]byte
	mux      *http.ServeMux
	accounts map[string]string // by owner

	mu      sync.Mutex // guards the notes
	records []*record
}

var _ http.Handler = (*Records)(nil)

// NewRecords returns the application with its opening records, for callers that
// know token. An empty token lets nobody in.
func NewRecords(token string) *Records {
	r := &Records{token: sha256.Sum256([]byte(token)), mux: http.NewServeMux(), accounts: accounts(), records: seedRecords()}
	r.route("/agent-tools/list", r.list)
	r.route("/agent-tools/lookup", r.lookup)
	r.route("/agent-tools/search", r.search)
	r.route("/agent-tools/notes", r.addNote)
	r.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(http.StatusNotFound, "route_not_found", "There is nothing at %s.", r.URL.Path).write(w)
	})
	return r
}

// A visitor is whom a call speaks for.
type visitor struct {
	account string // "" for a guest
	staff   bool
}

// sees reports whether the visitor may know of a record.
func (v visitor) sees(r *record) bool {
	return r.customer == "" || v.staff || v.account == r.customer
}

func (r *Records) route(path string, handle func(visitor, *http.Request) answer) {
	r.mux.HandleFunc(path, func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			fail(http.StatusMethodNotAllowed, "method_not_allowed", "%s is not possible here, only POST.", req.Method).write(w)
			return
		}
		owner := req.Header.Values("X-Vessel-Owner")
		if len(owner) != 1 || owner[0] == "" {
			fail(http.StatusBadRequest, "owner_required", "X-Vessel-Owner must say whom the call is for.").write(w)
			return
		}
		handle(r.visitor(owner[0]), req).write(w)
	})
}

// visitor returns who an owner is. The application's name is all that tells
// staff: nobody but the deployment's own front desk can call itself so.
func (r *Records) visitor(owner string) visitor {
	return visitor{account: r.accounts[owner], staff: strings.HasPrefix(owner, "desk/")}
}

// ServeHTTP answers one call.
func (r *Records) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	token := req.Header.Get("X-Internal-Token")
	sum := sha256.Sum256([]byte(token))
	if token == "" || subtle.ConstantTimeCompare(sum[:], r.token[:]) != 1 {
		fail(http.StatusUnauthorized, "unauthorized", "X-Internal-Token is not the one this application expects.").write(w)
		return
	}
	r.mux.ServeHTTP(w, req)
}
