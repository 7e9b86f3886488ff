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

// Capacity is a search for the rate that reaches one goal: cpu, a percentile of the latency, or lost.
type Capacity struct {
	_          struct{}      `called:"capacity"`
	Goal       Goal          // with CPU, or with Percentile and Limit; each probe is as long as Load.Duration
	CPU        float64       `yaml:"cpu" as:"own" shape:"Share"`     // goal: the rate at which the role app uses that share of its CPU
	P50        elsewhere     `yaml:"p50" as:"own" shape:"Duration"`  // goal: the highest rate with that latency within the limit
	P75        elsewhere     `yaml:"p75" as:"own" shape:"Duration"`  // likewise
	P90        elsewhere     `yaml:"p90" as:"own" shape:"Duration"`  // likewise
	P95        elsewhere     `yaml:"p95" as:"own" shape:"Duration"`  // likewise
	P99        elsewhere     `yaml:"p99" as:"own" shape:"Duration"`  // likewise
	P999       elsewhere     `yaml:"p999" as:"own" shape:"Duration"` // likewise
	Percentile float64       // 99 is p99
	Limit      time.Duration // of that percentile
	Lost       elsewhere     `yaml:"lost" as:"own" shape:"Text"`                              // goal, 0: the highest rate without a lost span
	Method     Method        `yaml:"method" one:"fit staircase"`                              // fit: few probes, a line through them, a check of its prediction; staircase: steps until the goal is passed; default: fit
	From       float64       `yaml:"from" as:"rate"`                                          // first rate; default: the operation's or workload's rate, 50/s; in a staircase, the step
	Max        float64       `yaml:"max" as:"rate"`                                           // a rate that is never exceeded; default: what the generator can do
	Step       float64       `yaml:"step" as:"rate"`                                          // of a staircase, needed there
	Resolution float64       `yaml:"resolution" as:"shareIn" range:"0.1%..50%" always:"true"` // relative bracket at which a bisection ends; default: 2%
	Confirm    time.Duration `yaml:"confirm" range:"1ms..1h"`                                 // of lost: length of a last probe that confirms the rate; default: duration
}

// latencyGoals are the percentiles that may be limited, by their words.
var latencyGoals = map[string]float64{"p50": 50, "p75": 75, "p90": 90, "p95": 95, "p99": 99, "p999": 99.9}

func (c *Capacity) begin(s *source, n *node) {
	*c = defaultSearch()
	c.Goal, c.CPU = "", 0
	goals := 0
	for _, e := range n.entries {
		if e.key != "cpu" && e.key != "lost" && latencyGoals[e.key] == 0 {
			continue
		}
		if goals++; goals > 1 {
			s.fail(e.value.at, "one capacity is searched for at a time: cpu, a latency percentile, or lost")
		}
	}
}

func (c *Capacity) read(s *source, n *node, key string) {
	switch key {
	case "cpu":
		c.Goal, c.CPU = GoalCPU, s.shareBetween(n, 0.01, 1)
	case "lost":
		c.Goal = GoalLossless
		s.nothing(n)
	default:
		c.Goal, c.Percentile, c.Limit = GoalLatency, latencyGoals[key], s.duration(n, time.Microsecond, time.Hour)
	}
}

func (c Capacity) write(_ writer, key string) any {
	switch {
	case key == "cpu" && c.Goal == GoalCPU:
		return formatShare(c.CPU)
	case key == "lost" && c.Goal == GoalLossless:
		return 0
	case c.Goal == GoalLatency && latencyGoals[key] == c.Percentile:
		return formatDuration(c.Limit)
	}
	return nil
}

func (c *Capacity) check(s *source, n *node) {
	if c.Goal == "" && len(n.meant) == 0 {
		s.fail(n.at, "capacity needs a goal: {cpu: 75%%}, {p99: 50ms} or {lost: 0}")
	}
	s.staircase(n, *c)
	if confirm := n.get("confirm"); confirm != nil && (c.Goal != GoalLossless || c.Method != MethodFit) {
		s.fail(confirm.at, "confirm is how long nothing is lost at the rate that is found: it goes with lost: 0, and with no staircase")
	}
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
