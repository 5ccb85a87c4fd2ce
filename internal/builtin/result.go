package builtin

import (
	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/executor"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

// The error keys of the built-in tools.
const (
	invalidArguments     = "invalid_arguments"
	knowledgeUnavailable = "knowledge_unavailable"
	contactNotSaved      = "contact_not_saved"
	requestNotSent       = "request_not_sent"
	handoffFailed        = "handoff_failed"
)

// success is a result without data.
func success(message string) chat.Outcome {
	return chat.Outcome{Content: string(append(begin(message), '}'))}
}

func failure(message, key string) chat.Outcome {
	return chat.Outcome{Content: executor.ErrorResult(message, key), IsError: true}
}

// begin starts the object of a result that went well.
func begin(message string) []byte {
	return jsondoc.AppendQuote([]byte(`{"result":"ok","message":`), message)
}
