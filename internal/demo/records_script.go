package demo

import "net/http"

// recordsExample: one question and two owners, what another owner's record looks
// like, what the application refuses and why, a write, what breaks, and a scope
// that takes a tool away.
func recordsExample() Example {
	return Example{
		Name: RecordsAgent, Workspace: "agents/records", About: "sample workshop", URLKey: "RECORDS_URL", TokenKey: "RECORDS_TOKEN",
		Script: []Step{
			{As: "web/alice", Text: "Show me my repair records", Tool: "list"},
			{Text: "Look up A-1042", Tool: "lookup"},
			{As: "web/bruno", Text: "Show me my repair records", Tool: "list"},
			{Text: "Look up A-1042", Tool: "lookup", ErrorKey: "http_404"},
			{Text: `add_note id=A-1050 text="It also squeaks."`, Tool: "add_note"},
			{Text: `add_note id=P-0007 text="Mine too!"`, Tool: "add_note", ErrorKey: "http_403"},
			{As: "web/alice", Text: "Look up A-0931", Tool: "lookup", ErrorKey: "http_503"},
			{Scopes: []string{"tools:read"}, Text: "Add a note to A-1042: please call me when it is ready"},
		},
		Suggestions: []string{
			"Show me my repair records",
			"/as web/alice",
			"Look up A-1042",
			`add_note id=A-1042 text="Please call me."`,
			"/as web/bruno",
		},
		handler: func(token string) http.Handler { return NewRecords(token) },
	}
}
