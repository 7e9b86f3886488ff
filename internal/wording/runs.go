// This file tells in words of runs that failed.

package wording

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/steady"
)

// Failures tells each failure; one that had the same cause as another before it
// refers to that, because causes can be long.
func Failures(failed []*record.Record) []string {
	var out []string
	first := map[string]string{}
	for _, r := range failed {
		where, cause := failureText(r)
		if before, told := first[cause]; told {
			out = append(out, where+": as in "+before)
			continue
		}
		first[cause] = where
		out = append(out, where+": "+cause)
	}
	return out
}

// failureText returns the stage at which a run failed, and the reason.
func failureText(r *record.Record) (where, cause string) {
	where = fmt.Sprintf("block %d, %s, attempt %d", r.Block, r.Variant, r.Attempt)
	if r.Kind == record.Calibration || r.Kind == record.Pilot {
		where = fmt.Sprintf("%s of %s, attempt %d", r.Kind, r.Variant, r.Attempt)
	}
	return where, r.Failure.Stage + ": " + finding.PlainText(r.Failure.Message)
}

// This file says in words what was made to go wrong on purpose.

// Faults says what was made to go wrong on purpose: with every variant that has
// no faults of its own, and with those that have.
func Faults(e *config.Experiment) []string {
	var out []string
	all := true
	for _, v := range e.Variants {
		all = all && v.Faults == nil
	}
	if all {
		return faultsOf(e.Faults)
	}
	for _, v := range e.Variants {
		for _, text := range faultsOf(e.FaultsOf(v)) {
			out = append(out, "with "+v.Name+" "+text)
		}
	}
	return out
}

// goneTexts say how the sink receives nothing.
var goneTexts = map[string]string{
	"away":      "the sink refuses all connections",
	"silent":    "the sink accepts connections and never reads them",
	"resetting": "the sink resets all connections",
}

func faultsOf(f config.Faults) []string {
	var out []string
	if f.SinkLoses > 0 {
		out = append(out, fmt.Sprintf("the sink throws %s of the accepted spans away", shareText(f.SinkLoses)))
	}
	if f.SinkLate > 0 {
		out = append(out, fmt.Sprintf("the sink waits %s before it answers", f.SinkLate))
	}
	if f.SinkGone != "" {
		out = append(out, goneTexts[f.SinkGone])
	}
	if f.GeneratorLate > 0 {
		out = append(out, fmt.Sprintf("the load generator makes every operation %s late", f.GeneratorLate))
	}
	return out
}

// This file says in words what pilot runs found.

// Pilots returns the origin of a relative rate: "412/s is 50 % of the slowest; a pilot found none 1,650/s, otel 824/s".
// rate is 0 where there is none.
func Pilots(found []string, rate, share float64) string {
	text := "a pilot found " + strings.Join(found, ", ")
	if rate > 0 {
		text = fmt.Sprintf("%s is %s of the slowest; %s", finding.FormatValue(rate, "1/s"), shareText(share), text)
	}
	return text
}

// Pilot returns the result of a pilot of a variant: "otel 824/s".
func Pilot(variant string, c *record.Search) string {
	return variant + " " + pilotedText(c)
}

func pilotedText(c *record.Search) string {
	switch {
	case c.Outcome == record.Found:
		return finding.FormatValue(c.Rate, "1/s")
	case c.Outcome == record.Saturated:
		return fmt.Sprintf("%s (%s)", finding.FormatValue(c.Passing, "1/s"), Outcome(c.Outcome))
	case c.Passing > 0:
		return fmt.Sprintf("at least %s (%s)", finding.FormatValue(c.Passing, "1/s"), Outcome(c.Outcome))
	}
	return "nothing (" + Outcome(c.Outcome) + ")"
}

// This file says in words how long the warm-up is.

// Warmup returns the length of the warm-up and its origin; "" where it was given:
// "4.5 s, found in a pilot: the longest, of elastic on queries".
func Warmup(pilots []steady.Warmup) string {
	longest, ok := steady.LongestWarmup(pilots)
	if !ok {
		return ""
	}
	length := finding.FormatValue(longest.Length.Seconds(), "s")
	switch {
	case !longest.Steady:
		return fmt.Sprintf("%s, the longest allowed: in a pilot %s did not get steady on %s", length, longest.Variant, longest.Operation)
	case longest.Length <= steady.LeastWarmup:
		return length + ": every variant was steady by then in its pilot"
	}
	return fmt.Sprintf("%s, found in a pilot: the longest, of %s on %s", length, longest.Variant, longest.Operation)
}

// This file says in words how operations were made to happen, and what was varied.

// Load is the load of an experiment in words: loadText, or each operation at its own rate.
func Load(e *config.Experiment) string {
	if e.Design.Unpiloted != "" {
		return ownLoad(e) + ", as the workload declares: not measured against its capacity"
	}
	return ownLoad(e)
}

func ownLoad(e *config.Experiment) string {
	driven := metric.Driven.Has(e.Regime())
	own := func(o program.Operation) bool { return o.Rate > 0 }
	length := e.Load.Duration.String()
	if len(e.Operations) > 0 {
		length = lengths(e)
	}
	if driven || e.Load.Rate <= 0 || e.Load.Relative != nil || !slices.ContainsFunc(e.Operations, own) {
		return loadText(e.Load, driven, length)
	}
	rates := make([]string, len(e.Operations))
	for i, o := range e.Operations {
		rates[i] = fmt.Sprintf("%s (%s)", plainNumber(cmp.Or(o.Rate, e.Load.Rate)), o.Name)
	}
	return openText(enumerate(rates)+" operations/s", length, e.Load)
}

// lengths is for how long the operations have their load: of all alike, or each its own.
func lengths(e *config.Experiment) string {
	var each []string
	for _, o := range e.Operations {
		each = append(each, e.Load.For(o).Duration.String())
	}
	if len(slices.Compact(slices.Clone(each))) == 1 {
		return each[0]
	}
	return enumerate(each)
}

// loadText is the load in words: "500 operations/s for 20s, open loop".
func loadText(l config.Load, driven bool, length string) string {
	switch {
	case driven:
		return drivenText(l)
	case l.Capacity != nil:
		return capacityText(*l.Capacity, l.Duration)
	case l.Relative != nil:
		return openText(sharesText(*l.Relative)+" of the capacity of the slowest variant", length, l)
	case len(l.Rates) > 0:
		var rates []string
		for _, rate := range l.Rates {
			rates = append(rates, plainNumber(rate))
		}
		return openText(enumerate(rates)+" operations/s", length, l)
	case l.Rate == 1:
		return openText("1 operation/s", length, l)
	case l.Rate > 0:
		return openText(plainNumber(l.Rate)+" operations/s", length, l)
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

// drivenText is the load of a self-driving workload: "2,000,000 calls at
// depth 10 on 1 thread, unthrottled".
func drivenText(l config.Load) string {
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
	text := strings.Join(parts, " ")
	switch {
	case l.Relative != nil:
		return text + ", at a fixed rate of " + sharesText(*l.Relative) + " of the capacity of the slowest variant"
	case len(l.Rates) > 0:
		var rates []string
		for _, rate := range l.Rates {
			rates = append(rates, plainNumber(rate))
		}
		return text + ", at a fixed rate of " + enumerate(rates) + " operations/s"
	case l.Rate > 0:
		return text + ", at a fixed rate of " + plainNumber(l.Rate) + " operations/s"
	}
	return text + ", unthrottled"
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

func openText(rate, length string, l config.Load) string {
	text := fmt.Sprintf("%s for %s, open loop", rate, length)
	if l.Arrivals != "" && l.Arrivals != "even" {
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

// capacityText returns the goal of a search, before any was made.
func capacityText(c config.RateSearch, length time.Duration) string {
	var goal string
	switch c.Goal {
	case config.GoalCPU:
		goal = fmt.Sprintf("the rate at %.4g %% of the app's CPU", 100*c.CPU)
	case config.GoalLatency:
		goal = fmt.Sprintf("the highest rate with p%g under %s", c.Percentile, c.Limit)
	case config.GoalLossless:
		goal = "the highest rate at which no span is lost"
	default:
		goal = "the capacity"
	}
	return fmt.Sprintf("search for %s, probes of %s, open loop", goal, length)
}

// sharesText is "50 %", or "33 %, 67 % and 100 %".
func sharesText(r config.Relative) string {
	if len(r.Shares) == 0 {
		return shareText(r.Share)
	}
	var texts []string
	for _, share := range r.Shares {
		texts = append(texts, shareText(share))
	}
	return enumerate(texts)
}
