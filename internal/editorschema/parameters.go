package editorschema

// parameters describes the JSON Schema that a tool's parameters are. Editors do
// not all have the meta-schema at hand, and it explains nothing, so the keywords
// that parameters are made of are described here; others are let through.
func parameters() *schema {
	s := mapOf("What the model fills in, as JSON Schema 2020-12 with type: object.", nil)
	s.Properties = keywords()
	s.Properties[0] = needs("type", &schema{Description: "Arguments are always an object.", Const: "object"})
	s.Required = []string{"type"}
	return s
}

func parameterDefs() map[string]*schema {
	return map[string]*schema{
		"parameter": {
			Description: "What one value may be, as JSON Schema.",
			Type:        []string{"object", "boolean"},
			Properties:  keywords(),
		},
		"type": {Type: "string", Enum: []string{"string", "number", "integer", "boolean", "array", "object", "null"}},
	}
}

func keywords() properties {
	number := func(description string) *schema { return &schema{Description: description, Type: "number"} }
	size := func(description string) *schema {
		zero := 0
		return &schema{Description: description, Type: "integer", Minimum: &zero}
	}
	some := func(description string, item *schema) *schema {
		s := list(description, item)
		s.MinItems = 1
		return s
	}
	zero := 0
	return properties{
		may("type", &schema{Description: "The type of the value.", AnyOf: []*schema{
			ref("type", ""),
			some("", ref("type", "")),
		}}),
		may("description", str("What the value means, for the model.")),
		may("title", str("A name for people.")),
		may("properties", mapOf("The fields of the object.", ref("parameter", ""))),
		may("required", list("The names of the properties that must be there.", str(""))),
		may("additionalProperties", ref("parameter", "What properties that are not named may be; false for none.")),
		may("items", ref("parameter", "What each element of the array is.")),
		may("enum", &schema{Description: "The values that are allowed.", Type: "array", MinItems: 1}),
		may("const", &schema{Description: "The one value that is allowed."}),
		may("default", &schema{Description: "The value where the model gives none."}),
		may("format", str("What kind of text it is.", "date", "date-time", "email", "uri", "uuid")),
		may("pattern", str("A regular expression that the text must match (RE2).")),
		may("minLength", size("The least number of characters.")),
		may("maxLength", size("The greatest number of characters.")),
		may("minimum", number("The least value.")),
		may("maximum", number("The greatest value.")),
		may("exclusiveMinimum", number("The value must be more.")),
		may("exclusiveMaximum", number("The value must be less.")),
		may("multipleOf", &schema{Description: "The value must be a multiple of this.", Type: "number", ExclusiveMinimum: &zero}),
		may("minItems", size("The least number of elements.")),
		may("maxItems", size("The greatest number of elements.")),
		may("uniqueItems", &schema{Description: "No two elements may be equal.", Type: "boolean"}),
		may("anyOf", some("At least one of these must fit.", ref("parameter", ""))),
		may("oneOf", some("Exactly one of these must fit.", ref("parameter", ""))),
		may("allOf", some("All of these must fit.", ref("parameter", ""))),
		may("$ref", str("Another schema of this file.", "#/$defs/address")),
		may("$defs", mapOf("Schemas to refer to.", ref("parameter", ""))),
	}
}
