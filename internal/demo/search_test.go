package demo

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSearch(t *testing.T) {
	tests := map[string][]string{
		"Picker":          {"Picker"},
		"pickers":         {"Picker"},
		"PICK":            {"Picker"},
		"rake":            {"Leaf Rake", "Garden Rake"},
		"rakes, garden":   {"Garden Rake"},
		"glove":           {"Work Gloves"},
		"gloves":          {"Work Gloves"},
		"guantes":         {"Work Gloves"},
		"Cafe\u0301":      {"Café Planter"},
		"CAFÉ PLANTERS":   {"Café Planter"},
		"maceteros":       {"Café Planter"},
		"hojas":           {"Leaf Rake", "Potting Soil"},
		"Quantum Hoe":     {},
		"quantum pickers": {},
		"shoes":           {},
		"Picker Spade":    {},
		"":                {},
		"?!":              {},
	}
	s := newShop()
	for text, want := range tests {
		got := []string{}
		for _, p := range s.search(text) {
			got = append(got, p.Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("search(%q) (-want +got):\n%s", text, diff)
		}
	}
}

func TestSingulars(t *testing.T) {
	tests := map[string][]string{
		"rake":    {"rake"},
		"rakes":   {"rakes", "rake"},
		"brushes": {"brushes", "brushe", "brush"},
		"berries": {"berries", "berrie", "berry"},
		"flores":  {"flores", "flore", "flor"},
		"shoes":   {"shoes", "shoe"},
		"hoes":    {"hoes", "hoe"},
		"glass":   {"glass"},
		"gas":     {"gas"},
		"s":       {"s"},
	}
	for word, want := range tests {
		if diff := cmp.Diff(want, singulars(word)); diff != "" {
			t.Errorf("singulars(%q) (-want +got):\n%s", word, diff)
		}
	}
}
