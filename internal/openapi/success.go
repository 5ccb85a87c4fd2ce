package openapi

import (
	"strings"

	"github.com/vatio-dev/vatio/pkg/syntax"
)

// success is the schema of the first JSON answer that is no error.
func (d *Document) success(op *Operation) (*syntax.Node, string) {
	for _, r := range pairs(op.node.Get("responses")) {
		if !strings.HasPrefix(r.Key.Text, "2") {
			continue
		}
		n, file, err := d.resolve(r.Value, op.file)
		if err != nil {
			continue
		}
		if s := n.Get("schema"); s != nil && d.swagger() {
			return s, file
		}
		for _, c := range pairs(n.Get("content")) {
			if s := c.Value.Get("schema"); s != nil && isJSON(c.Key.Text) {
				return s, file
			}
		}
	}
	return nil, ""
}
