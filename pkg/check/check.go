// Package check holds the rules of `vatio tools check`: what a loaded
// workspace means, as opposed to how its files are written, which the loaders
// report. Each rule stands in a file of its own and says what it looks for. A
// rule reports a fault once, at its place, and keeps quiet about what another
// fault has made unknowable.
package check

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

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
	// HasVariable reports whether the process environment has a value, which an
	// env:NAME takes before a secret. Nil: it has none.
	HasVariable func(name string) bool
	// Builtins are the names of the built-in tools that agent.tools may list.
	Builtins []string
}

// Run adds to what the loaders found the faults that the rules find, sorted,
// each once. HasSecret is called for each name once, never twice at a time.
func Run(w *workspace.Workspace, loaded diag.List, o Options) diag.List {
	r := &run{Workspace: w, Options: o, explained: map[*diag.File]bool{}}
	if o.HasSecret != nil {
		r.HasSecret = remember(o.HasSecret)
	}
	r.tools()
	r.learnNames()
	for _, rule := range workspaceRules {
		rule(r)
	}
	all := slices.DeleteFunc(slices.Clone(loaded), func(d diag.Diagnostic) bool { return d.Code == "ignored" && r.explained[d.Span.File] })
	all = append(all, r.faults...)
	all.Sort()
	return limit(once(all))
}

// toolRules look at one tool, workspaceRules at what lies between files.
var toolRules = [...]func(*run, *tool.Tool){
	unknownParam, foreign, unsetSecret, bodyNotAllowed, url, header, requires, message, private, modelHost, providerSchema, ignored,
}

var workspaceRules = [...]func(*run){
	toolKey, agentTool, unusedTool, knowledge, grant, keyFile, privateNeedsAuth, secretLiteralElsewhere,
}

// run is one run of the rules over one workspace.
type run struct {
	*workspace.Workspace
	Options
	names     *names // for the rules of the workspace
	faults    diag.List
	explained map[*diag.File]bool // what is ignored, and at fault elsewhere for that
}

func (r *run) add(d diag.Diagnostic) { r.faults = append(r.faults, d) }

// tools runs the rules of single tools side by side.
func (r *run) tools() {
	var next atomic.Int64
	var group sync.WaitGroup
	parts := make([]run, min(runtime.GOMAXPROCS(0), len(r.Tools)))
	for i := range parts {
		part := &parts[i]
		part.Workspace, part.Options = r.Workspace, r.Options
		group.Go(func() {
			for at := next.Add(1) - 1; at < int64(len(r.Tools)); at = next.Add(1) - 1 {
				part.tool(r.Tools[at])
			}
		})
	}
	group.Wait()
	for _, part := range parts {
		r.faults = append(r.faults, part.faults...)
	}
}

func (r *run) tool(t *tool.Tool) {
	if t.Root != nil {
		for _, rule := range toolRules {
			rule(r, t)
		}
	}
	secretLiteral(r, t)
}

// remember asks has about each name once.
func remember(has func(name string) bool) func(name string) bool {
	var lock sync.Mutex
	known := map[string]bool{}
	return func(name string) bool {
		lock.Lock()
		defer lock.Unlock()
		answer, ok := known[name]
		if !ok {
			answer = has(name)
			known[name] = answer
		}
		return answer
	}
}

// fileStart is where a fault of a file as a whole stands.
func fileStart(t *tool.Tool) diag.Span { return diag.Span{File: t.File} }

// once drops from a sorted list what is said a second time about one place, as
// happens where an anchor makes one value stand for several fields. Fields that
// are missing share the place of their map, faults of schemas that of their key.
func once(sorted diag.List) diag.List {
	return slices.CompactFunc(sorted, func(a, b diag.Diagnostic) bool {
		return a.Span == b.Span && a.Code == b.Code && a.Span.Start < a.Span.End && a.Code != "required" && a.Code != "schema"
	})
}

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
		if len(rest) == 1 {
			more.Message = "1 more problem in this file is not listed"
		}
		if errors, _ := rest.Count(); errors == 0 {
			more.Severity = diag.Warning
		}
		kept = append(append(kept, file[:MaxPerFile]...), more)
	}
	return kept
}
