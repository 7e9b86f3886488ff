// Package capacity owns the search for a rate: from the probes made so far it
// chooses the next probe, judges whether a probe met the goal, and computes the
// result. It is pure: the same probes give the same answer. It does not know how
// a probe is made.
//
// A rate is in operations per second, a utilisation a share of the CPU that the
// app may use.
package capacity

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

// Defaults of a search.
const (
	DefaultFirst      = 50.0 // operations/s of the first probe
	DefaultResolution = 0.05 // relative width of the bracket at which a bisection ends
)

// The most probes of one search. A fit takes 3 to 5; a bracket is found from far
// away and confirmed in about 8, and narrowed in so many more as its resolution
// asks for.
const (
	MostFit     = 14
	mostBracket = 14 // besides those that narrow it
)

// Purposes of a probe.
const (
	purposeProbe  = "probe"
	purposeVerify = "verify"
	purposeBisect = "bisect"
)

// Options are the inputs of a search besides its goal.
type Options struct {
	Duration time.Duration // of one probe: Load.Duration
	First    float64       // operations/s of the first probe where the goal names none; 0 is DefaultFirst
}

// Search is the search for one capacity. It keeps nothing between calls.
type Search struct {
	goal    config.RateSearch
	options Options
}

// New returns the search for c.
func New(c config.RateSearch, o Options) *Search {
	if c.Resolution <= 0 {
		c.Resolution = DefaultResolution
	}
	if o.Duration <= 0 {
		o.Duration = config.DefaultDuration
	}
	return &Search{goal: c, options: o}
}

// Next returns what to probe after these probes (Purpose, Rate and Seconds are
// set), or false where the search has ended.
func (s *Search) Next(probes []record.Probe) (record.Probe, bool) {
	at := s.stand(probes)
	if at.purpose == "" {
		return record.Probe{}, false
	}
	return record.Probe{Purpose: at.purpose, Rate: at.rate, Seconds: s.lengthAfter(probes, at.rate)}, true
}

// Result returns the outcome of the probes. A search that has not ended is unsteady.
func (s *Search) Result(probes []record.Probe) record.Search {
	at := s.stand(probes)
	c := record.Search{
		Goal: string(s.goal.Goal), Target: s.target(), Method: config.MethodFit,
		Outcome: at.outcome, Rate: at.found, Note: at.note, Probes: probes,
	}
	if at.purpose != "" {
		c.Outcome, c.Note = record.Unsteady, "the search was broken off"
	}
	c.Passing, c.Failing = s.ends(probes, c.Outcome)
	c.Binding = s.binding(probes, c)
	line := fitted(probes, s.target())
	if s.goal.Goal != config.GoalCPU {
		line = fitted(probes, 0)
	}
	c.Linear, c.Base, c.Demand = line.linear, line.base, line.slope
	for i := range probes {
		c.Seconds += max(probes[i].Seconds, probes[i].Load.WallSeconds) + probes[i].DrainSeconds
	}
	return c
}

// target is the goal in the unit of Capacity.Target.
func (s *Search) target() float64 {
	switch s.goal.Goal {
	case config.GoalCPU:
		return s.goal.CPU
	case config.GoalLatency:
		return s.goal.Limit.Seconds()
	}
	return 0
}

// stand returns the state of the search after these probes.
func (s *Search) stand(probes []record.Probe) state {
	if len(probes) == 0 {
		return probe(purposeProbe, s.first())
	}
	if s.goal.Goal == config.GoalCPU {
		return s.fit(probes)
	}
	return s.bracket(probes)
}

// state is the state of a search: a probe to make, or an outcome.
type state struct {
	purpose string // "" where the search has ended
	rate    float64

	outcome record.Outcome
	found   float64 // the rate, where outcome is Found
	note    string
}

func probe(purpose string, rate float64) state { return state{purpose: purpose, rate: rate} }

func end(outcome record.Outcome, note string) state { return state{outcome: outcome, note: note} }

// Probes and rates in words.

// describe returns the fault of a probe.
func describe(p *record.Probe) string { return perSecond(p.Rate) + ": " + p.Why }

// perSecond writes a rate with four digits that count, as a person would:
// "28,530/s", "97/s", "0.25/s".
func perSecond(rate float64) string {
	const digits = 4
	if rate <= 0 || math.IsInf(rate, 0) || math.IsNaN(rate) {
		return strconv.FormatFloat(rate, 'g', digits, 64) + "/s"
	}
	places := max(0, digits-1-int(math.Floor(math.Log10(rate))))
	unit := math.Pow(10, float64(digits-1)-math.Floor(math.Log10(rate)))
	text := strconv.FormatFloat(math.Round(rate*unit)/unit, 'f', places, 64)
	whole, fraction, _ := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		whole += "." + fraction
	}
	return whole + "/s"
}

// What bounds the rates and the lengths of probes.

const (
	aboveQuantile = 20.0 // values that must lie above a percentile for it to be believed
	longest       = 4.0  // times the length asked for, that a probe may take to have them
	fewest        = 20.0 // operations of a probe, whatever the goal
)

// first is the rate of the first probe.
func (s *Search) first() float64 {
	rate := s.goal.From
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

// least returns the lowest rate at which a probe has enough operations.
func (s *Search) least() float64 {
	seconds := s.options.Duration.Seconds()
	if s.goal.Goal == config.GoalLatency {
		return s.needed() / (longest * seconds)
	}
	return min(1, fewest/seconds)
}

// needed returns the number of operations that a probe must make.
func (s *Search) needed() float64 {
	if s.goal.Goal != config.GoalLatency || s.goal.Percentile >= 100 {
		return fewest
	}
	return aboveQuantile * 100 / (100 - s.goal.Percentile)
}

// length returns the length of a probe at this rate, in seconds: long enough for the
// percentile that is looked at.
func (s *Search) length(rate float64) float64 {
	seconds := s.options.Duration.Seconds()
	if s.goal.Goal != config.GoalLatency {
		return seconds
	}
	const sliver = 1.001 // so a rounded number of operations is not one too few
	return min(max(seconds, sliver*s.needed()/rate), longest*sliver*seconds)
}

// mostBracket is the most probes of a search that brackets.
func (s *Search) mostBracket() int {
	return mostBracket + int(math.Ceil(math.Log2(math.Log(mostGrowth)/math.Log1p(s.goal.Resolution))))
}
