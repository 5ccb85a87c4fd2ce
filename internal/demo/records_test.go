package demo

import (
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	examples "github.com/vatio-dev/vatio/tools-examples"
)

// ask calls the application as an owner.
func ask(h http.Handler, owner, path, body string) reply {
	return send(h, http.MethodPost, "/agent-tools"+path, body, "X-Internal-Token: "+token, "X-Vessel-Owner: "+owner)
}

const (
	aliceList = `{"message":"4 records.","data":[{"id":"A-1043","title":"Leaf Rake: new handle","status":"ready"},{"id":"A-1042","title":"Picker: loose blade","status":"in repair"},{"id":"P-0007","title":"Recall: Hedge Trimmer T2, free exchange of the switch","status":"closed"},{"id":"A-0931","title":"Spade: cracked shaft","status":"closed"}]}`
	notice    = `{"message":"1 record.","data":[{"id":"P-0007","title":"Recall: Hedge Trimmer T2, free exchange of the switch","status":"closed"}]}`
	looked    = `{"message":"A-1042 is in repair.","data":{"id":"A-1042","title":"Picker: loose blade","status":"in repair","opened":"2026-11-27","notes":[{"by":"workshop","text":"The new blade is ordered and should be here on Thursday."}]}}`
)

// Each owner gets what that owner may see.
func TestRecordsPerOwner(t *testing.T) {
	noRecord := failed(404, "There is no record A-1042.", "record_not_found")
	long := strings.Repeat("é", maxNote)
	for _, test := range []struct {
		name, owner, path, body string
		want                    reply
	}{
		{"alice's", "web/alice", "/list", `{}`, answered(200, aliceList)},
		{"alice's, with a token", "https://id.acme.example|alice", "/list", `{}`, answered(200, aliceList)},
		{"another issuer's alice is nobody", "https://evil.example|alice", "/list", `{}`, answered(200, notice)},
		{"a guest's", "cli/alice", "/list", `{}`, answered(200, notice)},
		{"bruno's", "web/bruno", "/list", `{"status":"waiting"}`, answered(200, `{"message":"1 record.","data":[{"id":"A-1050","title":"Pruning Shears: do not close","status":"waiting"}]}`)},
		{"none", "web/bruno", "/list", `{"status":"in repair"}`, answered(200, `{"message":"There are no such records.","data":[]}`)},
		{"the newest", "web/alice", "/list", `{"limit":1}`, answered(200, `{"message":"4 records, of which these are the newest 1.","data":[{"id":"A-1043","title":"Leaf Rake: new handle","status":"ready"}]}`)},
		{"staff", "desk/sofia", "/lookup", `{"id":"A-1042"}`, answered(200, looked)},
		{"one's own", "web/alice", "/lookup", `{"id":" a-1042"}`, answered(200, looked)},
		{"somebody else's", "web/bruno", "/lookup", `{"id":"A-1042"}`, noRecord},
		{"a guest looks up", "cli/tester", "/lookup", `{"id":"A-1042"}`, noRecord},
		{"one that is none", "web/alice", "/lookup", `{"id":"A-9999"}`, failed(404, "There is no record A-9999.", "record_not_found")},
		{"no id", "web/alice", "/lookup", `{"id":"1042"}`, failed(400, "A record's id looks like A-1042.", "invalid_record_id")},
		{"archived", "web/alice", "/lookup", `{"id":"A-0931"}`, failed(503, "The archive is being moved to another machine.", "archive_closed")},
		{"archived, somebody else's", "web/bruno", "/lookup", `{"id":"A-0931"}`, failed(404, "There is no record A-0931.", "record_not_found")},
		{"words of a note", "web/alice", "/search", `{"text":"blade Thursday"}`, answered(200, `{"message":"1 record.","data":[{"id":"A-1042","title":"Picker: loose blade","status":"in repair"}]}`)},
		{"words of somebody else's note", "web/bruno", "/search", `{"text":"blade"}`, answered(200, `{"message":"There are no such records.","data":[]}`)},
		{"no words", "web/alice", "/search", `{"text":" ?"}`, failed(422, `"text" must hold a word to look for.`, "invalid_fields")},
		{"a note", "web/alice", "/notes", `{"id":"A-1042","text":" ` + long + ` "}`, answered(201, `{"message":"Noted on A-1042.","data":{"by":"alice","text":"`+long+`"}}`)},
		{"the desk's note", "desk/sofia", "/notes", `{"id":"A-1042","text":"Called."}`, answered(201, `{"message":"Noted on A-1042.","data":{"by":"desk","text":"Called."}}`)},
		{"a note too long", "web/alice", "/notes", `{"id":"A-1042","text":"x` + long + `"}`, failed(422, `"text" must be from 1 to 500 characters.`, "invalid_fields")},
		{"a blank note", "web/alice", "/notes", `{"id":"A-1042","text":" "}`, failed(422, `"text" must be from 1 to 500 characters.`, "invalid_fields")},
		{"a note on a notice", "desk/sofia", "/notes", `{"id":"P-0007","text":"x"}`, failed(403, "P-0007 is a notice for everybody, which nobody can add notes to.", "notice")},
		{"a note on somebody else's", "web/bruno", "/notes", `{"id":"A-1042","text":"x"}`, noRecord},
		{"a state that is none", "web/alice", "/list", `{"status":"broken"}`, failed(422, `"broken" is no state of a repair: choose waiting, in repair, ready, closed.`, "invalid_fields")},
		{"a limit that is none", "web/alice", "/list", `{"limit":0}`, failed(422, `"limit" must be from 1 to 50, not 0.`, "invalid_fields")},
		{"a wrong type", "web/alice", "/lookup", `{"id":1042}`, failed(422, `"id" must be text.`, "invalid_fields")},
		{"an unknown field", "web/alice", "/lookup", `{"id":"A-1042","owner":"bruno"}`, failed(422, `"owner" is not a field of this request.`, "invalid_fields")},
		{"an unknown path", "web/alice", "/delete", `{}`, failed(404, "There is nothing at /agent-tools/delete.", "route_not_found")},
		{"no owner", "", "/list", `{}`, failed(400, "X-Vessel-Owner must say whom the call is for.", "owner_required")},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, ask(NewRecords(token), test.owner, test.path, test.body)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What was noted is there for the next look-up, up to a limit, and for nobody
// who may not see the record.
func TestRecordsKeepNotes(t *testing.T) {
	r := NewRecords(token)
	for range maxNotes - 1 {
		if got := ask(r, "web/alice", "/notes", `{"id":"A-1042","text":"Please call."}`); got.Status != 201 {
			t.Fatalf("%+v", got)
		}
	}
	want := failed(409, "A-1042 has 20 notes already, and no more fit.", "too_many_notes")
	if diff := cmp.Diff(want, ask(r, "web/alice", "/notes", `{"id":"A-1042","text":"Please call."}`)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := ask(r, "web/alice", "/search", `{"text":"please call"}`); !strings.Contains(got.Body, `"1 record."`) {
		t.Error(got.Body)
	}
	if got := ask(r, "web/bruno", "/search", `{"text":"please call"}`); !strings.Contains(got.Body, `"data":[]`) {
		t.Error(got.Body)
	}
}

func TestRecordsRefuse(t *testing.T) {
	r := NewRecords(token)
	unauthorized := failed(401, "X-Internal-Token is not the one this application expects.", "unauthorized")
	for _, header := range []string{"X-Other: x", "X-Internal-Token: ", "X-Internal-Token: " + token + "x"} {
		if diff := cmp.Diff(unauthorized, send(r, "POST", "/agent-tools/list", `{}`, header, "X-Vessel-Owner: web/alice")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", header, diff)
		}
	}
	if got := ask(NewRecords(""), "web/alice", "/list", `{}`); got.Status != 401 {
		t.Errorf("an empty token lets somebody in: %+v", got)
	}
	want := failed(405, "GET is not possible here, only POST.", "method_not_allowed")
	want.Header["Allow"] = "POST"
	if diff := cmp.Diff(want, send(r, "GET", "/agent-tools/list", "", "X-Internal-Token: "+token, "X-Vessel-Owner: web/alice")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The example's tools are those that the application answers, every one is
// enabled, and the script uses none but them.
func TestRecordsExample(t *testing.T) {
	e := recordsExample()
	dir := e.Name + "/" + e.Workspace
	names, err := fs.Glob(examples.FS, dir+"/tools/*.toml")
	if err != nil {
		t.Fatal(err)
	}
	enabled, err := fs.ReadFile(examples.FS, dir+"/vatio.yml")
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{}
	for _, name := range names {
		data, err := fs.ReadFile(examples.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		var f struct{ Name, Service, Path, Scope string }
		if err := toml.Unmarshal(data, &f); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		paths[f.Name] = f.Service + f.Path + " " + f.Scope
		if !strings.Contains(string(enabled), "    - "+f.Name+"\n") {
			t.Errorf("%s is not enabled", f.Name)
		}
		got := send(NewRecords(token), "POST", f.Path, `{}`, "X-Internal-Token: "+token, "X-Vessel-Owner: web/alice")
		if got.Status == 404 {
			t.Errorf("%s: %s", f.Path, got.Body)
		}
	}
	if diff := cmp.Diff(map[string]string{
		"list":     "records/agent-tools/list tools:read",
		"lookup":   "records/agent-tools/lookup tools:read",
		"search":   "records/agent-tools/search tools:read",
		"add_note": "records/agent-tools/notes tools:write",
	}, paths); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	for _, s := range e.Script {
		if _, ok := paths[s.Tool]; !ok && s.Tool != "" {
			t.Errorf("%q leads to %q, which is no tool of the example", s.Text, s.Tool)
		}
	}
	if !slices.ContainsFunc(e.Script, func(s Step) bool { return s.Tool == "" && s.Scopes != nil }) {
		t.Error("no step shows a scope that takes a tool away")
	}
}
