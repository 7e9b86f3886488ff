package tree

import "github.com/tracetax/tracetax/lab/graphs/packets"

// Score counts parents that were found without some ids, and the right ones, by the ids of calls in the same packets. A call counts if
// its id names its parent: calls of stores do not. A trace counts if all its calls can be followed to a root.
type Score struct {
	Calls, Right   int
	Traces, Whole  int // whole ones have no wrong call
	Certain, Wrong int // parents called certain, and those of them that are not right
	Likely, Lucky  int // parents called likely, and those of them that are right
	Unknown        int
}

// Rate finds parents as though some ids were not there, and compares them with those that all ids tell.
func Rate(calls []packets.Call, opt Options, ignore Ignored) Score {
	opt.Ignore = Nothing
	truth, _ := Parents(calls, opt)
	opt.Ignore = ignore
	found, _ := Parents(calls, opt)
	return compare(truth, found)
}

// compare compares parents with the true ones.
func compare(truth, found []Parent) Score {
	var s Score
	const unseen, cut = -1, -2
	traces := make([]int, len(truth)) // the root of each, or cut
	for i := range traces {
		traces[i] = unseen
	}
	var rootOf func(i int) int
	rootOf = func(i int) int {
		if traces[i] == unseen {
			traces[i] = cut // of a circle too
			switch truth[i].How {
			case Root:
				traces[i] = i
			case ID, Alone:
				traces[i] = rootOf(truth[i].Index)
			}
		}
		return traces[i]
	}
	counted, wrong := map[int]bool{}, map[int]bool{}
	for i, is := range truth {
		if is.How != ID {
			continue
		}
		got := found[i]
		right := got.Index == is.Index
		s.note(got.How, right)
		at := rootOf(i)
		if at == cut {
			continue
		}
		counted[at] = true
		if !right {
			wrong[at] = true
		}
	}
	s.Traces, s.Whole = len(counted), len(counted)-len(wrong)
	return s
}

// Add adds what was rated apart: another part of a capture.
func (s *Score) Add(other Score) {
	s.Calls, s.Right = s.Calls+other.Calls, s.Right+other.Right
	s.Traces, s.Whole = s.Traces+other.Traces, s.Whole+other.Whole
	s.Certain, s.Wrong = s.Certain+other.Certain, s.Wrong+other.Wrong
	s.Likely, s.Lucky = s.Likely+other.Likely, s.Lucky+other.Lucky
	s.Unknown += other.Unknown
}

func (s *Score) note(how How, right bool) {
	s.Calls++
	if right {
		s.Right++
	}
	switch {
	case how.Certain():
		s.Certain++
		if !right {
			s.Wrong++
		}
	case how == Likely:
		s.Likely++
		if right {
			s.Lucky++
		}
	default:
		s.Unknown++
	}
}
