// Package executor makes the one HTTP call that a tool stands for and turns
// the answer into what a model reads. HTTP tools and service tools share the
// path: arguments are validated and coerced, the request is built from the
// tool's templates or from a grant, it is sent once, the answer is read within
// bounds, and every secret is taken out before anything is handed back.
//
//	client := executor.New(executor.Options{Version: "1.4.0"})
//	defer client.Close()
//	outcome := client.Call(ctx, tool, []byte(`{"product":"Picker"}`), executor.Scope{Env: os.LookupEnv})
//	fmt.Println(outcome.Content)
//
// A tool comes from package tool: LoadHTTP reads one that names its endpoint
// itself, LoadService one whose endpoint is granted. Both report every fault
// with its place; a tool with faults must not be called. One [Client] serves a
// whole program. What changes from call to call is the [Scope]: whose secrets,
// whose principal, whose contact, and for a service tool the [Grant], the owner
// and the agent. [Grant.Check] finds a wrong address before any call does.
//
// # What comes back
//
// [Outcome.Content] is for the model as it stands. For an HTTP tool it is one
// JSON object with "result", "message" and, where there are any, "data" and
// "error_key". For a service tool it is text:
//
//	2xx                        the body, JSON indented by two spaces
//	4xx                        the body, as it came
//	3xx, 5xx                   <tool> failed (HTTP <status>)
//	none in time               <tool>: the service did not answer within <N> s
//	unreachable                <tool>: the service is unreachable
//	over MaxBody bytes         <tool>: the service's answer was too large
//	empty body, 2xx and 4xx    [HTTP <status>, empty]
//	refused before sending     <tool>: <reason>
//
// [Outcome.IsError] is true for all but the 2xx. A program that has no result of
// its own to give uses [ErrorResult].
//
// # What it promises
//
//   - At most one request leaves per call. Redirects are not followed and
//     nothing is sent again; HTTP/1.1 only, so that no protocol layer does so
//     either. A kept-alive connection that turns out to be closed before the
//     first byte was written is replaced by another.
//   - The time limit covers dialling, sending, headers and body. Cancelling
//     the context ends the call.
//   - At most [MaxBody] bytes of decoded body are read, compressed or not.
//   - Link-local and cloud-metadata addresses are never dialled. Where the
//     model, the contact or the principal take part in the host, neither are
//     loopback, private and other internal addresses, and no proxy is used.
//   - A call allocates at most 16 times the size of its answer, and 80 times that
//     of an answer in which every second byte is a JSON value of its own. Nothing
//     of it is kept when the outcome is let go.
//   - Granted header values, $env values that are sent in headers, query, path
//     or body, and $auth.token do not leave in an [Outcome] in any of their
//     usual encodings when they have eight characters or more.
//   - The same input gives the same bytes: headers are sorted, everything else
//     keeps the order of the file and of the answer, numbers keep their digits.
//
// # What it checks, in order
//
// The principal of a private tool, then the arguments, then request.requires in
// the file's order, then what the templates come to: base URL, path, query,
// headers, body. The first failure ends the call before anything is sent.
//
// net/http reports bytes that a server sends without being asked through the
// standard logger of package log. Programs that keep that log should point it
// elsewhere, because these bytes are the server's and are not redacted.
package executor
