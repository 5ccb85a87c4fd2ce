package offline

import (
	"slices"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/vatio-dev/vatio/internal/chat"
	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

const (
	maxRows    = 8    // of a table
	maxColumns = 5    // of a table
	maxCell    = 40   // columns of a terminal
	maxItems   = 12   // of a list in a line
	maxRecords = 3    // of those that hold long texts
	maxProse   = 700  // characters of one long text
	maxText    = 2000 // characters of a plain answer
)

// afterResults answers the results that just came.
func (d *dialogue) afterResults(messages []chat.Message) chat.Reply {
	n := len(messages)
	results := messages[n-1].Results
	ph := d.language(messages).phrases()
	ask := false
	var parts []string
	for i, r := range results {
		v, _ := jsondoc.Parse([]byte(r.Content))
		if r.Tool == chat.IdentifyContactTool && !r.IsError {
			if c, ok := failed(messages[:n-1], "missing_contact_name"); ok && d.find(c.Tool) != nil {
				return call(c.Tool, c.Arguments)
			}
		}
		text := ph.result(r.Content, v)
		if way := d.wayOut(v.Get("error_key").Text(), ph); r.IsError && way != "" {
			text += "\n" + way
		}
		ask = ask || r.IsError && v.Get("error_key").Text() == "missing_contact_phone"
		if i == 0 || text != parts[len(parts)-1] {
			parts = append(parts, text)
		}
	}
	if ask && d.find(chat.RequestContactInfoTool) != nil && !calledThisTurn(messages, chat.RequestContactInfoTool) {
		reply := call(chat.RequestContactInfoTool, "{}")
		reply.Text = ph.needPhone
		return reply
	}
	return say(strings.Join(parts, "\n\n"))
}

// wayOut tells how a contact that a tool misses is given, where no tool asks
// for it.
func (d *dialogue) wayOut(key string, ph *phrases) string {
	switch {
	case key == "missing_contact_phone" && d.find(chat.RequestContactInfoTool) == nil:
		return ph.givePhone
	case key == "missing_contact_email":
		return ph.giveEmail
	case key == "missing_contact_name" && d.find(chat.IdentifyContactTool) == nil:
		return ph.giveName
	}
	return ""
}

func calledThisTurn(messages []chat.Message, tool string) bool {
	for i := len(messages) - 1; i >= 0 && messages[i].Role != chat.User; i-- {
		for _, c := range messages[i].Calls {
			if c.Tool == tool {
				return true
			}
		}
	}
	return false
}

// failed returns the last call whose result has the error key, unless the same
// call came to something else afterwards. It looks at the last turns only.
func failed(messages []chat.Message, key string) (chat.Call, bool) {
	const lookBack = 40
	var settled []chat.Call
	for i := len(messages) - 1; i > 0 && i >= len(messages)-lookBack; i-- {
		if messages[i].Role != chat.ToolResults {
			continue
		}
		for j := min(len(messages[i].Results), len(messages[i-1].Calls)) - 1; j >= 0; j-- {
			r, c := messages[i].Results[j], messages[i-1].Calls[j]
			same := func(s chat.Call) bool { return s.Tool == c.Tool && s.Arguments == c.Arguments }
			v, err := jsondoc.Parse([]byte(r.Content))
			if !r.IsError || err != nil || v.Get("error_key").Text() != key {
				settled = append(settled, c)
			} else if !slices.ContainsFunc(settled, same) {
				return c, true
			}
		}
	}
	return chat.Call{}, false
}

// retry returns the operation that needed a phone number, when the messages
// that now have to be answered bring one.
func (d *dialogue) retry(messages []chat.Message) (chat.Call, bool) {
	shared := false
	i := len(messages)
	for i > 0 && messages[i-1].Role == chat.User {
		i--
		if _, ok := chat.SharedPhone(messages[i].Text); ok {
			shared = true
		} else if _, exact, _ := parseCommand(messages[i].Text, func(k string) bool { return d.find(k) != nil }); exact {
			return chat.Call{}, false
		}
	}
	if !shared {
		return chat.Call{}, false
	}
	c, ok := failed(messages[:i], "missing_contact_phone")
	return c, ok && d.find(c.Tool) != nil
}

// result puts a tool's result into words: its message and its data, or the
// text as it came.
func (ph *phrases) result(content string, v jsondoc.Value) string {
	message := v.Get("message")
	if message.Kind() != jsondoc.String {
		text := strings.TrimSpace(content)
		if text == "" {
			return ph.nothing
		}
		return clip(text, maxText)
	}
	text := strings.TrimSpace(message.Text())
	data := v.Get("data")
	if !data.Exists() || data.IsEmpty() {
		return text
	}
	var w dataWriter
	w.ph = ph
	if data.Kind() == jsondoc.Object {
		w.object("", data, data.Len() > 1)
	} else {
		w.value("data", data, false)
	}
	if w.b.Len() == 0 {
		return text
	}
	return text + "\n\n" + strings.TrimRight(w.b.String(), "\n")
}

// clip shortens s to n characters.
func clip(s string, n int) string {
	for i := range s {
		if n == 0 {
			return strings.TrimRight(s[:i], " \n") + "…"
		}
		n--
	}
	return s
}

type dataWriter struct {
	b  strings.Builder
	ph *phrases
}

func (w *dataWriter) object(prefix string, v jsondoc.Value, headings bool) {
	for name, x := range v.Members() {
		w.value(prefix+name, x, headings)
	}
}

func (w *dataWriter) value(name string, v jsondoc.Value, heading bool) {
	switch {
	case v.IsEmpty():
	case v.Kind() == jsondoc.Array && objects(v) && prose(v):
		w.records(v)
	case v.Kind() == jsondoc.Array && objects(v):
		if heading {
			w.b.WriteString(name + ":\n")
		}
		w.table(v)
	case v.Kind() == jsondoc.Array:
		w.b.WriteString(name + ": ")
		n := 0
		for x := range v.Elements() {
			if n == maxItems {
				w.b.WriteString(" " + w.more(v.Len()-n))
				break
			}
			if n > 0 {
				w.b.WriteString(", ")
			}
			w.b.WriteString(cell(x, maxCell))
			n++
		}
		w.b.WriteByte('\n')
	case v.Kind() == jsondoc.Object && strings.Count(name, ".") < 2:
		w.object(name+".", v, true)
	default:
		w.b.WriteString(name + ": " + cell(v, 10*maxCell) + "\n")
	}
}

func (w *dataWriter) more(n int) string { return strings.ReplaceAll(w.ph.more, "%d", strconv.Itoa(n)) }

func objects(v jsondoc.Value) bool {
	for x := range v.Elements() {
		if x.Kind() != jsondoc.Object {
			return false
		}
	}
	return v.Len() > 0
}

// prose tells whether a row holds a text that no table can show.
func prose(v jsondoc.Value) bool {
	for row := range v.Elements() {
		for _, x := range row.Members() {
			if x.Kind() == jsondoc.String && len(x.Text()) > 3*maxCell {
				return true
			}
		}
	}
	return false
}

// records writes an array of objects one below the other: the short values in
// a line, and the long ones under it.
func (w *dataWriter) records(v jsondoc.Value) {
	n := 0
	for row := range v.Elements() {
		if n == maxRecords {
			w.b.WriteString(w.more(v.Len()-n) + "\n")
			return
		}
		if n > 0 {
			w.b.WriteByte('\n')
		}
		n++
		var short, long []string
		for _, x := range row.Members() {
			switch s := strings.TrimSpace(x.Text()); {
			case x.IsEmpty():
			case x.Kind() == jsondoc.String && len(s) > 2*maxCell:
				long = append(long, clip(s, maxProse))
			case x.Kind() == jsondoc.Array:
				for y := range x.Elements() {
					short = append(short, cell(y, maxCell))
				}
			default:
				short = append(short, cell(x, 2*maxCell))
			}
		}
		for _, s := range append([]string{strings.Join(short, " · ")}, long...) {
			if s != "" {
				w.b.WriteString(s + "\n")
			}
		}
	}
}

// table writes an array of objects, aligned, with the columns in the order in
// which they come up.
func (w *dataWriter) table(v jsondoc.Value) {
	var columns []string
	rows := 0
	for x := range v.Elements() {
		if rows++; rows > maxRows {
			break
		}
		for name := range x.Members() {
			if len(columns) < maxColumns && !slices.Contains(columns, name) {
				columns = append(columns, name)
			}
		}
	}
	cells := [][]string{columns}
	for x := range v.Elements() {
		if len(cells) > maxRows {
			break
		}
		row := make([]string, len(columns))
		for i, c := range columns {
			row[i] = cell(x.Get(c), maxCell)
		}
		cells = append(cells, row)
	}
	widths := make([]int, len(columns))
	numeric := make([]bool, len(columns))
	for i := range columns {
		numeric[i] = true
		for j, row := range cells {
			widths[i] = max(widths[i], uniseg.StringWidth(row[i]))
			if j > 0 && row[i] != "" && strings.Trim(row[i], "0123456789.-+eE") != "" {
				numeric[i] = false
			}
		}
	}
	for _, row := range cells {
		var line strings.Builder
		for i, s := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-uniseg.StringWidth(s))
			if numeric[i] {
				s, pad = pad, s
			}
			line.WriteString(s)
			line.WriteString(pad)
		}
		w.b.WriteString(strings.TrimRight(line.String(), " "))
		w.b.WriteByte('\n')
	}
	if n := v.Len() - maxRows; n > 0 {
		w.b.WriteString(w.more(n))
		w.b.WriteByte('\n')
	}
}

// cell writes a value in one line of at most n characters.
func cell(v jsondoc.Value, n int) string {
	if v.Kind() == jsondoc.Null {
		return ""
	}
	return clip(strings.Join(strings.Fields(v.Text()), " "), n)
}
