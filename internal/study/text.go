// This file puts a study into one sentence, and says how its figures were made.
package study

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// answer is what the study comes to.
func (of *study) answer(s *finding.Study) string {
	var parts []string
	if text := claimsText(s.Claims); text != "" {
		parts = append(parts, text)
	}
	if inside, all := withinCount(s); all > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d published costs lie in our intervals", inside, all))
	}
	if text := tausText(s); text != "" {
		parts = append(parts, text)
	}
	if text := of.apartText(); text != "" {
		parts = append(parts, text)
	}
	if text := unsentText(s.Unsent); text != "" {
		parts = append(parts, text)
	}
	if n := len(s.LeftOut); n > 0 {
		parts = append(parts, fmt.Sprintf("%s left out", counted(n, "variant")))
	}
	if len(parts) == 0 {
		if len(s.Results) == 1 {
			return s.Results[0].Answer
		}
		return fmt.Sprintf("%s of %s; nothing was published to hold them against.", counted(len(s.Results), "result"), s.Name)
	}
	text := strings.Join(parts, "; ") + "."
	return strings.ToUpper(text[:1]) + text[1:]
}

func claimsText(claims []finding.ClaimResult) string {
	if len(claims) == 0 {
		return ""
	}
	by := map[finding.ClaimKind][]string{}
	for _, c := range claims {
		by[c.Kind] = append(by[c.Kind], c.Name)
	}
	var parts []string
	for _, kind := range []finding.ClaimKind{finding.Confirmed, finding.Refuted, finding.Open} {
		if names := by[kind]; len(names) > 0 {
			word, more := string(kind), ""
			if kind == finding.Open {
				word, more = "cannot be told", needsText(claims)
			}
			parts = append(parts, fmt.Sprintf("%d %s (%s%s)", len(names), word, strings.Join(names, ", "), more))
		}
	}
	return fmt.Sprintf("of %s %s", counted(len(claims), "claim"), strings.Join(parts, ", "))
}

// needsText says how many of the open claims are about workloads that there is no result of.
func needsText(claims []finding.ClaimResult) string {
	n := 0
	var workloads []string
	for _, c := range claims {
		if c.Kind != finding.Open || len(c.Needs) == 0 {
			continue
		}
		n++
		for _, name := range c.Needs {
			if !slices.Contains(workloads, name) {
				workloads = append(workloads, name)
			}
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of them for want of results of %s", n, fewWith(workloads, ", "))
}

// withinCount counts the published costs that lie in our intervals, of those that could.
func withinCount(s *finding.Study) (inside, all int) {
	add := func(published []finding.PublishedCell) {
		for _, p := range published {
			if p.Within == nil || p.Cost == nil && p.Added == nil { // a value of another machine is no cost
				continue
			}
			all++
			if *p.Within {
				inside++
			}
		}
	}
	for _, t := range s.Tables {
		for _, row := range t.Rows {
			add(row.Published)
		}
	}
	for _, m := range s.Means {
		add(m.PublishedOfMeans)
	}
	return inside, all
}

// tausText is the range of the rank correlations.
func tausText(s *finding.Study) string {
	least, most, n := 1.0, -1.0, 0
	for _, r := range s.Rankings {
		for _, t := range r.Taus {
			least, most, n = min(least, t.Tau), max(most, t.Tau), n+1
		}
	}
	number := func(v float64) string { return strings.Replace(fmt.Sprintf("%.2f", v), "-", "−", 1) }
	switch {
	case n == 0:
		return ""
	case n == 1 || least == most:
		return "the order of the variants agrees with the published one with Kendall's τ = " + number(least)
	}
	return fmt.Sprintf("the order of the variants agrees with the published ones with Kendall's τ = %s to %s", number(least), number(most))
}

// apartText says which variants lost spans, so that they are in no order; "" where none did.
// The baseline is in none anyway.
func (s *study) apartText() string {
	type variant struct{ lost, all int } // cells
	of := map[string]*variant{}
	var names []string
	for _, f := range s.find(func(f *figure) bool { return f.Headline }) {
		v := of[f.Variant]
		if v == nil {
			v = &variant{}
			of[f.Variant] = v
		}
		v.all++
		if f.of.loses(f.Finding, f.Variant) {
			if v.lost++; v.lost == 1 {
				names = append(names, f.Variant)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	for i, name := range names {
		if v := of[name]; v.lost < v.all {
			names[i] = fmt.Sprintf("%s on %d of %d", name, v.lost, v.all)
		}
	}
	return "listed apart, as they lost spans: " + fewWith(names, ", ")
}

// unsentText says which variants did not send spans by a limit of the tracer's own, and how many at
// most; "" where none did.
func unsentText(all []finding.StudyUnsent) string {
	var names []string
	for _, group := range groupBy(all, func(u finding.StudyUnsent) string { return u.Variant }) {
		most, at := 0.0, ""
		for _, u := range group {
			if u.Share > most {
				most, at = u.Share, join(u.Workload, cellName(u.Operation, u.Parameter))
			}
		}
		upTo := ""
		if len(group) > 1 {
			upTo = "up to "
		}
		names = append(names, fmt.Sprintf("%s %s%s (%s)", group[0].Variant, upTo, finding.FormatValue(most, "1"), at))
	}
	if len(names) == 0 {
		return ""
	}
	return "spans not sent, by a limit of the tracer's own: " + fewWith(names, ", ")
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return finding.FormatCount(int64(n)) + " " + noun + "s"
}

// methods says how the figures were made, as far as there are such figures.
func (s *study) methods(out *finding.Study) []string {
	var text []string
	amount := func(t finding.StudyTable) bool { return t.Amount }
	if slices.ContainsFunc(out.Tables, func(t finding.StudyTable) bool { return !t.Amount && !isCount(t.Metric) }) {
		text = append(text, "A cost is a relative change over the baseline of the same block: the Hodges–Lehmann centre of the log-ratios, with the exact signed-rank 95 % interval over the blocks.")
	}
	if slices.ContainsFunc(out.Tables, amount) {
		text = append(text, "Where the operation does nothing of itself, a cost is the time that is added to it, the Hodges–Lehmann centre of the differences within blocks, and not a share of next to nothing; a published one is the published value less the same study's baseline.")
	}
	if len(out.Series) > 0 {
		text = append(text, "A published cost is the published value over the same study's baseline; it lies within where our 95 % interval holds it. Published values are of other machines and versions: compare costs, not values.")
	}
	if len(out.Rankings) > 0 {
		if slices.ContainsFunc(s.figures, func(f *figure) bool { return !f.of.ordered(f.Variant) }) {
			text = append(text, "Variants that leave out steps of tracing, or traces, on purpose are in no order: what they cost is the cost of a part.")
		}
		if slices.ContainsFunc(s.figures, func(f *figure) bool { return f.reason == lossUnknown }) {
			text = append(text, "Variants of which it is not known how many spans were lost are in no order either.")
		}
		text = append(text, "Two variants share a letter where the 95 % interval of their ratio within blocks holds none; each pair is looked at by itself. Kendall's τ-b is over the variants that both orders have.")
	}
	if len(out.Means) > 0 {
		text = append(text, "The arithmetic mean is of the relative changes: it depends on which side is the baseline. The ratio of means is the studies' own way: the mean of the values over all operations, over the baseline's, in each block; an operation weighs as much in it as its values are large. What was published as a mean over all operations is held against that alone, and only where none of ours is missing. The geometric mean is of the ratios, within blocks; over several workloads the first blocks of all are put together, then the second: blocks of different results are independent, so that any way of putting them together is as good.")
	}
	if len(out.Ratios) > 0 {
		text = append(text, "Ratios between tracers are taken within blocks (signed rank); ratios between workloads are of independent blocks (rank sum).")
	}
	if len(out.Claims) > 0 {
		text = append(text, "A claim about all of several figures is confirmed where each 95 % interval lies in its range (intersection–union test, Berger 1982: no correction is due), and refuted where one lies beyond with an interval corrected for their number (Bonferroni). Of a claim that some figure is in the range it is the other way round. Claims are not corrected for each other.")
	}
	if len(out.Lossy) > 0 {
		text = append(text, "Variants that lost over 1 % of their spans are listed apart: they are in no order, no mean and no ratio.")
	}
	if len(out.Unsent) > 0 {
		text = append(text, "Variants that did not send over 1 % of their spans, by a limit of the tracer's own, are in order, means and ratios as they are, with a mark: that is what they do by these settings, and it is less than sending them all.")
	}
	return text
}
