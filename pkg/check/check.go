// Package check holds the rules of `vatio tools check`: what a loaded
// workspace means, as opposed to how its files are written, which the loaders
// report. Each rule stands in a file of its own and says what it looks for. A
// rule reports a fault once, at its place, and keeps quiet about what another
// fault has made unknowable.
package check

import (
	"slices"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/tool"
	"github.com/vatio-dev/vatio/pkg/workspace"
)

// MaxPerFile is how many diagnostics of one file are listed.
const MaxPerFile = 100

// Options are what the rules know beside the files.
type Options struct {
	// HasSecret reports whether a secret has a value in the environment that
	// is checked for. Nil when the store cannot be asked: unset-secret is
	// skipped then.
	HasSecret func(name string) bool
	// Builtins are the names of the built-in tools that agent.tools may list.
	Builtins []string
}

// Run adds to what the loaders found the faults that the rules find, sorted,
// each once.
func Run(w *workspace.Workspace, loaded diag.List, o Options) diag.List {
	r := &run{Workspace: w, Options: o}
	for _, rule := range toolRules {
		for _, t := range w.Tools {
			if t.Root != nil {
				rule(r, t)
			}
		}
	}
	for _, rule := range workspaceRules {
		rule(r)
	}
	all := append(slices.Clone(loaded), r.faults...)
	all.Sort()
	return limit(all)
}

// toolRules look at one tool, workspaceRules at what lies between files.
var toolRules = [...]func(*run, *tool.Tool){
	unknownParam, unsetSecret, bodyNotAllowed, url, header, requires, message, private, modelHost, providerSchema, ignored, secretLiteral,
}

var workspaceRules = [...]func(*run){
	toolKey, agentTool, unusedTool, knowledge, grant, keyFile, privateNeedsAuth, secretLiteralElsewhere,
}

// run is one run of the rules over one workspace.
type run struct {
	*workspace.Workspace
	Options
	faults diag.List
}

func (r *run) add(d diag.Diagnostic) { r.faults = append(r.faults, d) }

// fileStart is where a fault of a file as a whole stands.
func fileStart(t *tool.Tool) diag.Span { return diag.Span{File: t.File} }

// limit keeps the first MaxPerFile diagnostics of every file and counts the rest.
func limit(all diag.List) diag.List {
	var kept diag.List
	for start := 0; start < len(all); {
		end := start + 1
		for end < len(all) && all[end].Span.File.Name == all[start].Span.File.Name {
			end++
		}
		file := all[start:end]
		start = end
		if len(file) <= MaxPerFile {
			kept = append(kept, file...)
			continue
		}
		rest := file[MaxPerFile:]
		more := diag.Errorf(rest[0].Span, "file", "%d more problems in this file are not listed", len(rest))
		if errors, _ := rest.Count(); errors == 0 {
			more.Severity = diag.Warning
		}
		kept = append(append(kept, file[:MaxPerFile]...), more)
	}
	return kept
}
