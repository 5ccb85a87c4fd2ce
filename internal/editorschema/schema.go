package editorschema

import (
	"bytes"
	"encoding/json"
)

// A schema is the part of JSON Schema 2020-12 that the descriptions need. Its
// keywords are written in the order of the fields.
type schema struct {
	Dialect              string             `json:"$schema,omitempty"`
	Title                string             `json:"title,omitempty"`
	Description          string             `json:"description,omitempty"`
	Ref                  string             `json:"$ref,omitempty"`
	Type                 any                `json:"type,omitempty"` // a name or a list of names
	Enum                 []string           `json:"enum,omitempty"`
	Const                any                `json:"const,omitempty"`
	Default              any                `json:"default,omitempty"`
	Pattern              string             `json:"pattern,omitempty"`
	MaxLength            int                `json:"maxLength,omitempty"`
	Minimum              *int               `json:"minimum,omitempty"`
	Maximum              int                `json:"maximum,omitempty"`
	ExclusiveMinimum     *int               `json:"exclusiveMinimum,omitempty"`
	MinItems             int                `json:"minItems,omitempty"`
	Items                *schema            `json:"items,omitempty"`
	MinProperties        int                `json:"minProperties,omitempty"`
	Properties           properties         `json:"properties,omitzero"`
	PropertyNames        *schema            `json:"propertyNames,omitempty"`
	AdditionalProperties any                `json:"additionalProperties,omitempty"` // false or a schema
	Required             []string           `json:"required,omitempty"`
	AnyOf                []*schema          `json:"anyOf,omitempty"`
	Defs                 map[string]*schema `json:"$defs,omitempty"`
	Examples             []any              `json:"examples,omitempty"`
}

type property struct {
	name     string
	required bool
	value    *schema
}

// properties is an object of schemas in a fixed order, the one in which people
// write the fields.
type properties []property

func (p properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, field := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(field.name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		value, err := marshal(field.value)
		if err != nil {
			return nil, err
		}
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// orNull allows a field that has no value yet.
func orNull(s *schema) *schema {
	s.Type = []string{"string", "null"}
	return s
}

// needs and may make one field of a map.
func needs(name string, value *schema) property { return property{name, true, value} }
func may(name string, value *schema) property   { return property{name, false, value} }

// closed is a map that has these fields and no others.
func closed(description string, fields ...property) *schema {
	s := &schema{Description: description, Type: "object", Properties: fields, AdditionalProperties: false}
	for _, f := range fields {
		if f.required {
			s.Required = append(s.Required, f.name)
		}
	}
	return s
}

// mapOf is a map with any keys.
func mapOf(description string, values *schema) *schema {
	s := &schema{Description: description, Type: "object"}
	if values != nil {
		s.AdditionalProperties = values
	}
	return s
}

// text is a string that is not blank, str any string.
func text(description string, examples ...any) *schema {
	return &schema{Description: description, Type: "string", Pattern: `\S`, Examples: examples}
}

func str(description string, examples ...any) *schema {
	return &schema{Description: description, Type: "string", Examples: examples}
}

func matching(description, pattern string, examples ...any) *schema {
	return &schema{Description: description, Type: "string", Pattern: pattern, Examples: examples}
}

func oneOf(description string, otherwise any, values ...string) *schema {
	return &schema{Description: description, Type: "string", Enum: values, Default: otherwise}
}

func whole(description string, low, high int, otherwise any) *schema {
	return &schema{Description: description, Type: "integer", Minimum: &low, Maximum: high, Default: otherwise}
}

func list(description string, items *schema) *schema {
	return &schema{Description: description, Type: "array", Items: items}
}

func ref(name, description string) *schema {
	return &schema{Ref: "#/$defs/" + name, Description: description}
}
