package tool

import (
	"strings"

	"github.com/vatio-dev/vatio/pkg/syntax"
)

// otherWord says what a key that other products have in a map is called in an
// HTTP tool, and which fields it stands for. The map of the whole file is "".
func otherWord(in string, entry syntax.Pair) (hint string, fields []string) {
	word := strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(entry.Key.Text))
	meant := func(field string) (string, []string) {
		return `did you mean "` + field[strings.LastIndexByte(field, '.')+1:] + `"?`, []string{field}
	}
	inside := func(field string) (string, []string) {
		return `write it as "` + field + `"`, []string{field}
	}
	switch in {
	case "":
		switch word {
		case "params", "inputschema", "argsschema", "input", "inputs", "args", "arguments", "schema":
			return meant("parameters")
		case "name", "id", "key":
			return "remove it: a tool is called like its file", nil
		case "url", "uri", "endpoint", "address":
			return splitURL, []string{"request.base_url", "request.path", "request"}
		case "http", "call", "api":
			return meant("request")
		case "timeout":
			return meant("timeout_seconds")
		case "timeoutms", "timeoutmillis":
			return `write it as "timeout_seconds", in seconds`, []string{"timeout_seconds"}
		case "type":
			if !isProperty(entry.Value) {
				return "remove it: every tool is an HTTP call", nil
			}
		case "host", "server", "origin", "domain":
			return inside("request.base_url")
		case "response", "output", "returns", "result":
			return meant("respond")
		case "json", "payload":
			return inside("request.body")
		}
	case "request":
		switch word {
		case "url", "uri", "endpoint", "address":
			return splitURL, []string{"request.base_url", "request.path"}
		case "host", "server", "origin", "domain":
			return meant("request.base_url")
		case "json", "data", "payload", "form", "content":
			return meant("request.body")
		case "params", "qs", "search":
			return meant("request.query")
		case "verb":
			return meant("request.method")
		case "timeout", "timeoutseconds":
			return `write it as "timeout_seconds" at the top level of the file`, []string{"timeout_seconds"}
		case "auth", "authentication", "authorization", "bearer", "token", "apikey":
			return `write it into "headers": Authorization: "Bearer $env.TOKEN"`, nil
		}
	}
	return "", nil
}

const splitURL = `write scheme and host as "request.base_url", what follows the host as "request.path"`
