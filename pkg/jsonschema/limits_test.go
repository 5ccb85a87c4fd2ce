package jsonschema_test

import (
	"strings"
	"testing"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
	"github.com/vatio-dev/vatio/pkg/jsonschema"
)

// TestApplyRebuildsLittle changes a value deep inside a large instance.
func TestApplyRebuildsLittle(t *testing.T) {
	s, _ := jsonschema.Compile(jsondoc.MustParse(`{"type":"object","properties":{"t":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":["array","integer"],"items":{"$ref":"#/$defs/t"}}}}`))
	args := jsondoc.MustParse(`{"t":` + strings.Repeat("[", 500) + `"5",` + strings.Repeat("5,", 100_000) + "1" + strings.Repeat("]", 500) + "}")
	if _, violations := s.Apply(args, jsonschema.Options{}); len(violations) != 1 {
		t.Errorf("%d violations", len(violations))
	}
}
