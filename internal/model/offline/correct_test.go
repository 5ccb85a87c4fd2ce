package offline

import (
	"testing"
	"time"
)

func TestReplaced(t *testing.T) {
	m := newTestModel()
	ix := m.index(shopTools())
	for _, test := range []struct{ old, new, text, want string }{
		{"linen shirt", "cotton", "no, the cotton one", "cotton shirt"},
		{"long linen shirt", "short cotton", "the short cotton one please", "short cotton shirt"},
		{"Picker", "red", "no, the red one", "red"},
		{"camisa de lino", "algodón", "no, la de algodón", "camisa de algodón"},
		{"camisa de lino", "Picker", "no, el Picker", "Picker"},
	} {
		if got := replaced(test.old, test.new, ix.read(test.text, 0, time.Time{})); got != test.want {
			t.Errorf("%q by %q of %q is %q, want %q", test.old, test.new, test.text, got, test.want)
		}
	}
}
