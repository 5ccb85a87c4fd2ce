package editorschema

import "github.com/vatio-dev/vatio/pkg/tool"

const (
	descriptionText = "What the tool does, for the model."
	placeholderText = "Placeholders: $params.NAME, $env.KEY, $auth.subject, $auth.token, $auth.claims.NAME, $contact.name, $contact.email, $contact.phone_number. A || B takes the first that is not empty."
	timeoutText     = "How many seconds a call may take; overrides agent.tool_timeout_seconds."
)

// httpTool describes tools/*.yml.
func httpTool() *schema {
	data := mapOf("What the model gets of the answer, by name.", str("A JSONPath (RFC 9535); $ is the whole answer.", "$.data", "$.items[*].id"))
	data.MinProperties = 1
	s := closed("One HTTP call to a backend. The file's name is the tool's key, which agent.tools lists.",
		needs("description", text(descriptionText, "Check product stock.")),
		may("when_to_use", orNull(str("The situation in which the model should call the tool. Without it the model has to guess.",
			"The visitor asks whether a product is available."))),
		may("parameters", parameters()),
		may("access", oneOf("Who may use the tool. A private one needs a verified visitor, and auth in vatio.yml.", "public", "public", "private")),
		may("timeout_seconds", whole(timeoutText, tool.MinTimeout, tool.MaxTimeout, nil)),
		needs("request", closed("The call. Exactly one request is sent, without retry or redirect.",
			needs("method", oneOf("The HTTP method. Only POST and PATCH send a body.", nil, tool.Methods[:]...)),
			needs("base_url", text("Scheme and host, and a path if all tools share one; usually a secret. No query.", "$env.API_URL", "https://api.example.com")),
			needs("path", text("The path below base_url, starting with /. Values are encoded as one segment each.", "/products", "/orders/$params.order_id")),
			may("requires", list("What must be there, or nothing is sent. Paths without the $.",
				str("A path, such as params.product, contact.email, env.KEY or auth.subject.", "params.product", "contact.phone_number"))),
			may("query", mapOf("The query, an entry for each key. An array repeats its key; what is missing is left out. "+placeholderText, nil)),
			may("headers", mapOf("The headers. One with a missing value is left out. "+placeholderText,
				&schema{Type: []string{"string", "number", "boolean"}})),
			may("body", mapOf("The JSON body of a POST or PATCH. A placeholder alone keeps the type of its value. "+placeholderText, nil)),
		)),
		may("respond", closed("How the answer becomes the result that the model gets.",
			may("data", data),
			may("message", &schema{
				Description: "What the result says; without it, the answer's own message. {{count}} is the length of the first array in data.",
				Type:        []string{"string", "object"},
				Properties: properties{
					needs("default", str("The message.", "Found {{count}} products.")),
					may("when_empty", str("The message when there is nothing in data.", "Nothing was found.")),
				},
				Required:             []string{"default"},
				AdditionalProperties: false,
			}),
		)),
	)
	s.Title = "vatio HTTP tool"
	s.Defs = parameterDefs()
	return s
}

// serviceTool describes tools/*.toml.
func serviceTool() *schema {
	s := closed("A tool that a service answers. The service is granted in deployment.toml.",
		needs("name", matching("The tool's key, which agent.tools lists.", `^[a-z][a-z0-9_-]{0,63}$`, "lookup")),
		needs("description", text(descriptionText, "Look up a record by its id.")),
		needs("service", matching("The service that answers, granted in deployment.toml.", `^[a-z][a-z0-9-]*$`, "records")),
		needs("path", text("The path that is called, starting with /.", "/agent-tools/lookup")),
		may("scope", matching("The scope that a caller needs to be offered the tool.", `^[\x21\x23-\x5b\x5d-\x7e]+$`, "tools:read")),
		may("timeout_seconds", whole(timeoutText, tool.MinTimeout, tool.MaxTimeout, nil)),
		may("parameters", parameters()),
		may("input", &schema{Description: "Has no effect on a service tool."}),
	)
	s.Title = "vatio service tool"
	s.Defs = parameterDefs()
	return s
}
