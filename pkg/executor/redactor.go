package executor

// NewRedactor returns a function that replaces secrets in texts by [redacted],
// in every form in which a Client's outcomes are searched for them: as they are,
// in base64, and in any layers of JSON escapes and percent-encodings. Secrets
// of fewer than 8 characters are left, because they occur by accident. The
// function is not safe for concurrent use.
func NewRedactor(secrets []string) func(text string) string {
	return newRedactor(secrets).text
}
