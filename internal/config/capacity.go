// The search for a capacity: the rate at which something is reached.

package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The defaults of a search; docs/experiment-file.md repeats them.
const (
	DefaultCPUGoal    = 0.75
	DefaultResolution = 0.02
)

func defaultSearch() Capacity {
	return Capacity{Goal: GoalCPU, CPU: DefaultCPUGoal, Method: MethodFit, Resolution: DefaultResolution}
}

// latencyGoals are the percentiles that may be limited, by their words.
var latencyGoals = map[string]float64{"p50": 50, "p75": 75, "p90": 90, "p95": 95, "p99": 99, "p999": 99.9}

// capacity reads {cpu: 75%}, {p99: 50ms} or {lost: 0}, with the way to search.
func (s *source) capacity(n *node) *Capacity {
	c := defaultSearch()
	c.Goal, c.CPU = "", 0
	goal := func(read func(*node)) func(*node) {
		return func(v *node) {
			if c.Goal != "" {
				s.fail(v.at, "one capacity is searched for at a time: cpu, a latency percentile, or lost")
				return
			}
			read(v)
		}
	}
	all := fields{
		"cpu":  goal(func(v *node) { c.Goal, c.CPU = GoalCPU, s.shareBetween(v, 0.01, 1) }),
		"lost": goal(func(v *node) { c.Goal = GoalLossless; s.nothing(v) }),
		"method": func(v *node) {
			c.Method = Method(s.oneOf(v, "method", string(MethodFit), string(MethodStaircase)))
		},
		"from":       func(v *node) { c.From = s.rate(v) },
		"max":        func(v *node) { c.Max = s.rate(v) },
		"step":       func(v *node) { c.Step = s.rate(v) },
		"resolution": func(v *node) { c.Resolution = s.shareBetween(v, 0.001, 0.5) },
		"confirm":    func(v *node) { c.Confirm = s.duration(v, time.Millisecond, time.Hour) },
	}
	for word, percentile := range latencyGoals {
		all[word] = goal(func(v *node) {
			c.Goal, c.Percentile, c.Limit = GoalLatency, percentile, s.duration(v, time.Microsecond, time.Hour)
		})
	}
	if !s.mapping(n, "capacity", all) {
		return &c
	}
	if c.Goal == "" && len(n.meant) == 0 {
		s.fail(n.at, "capacity needs a goal: {cpu: 75%%}, {p99: 50ms} or {lost: 0}")
	}
	s.staircase(n, c)
	if confirm := n.get("confirm"); confirm != nil && (c.Goal != GoalLossless || c.Method != MethodFit) {
		s.fail(confirm.at, "confirm is how long nothing is lost at the rate that is found: it goes with lost: 0, and with no staircase")
	}
	return &c
}

// staircase checks what goes together with the method.
func (s *source) staircase(n *node, c Capacity) {
	step, most, from := n.get("step"), n.get("max"), n.get("from")
	switch {
	case c.Method == MethodStaircase && step == nil:
		s.fail(n.get("method").at, "a staircase needs a step: by how much the rate rises, such as step: 50/s")
	case c.Method == MethodFit && step != nil:
		s.fail(step.at, "only a staircase has a step; write method: staircase, or leave it out")
	}
	if from != nil && most != nil && c.From > c.Max {
		s.fail(most.at, "max, %s, is below the rate that the search sets out from, %s", formatRate(c.Max), formatRate(c.From))
	}
}

// shareBetween reads a share such as 75% within bounds.
func (s *source) shareBetween(n *node, low, high float64) float64 {
	text := s.text(n)
	v, percent, err := parsePercent(text)
	switch {
	case err != nil:
		s.fail(n.at, "%v", err)
	case v > high && !percent && v/100 >= low && v/100 <= high:
		s.fail(n.at, "%s would be %s; write %s%%", printable(text), formatShare(v), printable(text))
	case v < low || v > high:
		s.fail(n.at, "%s is out of range: %s to %s", printable(text), formatShare(low), formatShare(high))
	default:
		return v
	}
	return low
}

// nothing complains of a loss other than none.
func (s *source) nothing(n *node) {
	if v, _, err := parsePercent(s.text(n)); err != nil || v != 0 {
		s.fail(n.at, "%q cannot be searched for: only the rate at which nothing is lost, lost: 0", printable(n.text))
	}
}

// pairs are the words of a search in a file.
func (c Capacity) pairs() pairs {
	var p pairs
	switch c.Goal {
	case GoalCPU:
		p.add("cpu", formatShare(c.CPU))
	case GoalLatency:
		p.add(percentileWord(c.Percentile), formatDuration(c.Limit))
	case GoalLossless:
		p.add("lost", 0)
	}
	p.text("method", string(c.Method))
	for _, one := range []struct {
		key  string
		rate float64
	}{{"from", c.From}, {"max", c.Max}, {"step", c.Step}} {
		if one.rate > 0 {
			p.add(one.key, formatRate(one.rate))
		}
	}
	p.add("resolution", formatShare(c.Resolution))
	if c.Confirm > 0 {
		p.add("confirm", formatDuration(c.Confirm))
	}
	return p
}

// percentileWord is p999 for 99.9.
func percentileWord(percentile float64) string {
	return "p" + strings.ReplaceAll(strconv.FormatFloat(percentile, 'f', -1, 64), ".", "")
}

// Summary says what is searched for: "the rate at which 75% of the CPU is used".
func (c Capacity) Summary() string {
	switch c.Goal {
	case GoalLatency:
		return fmt.Sprintf("the highest rate with a %s of at most %s", percentileWord(c.Percentile), formatDuration(c.Limit))
	case GoalLossless:
		if c.Confirm > 0 {
			return "the highest rate at which no span is lost over " + formatDuration(c.Confirm)
		}
		return "the highest rate at which no span is lost"
	}
	return fmt.Sprintf("the rate at which %s of the CPU is used", formatShare(c.CPU))
}
