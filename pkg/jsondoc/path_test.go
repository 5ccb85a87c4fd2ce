package jsondoc

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const bookstore = `{ "store": {
    "book": [
      { "category": "reference", "author": "Nigel Rees", "title": "Sayings of the Century", "price": 8.95 },
      { "category": "fiction", "author": "Evelyn Waugh", "title": "Sword of Honour", "price": 12.99 },
      { "category": "fiction", "author": "Herman Melville", "title": "Moby Dick", "isbn": "0-553-21311-3", "price": 8.99 },
      { "category": "fiction", "author": "J. R. R. Tolkien", "title": "The Lord of the Rings", "isbn": "0-395-19395-8", "price": 22.99 }
    ],
    "bicycle": { "color": "red", "price": 399 }
  } }`

const (
	book1   = `{"category":"reference","author":"Nigel Rees","title":"Sayings of the Century","price":8.95}`
	book2   = `{"category":"fiction","author":"Evelyn Waugh","title":"Sword of Honour","price":12.99}`
	book3   = `{"category":"fiction","author":"Herman Melville","title":"Moby Dick","isbn":"0-553-21311-3","price":8.99}`
	book4   = `{"category":"fiction","author":"J. R. R. Tolkien","title":"The Lord of the Rings","isbn":"0-395-19395-8","price":22.99}`
	bicycle = `{"color":"red","price":399}`
)

// The documents of the examples of RFC 9535, sections 2.3.5.3 and 2.5.
const (
	filterDoc = `{"a":[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}],"o":{"p":1,"q":2,"r":3,"s":5,"t":{"u":6}},"e":"f"}`
	nestedDoc = `{"o":{"j":1,"k":2},"a":[5,3,[{"j":4},{"k":6}]]}`
	letters   = `["a","b","c","d","e","f","g"]`
)

func TestSelect(t *testing.T) {
	tests := []struct {
		doc, path string
		want      []string // compact JSON of the nodes
	}{
		// RFC 9535, table 2
		{bookstore, `$.store.book[*].author`, []string{`"Nigel Rees"`, `"Evelyn Waugh"`, `"Herman Melville"`, `"J. R. R. Tolkien"`}},
		{bookstore, `$..author`, []string{`"Nigel Rees"`, `"Evelyn Waugh"`, `"Herman Melville"`, `"J. R. R. Tolkien"`}},
		{bookstore, `$.store.*`, []string{"[" + book1 + "," + book2 + "," + book3 + "," + book4 + "]", bicycle}},
		{bookstore, `$.store..price`, []string{`8.95`, `12.99`, `8.99`, `22.99`, `399`}},
		{bookstore, `$..book[2]`, []string{book3}},
		{bookstore, `$..book[2].author`, []string{`"Herman Melville"`}},
		{bookstore, `$..book[2].publisher`, nil},
		{bookstore, `$..book[-1]`, []string{book4}},
		{bookstore, `$..book[0,1]`, []string{book1, book2}},
		{bookstore, `$..book[:2]`, []string{book1, book2}},
		{bookstore, `$..book[?@.isbn]`, []string{book3, book4}},
		{bookstore, `$..book[?@.price<10]`, []string{book1, book3}},
		{bookstore, `$.store.book[?@.price < 10].title`, []string{`"Sayings of the Century"`, `"Moby Dick"`}},

		// table 4: name selector
		{`{"o":{"j j":{"k.k":3}},"'":{"@":2}}`, `$.o['j j']`, []string{`{"k.k":3}`}},
		{`{"o":{"j j":{"k.k":3}},"'":{"@":2}}`, `$.o['j j']['k.k']`, []string{`3`}},
		{`{"o":{"j j":{"k.k":3}},"'":{"@":2}}`, `$.o["j j"]["k.k"]`, []string{`3`}},
		{`{"o":{"j j":{"k.k":3}},"'":{"@":2}}`, `$["'"]["@"]`, []string{`2`}},

		// table 6: wildcard
		{`{"o":{"j":1,"k":2},"a":[5,3]}`, `$[*]`, []string{`{"j":1,"k":2}`, `[5,3]`}},
		{`{"o":{"j":1,"k":2},"a":[5,3]}`, `$.o[*]`, []string{`1`, `2`}},
		{`{"o":{"j":1,"k":2},"a":[5,3]}`, `$.o[*, *]`, []string{`1`, `2`, `1`, `2`}},
		{`{"o":{"j":1,"k":2},"a":[5,3]}`, `$.a[*]`, []string{`5`, `3`}},

		// tables 7 and 9: index and slice
		{`["a","b"]`, `$[1]`, []string{`"b"`}},
		{`["a","b"]`, `$[-2]`, []string{`"a"`}},
		{`["a","b"]`, `$[2]`, nil},
		{`["a","b"]`, `$[-3]`, nil},
		{letters, `$[1:3]`, []string{`"b"`, `"c"`}},
		{letters, `$[5:]`, []string{`"f"`, `"g"`}},
		{letters, `$[1:5:2]`, []string{`"b"`, `"d"`}},
		{letters, `$[5:1:-2]`, []string{`"f"`, `"d"`}},
		{letters, `$[::-1]`, []string{`"g"`, `"f"`, `"e"`, `"d"`, `"c"`, `"b"`, `"a"`}},
		{letters, `$[::0]`, nil},
		{letters, `$[ 1 : 5 : 3 ]`, []string{`"b"`, `"e"`}},
		{letters, `$[-2:]`, []string{`"f"`, `"g"`}},
		{letters, `$[:-5]`, []string{`"a"`, `"b"`}},
		{letters, `$[-100:2]`, []string{`"a"`, `"b"`}},
		{letters, `$[5:100]`, []string{`"f"`, `"g"`}},
		{letters, `$[100:4:-1]`, []string{`"g"`, `"f"`}},
		{letters, `$[1:-100:-1]`, []string{`"b"`, `"a"`}},
		{letters, `$[-1:-3:-1]`, []string{`"g"`, `"f"`}},
		{letters, `$[3:1]`, nil},
		{letters, `$[1:3:-1]`, nil},
		{letters, `$[::9007199254740991]`, []string{`"a"`}},
		{letters, `$[::-9007199254740991]`, []string{`"g"`}},
		{`[]`, `$[::-1]`, nil},
		{`{"0":1}`, `$[0]`, nil},
		{`{"0":1}`, `$[:]`, nil},
		{`[1]`, `$['0']`, nil},

		// table 12: filters
		{filterDoc, `$.a[?@.b == 'kilo']`, []string{`{"b":"kilo"}`}},
		{filterDoc, `$.a[?(@.b == 'kilo')]`, []string{`{"b":"kilo"}`}},
		{filterDoc, `$.a[?@>3.5]`, []string{`5`, `4`, `6`}},
		{filterDoc, `$.a[?@.b]`, []string{`{"b":"j"}`, `{"b":"k"}`, `{"b":{}}`, `{"b":"kilo"}`}},
		{filterDoc, `$[?@.*]`, []string{`[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}]`, `{"p":1,"q":2,"r":3,"s":5,"t":{"u":6}}`}},
		{filterDoc, `$[?@[?@.b]]`, []string{`[3,5,1,2,4,6,{"b":"j"},{"b":"k"},{"b":{}},{"b":"kilo"}]`}},
		{filterDoc, `$.o[?@<3, ?@<3]`, []string{`1`, `2`, `1`, `2`}},
		{filterDoc, `$.a[?@<2 || @.b == "k"]`, []string{`1`, `{"b":"k"}`}},
		{filterDoc, `$.a[?match(@.b, "[jk]")]`, []string{`{"b":"j"}`, `{"b":"k"}`}},
		{filterDoc, `$.a[?search(@.b, "[jk]")]`, []string{`{"b":"j"}`, `{"b":"k"}`, `{"b":"kilo"}`}},
		{filterDoc, `$.o[?@>1 && @<4]`, []string{`2`, `3`}},
		{filterDoc, `$.o[?@.u || @.x]`, []string{`{"u":6}`}},
		{filterDoc, `$.a[?@.b == $.x]`, []string{`3`, `5`, `1`, `2`, `4`, `6`}},
		{filterDoc, `$.a[?@ == @]`, []string{`3`, `5`, `1`, `2`, `4`, `6`, `{"b":"j"}`, `{"b":"k"}`, `{"b":{}}`, `{"b":"kilo"}`}},

		// tables 15 and 16: child and descendant segments
		{letters, `$[0, 3]`, []string{`"a"`, `"d"`}},
		{letters, `$[0:2, 5]`, []string{`"a"`, `"b"`, `"f"`}},
		{letters, `$[0, 0]`, []string{`"a"`, `"a"`}},
		{nestedDoc, `$..j`, []string{`1`, `4`}},
		{nestedDoc, `$..[0]`, []string{`5`, `{"j":4}`}},
		{nestedDoc, `$..[*]`, []string{`{"j":1,"k":2}`, `[5,3,[{"j":4},{"k":6}]]`, `1`, `2`, `5`, `3`, `[{"j":4},{"k":6}]`, `{"j":4}`, `{"k":6}`, `4`, `6`}},
		{nestedDoc, `$..*`, []string{`{"j":1,"k":2}`, `[5,3,[{"j":4},{"k":6}]]`, `1`, `2`, `5`, `3`, `[{"j":4},{"k":6}]`, `{"j":4}`, `{"k":6}`, `4`, `6`}},
		{nestedDoc, `$..o`, []string{`{"j":1,"k":2}`}},
		{nestedDoc, `$.o..[*, *]`, []string{`1`, `2`, `1`, `2`}},
		{nestedDoc, `$.a..[0, 1]`, []string{`5`, `3`, `{"j":4}`, `{"k":6}`}},

		// table 17: null
		{`{"a":null,"b":[null],"c":[{}],"null":1}`, `$.a`, []string{`null`}},
		{`{"a":null,"b":[null],"c":[{}],"null":1}`, `$.a[0]`, nil},
		{`{"a":null,"b":[null],"c":[{}],"null":1}`, `$.a.d`, nil},
		{`{"a":null,"b":[null],"c":[{}],"null":1}`, `$.b[0]`, []string{`null`}},
		{`{"a":null,"b":[null],"c":[{}],"null":1}`, `$.b[*]`, []string{`null`}},
		{`{"a":null,"b":[null],"c":[{}],"null":1}`, `$.b[?@]`, []string{`null`}},
		{`{"a":null,"b":[null],"c":[{}],"null":1}`, `$.b[?@==null]`, []string{`null`}},
		{`{"a":null,"b":[null],"c":[{}],"null":1}`, `$.c[?@.d==null]`, nil},
		{`{"a":null,"b":[null],"c":[{}],"null":1}`, `$.null`, []string{`1`}},

		// functions
		{`[[1,2],{"a":1,"b":2},"é😀","\u00e9\ud83d\ude00",2,null,true]`, `$[?length(@)==2]`, []string{`[1,2]`, `{"a":1,"b":2}`, `"é😀"`, `"\u00e9\ud83d\ude00"`}},
		{`[[1],[1,2],{"a":[3,4]}]`, `$[?count(@.*)>1]`, []string{`[1,2]`}},
		{`[[1],[1,2],{"a":[3,4]}]`, `$[?count(@..*)==3]`, []string{`{"a":[3,4]}`}},
		{`[[7],[7,7],[8]]`, `$[?value(@.*)==7]`, []string{`[7]`}},
		{`[[7],[7,7],[]]`, `$[?value(@.*)==$.nothing]`, []string{`[7,7]`, `[]`}},
		{`["ab","abc","xab"]`, `$[?match(@,'ab')]`, []string{`"ab"`}},
		{`["a","b","ab"]`, `$[?match(@,'a|b')]`, []string{`"a"`, `"b"`}},
		{`["a\nb","a\rb","a b","a.b"]`, `$[?match(@,'a.b')]`, []string{`"a b"`, `"a.b"`}},
		{`["a\nb","a\rb","a b","a.b"]`, `$[?match(@,'a[.]b')]`, []string{`"a.b"`}},
		{`["a\nb","a\rb","a b","a.b"]`, `$[?match(@,'a\\.b')]`, []string{`"a.b"`}},
		{`["Ж","z"]`, `$[?search(@,'\\p{Lu}')]`, []string{`"Ж"`}},
		{`[{"s":"abc","re":"b"},{"s":"abc","re":"x"},{"s":"abc","re":"("},{"s":1,"re":"1"},{"s":"1","re":1}]`, `$[?search(@.s,@.re)]`, []string{`{"s":"abc","re":"b"}`}},
		{`["a)b","a"]`, `$[?match(@,'a)|(b')]`, nil},
		{`["1","2"]`, `$[?match(@,1)]`, nil},
		{`[["ab"],"ab"]`, `$[?match(value(@[?@=='ab']), 'a.')]`, []string{`["ab"]`}},
		{`["a","b"]`, `$[?!match(@,'a')]`, []string{`"b"`}},
		{`[[],[1]]`, `$[?length(@)==count(@.*)]`, []string{`[]`, `[1]`}},

		// filters beyond the tables
		{`[{"a":1},{"b":1},{"a":null}]`, `$[?!@.a]`, []string{`{"b":1}`}},
		{`[1,2,3,4]`, `$[?!(@==1||@==3)]`, []string{`2`, `4`}},
		{`[1,2,3,4]`, `$[?@==1||@==2&&@==9]`, []string{`1`}},
		{`{"limit":2,"v":[1,2,3]}`, `$.v[?@<=$.limit]`, []string{`1`, `2`}},
		{`[[1,[2,{"x":3}]],[1,[2,{"x":4}]]]`, `$[?@==$[1]]`, []string{`[1,[2,{"x":4}]]`}},
		{`[{"v":{"a":1,"b":2}},{"v":{"b":2.0,"a":10e-1}},{"v":{"a":1}}]`, `$[?@.v==$[0].v]`, []string{`{"v":{"a":1,"b":2}}`, `{"v":{"b":2.0,"a":10e-1}}`}},
		{`[true,false,1]`, `$[?@==true]`, []string{`true`}},
		{`[true,false]`, `$[?@<true]`, nil},
		{`[true,false]`, `$[?@<=true]`, []string{`true`}},
		{`["a","B","é","\ud83d\ude00","\uffee"]`, `$[?@>'é']`, []string{`"\ud83d\ude00"`, `"\uffee"`}},
		{`["\ud83d\ude00","\uffee"]`, `$[?@>'\uffee']`, []string{`"\ud83d\ude00"`}},
		{`[1,"1"]`, `$[?@<2]`, []string{`1`}},
		{`[1]`, `$[?@.a!=1]`, []string{`1`}},
		{`[1]`, `$[?@.a<1]`, nil},
		{`[1]`, `$[?@.a>=@.b]`, []string{`1`}},
		{`[1,2]`, `$[?2==@]`, []string{`2`}},
		{`[{"a":[1,{"b":2}]}]`, `$[?@ .a [ 1 ] ['b'] == 2]`, []string{`{"a":[1,{"b":2}]}`}},
		{`{"a":{"b":1}}`, "$ .a\n\t['b']", []string{`1`}},
		{`{"true":1}`, `$..true`, []string{`1`}},
		{`[{"true":1}]`, `$[?1==@.true]`, []string{`{"true":1}`}},

		// exact numbers
		{`[12345678901234567890,12345678901234567891,1.2345678901234567890e19]`, `$[?@==12345678901234567890]`, []string{`12345678901234567890`, `1.2345678901234567890e19`}},
		{`[0.10,0.1,0.100000000000000000001]`, `$[?@==0.1]`, []string{`0.10`, `0.1`}},
		{`[0,-0,0.0,0e5,1e-400]`, `$[?@==0]`, []string{`0`, `-0`, `0.0`, `0e5`}},
		{`[1e1000000,1e1000001,9]`, `$[?@>1e1000000]`, []string{`1e1000001`}},
		{`[100,1e2,1E+2,1000e-1,0.1e3,1e02]`, `$[?@==100]`, []string{`100`, `1e2`, `1E+2`, `1000e-1`, `0.1e3`, `1e02`}},
		{`[9007199254740993]`, `$[?@==9007199254740992]`, nil},

		// texts stay as they are
		{`{"n":0.10,"s":"\u0041\/","n2":1E5}`, `$.*`, []string{`0.10`, `"\u0041\/"`, `1E5`}},

		// names
		{`{"\u0061":1}`, `$.a`, []string{`1`}},
		{`{"a":1}`, `$['\u0061']`, []string{`1`}},
		{`{"😀":1}`, `$['\ud83d\uDE00']`, []string{`1`}},
		{`{"😀":1}`, `$.😀`, []string{`1`}},
		{`{"'":1,"\"":2,"/":3}`, `$['\'',"\"",'\/']`, []string{`1`, `2`, `3`}},
		{`{"":1}`, `$['']`, []string{`1`}},

		// members that stand there twice
		{`{"a":1,"b":2,"a":[3]}`, `$.*`, []string{`[3]`, `2`}},
		{`{"a":1,"b":2,"a":[3]}`, `$..*`, []string{`[3]`, `2`, `3`}},
		{`{"a":1,"b":2,"a":[3]}`, `$.a`, []string{`[3]`}},
		{`{"a":1,"b":2,"a":[3]}`, `$[?@==1]`, nil},
		{`1`, `$`, []string{`1`}},
		{`1`, `$..*`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			p, err := CompilePath(tt.path)
			if err != nil {
				t.Fatal(err)
			}
			values, err := p.Select(MustParse(tt.doc))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, compactAll(values)); diff != "" {
				t.Errorf("nodes of %s in %s (-want +got):\n%s", tt.path, tt.doc, diff)
			}
		})
	}
}

func compactAll(values []Value) []string {
	var all []string
	for _, v := range values {
		all = append(all, string(v.AppendCompact(nil)))
	}
	return all
}

// RFC 9535, table 11.
func TestComparisons(t *testing.T) {
	doc := MustParse(`[{"obj":{"x":"y"},"arr":[2,3]}]`)
	tests := []struct {
		expr string
		want bool
	}{
		{`$.absent1 == $.absent2`, true},
		{`$.absent1 <= $.absent2`, true},
		{`$.absent == 'g'`, false},
		{`$.absent1 != $.absent2`, false},
		{`$.absent != 'g'`, true},
		{`1 <= 2`, true},
		{`1 > 2`, false},
		{`13 == '13'`, false},
		{`'a' <= 'b'`, true},
		{`'a' > 'b'`, false},
		{`@.obj == @.arr`, false},
		{`@.obj != @.arr`, true},
		{`@.obj == @.obj`, true},
		{`@.obj != @.obj`, false},
		{`@.arr == @.arr`, true},
		{`@.arr != @.arr`, false},
		{`@.obj == 17`, false},
		{`@.obj != 17`, true},
		{`@.obj <= @.arr`, false},
		{`@.obj < @.arr`, false},
		{`@.obj <= @.obj`, true},
		{`@.arr <= @.arr`, true},
		{`1 <= @.arr`, false},
		{`1 >= @.arr`, false},
		{`1 > @.arr`, false},
		{`1 < @.arr`, false},
		{`true <= true`, true},
		{`true > true`, false},
	}
	for _, tt := range tests {
		p, err := CompilePath("$[?" + tt.expr + "]")
		if err != nil {
			t.Errorf("%s: %v", tt.expr, err)
			continue
		}
		nodes, err := p.Select(doc)
		if err != nil {
			t.Errorf("%s: %v", tt.expr, err)
		}
		if got := len(nodes) == 1; got != tt.want {
			t.Errorf("%s is %v, want %v", tt.expr, got, tt.want)
		}
	}
}

func TestSelectBelowRoot(t *testing.T) {
	v := MustParse(`{"a":{"k":1,"v":[1,2]},"k":2}`).Get("a")
	p, err := CompilePath(`$.v[?@==$.k]`)
	if err != nil {
		t.Fatal(err)
	}
	values, err := p.Select(v)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1"}, compactAll(values)); diff != "" {
		t.Error(diff)
	}
	if values, err = p.Select(Value{}); values != nil || err != nil {
		t.Errorf("Select of a missing value = %v, %v", values, err)
	}
}

func TestSingular(t *testing.T) {
	for expr, want := range map[string]bool{
		`$`:               true,
		`$.a.b`:           true,
		`$.a[0]['b'][-1]`: true,
		`$.*`:             false,
		`$[*]`:            false,
		`$..a`:            false,
		`$[0,1]`:          false,
		`$['a','a']`:      false,
		`$[0:1]`:          false,
		`$[?@.a]`:         false,
		`$.a[?@.b].c`:     false,
	} {
		p, err := CompilePath(expr)
		if err != nil {
			t.Errorf("%s: %v", expr, err)
			continue
		}
		if p.Singular() != want {
			t.Errorf("Singular of %s is %v", expr, p.Singular())
		}
		if p.String() != expr {
			t.Errorf("String of %s is %s", expr, p.String())
		}
	}
}

func TestCompilePathErrors(t *testing.T) {
	tests := []struct {
		expr string
		want PathError
	}{
		{``, PathError{0, `the JSONPath is empty; $ is the whole document`}},
		{`data`, PathError{0, `a JSONPath starts with $; did you mean "$.data"?`}},
		{`data.items[0]`, PathError{0, `a JSONPath starts with $; did you mean "$.data.items[0]"?`}},
		{`.data`, PathError{0, `a JSONPath starts with $; did you mean "$.data"?`}},
		{`[0]`, PathError{0, `a JSONPath starts with $; did you mean "$[0]"?`}},
		{`@.a`, PathError{0, `a JSONPath starts with $; did you mean "$.a"?`}},
		{`@`, PathError{0, `a JSONPath starts with $; did you mean "$"?`}},
		{` $.a`, PathError{0, `a JSONPath starts with $; did you mean "$.a"?`}},
		{`two words`, PathError{0, `a JSONPath starts with $, as in $.data[*].name`}},
		{` `, PathError{0, `a JSONPath starts with $; did you mean "$"?`}},
		{`$.a `, PathError{3, `unexpected white space after the JSONPath`}},
		{`$a`, PathError{1, `unexpected character 'a', wanted '.', '..' or '['`}},
		{`$.`, PathError{2, `unexpected end, wanted a name or '*' after '.'`}},
		{`$..`, PathError{3, `unexpected end, wanted a name, '*' or '[' after '..'`}},
		{`$...a`, PathError{3, `unexpected character '.', wanted a name, '*' or '[' after '..'`}},
		{`$. a`, PathError{2, `unexpected character ' ', wanted a name or '*' after '.'`}},
		{`$.1`, PathError{2, `unexpected character '1', wanted a name or '*' after '.'`}},
		{`$.a-b`, PathError{3, `unexpected character '-'; a name with other characters than letters, digits and _ is written ['a-…']`}},
		{`$.a == 1`, PathError{4, `a comparison stands in a filter only, as in $[?@.a == 1]`}},
		{`$.ñandú[`, PathError{10, `unexpected end, wanted a quoted name, an index, a slice, '*' or '?'`}},
		{`$['ñ', x]`, PathError{8, `unexpected word "x"; in brackets a name stands in quotes: ['x']`}},
		{`$[]`, PathError{2, `unexpected character ']', wanted a quoted name, an index, a slice, '*' or '?'`}},
		{`$[0,]`, PathError{4, `unexpected character ']', wanted a quoted name, an index, a slice, '*' or '?'`}},
		{`$[0`, PathError{3, `unexpected end, wanted ',' or ']'`}},
		{`$[0 1]`, PathError{4, `unexpected character '1', wanted ',' or ']'`}},
		{`$[01]`, PathError{2, `the index 01 must not start with 0`}},
		{`$[-0]`, PathError{2, `-0 is no index; 0 is the first element and -1 the last`}},
		{`$[-]`, PathError{3, `unexpected character ']', wanted a digit after '-'`}},
		{`$[1.5]`, PathError{3, `unexpected character '.', wanted ',' or ']'`}},
		{`$[9007199254740992]`, PathError{2, `the index 9007199254740992 is out of range, at most 9007199254740991`}},
		{`$[1:99999999999999999999]`, PathError{4, `the index 99999999999999999999 is out of range, at most 9007199254740991`}},
		{`$[1:2:3:4]`, PathError{7, `unexpected character ':', wanted ',' or ']'`}},
		{`$['a]`, PathError{2, `the string is not closed; a "'" is missing`}},
		{`$["a]`, PathError{2, `the string is not closed; a '"' is missing`}},
		{`$['\"']`, PathError{4, `unexpected character '"', wanted one of ' \ / b f n r t u after '\'`}},
		{`$['\x']`, PathError{4, `unexpected character 'x', wanted one of ' \ / b f n r t u after '\'`}},
		{`$['\u00g0']`, PathError{7, `unexpected character 'g', wanted four hexadecimal digits after \u`}},
		{`$['é\ud800']`, PathError{5, `\ud800 is half of a surrogate pair without the other half`}},
		{`$['\udc00\ud800']`, PathError{3, `\udc00 is half of a surrogate pair without the other half`}},
		{"$['a\nb']", PathError{4, `control character U+000A inside a string must be escaped`}},
		{"$.a\xff", PathError{3, `a JSONPath is UTF-8; the byte 0xff is not`}},
		{`$[?]`, PathError{3, `unexpected character ']', wanted @, $, a literal, a function, '!' or '('`}},
		{`$[?@.a`, PathError{6, `unexpected end, wanted ',' or ']'`}},
		{`$[?@.a=1]`, PathError{6, `unexpected character '='; equality is written ==`}},
		{`$[?@.a==]`, PathError{8, `unexpected character ']', wanted @, $, a literal, a function, '!' or '('`}},
		{`$[?@.a==x]`, PathError{8, `unexpected word "x"; a member is written @.x and a string in quotes`}},
		{`$[?@.a==01]`, PathError{8, `a number must not start with 0`}},
		{`$[?@.a==1.]`, PathError{10, `unexpected character ']', wanted a digit after '.'`}},
		{`$[?@.a==1e]`, PathError{10, `unexpected character ']', wanted a digit of the exponent`}},
		{`$[?@.a==-]`, PathError{9, `unexpected character ']', wanted a digit after '-'`}},
		{`$[?1]`, PathError{3, `a literal alone is no condition; compare it with something`}},
		{`$[?!1]`, PathError{4, `a literal alone is no condition; compare it with something`}},
		{`$[?!@.a==1]`, PathError{7, `! stands before a test or parentheses; write !(… == …)`}},
		{`$[?@.*==1]`, PathError{3, `only a path to a single node can be compared, without *, .., slices and filters`}},
		{`$[?1==@..a]`, PathError{6, `only a path to a single node can be compared, without *, .., slices and filters`}},
		{`$[?match(@.a,'b')==true]`, PathError{3, `match() is true or false itself and cannot be compared`}},
		{`$[?length(@.a)]`, PathError{3, `the result of length() must be compared with something`}},
		{`$[?length(@.*)==1]`, PathError{10, `an argument of length() must be a single value: a literal, a path without *, .., slices and filters, or length(), count() or value()`}},
		{`$[?count(1)==1]`, PathError{9, `the argument of count() must be a path`}},
		{`$[?length()==1]`, PathError{3, `length() takes 1 argument, not 0`}},
		{`$[?match(@)]`, PathError{3, `match() takes 2 arguments, not 1`}},
		{`$[?size(@)==1]`, PathError{3, `unknown function "size", known are length, count, match, search, value`}},
		{`$[?length (@)==1]`, PathError{3, `unexpected word "length"; a member is written @.length and a string in quotes`}},
		{`$[?count(!@.a)==1]`, PathError{9, `an argument of count() cannot be a condition`}},
		{`$[?count(@.a==1)==1]`, PathError{12, `unexpected character '=', wanted ',' or ')'`}},
		{`$[?(@.a]`, PathError{7, `unexpected character ']', wanted '&&', '||' or ')'`}},
		{`$[?@.a & @.b]`, PathError{7, `unexpected character '&', wanted ',' or ']'`}},
		{`$[?@.a && ]`, PathError{10, `unexpected character ']', wanted @, $, a literal, a function, '!' or '('`}},
		{`$[?` + strings.Repeat("(", 200), PathError{103, `more than 100 filters, parentheses and calls inside each other`}},
		{`$` + strings.Repeat("[?@", 200), PathError{303, `more than 100 filters, parentheses and calls inside each other`}},
	}
	for _, tt := range tests {
		t.Run(tt.expr, func(t *testing.T) {
			p, err := CompilePath(tt.expr)
			var got *PathError
			if !errors.As(err, &got) {
				t.Fatalf("CompilePath = %v, %v; want a *PathError", p, err)
			}
			if diff := cmp.Diff(&tt.want, got); diff != "" {
				t.Errorf("error of %s (-want +got):\n%s", tt.expr, diff)
			}
		})
	}
	if got, want := (&PathError{3, "x"}).Error(), "x (at byte 3)"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}

func TestSelectLimits(t *testing.T) {
	wide := MustParse("[" + strings.Repeat("[1,1,1,1,1,1,1,1,1,1],", 20_000) + "1]")
	tests := []struct {
		path string
		doc  Value
		want *LimitError
	}{
		{`$..*..*..*`, MustParse(strings.Repeat("[", 2000) + strings.Repeat("]", 2000)), &LimitError{maxMatches, "matches"}},
		{`$[*,*,*,*,*,*][*]`, wide, &LimitError{maxMatches, "matches"}},
		{`$[?count($..*)==@]`, wide, &LimitError{maxVisits, "steps"}},
		{`$[?$[20000]==@]`, wide, &LimitError{maxVisits, "steps"}},
		{`$[?$==$[0]||$==@||$[20000]==$[20000]]`, wide, &LimitError{maxVisits, "steps"}},
		{`$[?search($[0],'x')]`, MustParse(`["` + strings.Repeat("y", 500_000) + `"` + strings.Repeat(",1", 5000) + "]"), &LimitError{maxVisits, "steps"}},
		{`$..[` + strings.Repeat("'a',", 600) + `'a']`, wide, &LimitError{maxVisits, "steps"}},
		{`$..[?` + strings.Repeat("@==0||", 600) + `@==0]`, wide, &LimitError{maxVisits, "steps"}},
		{`$[?$[0]=='x'||$[0]=='y']`, MustParse(`["\u0079` + strings.Repeat("y", 500_000) + `"` + strings.Repeat(",1", 5000) + "]"), &LimitError{maxVisits, "steps"}},
		{`$[?$[0]>1]`, MustParse(`[1e` + strings.Repeat("1", 100_000) + "]"), &LimitError{maxVisits, "steps"}},
		{`$[*][*]`, wide, nil},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%.40s", tt.path), func(t *testing.T) {
			p, err := CompilePath(tt.path)
			if err != nil {
				t.Fatal(err)
			}
			nodes, err := p.Select(tt.doc)
			if tt.want == nil {
				if err != nil || len(nodes) != 200_000 {
					t.Errorf("%d nodes, error %v", len(nodes), err)
				}
				return
			}
			var got *LimitError
			if !errors.As(err, &got) {
				t.Fatalf("%d nodes, error %v; want a *LimitError", len(nodes), err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	want := "the JSONPath takes more than 1000000 matches on this document; make it more specific"
	if got := fmt.Sprint(&LimitError{maxMatches, "matches"}); got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}

func TestSelectRepeats(t *testing.T) {
	doc := MustParse(bookstore)
	p, err := CompilePath(`$..[?@.price || @.color || @==399]`)
	if err != nil {
		t.Fatal(err)
	}
	first, err := p.Select(doc)
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		again, err := p.Select(doc)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(compactAll(first), compactAll(again)); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestSelectConcurrently(t *testing.T) {
	doc := MustParse(bookstore)
	p, err := CompilePath(`$..book[?search(@.title, 'o') && @.price != $.store.bicycle.price].price`)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 100 {
				nodes, err := p.Select(doc)
				if err != nil {
					t.Error(err)
					return
				}
				if diff := cmp.Diff([]string{"8.95", "12.99", "8.99", "22.99"}, compactAll(nodes)); diff != "" {
					t.Error(diff)
					return
				}
			}
		})
	}
	group.Wait()
}
