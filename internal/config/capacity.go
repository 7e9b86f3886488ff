// The search for a capacity: the rate at which something is reached.

package config

import (
	"fmt"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
)

// The defaults of a search; docs/experiment-file.md repeats them.
const (
	DefaultCPUGoal    = 0.75
	DefaultResolution = 0.02
)

func defaultSearch() RateSearch {
	return RateSearch{Goal: GoalCPU, CPU: DefaultCPUGoal, Method: MethodFit, Resolution: DefaultResolution}
}

// RateSearch is a search for the rate that reaches one goal: cpu, a percentile of the latency, or lost.
type RateSearch struct {
	_          struct{}          `called:"capacity"`
	Goal       Goal              // with CPU, or with Percentile and Limit; each probe is as long as Load.Duration
	CPU        float64           `yaml:"cpu" as:"own" shape:"Share"`    // goal: the rate at which the role app uses that share of its CPU
	P50        program.Elsewhere `yaml:"p50" as:"own" shape:"Duration"` // goal: the highest rate with that latency within the limit
	P95        program.Elsewhere `yaml:"p95" as:"own" shape:"Duration"` // likewise
	P99        program.Elsewhere `yaml:"p99" as:"own" shape:"Duration"` // likewise
	Percentile float64           // 99 is p99
	Limit      time.Duration     // of that percentile
	Lost       program.Elsewhere `yaml:"lost" as:"own" shape:"Text"`                              // goal, 0: the highest rate without a lost span
	Method     string            `yaml:"method" one:"fit"`                                        // fit, the only one: few probes, a line through them, a check of its prediction
	From       float64           `yaml:"from" as:"rate"`                                          // first rate; default: the operation's or workload's rate, 50/s
	Max        float64           `yaml:"max" as:"rate"`                                           // a rate that is never exceeded; default: what the generator can do
	Resolution float64           `yaml:"resolution" as:"shareIn" range:"0.1%..50%" always:"true"` // relative bracket at which a bisection ends; default: 2%
	Confirm    time.Duration     `yaml:"confirm" range:"1ms..1h"`                                 // of lost: length of a last probe that confirms the rate; default: duration
}

// latencyGoals are the percentiles that may be limited, by their words.
var latencyGoals = map[string]float64{"p50": 50, "p95": 95, "p99": 99}

func (c *RateSearch) Begin(s *program.Source, n *program.Node) {
	*c = defaultSearch()
	c.Goal, c.CPU = "", 0
	goals := 0
	for _, e := range n.Entries {
		if e.Key != "cpu" && e.Key != "lost" && latencyGoals[e.Key] == 0 {
			continue
		}
		if goals++; goals > 1 {
			s.Fail(e.Value.At, "one capacity is searched for at a time: cpu, a latency percentile, or lost")
		}
	}
}

func (c *RateSearch) ReadKey(s *program.Source, n *program.Node, key string) {
	switch key {
	case "cpu":
		c.Goal, c.CPU = GoalCPU, s.ShareBetween(n, 0.01, 1)
	case "lost":
		c.Goal = GoalLossless
		checkNothing(s, n)
	default:
		c.Goal, c.Percentile, c.Limit = GoalLatency, latencyGoals[key], s.Duration(n, time.Microsecond, time.Hour)
	}
}

func (c RateSearch) WriteKey(_ program.Writer, key string) any {
	switch {
	case key == "cpu" && c.Goal == GoalCPU:
		return program.FormatShare(c.CPU)
	case key == "lost" && c.Goal == GoalLossless:
		return 0
	case c.Goal == GoalLatency && latencyGoals[key] == c.Percentile:
		return program.FormatDuration(c.Limit)
	}
	return nil
}

func (c *RateSearch) Finish(s *program.Source, n *program.Node) {
	if c.Goal == "" && len(n.Meant) == 0 {
		s.Fail(n.At, "capacity needs a goal: {cpu: 75%%}, {p99: 50ms} or {lost: 0}")
	}
	if confirm := n.Get("confirm"); confirm != nil && c.Goal != GoalLossless {
		s.Fail(confirm.At, "confirm is how long nothing is lost at the rate that is found: it goes with lost: 0")
	}
	if most := n.Get("max"); n.Get("from") != nil && most != nil && c.From > c.Max {
		s.Fail(most.At, "max, %s, is below the rate that the search sets out from, %s", program.FormatRate(c.Max), program.FormatRate(c.From))
	}
}

// checkNothing complains of a loss other than none.
func checkNothing(s *program.Source, n *program.Node) {
	if v, _, err := program.ParsePercent(s.Text(n)); err != nil || v != 0 {
		s.Fail(n.At, "%q cannot be searched for: only the rate at which nothing is lost, lost: 0", program.Printable(n.Text))
	}
}

// Summary says what is searched for: "the rate at which 75% of the CPU is used".
func (c RateSearch) Summary() string {
	switch c.Goal {
	case GoalLatency:
		return fmt.Sprintf("the highest rate with a p%g of at most %s", c.Percentile, program.FormatDuration(c.Limit))
	case GoalLossless:
		if c.Confirm > 0 {
			return "the highest rate at which no span is lost over " + program.FormatDuration(c.Confirm)
		}
		return "the highest rate at which no span is lost"
	}
	return fmt.Sprintf("the rate at which %s of the CPU is used", program.FormatShare(c.CPU))
}
