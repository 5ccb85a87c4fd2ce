package jsondoc

import (
	"math/big"
	"regexp"
	"testing"
)

// smallExponent says which numbers a fraction can hold.
var smallExponent = regexp.MustCompile(`^[^eE]*([eE][-+]?0*\d{1,3})?$`)

func compareRat(a, b string) (int, bool) {
	if !smallExponent.MatchString(a) || !smallExponent.MatchString(b) {
		return 0, false
	}
	x, ok := new(big.Rat).SetString(a)
	if !ok {
		return 0, false
	}
	y, ok := new(big.Rat).SetString(b)
	if !ok {
		return 0, false
	}
	return x.Cmp(y), true
}

func TestCompareNumbers(t *testing.T) {
	small := []string{
		"0", "-0", "0.000", "0e7", "1", "1.0", "10e-1", "0.1e1", "-1", "-1.00", "2", "9", "10", "1e1", "100", "1E+2",
		"0.1", "0.10", "1e-1", "0.09", "0.11", "-0.1", "0.001", "1e-3", "123.456", "123456e-3", "123.4560", "123.4561",
		"9007199254740992", "9007199254740993", "9007199254740992.5", "12345678901234567890", "1.2345678901234567890e19",
		"12345678901234567891", "-12345678901234567890", "1e007", "10000000", "1e-007", "999999999999999999", "1000000000000000000",
	}
	for _, a := range small {
		for _, b := range small {
			want, ok := compareRat(a, b)
			if !ok {
				t.Fatalf("%s or %s is out of reach", a, b)
			}
			if got := compareNumbers([]byte(a), []byte(b)); got != want {
				t.Errorf("%s and %s compare as %d, want %d", a, b, got, want)
			}
		}
	}
	// From the least to the greatest, too far apart for fractions.
	ordered := []string{
		"-1e99999999999999999999999", "-1e1000001", "-1e1000000", "-1", "-1e-99999999999999999999999", "0",
		"1e-99999999999999999999999", "1e-99999999999999999999998", "1e-1000000", "1", "1e1000000", "1e1000001",
		"1e99999999999999999999999", "1.5e99999999999999999999999", "10e99999999999999999999999", "1.1e100000000000000000000000",
	}
	for i, a := range ordered {
		for j, b := range ordered {
			want := big.NewInt(int64(i)).Cmp(big.NewInt(int64(j)))
			if got := compareNumbers([]byte(a), []byte(b)); got != want {
				t.Errorf("%s and %s compare as %d, want %d", a, b, got, want)
			}
		}
	}
}
