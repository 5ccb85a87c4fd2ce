package jsondoc_test

import (
	"fmt"

	"github.com/vatio-dev/vatio/pkg/jsondoc"
)

func ExamplePath_Select() {
	path, err := jsondoc.CompilePath("$.items[?@.price < 10].id")
	if err != nil {
		fmt.Println(err)
		return
	}
	doc := jsondoc.MustParse(`{"items": [
		{"id": 12345678901234567890, "price": 9.50},
		{"id": 2, "price": 10},
		{"id": 1.0, "price": 1e-1}
	]}`)
	nodes, err := path.Select(doc)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range nodes {
		fmt.Println(n.Text())
	}
	// Output:
	// 12345678901234567890
	// 1.0
}

func ExampleParse() {
	_, err := jsondoc.Parse([]byte(`{"id": 1,}`))
	fmt.Println(err)
	// Output:
	// unexpected character '}' at byte 9, wanted a member name in double quotes
}
