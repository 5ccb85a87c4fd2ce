package demo

// The states of a repair, as the example's list tool knows them.
const (
	waiting  = "waiting"
	inRepair = "in repair"
	ready    = "ready"
	closed   = "closed"
)

// A record is one repair, or a notice that everybody may read.
type record struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Status string `json:"status"`
	Opened string `json:"opened"`
	Notes  []note `json:"notes,omitempty"`

	customer string // "" for a notice
	archived bool   // kept in the archive, which is being moved
}

type note struct {
	By   string `json:"by"`
	Text string `json:"text"`
}

// seedRecords returns the records, the newest first.
func seedRecords() []*record {
	return []*record{
		{
			ID: "A-1050", Title: "Pruning Shears: do not close", Status: waiting, Opened: "2026-11-30", customer: "bruno",
		},
		{
			ID: "A-1043", Title: "Leaf Rake: new handle", Status: ready, Opened: "2026-11-28", customer: "alice",
			Notes: []note{{"workshop", "Done. To be collected from Monday to Saturday, 10:00 to 18:00."}},
		},
		{
			ID: "A-1042", Title: "Picker: loose blade", Status: inRepair, Opened: "2026-11-27", customer: "alice",
			Notes: []note{{"workshop", "The new blade is ordered and should be here on Thursday."}},
		},
		{
			ID: "P-0007", Title: "Recall: Hedge Trimmer T2, free exchange of the switch", Status: closed, Opened: "2026-10-15",
		},
		{
			ID: "A-0931", Title: "Spade: cracked shaft", Status: closed, Opened: "2024-03-11", customer: "alice", archived: true,
		},
	}
}

// accounts tells whose account an owner is: one person may come through the web
// shop, or with a token of the identity provider.
func accounts() map[string]string {
	return map[string]string{
		"web/alice":                     "alice",
		"web/bruno":                     "bruno",
		"https://id.acme.example|alice": "alice",
		"https://id.acme.example|bruno": "bruno",
	}
}
