// This file reckons with numbers of spans that are known only to lie between two ends.

package delivery

import "github.com/tracetax/tracetax/internal/finding"

// Spans is how many spans an operation makes: a number, or two ends between which it lies.
type Spans struct{ Low, High float64 }

// Less is how many more they are, between the ends that are farthest apart.
func (s Spans) Less(other Spans) Spans { return Spans{s.Low - other.High, s.High - other.Low} }

func (s Spans) times(share float64) Spans { return Spans{s.Low * share, s.High * share} }

// Doubted is how many were made for sure, to how many are meant to be: what may be missing unseen may not have been made.
// Less than what matters is taken for made.
func (s Spans) Doubted(by Lost) Spans {
	unseen := by.MostShare() - by.Share()
	if !by.Known || !finding.Matters(unseen) {
		return s
	}
	return Spans{min(s.Low, s.High*(1-unseen)), s.High}
}
