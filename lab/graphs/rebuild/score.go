package rebuild

import (
	"fmt"

	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/packets/tree"
)

// Score compares parents that are found without ids with those that ids of calls tell.
type Score struct {
	Traces tree.Score `json:"by_trace_ids"` // without the ids of calls
	Time   tree.Score `json:"by_time"`      // without any
}

// rate compares the parents of a window that are found without ids with the true ones. What is learnt goes on to the next window.
func (r *rebuilder) rate(calls []packets.Call, opt tree.Options, truth []tree.Parent, phase int) {
	for i, ignore := range []tree.Ignored{tree.State, tree.IDs} {
		opt.Programs, opt.Ignore = r.without[i], ignore
		found, known := tree.Parents(calls, opt)
		r.without[i] = known
		score := tree.Compare(truth, found)
		r.out.Score.by(ignore).Add(score)
		if phase < 0 {
			continue
		}
		of := &r.out.Phases[phase]
		if of.Score == nil {
			of.Score = &Score{}
		}
		of.Score.by(ignore).Add(score)
	}
}

// by is the score of what is found without these ids.
func (s *Score) by(ignored tree.Ignored) *tree.Score {
	if ignored == tree.IDs {
		return &s.Time
	}
	return &s.Traces
}

// text is the score as the end of a line; "" without one.
func (s *Score) text() string {
	switch {
	case s == nil:
		return ""
	case s.Time.Calls == 0:
		return "; no call's id names its parent: nothing can be compared"
	}
	return fmt.Sprintf("; right without ids of calls: %s; by time alone: %s", rateText(s.Traces), rateText(s.Time))
}

func rateText(r tree.Score) string {
	out := fmt.Sprintf("%s of calls, %s of traces", share(r.Right, r.Calls), share(r.Whole, r.Traces))
	if r.Wrong > 0 {
		out += fmt.Sprintf(", %d wrong of %d that are called certain", r.Wrong, r.Certain)
	}
	return out
}

func share(part, of int) string {
	if of == 0 {
		return "none"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(of))
}
