package rebuild

import (
	"fmt"

	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/packets/tree"
)

// Score compares parents that are found without ids with those that ids of calls tell.
type Score struct {
	Traces Rate `json:"by_trace_ids"` // without the ids of calls
	Time   Rate `json:"by_time"`      // without any
}

// Rate counts the parents that were found by one means.
type Rate struct {
	Calls        int `json:"calls"` // with an id that names their parent
	Right        int `json:"right"`
	Traces       int `json:"traces"`
	Whole        int `json:"whole"`         // traces without a wrong call
	Certain      int `json:"certain"`       // parents called certain
	WrongCertain int `json:"wrong_certain"` // and wrong
}

// scorer rates windows. What each means has learnt goes on to the next window.
type scorer struct {
	known  [2]*tree.Programs // without ids of calls, without any
	all    [2]tree.Score
	phases map[int]*[2]tree.Score
}

// rate rates the calls of a window, which is in this phase; -1 is none.
func (s *scorer) rate(calls []packets.Call, opt tree.Options, phase int) {
	if s.phases == nil {
		s.phases = map[int]*[2]tree.Score{}
	}
	if s.phases[phase] == nil {
		s.phases[phase] = &[2]tree.Score{}
	}
	for i, ignore := range []tree.Ignored{tree.State, tree.IDs} {
		opt.Programs = s.known[i]
		got := tree.Rate(calls, opt, ignore)
		s.all[i].Add(got)
		s.phases[phase][i].Add(got)
		opt.Ignore = ignore
		s.known[i] = tree.Learn(calls, opt)
	}
}

// into puts what was rated into a summary.
func (s *scorer) into(out *Summary) {
	out.Score = scoreOf(&s.all)
	for i := range out.Phases {
		if of := s.phases[i]; of != nil {
			out.Phases[i].Score = scoreOf(of)
		}
	}
}

func scoreOf(of *[2]tree.Score) *Score { return &Score{rateOf(of[0]), rateOf(of[1])} }

func rateOf(s tree.Score) Rate { return Rate{s.Calls, s.Right, s.Traces, s.Whole, s.Certain, s.Wrong} }

// text is the score as the end of a line; "" without one.
func (s *Score) text() string {
	switch {
	case s == nil:
		return ""
	case s.Time.Calls == 0:
		return "; no call's id names its parent: nothing can be compared"
	}
	return fmt.Sprintf("; right without ids of calls: %s; by time alone: %s", s.Traces.text(), s.Time.text())
}

func (r Rate) text() string {
	out := fmt.Sprintf("%s of calls, %s of traces", share(r.Right, r.Calls), share(r.Whole, r.Traces))
	if r.WrongCertain > 0 {
		out += fmt.Sprintf(", %d wrong of %d that are called certain", r.WrongCertain, r.Certain)
	}
	return out
}

func share(part, of int) string {
	if of == 0 {
		return "none"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(of))
}
