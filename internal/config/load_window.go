// This file asks whether anything happens in a window of the load.

package config

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// atLeastOne complains of a rate at which nothing happens in the measured window.
func (s *source) atLeastOne(n *node, l Load) {
	rate := n.get("rate")
	if rate == nil {
		return
	}
	complain := func(at *node, perSecond float64) {
		if happens(perSecond, l.Duration) {
			return
		}
		text := printable(at.text)
		if !strings.Contains(text, "/") {
			text = formatRate(perSecond)
		}
		s.fail(at.at, "%s for %s is no operation; ask for more, or for longer", text, formatDuration(l.Duration))
	}
	complain(rate, l.Rate)
	if len(l.Rates) == len(rate.items) {
		for i, perSecond := range l.Rates {
			complain(rate.items[i], perSecond)
		}
	}
}

// happens reports whether at least one operation falls due at a rate per second; 0 is no rate.
func happens(rate float64, length time.Duration) bool {
	const rounding = 1e-9
	return rate <= 0 || rate*length.Seconds() >= 1-rounding
}

// CheckWindow says which operation is asked for less than once in the measured
// window, nil if none is. Whoever changes the load of an experiment asks it again.
func (e *Experiment) CheckWindow() error {
	for _, o := range e.Operations {
		for _, level := range e.Load.Steps() {
			if rate := cmp.Or(o.Rate, level.Load.Rate); !happens(rate, e.Load.Duration) {
				return fmt.Errorf("operation %q: %s for %s is no operation; ask for more, or for longer",
					printable(o.Name), formatRate(rate), formatDuration(e.Load.Duration))
			}
		}
	}
	if c := e.Load.search(); c != nil && !happens(c.From, e.Load.Duration) {
		return fmt.Errorf("a probe of %s at %s, from which the search sets out, is no operation; ask for more, or for longer",
			formatDuration(e.Load.Duration), formatRate(c.From))
	}
	return nil
}

// search is the search that the load makes, in its phases or in its pilots; nil
// where there is none.
func (l *Load) search() *Capacity {
	if l.Relative != nil {
		return &l.Relative.Search
	}
	return l.Capacity
}
