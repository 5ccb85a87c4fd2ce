package diag

import (
	"encoding/json"
	"io"
	"net/url"
	"path"
)

// A Rule says what a code stands for.
type Rule struct {
	ID      string // the code of diagnostics
	Summary string // one line
	Help    string // what to do about it, plain text
}

// SARIF is what a SARIF log says beside its results.
type SARIF struct {
	Tool    string // the name of the program
	Version string
	URL     string // where the program is described
	Rules   []Rule // every code that a diagnostic may have
	Base    string // the directory that file names are relative to, seen from the root of the sources; "" for the root itself
}

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// sourceRoot is the name that SARIF consumers give the root of the sources.
const sourceRoot = "SRCROOT"

// The few objects of SARIF 2.1.0 that a checker writes, named as there. The
// library github.com/owenrumney/go-sarif/v3 (3.3.1) was weighed: it brings a
// schema validator along that costs half a millisecond of every start and some
// 3 MB, writes dozens of empty arrays a result, and always writes byteOffset
// and charOffset as 0, which contradicts the lines and columns.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool               sarifTool                `json:"tool"`
		OriginalURIBaseIDs map[string]sarifArtifact `json:"originalUriBaseIds"`
		ColumnKind         string                   `json:"columnKind"`
		Results            []sarifResult            `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri,omitempty"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
		Help             sarifText `json:"help"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex *int            `json:"ruleIndex,omitempty"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI         string     `json:"uri,omitempty"`
		URIBaseID   string     `json:"uriBaseId,omitempty"`
		Description *sarifText `json:"description,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
)

// WriteSARIF prints the list as one run in a SARIF 2.1.0 log, indented. File
// names are URI references relative to SRCROOT, whose place is left to the
// reader: the same files give the same log on every machine. A hint follows its
// message on a line of its own.
func WriteSARIF(w io.Writer, list List, about SARIF) error {
	driver := sarifDriver{Name: about.Tool, Version: about.Version, InformationURI: about.URL, Rules: make([]sarifRule, len(about.Rules))}
	index := make(map[string]int, len(about.Rules))
	for i, r := range about.Rules {
		index[r.ID] = i
		driver.Rules[i] = sarifRule{ID: r.ID, ShortDescription: sarifText{r.Summary}, Help: sarifText{r.Help}}
	}
	results := make([]sarifResult, len(list))
	for i, d := range list {
		results[i] = d.sarif(about.Base)
		if n, ok := index[d.Code]; ok {
			results[i].RuleIndex = &n
		}
	}
	root := sarifArtifact{Description: &sarifText{"The root of the sources that were checked."}}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{
		Schema:  sarifSchema,
		Version: "2.1.0",
		Runs: []sarifRun{{
			Tool:               sarifTool{driver},
			OriginalURIBaseIDs: map[string]sarifArtifact{sourceRoot: root},
			ColumnKind:         "unicodeCodePoints",
			Results:            results,
		}},
	})
}

func (d Diagnostic) sarif(base string) sarifResult {
	r := d.record()
	location := sarifPhysical{
		ArtifactLocation: sarifArtifact{URI: (&url.URL{Path: path.Join(base, r.File)}).String(), URIBaseID: sourceRoot},
		Region:           sarifRegion{r.Line, r.Column, r.EndLine, r.EndColumn},
	}
	return sarifResult{RuleID: r.Code, Level: r.Severity, Message: sarifText{d.withHint()}, Locations: []sarifLocation{{location}}}
}

// withHint returns the message and, on a line of its own, the hint.
func (d Diagnostic) withHint() string {
	if d.Hint == "" {
		return d.Message
	}
	return d.Message + "\n" + d.Hint
}
