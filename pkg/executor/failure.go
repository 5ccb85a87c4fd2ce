package executor

import (
	"unicode"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/tool"
)

// The error keys of calls that the service itself did not answer with an error.
const (
	keyArguments      = "invalid_arguments"
	keyAuthentication = "authentication_required"
	keyRequirement    = "missing_requirement"
	keyContactName    = "missing_contact_name"
	keyContactEmail   = "missing_contact_email"
	keyContactPhone   = "missing_contact_phone"
	keyBlocked        = "blocked_address"
	keyTimeout        = "timeout"
	keyUnreachable    = "unreachable"
	keyTooLarge       = "response_too_large"
	keyResponse       = "invalid_response"
	keyResult         = "invalid_result"
	keyCancelled      = "cancelled"
)

// A failure is why there is no answer to hand on: a reason in lower case,
// without a full stop, and the key of 2.4.
type failure struct{ key, reason string }

// ErrorResult returns the result of a call that was not carried out, in the
// form every HTTP tool answers in:
//
//	{"result":"error","message":"…","error_key":"…"}
func ErrorResult(message, errorKey string) string {
	return string(appendError(make([]byte, 0, len(message)+64), message, errorKey))
}

func appendError(dst []byte, message, errorKey string) []byte {
	dst = append(dst, `{"result":"error","message":`...)
	dst = jsondoc.AppendQuote(dst, message)
	dst = append(dst, `,"error_key":`...)
	dst = jsondoc.AppendQuote(dst, errorKey)
	return append(dst, '}')
}

// refuse makes an outcome of f: an error result, or for a service tool a line
// of text.
func refuse(t *tool.Tool, f *failure, secrets *redactor, trace *Trace) Outcome {
	reason := secrets.text(f.reason)
	content := t.Key + ": " + reason
	if t.Service == nil {
		content = ErrorResult(sentence(reason), f.key)
	}
	return Outcome{Content: content, IsError: true, ErrorKey: f.key, Trace: trace}
}

func sentence(reason string) string {
	first, size := utf8.DecodeRuneInString(reason)
	return string(unicode.ToUpper(first)) + reason[size:] + "."
}
