package executor

import "strings"

const (
	// maxLayers bounds how often a text is decoded, and maxTexts how many
	// texts come of decoding it in different orders.
	maxLayers = 8
	maxTexts  = 64
	// Together these have at most layerTimes the length of the text, and
	// layerSpare more. Text in which much is encoded shrinks in each layer, so
	// what is left out are the deepest layers of long texts that encode little.
	layerTimes = 6
	layerSpare = 1 << 20
)

// A layer is a text decoded from another.
type layer struct {
	text   string
	parent int // in the list of layers
	coding coding
	depth  int
}

// findLayers adds to hits, which are those in s as it stands, what is found in s
// decoded, again and again, until nothing decodes any more. Texts that differ
// only in the order of decoding are looked through once.
func (r *redactor) findLayers(s string, hits []stretch) []stretch {
	layers := []layer{{text: s}}
	left := layerTimes*len(s) + layerSpare
	codings := [...]coding{jsonCoding(), percentCoding(), formCoding()}
	for at := 0; at < len(layers); at++ {
		from := layers[at]
		if from.depth == maxLayers {
			break
		}
		for i, c := range codings {
			if i == 2 && (!r.spaced || !strings.Contains(from.text, "+")) {
				break
			}
			if len(layers) > maxTexts || len(from.text) > left {
				return hits
			}
			decoded, ok := c.decode(from.text)
			if !ok {
				continue
			}
			left -= len(from.text)
			if len(decoded) < minSecret || known(layers[1:], decoded) {
				continue
			}
			layers = append(layers, layer{decoded, at, c, from.depth + 1})
			hits = append(hits, toOrigin(layers, len(layers)-1, r.look(decoded))...)
		}
	}
	return hits
}

// toOrigin turns stretches of layers[at] into stretches of the first.
func toOrigin(layers []layer, at int, hits []stretch) []stretch {
	for at > 0 && len(hits) > 0 {
		parent := layers[at].parent
		hits = layers[at].coding.back(layers[parent].text, hits)
		at = parent
	}
	return hits
}

func known(layers []layer, text string) bool {
	for i := range layers {
		if layers[i].text == text {
			return true
		}
	}
	return false
}
