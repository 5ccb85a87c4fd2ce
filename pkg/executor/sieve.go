package executor

import "strings"

// A sieve tells quickly that none of many needles occurs in a long text. It
// looks at four bytes in every five: whichever way a needle lies in the text,
// one of the five groups in its first eight bytes is looked at.
type sieve struct {
	needles []needle
	groups  [sieveSlots]uint32 // open addressing; 0 is empty
	zero    bool               // the group 0 is one of them
}

const (
	sieveGroup = 4
	sieveHead  = 8 // no needle is shorter
	sieveStep  = sieveHead - sieveGroup + 1
	sieveSlots = 1 << 12
	sieveFrom  = 4 << 10 // below this length plain searches are as fast
	sieveMost  = sieveSlots / 4 / sieveStep
)

func newSieve(needles []needle) *sieve {
	s := &sieve{needles: needles}
	if len(needles) > sieveMost {
		return s // mayHold says yes to everything
	}
	for i := range needles {
		for at := range sieveStep {
			s.add(group(needles[i].text, at))
		}
	}
	return s
}

func group(s string, at int) uint32 {
	_ = s[at+3]
	return uint32(s[at]) | uint32(s[at+1])<<8 | uint32(s[at+2])<<16 | uint32(s[at+3])<<24
}

func slot(g uint32) uint32 { return g * 2654435761 >> 20 }

func (s *sieve) add(g uint32) {
	if g == 0 {
		s.zero = true
		return
	}
	for i := slot(g); ; i = (i + 1) % sieveSlots {
		if s.groups[i] == 0 || s.groups[i] == g {
			s.groups[i] = g
			return
		}
	}
}

func (s *sieve) has(g uint32) bool {
	if g == 0 {
		return s.zero
	}
	for i := slot(g); s.groups[i] != 0; i = (i + 1) % sieveSlots {
		if s.groups[i] == g {
			return true
		}
	}
	return false
}

// mayHold reports false only when no needle occurs in text.
func (s *sieve) mayHold(text string) bool {
	if len(s.needles) > sieveMost {
		return true
	}
	for at := 0; at+sieveGroup <= len(text); at += sieveStep {
		if s.has(group(text, at)) && s.headAround(text, at) {
			return true
		}
	}
	return false
}

// headAround reports whether the first eight bytes of a needle lie over text[at].
func (s *sieve) headAround(text string, at int) bool {
	for i := range s.needles {
		head := s.needles[i].text[:sieveHead]
		for back := range sieveStep {
			if start := at - back; start >= 0 && strings.HasPrefix(text[start:], head) {
				return true
			}
		}
	}
	return false
}
