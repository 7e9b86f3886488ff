package capacity

// The rate at a CPU target on a machine whose speed changes from probe to probe, so
// that a single one within two points of the target would be luck.

import (
	"fmt"
	"math"

	"github.com/tracetax/tracetax/internal/record"
)

const (
	leastScattered = 5    // probes near the target, from which their scatter is told
	alongside      = 0.2  // of the rate sought: how far from it a probe is near
	sharp          = 0.03 // utilisation: the most standard error of their line at the target
)

// scattered is the end of a search whose probes near the target scatter around a line,
// as many of them as it takes for the line's standard error there to be small: sharp,
// or twice that where no more probes are made. Probes that were throttled do not count,
// and no rate up to the one found may have been too much.
func (s *Search) scattered(probes []record.Probe) (state, bool) {
	_, broken := sorted(probes)
	held := latest(probes)
	if len(held) < leastScattered {
		return state{}, false
	}
	l := lineThrough(held, s.goal.CPU)
	at := l.at(s.goal.CPU)
	if broken != nil && at >= broken.Rate {
		return state{}, false
	}
	n, squares, above, trust := 0, 0.0, 0, trusted(held, l)
	for _, p := range held {
		if math.Abs(p.Rate/at-1) > alongside || s.throttled(p) != "" {
			continue
		}
		n, squares = n+1, squares+trust(p)*l.off(p)*l.off(p)
		if p.Utilisation > s.goal.CPU {
			above++
		}
	}
	if n < leastScattered || above == 0 || above == n {
		return state{}, false
	}
	scatter := math.Sqrt(squares / float64(n-1))
	sure := scatter / math.Sqrt(float64(n))
	if sure > sharp && (sure > 2*sharp || len(probes) < MostFit) {
		return state{}, false
	}
	st := end(record.Found, fmt.Sprintf("by the line through %d probes near it, which scatter by %.1f points (standard error %.1f points)", n, 100*scatter, 100*sure))
	st.found = at
	return st, true
}
