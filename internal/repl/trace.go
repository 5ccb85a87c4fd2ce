package repl

import (
	"strings"

	"github.com/vatio-dev/vatio/pkg/executor"
)

// Trace shows a call as it went over the wire, as /trace does, set off from
// the conversation around it.
func (p *Printer) Trace(t *executor.Trace) {
	const margin = "    "
	for line := range strings.Lines(traceText(t, p.color)) {
		p.say(strings.TrimRight(margin+line, " \n"))
	}
}
