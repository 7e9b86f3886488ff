// This file says what is compared with what.

package dataset

// Pair is a variant and what it is compared with.
type Pair struct {
	Variant, Against string
	Extra            bool // not against the baseline
}

// Pairs returns each variant against the baseline, and those against another
// variant that the experiment asks for.
func (s *Set) Pairs() []Pair {
	var out []Pair
	for _, v := range s.Variants[1:] {
		out = append(out, Pair{Variant: v.Name, Against: s.Baseline})
		if v.Against != "" && v.Against != s.Baseline && v.Against != v.Name {
			out = append(out, Pair{Variant: v.Name, Against: v.Against, Extra: true})
		}
	}
	return out
}
