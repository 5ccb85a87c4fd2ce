package openapi

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/vatio-dev/vatio/pkg/diag"
)

// oneLine is the text without markup's line breaks, cut at a word after at most
// limit bytes.
func oneLine(s string, limit int) string {
	if len(s) > 20*limit {
		s = strings.ToValidUTF8(s[:20*limit], "")
	}
	s = diag.Printable(strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " "))
	if len(s) <= limit {
		return s
	}
	if i := strings.LastIndex(s[:limit], ". "); i > limit/3 {
		return s[:i+1]
	}
	cut := limit
	if i := strings.LastIndexByte(s[:limit], ' '); i > limit/2 {
		cut = i
	}
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// safeText drops a text that shows a credential, as examples of APIs do: a tool's
// file is no place for what looks like one.
func safeText(s string) string {
	lower := strings.ToLower(s)
	for _, sign := range [...]string{"private key-----", "secret-key-", "k_live_", "k_test_", "sk-", "aiza", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "xox", "akia", "asia", "eyj", "bearer ", "basic "} {
		if strings.Contains(lower, sign) && (sign != "asia" || strings.Contains(s, "ASIA")) && (sign != "eyj" || strings.Contains(s, "eyJ")) {
			return ""
		}
	}
	return s
}

func unescape(step string) string {
	if decoded, err := url.PathUnescape(step); err == nil {
		step = decoded
	}
	return strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
}
