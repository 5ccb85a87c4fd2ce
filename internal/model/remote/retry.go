package remote

import (
	"math"
	"net/http"
	"strconv"
	"time"
)

// retryAfter reads how long a provider asks to wait: Retry-After-Ms, or
// Retry-After in seconds or as a date (RFC 9110, section 10.2.3).
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	if d, ok := duration(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d, true
	}
	text := h.Get("Retry-After")
	if d, ok := duration(text, time.Second); ok {
		return d, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now)), true
	}
	return 0, false
}

func duration(text string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) {
		return 0, false
	}
	const most = 365 * 24 * time.Hour
	return time.Duration(min(max(n*float64(unit), 0), float64(most))), true
}
