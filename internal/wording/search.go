// This file puts searches for a capacity into words: what was looked for, what was
// found, and why something was not.

package wording

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// Goal returns the goal of a search: "75 % of the app's CPU"; percentile is that of a limit on latency.
func Goal(c *record.Search, percentile float64) string {
	switch c.Goal {
	case string(config.GoalCPU):
		return fmt.Sprintf("%.4g %% of the app's CPU", 100*c.Target)
	case string(config.GoalLatency):
		return fmt.Sprintf("p%g under %s", percentile, finding.FormatValue(c.Target, "s"))
	case string(config.GoalLossless):
		return "no span lost"
	}
	return c.Goal
}

// FillSearch writes the result of the searches as a sentence.
func FillSearch(f *finding.Search, made []*record.Search) {
	upTo := " up to "
	if f.Kind == string(config.GoalCPU) {
		upTo = " at "
	}
	if saturated := outcomeText(record.Saturated, made); f.Rate != nil && claim.Ended(made, record.Saturated) < len(made) {
		text := f.Goal + upTo + finding.FormatSize(*f.Rate, "1/s", false) + betweenText(made)
		if f.Binding != "" {
			text += "; limited by " + article(f.Binding)
		}
		if saturated != "" {
			text += "; " + saturated
		}
		if n := claim.Ended(made, record.Unsteady); n > 0 {
			text += fmt.Sprintf("; %s, unsteady, %s not count", Blocks(n), map[bool]string{true: "does", false: "do"}[n == 1])
		}
		f.Text = text + repeatedText(f.Repeated)
		return
	}
	var parts []string
	for _, outcome := range outcomes {
		if part := outcomeText(outcome, made); part != "" {
			parts = append(parts, part)
		}
	}
	f.Ended = strings.Join(parts, "; ") + repeatedText(f.Repeated)
	f.Text = f.Goal + ": " + f.Ended
}

// repeatedText returns the number of searches whose first attempt does not count.
func repeatedText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; in %s it was repeated, as the first ended unsteady", Blocks(n))
}

// betweenText names the two rates between which searches found theirs, each the centre
// over the blocks; "" where they are exact.
func betweenText(made []*record.Search) string {
	end := func(of func(*finding.Range) (float64, bool)) []float64 {
		return claim.Each(made, func(c *record.Search) (float64, bool) {
			r := claim.Bracket(c)
			if r == nil || c.Outcome == record.Saturated {
				return 0, false
			}
			return of(r)
		})
	}
	low := end(func(r *finding.Range) (float64, bool) { return r.Low, true })
	high := end(func(r *finding.Range) (float64, bool) {
		if r.High == nil {
			return 0, false
		}
		return *r.High, true
	})
	if len(low) == 0 || len(high) < len(low) {
		return ""
	}
	return fmt.Sprintf("; between %s (passed) and %s (did not)", finding.FormatValue(stats.Center(low), "1/s"), finding.FormatValue(stats.Center(high), "1/s"))
}

// outcomes lists how a search may end, in the order of the text.
var outcomes = []record.Outcome{
	record.Found, record.Saturated, record.ByGenerator, record.AboveMax, record.BelowLeast, record.NoSpans, record.Unsteady,
}

// article puts "the" before the name of a resource that has none.
func article(resource string) string {
	if strings.HasPrefix(resource, "the ") || strings.HasPrefix(resource, "none ") {
		return resource
	}
	return "the " + resource
}

// outcomeText says in how many blocks a search ended in one way, and what is known
// from those.
func outcomeText(outcome record.Outcome, made []*record.Search) string {
	n := claim.Ended(made, outcome)
	if n == 0 {
		return ""
	}
	at := func(value func(*record.Search) float64) string {
		return finding.FormatValue(stats.Center(claim.Each(made, func(c *record.Search) (float64, bool) { return value(c), c.Outcome == outcome && value(c) > 0 })), "1/s")
	}
	passing := at(func(c *record.Search) float64 { return c.Passing })
	failing := at(func(c *record.Search) float64 { return c.Failing })
	text := Outcome(outcome)
	switch outcome {
	case record.Found:
		text = "found at about " + at(func(c *record.Search) float64 { return c.Rate })
	case record.Saturated:
		text = orAlone("saturated at ", passing, ", before the goal was reached")
	case record.ByGenerator:
		text = orAlone("more than ", passing, ", "+text)
	case record.AboveMax:
		text = orAlone("more than ", passing, ", the highest rate allowed")
	case record.BelowLeast:
		text = orAlone("less than ", failing, ", the lowest rate that can be tried")
	case record.Unsteady:
		text = "unsteady: " + Unsteady(made)
	}
	if n == len(made) {
		return text
	}
	return fmt.Sprintf("%s in %d of %s", text, n, Blocks(len(made)))
}

// Unsteady returns the reason why the first of the unsteady searches found no rate.
func Unsteady(made []*record.Search) string {
	for _, c := range made {
		if c.Outcome == record.Unsteady && c.Note != "" {
			return finding.PlainText(c.Note)
		}
	}
	return "the probes contradict each other"
}

// orAlone leaves out a figure that is missing.
func orAlone(before, figure, after string) string {
	if figure == finding.Missing {
		return strings.TrimPrefix(after, ", ")
	}
	return before + figure + after
}

// Outcome returns the end of the search for a capacity.
func Outcome(o record.Outcome) string {
	switch o {
	case record.ByGenerator:
		return "limited by the generator"
	case record.AboveMax:
		return "above the highest rate allowed"
	case record.BelowLeast:
		return "below the lowest rate that can be tried"
	case record.Saturated:
		return "saturated before the target"
	case record.NoSpans:
		return "no spans to lose"
	}
	return string(o)
}

// Knee returns the value from which on more of a parameter brings little more of a metric.
func Knee(k finding.Knee, parameter string) string {
	brings := fmt.Sprintf("doubling them brings under %.0f %% more (to %g: %s a doubling)", 100*k.Under, k.Last, finding.FormatInterval(k.Gain, "1", true))
	switch {
	case k.First:
		return fmt.Sprintf("from the first level on, %g %s, %s", k.X, parameter, brings)
	case k.After == nil:
		return fmt.Sprintf("from %g %s on, %s", k.X, parameter, brings)
	}
	return fmt.Sprintf("from between %g and %g %s on, %s", *k.After, k.X, parameter, brings)
}
