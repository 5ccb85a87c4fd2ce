package tool

import (
	"path"
	"slices"
	"strings"
	"time"

	"github.com/vatio-dev/vatio/pkg/diag"
	"github.com/vatio-dev/vatio/pkg/shape"
	"github.com/vatio-dev/vatio/pkg/syntax"
)

// Methods are the HTTP methods a tool may use.
var Methods = [...]string{"GET", "POST", "PATCH", "DELETE"}

// Time limits of one call, in seconds.
const (
	MinTimeout = 1
	MaxTimeout = 300
)

// LoadHTTP reads an HTTP tool; its key is the file's base name. The tool is
// never nil: it holds whatever could be read, and is fit for calls only when
// no diagnostic is an error.
func LoadHTTP(f *diag.File) (*Tool, diag.List) {
	base := path.Base(f.Name)
	t := &Tool{Key: strings.TrimSuffix(base, path.Ext(base)), File: f}
	l := loader{Tool: t}
	if !ValidKey(t.Key) {
		d := diag.Errorf(diag.Span{File: f}, "tool-key", "%q is no tool key: keys are a-z, 0-9, _ and -, start with a letter and have 64 characters at most", t.Key)
		if better := suggestKey(t.Key); better != "" {
			d = d.WithHint("rename the file to %s%s", better, path.Ext(base))
		}
		l.Add(d)
	}
	root, faults := syntax.ParseYAML(f)
	l.Faults = append(l.Faults, faults...)
	if root == nil {
		return t, l.Faults
	}
	t.Root = root
	l.Home, l.Other, l.Maps = home, otherWord, maps[:]
	if l.otherFile(root) {
		t.HTTP, t.unread = &HTTP{}, append(t.unread, "")
		return t, l.Faults
	}
	m := l.Map(root, diag.Span{File: f}, "", topKeys[:]...)
	l.parameters(m)
	access, ok := m.OneOf("access", "public", "private")
	t.Private = access == "private"
	l.couldRead(m, "access", ok)
	l.timeout(m)
	t.HTTP = &HTTP{}
	if m.Require("request") != nil {
		l.request(m.Child("request", "method", "base_url", "path", "requires", "query", "headers", "body"))
	}
	respond := m.Child("respond", "data", "message")
	l.respond(respond)
	l.couldRead(m, "respond", respond.Get("data") != nil || respond.Get("message") != nil)
	if !respond.Absent() {
		l.couldRead(respond, "data", true)
	}
	// Last, because they may stand by mistake in one of the maps above.
	t.Description, _ = m.Text("description")
	l.whenToUse(m)
	return t, l.Faults
}

// topKeys are the fields at the top of an HTTP tool.
var topKeys = [...]string{"description", "when_to_use", "parameters", "access", "timeout_seconds", "request", "respond"}

// maps are the fields of an HTTP tool that are maps.
var maps = [...]string{"parameters", "request", "request.query", "request.headers", "request.body", "respond", "respond.data", "respond.message"}

// home names the map that a key of an HTTP tool belongs to.
func home(key string) (name string, ok bool) {
	if slices.Contains(topKeys[:], key) {
		return "", true
	}
	switch key {
	case "method", "base_url", "path", "requires", "query", "headers", "body":
		return "request", true
	case "data", "message":
		return "respond", true
	case "default", "when_empty":
		return "respond.message", true
	case "type", "properties", "required":
		return "parameters", true
	}
	return "", false
}

// couldRead notes a field that is misspelt, stands elsewhere or twice, or is
// there and not ok.
func (l *loader) couldRead(m *shape.Map, key string, ok bool) {
	if there := m.Get(key) != nil; !there && m.Lost(key) || there && (!ok || l.Duplicated(key)) || m.Emptied(key) {
		l.unread = append(l.unread, m.Name(key))
	}
}

// loader fills a tool from a tree.
type loader struct {
	shape.Reader
	*Tool
}

func (l *loader) whenToUse(m *shape.Map) {
	const unknown = ": the model will not know when to call the tool"
	value := m.Get("when_to_use")
	switch {
	case value == nil && m.Lost("when_to_use"):
	case value == nil:
		l.Add(diag.Warningf(diag.Span{File: l.File}, "required", `"when_to_use" is missing`+unknown).
			WithHint("add when_to_use: and the situation in one sentence"))
	case value.Kind == syntax.Null:
		l.Add(diag.Warningf(m.KeySpan("when_to_use"), "required", `"when_to_use" is blank`+unknown))
	default:
		text, node := m.String("when_to_use")
		if l.WhenToUse = text; node != nil && strings.TrimSpace(text) == "" {
			l.Add(diag.Warningf(node.Span(), "required", `"when_to_use" is blank`+unknown))
		}
	}
}

func (l *loader) timeout(m *shape.Map) {
	l.Timeout = time.Duration(m.Int("timeout_seconds", MinTimeout, MaxTimeout, 0)) * time.Second
}
