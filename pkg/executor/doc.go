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
