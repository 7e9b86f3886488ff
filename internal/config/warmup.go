// The warm-up before a window: as it is written, and what programs need of it.

package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
)

// compiling are the languages whose runtimes compile a program while it runs, and how long each variant has load before it is
// measured. In a service of Spring with JPA the second compiler of a JVM is done after some 30,000 requests, and with an agent after
// 40,000: after 10,000 a request still takes several times the CPU that it takes then. Where the compilers' threads can be seen the
// warm-up ends with their work.
var compiling = map[string]time.Duration{"java": 60 * time.Second, "dotnet": 10 * time.Second, "node": 6 * time.Second}

// compilingRate is the rate of such a warm-up where the load's is lower: what counts is how often code has run.
const compilingRate = 1000

// quickCompiling is the longest such warm-up of a quick experiment.
const quickCompiling = 20 * time.Second

// DefaultWarmupMost is the default of the longest warm-up that a pilot may find.
const DefaultWarmupMost = 30 * time.Second

// What a warm-up that is found may be.
const (
	leastWarmupMost = 5 * time.Second
	mostWarmupMost  = 10 * time.Minute
	leastInWarmup   = 100 // operations that the longest one holds
)

// readWarmup reads 5s, 20s at 500/s, auto or auto..60s.
func readWarmup(s *program.Source, n *program.Node, l *Load) {
	text := strings.TrimSpace(s.Text(n))
	l.WarmupRate = 0
	if length, rate, faster := strings.Cut(text, " at "); faster {
		l.Warmup, l.WarmupMost = s.Duration(&program.Node{Kind: program.Scalar, At: n.At, Text: strings.TrimSpace(length)}, 0, 24*time.Hour), 0
		l.WarmupRate = s.Rate(&program.Node{Kind: program.Scalar, At: n.At, Text: strings.TrimSpace(rate)})
		return
	}
	most, given := strings.CutPrefix(text, "auto..")
	switch {
	case text == "auto":
		l.Warmup, l.WarmupMost = 0, DefaultWarmupMost
	case given:
		l.Warmup, l.WarmupMost = 0, s.Duration(&program.Node{Kind: program.Scalar, At: n.At, Text: strings.TrimSpace(most)}, leastWarmupMost, mostWarmupMost)
	case strings.HasPrefix(text, "auto"):
		s.Fail(n.At, "%q is not a warm-up; write auto, or auto..60s where it may be up to 60s long", program.Printable(text))
	default:
		l.Warmup, l.WarmupMost = s.Duration(n, 0, 24*time.Hour), 0
	}
}

// warmupText is the warm-up as it is written.
func (l Load) warmupText() string {
	if l.WarmupMost > 0 {
		return "auto.." + program.FormatDuration(l.WarmupMost)
	}
	text := program.FormatDuration(l.Warmup)
	if l.WarmupRate > 0 {
		text += " at " + program.FormatRate(l.WarmupRate)
	}
	return text
}

// warmupSummary says how long the warm-up is: "3s of warm-up".
func (l Load) warmupSummary() string {
	if l.WarmupMost > 0 {
		return fmt.Sprintf("a warm-up that a pilot finds, at most %s", program.FormatDuration(l.WarmupMost))
	}
	text := program.FormatDuration(l.Warmup) + " of warm-up"
	if l.WarmupRate > 0 {
		text += " at up to " + program.FormatRate(l.WarmupRate)
	}
	if l.WarmupAll > 0 {
		text += fmt.Sprintf(" (and %s of all operations before)", program.FormatDuration(l.WarmupAll))
	}
	return text
}
