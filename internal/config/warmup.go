// The warm-up of a load: given, or found by pilots.

package config

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// DefaultWarmupMost is how long a warm-up that a pilot finds may be, where nobody says.
const DefaultWarmupMost = 30 * time.Second

// What a warm-up that is found may be.
const (
	leastWarmupMost = 5 * time.Second
	mostWarmupMost  = 10 * time.Minute
	leastInWarmup   = 100 // operations that the longest one holds
)

// warmup reads 5s, auto or auto..60s.
func (s *source) warmup(n *node, l *Load) {
	text := strings.TrimSpace(s.text(n))
	most, given := strings.CutPrefix(text, "auto..")
	switch {
	case text == "auto":
		l.Warmup, l.WarmupMost = 0, DefaultWarmupMost
	case given:
		l.Warmup, l.WarmupMost = 0, s.duration(&node{kind: scalar, at: n.at, text: strings.TrimSpace(most)}, leastWarmupMost, mostWarmupMost)
	case strings.HasPrefix(text, "auto"):
		s.fail(n.at, "%q is not a warm-up; write auto, or auto..60s where it may be up to 60s long", printable(text))
	default:
		l.Warmup, l.WarmupMost = s.duration(n, 0, 24*time.Hour), 0
	}
}

// warmupText is the warm-up as it is written.
func (l Load) warmupText() string {
	if l.WarmupMost > 0 {
		return "auto.." + formatDuration(l.WarmupMost)
	}
	return formatDuration(l.Warmup)
}

// warmupSummary says how long the warm-up is: "3s of warm-up".
func (l Load) warmupSummary() string {
	if l.WarmupMost > 0 {
		return fmt.Sprintf("a warm-up that a pilot finds, at most %s", formatDuration(l.WarmupMost))
	}
	text := formatDuration(l.Warmup) + " of warm-up"
	if l.WarmupAll > 0 {
		text += fmt.Sprintf(" (and %s of all operations before)", formatDuration(l.WarmupAll))
	}
	return text
}

// warmups finds warm-ups that no pilot can find.
func (e *Experiment) warmups() []misfit {
	l := e.Load
	if l.WarmupMost == 0 {
		return nil
	}
	at := []string{"load", "warmup"}
	for _, o := range e.Operations {
		for _, level := range l.Steps() {
			if rate := cmp.Or(o.Rate, level.Load.Rate); rate > 0 && rate*l.WarmupMost.Seconds() < leastInWarmup {
				return []misfit{{at: at, text: fmt.Sprintf("operation %q: %s for %s is under %d operations, too few to see when they get steady; write how long the warm-up is, or allow more (warmup: auto..%s)",
					printable(o.Name), formatRate(rate), formatDuration(l.WarmupMost), leastInWarmup, formatDuration(min(mostWarmupMost, 2*l.WarmupMost)))}}
			}
		}
	}
	return nil
}
