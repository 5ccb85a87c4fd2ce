package demo

import (
	"encoding/json"
	"testing"
)

func TestAmount(t *testing.T) {
	for a, want := range map[amount]string{0: "0.00", 5: "0.05", 90: "0.90", 1990: "19.90", 250000: "2500.00"} {
		got, err := json.Marshal(a)
		if err != nil || string(got) != want {
			t.Errorf("%d cents: %s, %v, want %s", int64(a), got, err, want)
		}
	}
}
