// This file says in words what pilot runs found, and the rates that came of it.
package analysis

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/words"
)

// pilotTexts says where a relative rate came from, a sentence an operation:
// "json: 412/s is 50 % of the slowest; a pilot found none 1,650/s, otel 824/s".
func (s *study) pilotTexts() []string {
	relative := s.in.Experiment.Load.Relative
	var out []string
	for _, operation := range s.operations() {
		found := s.piloted(operation)
		if len(found) == 0 {
			continue
		}
		text := "a pilot found " + strings.Join(found, ", ")
		if rate, ok := s.rateOf(operation); ok && relative != nil {
			text = fmt.Sprintf("%s is %s of the slowest; %s", finding.FormatValue(rate, "1/s"), shareText(relative.Share), text)
		}
		out = append(out, operation+": "+text)
	}
	return out
}

// piloted lists what the pilots found of an operation: "otel 824/s".
func (s *study) piloted(operation string) []string {
	var out []string
	for _, v := range s.variants {
		var made []*record.Capacity
		for i := range s.in.Records {
			r := &s.in.Records[i]
			if r.Kind != record.Pilot || r.Variant != v.Name || r.Failed() {
				continue
			}
			for j := range r.Phases {
				if p := &r.Phases[j]; p.Operation == operation && p.Capacity != nil {
					made = append(made, p.Capacity)
				}
			}
		}
		if len(made) > 0 {
			out = append(out, v.Name+" "+pilotText(made[len(made)-1]))
		}
	}
	return out
}

func pilotText(c *record.Capacity) string {
	switch {
	case c.Outcome == record.Found:
		return finding.FormatValue(c.Rate, "1/s")
	case c.Outcome == record.Saturated:
		return fmt.Sprintf("%s (%s)", finding.FormatValue(c.Passing, "1/s"), words.Outcome(c.Outcome))
	case c.Passing > 0:
		return fmt.Sprintf("at least %s (%s)", finding.FormatValue(c.Passing, "1/s"), words.Outcome(c.Outcome))
	}
	return "nothing (" + words.Outcome(c.Outcome) + ")"
}

// relativeRates are the rates that a relative one came to, by operation; nil where
// the rate was a given one.
func (s *study) relativeRates() map[string]float64 {
	if s.in.Experiment.Load.Relative == nil {
		return nil
	}
	out := map[string]float64{}
	for _, operation := range s.operations() {
		if rate, ok := s.rateOf(operation); ok {
			out[operation] = rate
		}
	}
	return out
}

// rateOf is the rate at which an operation was measured.
func (s *study) rateOf(operation string) (float64, bool) {
	var rates []float64
	for _, v := range s.variants {
		for _, p := range s.phasesOf(v.Name, cell.At{Operation: operation}) {
			if p.OfferedRate > 0 {
				rates = append(rates, p.OfferedRate)
			}
		}
	}
	return stats.Center(rates), len(rates) > 0
}
