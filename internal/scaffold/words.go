package scaffold

import (
	"math/big"
	"strings"
)

// singular is a guess that only has to read well: categories, boxes, products.
func singular(noun string) string {
	for _, ending := range [...][2]string{{"ies", "y"}, {"sses", "ss"}, {"xes", "x"}, {"ches", "ch"}, {"shes", "sh"}} {
		if rest, ok := strings.CutSuffix(noun, ending[0]); ok && rest != "" {
			return rest + ending[1]
		}
	}
	if strings.HasSuffix(noun, "ss") || strings.HasSuffix(noun, "us") || strings.HasSuffix(noun, "is") || len(noun) < 4 {
		return noun
	}
	return strings.TrimSuffix(noun, "s")
}

// typeOf is the JSON type that a value of an address most likely has. What
// would lose something as a number, such as 007 or a phone number, is a string.
func typeOf(value string) string {
	if value == "true" || value == "false" {
		return "boolean"
	}
	if strings.Trim(value, "0123456789.-") != "" || value == "" || len(value) > 15 {
		return "string"
	}
	if n, ok := new(big.Int).SetString(value, 10); ok && n.String() == value {
		return "integer"
	}
	if f, ok := new(big.Rat).SetString(value); ok && strings.Count(value, ".") == 1 && f.FloatString(len(value)-strings.Index(value, ".")-1) == value {
		return "number"
	}
	return "string"
}

// spaced writes a noun for people.
func spaced(noun string) string { return strings.ReplaceAll(noun, "_", " ") }
