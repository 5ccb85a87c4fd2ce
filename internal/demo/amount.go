package demo

import "fmt"

// An amount is money in cents. As JSON it is a number with two decimals: 19.90.
type amount int64

func (a amount) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%02d", a/100, a%100), nil
}
