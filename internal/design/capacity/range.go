package capacity

// What bounds the rates and the lengths of probes.

import (
	"math"

	"github.com/tracetax/tracetax/internal/config"
)

const (
	aboveQuantile = 20.0 // values that must lie above a percentile for it to be believed
	longest       = 4.0  // times the length asked for, that a probe may take to have them
	fewest        = 20.0 // operations of a probe, whatever the goal
)

// first is the rate of the first probe.
func (s *Search) first() float64 {
	rate := s.goal.From
	if rate <= 0 && s.goal.Method == config.MethodStaircase {
		rate = s.goal.Step
	}
	if rate <= 0 {
		rate = s.options.First
	}
	if rate <= 0 {
		rate = DefaultFirst
	}
	return s.within(rate)
}

// within brings a rate into the range that can be asked.
func (s *Search) within(rate float64) float64 {
	if most, limited := s.most(); limited {
		rate = min(rate, most)
	}
	return max(rate, s.least())
}

// most is the highest rate that may be asked.
func (s *Search) most() (rate float64, limited bool) { return s.goal.Max, s.goal.Max > 0 }

// least is the lowest rate at which a probe says something.
func (s *Search) least() float64 {
	seconds := s.options.Duration.Seconds()
	if s.goal.Goal == config.GoalLatency {
		return s.needed() / (longest * seconds)
	}
	return min(1, fewest/seconds)
}

// needed is how many operations a probe must make.
func (s *Search) needed() float64 {
	if s.goal.Goal != config.GoalLatency || s.goal.Percentile >= 100 {
		return fewest
	}
	return aboveQuantile * 100 / (100 - s.goal.Percentile)
}

// length is how long a probe at this rate takes, in seconds: long enough for the
// percentile that is looked at.
func (s *Search) length(rate float64) float64 {
	seconds := s.options.Duration.Seconds()
	if s.goal.Goal != config.GoalLatency {
		return seconds
	}
	const sliver = 1.001 // so that a rounded number of operations is not one too few
	return min(max(seconds, sliver*s.needed()/rate), longest*sliver*seconds)
}

// mostBracket is the most probes of a search that brackets.
func (s *Search) mostBracket() int {
	return mostBracket + int(math.Ceil(math.Log2(math.Log(mostGrowth)/math.Log1p(s.goal.Resolution))))
}
