package tree

// Score compares parents that were found without some ids with those that all ids tell. A call counts if its id names its parent:
// calls of stores do not. A trace counts if all its calls can be followed to a root.
type Score struct {
	Calls   int `json:"calls"`
	Right   int `json:"right"`
	Traces  int `json:"traces"`
	Whole   int `json:"whole"`         // traces without a wrong call
	Certain int `json:"certain"`       // parents called certain
	Wrong   int `json:"wrong_certain"` // and wrong
}

// Compare compares parents with the true ones.
func Compare(truth, found []Parent) Score {
	var s Score
	wrong := map[int]bool{} // traces by their roots
	for i, is := range truth {
		if is.How != ID {
			continue
		}
		right := found[i].Index == is.Index
		s.Calls++
		if right {
			s.Right++
		}
		if found[i].How.Certain() {
			s.Certain++
			if !right {
				s.Wrong++
			}
		}
		if at := rootOf(truth, i); at != nobody {
			wrong[at] = wrong[at] || !right
		}
	}
	s.Traces = len(wrong)
	for _, is := range wrong {
		if !is {
			s.Whole++
		}
	}
	return s
}

// rootOf finds the root of a call; nobody is of one that cannot be followed to a root, as in a circle.
func rootOf(truth []Parent, i int) int {
	for range truth {
		switch truth[i].How {
		case Root:
			return i
		case ID, Alone:
			i = truth[i].Index
		default:
			return nobody
		}
	}
	return nobody
}

// Add adds what was compared apart: another part of a capture.
func (s *Score) Add(other Score) {
	s.Calls, s.Right = s.Calls+other.Calls, s.Right+other.Right
	s.Traces, s.Whole = s.Traces+other.Traces, s.Whole+other.Whole
	s.Certain, s.Wrong = s.Certain+other.Certain, s.Wrong+other.Wrong
}
