package demo

import "net/http"

// shopExample: what finds something, what finds nothing, what needs a phone
// number first, and what does not exist.
func shopExample() Example {
	const book = "Reserve a pickup of 2 Picker for 2026-12-04"
	return Example{
		Name: AcmeStore, Workspace: ".", About: "sample shop", URLKey: "ACME_API", TokenKey: "ACME_TOKEN",
		Script: []Step{
			{Text: "Do you have the Picker in stock?", Tool: "check_stock"},
			{Text: "Is there any Quantum Hoe in stock?", Tool: "check_stock"},
			{Text: book, Tool: "reserve_pickup", ErrorKey: "missing_contact_phone"},
			{Text: book, Phone: "+56912345678", Tool: "reserve_pickup"},
			{Text: "What is the status of order A-9999?", Tool: "get_order", ErrorKey: "order_not_found"},
		},
		Suggestions: []string{
			"Do you have the Picker in stock?",
			"Reserve a pickup of 2 Picker for 2026-12-04",
			"What is the status of order A-1042?",
		},
		handler: func(token string) http.Handler { return New(token) },
	}
}
