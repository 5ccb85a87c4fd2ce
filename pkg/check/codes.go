package check

// A Code is a kind of fault, as diagnostics name it.
type Code struct {
	Name    string
	Summary string // one sentence: what the fault is
	Help    string // a sentence or two: what to do about it
}

// Codes returns every code a diagnostic may have, in the order in which a file
// is read: the file, its syntax, its fields, what they mean, what lies between
// files. It is a new slice each time.
func Codes() []Code {
	return []Code{
		{"file", "A file cannot be read.",
			"It is missing, not readable, over 1 MiB, not UTF-8, no regular file, or a link out of the workspace. Also counts the faults of a file beyond the first 100."},
		{"syntax", "A file is not valid YAML or TOML.",
			"The place is that of the first character that does not fit, or of the quote, bracket or brace that is never closed. A YAML file holds one document."},
		{"duplicate-key", "A key stands twice in one map.",
			"Only the first one counts. Remove the other, or merge the two."},
		{"unknown-key", "A key that is not known at this place.",
			"Correct the spelling as suggested, move the key to where it belongs, or remove it: what is not known would silently have no effect. A file of another product is reported once."},
		{"type", "A value is of the wrong type.",
			"Write a value of the type that the message names. Quotes make a string of a number, of true and false, and of a date."},
		{"required", "A required field is missing or blank.",
			"Add it, with a value. A missing when_to_use is a warning: without it a model does not know when to call the tool."},
		{"value", "A value outside of what its field allows.",
			"Write one of the values, or a value in the format or range, that the message names."},
		{"tool-key", "A tool's name is badly formed, taken, or a built-in tool's.",
			"An HTTP tool is named by its file, a service tool by its name: a-z, 0-9, _ and -, starting with a letter, 64 characters at most, and each only once."},
		{"schema", "The parameters are not a JSON Schema that can be used.",
			"Parameters are JSON Schema 2020-12 with type: object at the top; each stands under properties. Names in required must be properties; a default and the values of an enum must be of the type."},
		{"placeholder", "A placeholder that cannot be read, has an unknown source or field, or is of another language.",
			"The sources are $params, $env, $auth and $contact; they stand in values, never in keys; {name}, {{name}}, $name and :name are text. Write $$ before a source to mean the text itself."},
		{"unknown-param", "A $params path that the parameters do not declare.",
			"Correct the path, declare it under parameters.properties, or set additionalProperties where any name may come."},
		{"unset-secret", "A secret that is used has no value.",
			"Run vatio secrets set with its name, with --env where only one environment needs it. Values are never written into files."},
		{"body-not-allowed", "A body with a method that sends none.",
			"Only POST and PATCH send a body. Move the values of a GET or DELETE to request.query, or change the method."},
		{"url", "An address or a path that cannot be called as written.",
			"A base_url has http:// or https:// and a host, and no query, fragment or password. A path starts with / and has no ?, no # and no .. segment."},
		{"header", "A header that cannot be sent.",
			"Header names are HTTP tokens and stand once, in any case; Host, Content-Length and what belongs to the connection are set by the client. Values hold no line break."},
		{"requires", "An entry of request.requires that is no path, or a parameter that is not declared.",
			"Entries are written without the $, as in params.product or contact.email."},
		{"jsonpath", "An expression in respond.data that is no JSONPath.",
			"Expressions follow RFC 9535: $ is the whole answer, $.data a member, $.items[0] an element, $.items[*].id the ids of all."},
		{"message", "A text in respond.message that is blank or has an unknown placeholder.",
			"The one placeholder is {{count}}, and it needs respond.data; so does when_empty."},
		{"private", "The access of a tool does not fit what it uses.",
			"access: private needs an auth block in vatio.yml, and only private tools may use $auth. Who the visitor is comes from $auth.subject, never from a parameter that the model fills in."},
		{"agent-tool", "A name in agent.tools that is no tool, stands twice, or cannot work.",
			"List keys of files in tools/ and built-in tools. agent.handoff attaches handoff by itself; knowledge_lookup needs agent.knowledge."},
		{"unused-tool", "A tool that agent.tools does not list.",
			"The agent does not have it. Add its key to agent.tools in vatio.yml, or remove the file."},
		{"knowledge", "A knowledge base that is missing or empty.",
			"The base NAME is the .md files below knowledge/NAME/."},
		{"grant", "The services that tools name and those that deployment.toml grants do not match.",
			"Each service needs a grant with a url, and each grant a tool that uses it. A granted header must not be one that the runtime sets itself."},
		{"key-file", "auth.public_key is no public key that fits.",
			"It is the path of a PEM file inside the workspace with a public key of the kind auth.algorithm names. vatio auth new-key writes one; a private key never belongs there."},
		{"model-host", "What the model, a visitor or a token says decides the host that is called.",
			"Take the host from a secret or write it out. A secret or token is never sent to a host that a conversation chooses."},
		{"provider-schema", "Parameters that are valid but that a model provider is known to refuse.",
			"Write them in the simpler shape the message names: an object at the top without oneOf, anyOf or allOf, arrays that say what they hold, plain names."},
		{"secret-literal", "Something that looks like a credential stands in a file.",
			"Keep it with vatio secrets set NAME, write $env.NAME (in deployment.toml env:NAME) in its place, and revoke what has been shared."},
		{"ignored", "A field or a file that has no effect.",
			"Remove it. A tool is a .yml, .yaml or .toml file directly in tools/; input does nothing in a service tool."},
	}
}
