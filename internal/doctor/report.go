// Package doctor looks for what keeps an agent from working, beyond its files:
// servers that cannot be reached and a model server that refuses the key.
//
// It promises that a backend is sent no request, only a connection and, for
// https, a TLS handshake; that a model server is asked for its list of models
// and no redirect is followed; that every look ends within its time; and that no
// text of it has a secret in it: of an address it shows scheme, host and port, of
// an answer the status alone.
package doctor

// A Status is how a thing stands.
type Status string

// What a Status may be. Broken keeps the agent from working.
const (
	OK      Status = "ok"
	Warning Status = "warning"
	Broken  Status = "broken"
)

// A Finding is one thing that was looked at.
type Finding struct {
	Part   string `json:"part"` // "workspace", "settings", "model", "secrets", "grants", "registry" or "network"
	Status Status `json:"status"`
	Text   string `json:"text"`
	Origin string `json:"origin,omitempty"` // the place that says so: "vatio.yml", "VATIO_REGISTRY"
	Fix    string `json:"fix,omitempty"`    // what to do: a command, where there is one
}

// A Report is everything that was looked at, in an order that depends on the
// files alone.
type Report struct {
	Workspace   string    `json:"workspace"` // its directory; "": none
	Environment string    `json:"environment"`
	Findings    []Finding `json:"findings"`
}

// Count returns how many findings are broken, and how many are warnings.
func (r *Report) Count() (broken, warnings int) {
	for _, f := range r.Findings {
		switch f.Status {
		case Broken:
			broken++
		case Warning:
			warnings++
		}
	}
	return broken, warnings
}
