package cli

import (
	"os"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

// TestCollectLate wants the collector to be as before after the first
// collection, without being asked, and at once when it is.
func TestCollectLate(t *testing.T) {
	if os.Getenv("GOGC") != "" {
		t.Skip("GOGC is set, and then nothing changes")
	}
	percent := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	for _, large := range []bool{false, true} {
		undo := collectLate(large)
		if got := percent(); got != 2000 {
			t.Errorf("large %t: GOGC is %d at first, want 2000", large, got)
		}
		undo()
		if got := percent(); got != 100 {
			t.Errorf("large %t: GOGC is %d when it is undone, want 100", large, got)
		}
		defer collectLate(large)()
		for end := time.Now().Add(30 * time.Second); percent() != 100; time.Sleep(time.Millisecond) {
			if runtime.GC(); time.Now().After(end) {
				t.Fatalf("large %t: GOGC is still %d", large, percent())
			}
		}
	}
}
