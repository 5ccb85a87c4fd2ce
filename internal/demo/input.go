package demo

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	maxBody = 64 << 10 // bytes
	maxText = 120      // characters of one field
)

// one returns the query value called key, without the white space around it.
// ok is false, and no the answer, when there is none or it makes no sense.
func one(r *http.Request, key string) (value string, no answer, ok bool) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return "", fail(http.StatusBadRequest, "invalid_query", "The query cannot be read."), false
	}
	value = strings.TrimSpace(q.Get(key))
	switch {
	case len(q[key]) > 1:
		return "", fail(http.StatusBadRequest, "invalid_query", "%q is given more than once.", key), false
	case value == "":
		return "", fail(http.StatusBadRequest, "missing_"+key, "%q is missing from the query.", key), false
	case !isText(value):
		return "", fail(http.StatusBadRequest, "invalid_"+key,
			"%q must be text of at most %d characters.", key, maxText), false
	}
	return value, answer{}, true
}

// isText says whether s is text that may stand in a record.
func isText(s string) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= maxText && !strings.ContainsFunc(s, unicode.IsControl)
}

// read decodes the JSON body of r into v, a pointer to a struct. ok is false,
// and no the answer, when the body is none that v can hold.
func read(r *http.Request, v any) (no answer, ok bool) {
	if t, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || t != "application/json" {
		return fail(http.StatusUnsupportedMediaType, "unsupported_media_type", "The body must be application/json."), false
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return fail(http.StatusBadRequest, "invalid_body", "The body could not be read."), false
	}
	if len(data) > maxBody {
		return fail(http.StatusRequestEntityTooLarge, "body_too_large", "The body is over %d bytes.", maxBody), false
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err = dec.Decode(v)
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &mismatch) && mismatch.Field != "":
		return invalid("%q must be %s.", mismatch.Field, wanted(mismatch.Type)), false
	case errors.As(err, &mismatch):
		return invalid("The body must be an object."), false
	case err != nil && strings.HasPrefix(err.Error(), "json: unknown field "):
		return invalid("%s is not a field of this request.", strings.TrimPrefix(err.Error(), "json: unknown field ")), false
	case err != nil:
		return fail(http.StatusBadRequest, "invalid_json", "The body is not valid JSON."), false
	}
	if _, err := dec.Token(); err != io.EOF {
		return fail(http.StatusBadRequest, "invalid_json", "The body is more than one JSON value."), false
	}
	return answer{}, true
}

// invalid returns the answer to a body that is JSON but makes no sense.
func invalid(format string, args ...any) answer {
	return fail(http.StatusUnprocessableEntity, "invalid_fields", format, args...)
}

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Slice:
		return "a list"
	case reflect.Struct:
		return "an object"
	default:
		return "text"
	}
}

const dateForm = "2006-01-02"

// isDate says whether s is a day of the calendar, as YYYY-MM-DD.
func isDate(s string) bool {
	_, err := time.Parse(dateForm, s)
	return err == nil
}

// digits returns the digits of a phone number, by which two are compared, or ""
// when s is none.
func digits(s string) string {
	var d strings.Builder
	for i, c := range s {
		switch {
		case c >= '0' && c <= '9':
			d.WriteRune(c)
		case c == '+' && i == 0, c == ' ', c == '-', c == '(', c == ')':
		default:
			return ""
		}
	}
	if d.Len() < 7 || d.Len() > 15 {
		return ""
	}
	return d.String()
}

// isEmail says whether s could be an address; only sending to it can prove it.
func isEmail(s string) bool {
	user, host, found := strings.Cut(s, "@")
	return found && user != "" && !strings.ContainsAny(s, " ,;<>\"") && !strings.Contains(host, "@") &&
		strings.Contains(strings.Trim(host, "."), ".") && isText(s)
}
