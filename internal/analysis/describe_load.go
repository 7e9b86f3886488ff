// This file says in words how operations were made to happen, what was varied and
// what was made to go wrong on purpose.
package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
	"github.com/tracetax/tracetax/internal/stats"
)

// loadOf is the load of an experiment in words: loadText, or each operation at its own rate.
func loadOf(e *spec.Experiment) string {
	self := e.Workload != nil && e.Workload.Self
	own := func(o spec.Operation) bool { return o.Rate > 0 }
	if self || e.Load.Rate <= 0 || e.Load.Relative != nil || !slices.ContainsFunc(e.Operations, own) {
		return loadText(e.Load, self)
	}
	rates := make([]string, len(e.Operations))
	for i, o := range e.Operations {
		rates[i] = fmt.Sprintf("%s (%s)", plainNumber(cmp.Or(o.Rate, e.Load.Rate)), o.Name)
	}
	return openText(enumerate(rates)+" operations/s", e.Load)
}

// loadText is the load in words: "500 operations/s for 20s, open loop".
func loadText(l spec.Load, self bool) string {
	switch {
	case self && l.Capacity == nil:
		return drivenText(l)
	case l.Capacity != nil:
		return capacityText(*l.Capacity, l.Duration)
	case l.Relative != nil:
		return openText(fmt.Sprintf("%s of what the slowest variant can do", shareText(l.Relative.Share)), l)
	case len(l.Rates) > 0:
		var rates []string
		for _, rate := range l.Rates {
			rates = append(rates, plainNumber(rate))
		}
		return openText(enumerate(rates)+" operations/s", l)
	case l.Rate == 1:
		return openText("1 operation/s", l)
	case l.Rate > 0:
		return openText(plainNumber(l.Rate)+" operations/s", l)
	case len(l.Levels) > 0:
		var levels []string
		for _, n := range l.Levels {
			levels = append(levels, strconv.Itoa(n))
		}
		return fmt.Sprintf("%s connections kept busy for %s, closed loop", enumerate(levels), l.Duration)
	case l.Connections == 1:
		return fmt.Sprintf("1 connection kept busy for %s, closed loop", l.Duration)
	}
	return fmt.Sprintf("%d connections kept busy for %s, closed loop", l.Connections, l.Duration)
}

// drivenText is the load of a workload that makes itself work: "2,000,000 calls at
// depth 10 on 1 thread, back to back".
func drivenText(l spec.Load) string {
	var parts []string
	switch {
	case l.Calls > 0 && l.Duration > 0:
		parts = append(parts, fmt.Sprintf("%s operations or %s", finding.FormatCount(int64(l.Calls)), l.Duration))
	case l.Calls > 0:
		parts = append(parts, finding.FormatCount(int64(l.Calls))+" operations")
	default:
		parts = append(parts, "operations for "+l.Duration.String())
	}
	if text := severalOr(l.Depth, l.Depths); text != "" {
		parts = append(parts, "at depth "+text)
	}
	switch text := severalOr(l.Threads, l.Crowds); {
	case text == "1":
		parts = append(parts, "on 1 thread")
	case text != "":
		parts = append(parts, "on "+text+" threads")
	}
	if l.Busy > 0 {
		parts = append(parts, "each busy for "+l.Busy.String())
	}
	text := strings.Join(parts, " ")
	switch {
	case l.Relative != nil:
		return text + fmt.Sprintf(", paced at %s of what the slowest variant can do", shareText(l.Relative.Share))
	case len(l.Rates) > 0:
		var rates []string
		for _, rate := range l.Rates {
			rates = append(rates, plainNumber(rate))
		}
		return text + ", paced at " + enumerate(rates) + " operations/s"
	case l.Rate > 0:
		return text + ", paced at " + plainNumber(l.Rate) + " operations/s"
	}
	return text + ", back to back"
}

// severalOr is the list in words, or the one number; "" where there is neither.
func severalOr(one int, list []int) string {
	var words []string
	for _, n := range list {
		words = append(words, strconv.Itoa(n))
	}
	if len(words) == 0 && one > 0 {
		words = []string{strconv.Itoa(one)}
	}
	return enumerate(words)
}

func openText(rate string, l spec.Load) string {
	text := fmt.Sprintf("%s for %s, open loop", rate, l.Duration)
	if l.Arrivals != "" && l.Arrivals != "constant" {
		text += ", " + l.Arrivals + " arrivals"
	}
	return text
}

func plainNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// shareText is a share as its owner wrote it: 50 %, not 50.0 %.
func shareText(v float64) string { return fmt.Sprintf("%.4g %%", 100*v) }

// enumerate is "1, 2 and 4".
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// faultTexts says what was made to go wrong on purpose: with every variant that has
// no faults of its own, and with those that have.
func (s *study) faultTexts() []string {
	var out []string
	all := true
	for _, v := range s.variants {
		all = all && v.Faults == nil
	}
	if all {
		return faultsOf(s.in.Experiment.Faults)
	}
	for _, v := range s.variants {
		for _, text := range faultsOf(s.in.Experiment.FaultsOf(v)) {
			out = append(out, "with "+v.Name+" "+text)
		}
	}
	return out
}

func faultsOf(f spec.Faults) []string {
	var out []string
	if f.SinkLoses > 0 {
		out = append(out, fmt.Sprintf("the sink throws away %s of the spans that it answers for", shareText(f.SinkLoses)))
	}
	if f.SinkLate > 0 {
		out = append(out, fmt.Sprintf("the sink waits %s before it answers", f.SinkLate))
	}
	if f.GeneratorLate > 0 {
		out = append(out, fmt.Sprintf("the load generator makes every operation %s later than intended", f.GeneratorLate))
	}
	return out
}

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
		return fmt.Sprintf("%s (%s)", finding.FormatValue(c.Passing, "1/s"), c.Outcome)
	case c.Passing > 0:
		return fmt.Sprintf("at least %s (%s)", finding.FormatValue(c.Passing, "1/s"), c.Outcome)
	}
	return "nothing (" + string(c.Outcome) + ")"
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
		for _, p := range s.phasesOf(v.Name, cell{operation: operation}) {
			if p.OfferedRate > 0 {
				rates = append(rates, p.OfferedRate)
			}
		}
	}
	return stats.Center(rates), len(rates) > 0
}
