// This file puts all that a result comes to into one sentence: what tracing costs, whether that is over the budget, and
// whether spans were lost.

package wording

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// fewVariants is the most variants of a range that includes those without steps of tracing.
const fewVariants = 3

// Summary is the sentence: "shop: otel adds 54.6 % CPU per operation (95 % CI 45.7 to 63.3 %), 41.2 µs (35.0 to 47.1)."
func Summary(doc *finding.Document) string {
	all := headlines(doc.Findings)
	traced := slices.DeleteFunc(slices.Clone(all), func(f finding.Finding) bool { return doc.NotTracing(&f) })
	heads, excluded := rankedHeads(doc, traced)
	if whole := wholeHeads(doc, heads); variantsOf(heads) > fewVariants && len(whole) > 0 {
		heads = whole
	}
	var clauses []string
	switch {
	case len(heads) == 0 && len(doc.Searches) > 0:
		clauses = []string{searchedText(doc)}
	case len(all) == 0:
		return nothing(doc)
	case len(heads) == 1:
		clauses = []string{ofOne(heads[0])}
	case len(heads) > 1:
		clauses = []string{ofMany(heads)}
	}
	clauses = append(clauses, stepClause(doc, heads)...)
	var limits budgets
	if len(heads) == 1 {
		limits.told = figureName(heads[0].Metric, heads[0].Variant, where(heads[0]))
	}
	for i := range doc.Findings {
		f := &doc.Findings[i]
		limits.add(f.Metric, f.Variant, where(*f), &f.Verdict)
	}
	beside := untracedClause(doc, len(heads) > 0)
	if len(all) > 0 {
		beside = append(beside, gapsClause(doc, all)...)
	}
	at := len(beside)
	if len(heads) == 1 { // whose budget it may be
		at = 0
	}
	if text := limits.clause(""); text != "" {
		beside = slices.Insert(beside, at, text)
	}
	clauses = append(clauses, beside...)
	clauses = append(clauses, lossClauses(doc)...)
	if len(excluded) > 0 {
		clauses = append(clauses, "excluded, because of lost spans: "+FewNames(excluded))
	}
	return cmp.Or(doc.Experiment.Workload, doc.Experiment.Name, "this program") + ": " + strings.Join(clauses, "; ") + "."
}

// ofOne returns the cost of one variant on one operation.
func ofOne(f finding.Finding) string {
	switch standingOf(f) {
	case figures:
		direction := "higher"
		if size(f) < 0 {
			direction = "lower"
		}
		return finding.MetricName(f.Metric) + " with " + f.Variant + " was " + share(f) + " " + direction + " (" + Blocks(f.Blocks) + ": no interval)"
	case withheld:
		text := "the " + finding.MetricName(f.Metric) + " that " + f.Variant + " adds is unknown"
		if r := f.Verdict.Reason(); r.Text != "" {
			text += ": " + r.Text
		}
		return text
	case unsure:
		if beyondBudget(f) {
			return finding.MetricName(f.Metric) + " with " + f.Variant + " differed by " + signedShare(f) + " (95 % CI " + rangeText(f) + ")"
		}
		corrected := ""
		if f.Verdict.Claims > 1 {
			corrected = fmt.Sprintf(" after correction for %d comparisons", f.Verdict.Claims)
		}
		return "the " + finding.MetricName(f.Metric) + " that " + f.Variant + " adds is inconclusive" + corrected + " (" + rangeText(f) + ")"
	case hidden:
		if !useful(f) {
			return "the " + finding.MetricName(f.Metric) + " that " + f.Variant + " adds is inconclusive (95 % CI " + rangeText(f) + ")"
		}
		return f.Variant + " makes no difference in " + finding.MetricName(f.Metric) + " larger than " + boundText(f)
	}
	over := ""
	if f.Against != "none" {
		over = " over " + f.Against
	}
	return f.Variant + " " + addsText(f) + " " + ofWhat(f) + over + " (95 % CI " + finding.FormatEnds(claim.Magnitude(*f.Shown()), f.Unit, f.ByRatio()) + ")" + amountBeside(f)
}

// ofMany is the range of what several headlines come to, its ends by name.
func ofMany(heads []finding.Finding) string {
	clear := slices.DeleteFunc(slices.Clone(heads), func(f finding.Finding) bool { s := standingOf(f); return s != seen && s != figures })
	judged := len(clear) == 0 && !slices.ContainsFunc(heads, func(f finding.Finding) bool { return !beyondBudget(f) })
	if judged {
		clear = slices.Clone(heads)
	}
	if len(clear) == 0 {
		return fmt.Sprintf("none of %d differences in %s is clear", len(heads), finding.MetricName(heads[0].Metric))
	}
	slices.SortStableFunc(clear, func(a, b finding.Finding) int { return cmp.Compare(size(a), size(b)) })
	least, most := clear[0], clear[len(clear)-1]
	who, many := heads[0].Variant, variantsOf(heads) > 1
	if many {
		who = "tracing"
	}
	at := func(f finding.Finding) string {
		name := where(f)
		if many {
			name = f.Variant + " on " + name
		}
		if size := f.Absolute; size != nil && f.ByRatio() && f.Unit == "s" {
			return signedShare(f) + ", " + finding.FormatEstimate(*size, f.Unit, false) + " (" + name + ")"
		}
		return signedShare(f) + " (" + name + ")"
	}
	text := who + " changes " + finding.MetricName(most.Metric) + " by " + at(least)
	if figureOnly(most) || judged {
		text = finding.MetricName(most.Metric) + " with " + who + " differed by " + at(least)
	}
	if len(clear) > 1 {
		text += " to " + at(most)
	}
	if figureOnly(most) {
		text += ", without intervals"
	}
	if rest := len(heads) - len(clear); rest > 0 {
		text += fmt.Sprintf("; %d of %d not clear", rest, len(heads))
	}
	var beyond []string // of what is not clear: it may cost more than what is, or save more
	for _, f := range heads {
		unclear := !slices.ContainsFunc(clear, func(c finding.Finding) bool { return c.Variant == f.Variant && where(c) == where(f) })
		if unclear && (f.Shown() == nil || size(f) > size(most) || -size(f) > max(size(most), -size(least))) {
			beyond = append(beyond, at(f))
		}
	}
	if len(beyond) > 0 {
		text += ", among them " + FewNames(beyond)
	}
	return text
}

// beyondBudget reports whether a difference is seen by its own interval, and has no verdict since what was asked of it is whether it
// keeps to its budget.
func beyondBudget(f finding.Finding) bool { return f.Verdict.Budget != nil && standingOf(f) == unsure }

// ofWhat returns the metric of a headline.
func ofWhat(f finding.Finding) string {
	switch f.Metric {
	case metric.Capacity:
		return "of the capacity"
	case metric.TimePerCall:
		return "per call"
	case metric.Slope:
		return "per further call in depth"
	}
	return "CPU per operation"
}

// addsText is "adds 54 %", "saves 3 %", or of a capacity "costs 38 %".
func addsText(f finding.Finding) string {
	verb := "adds "
	switch {
	case f.Metric == metric.Capacity && size(f) < 0:
		verb = "costs "
	case f.Metric != metric.Capacity && size(f) < 0:
		verb = "saves "
	}
	return verb + share(f)
}

// searchedText says what the searches came to where there is no capacity to compare:
// the rates that were found, and why the others were not.
func searchedText(doc *finding.Document) string {
	var found, open []string
	for _, f := range doc.Searches {
		at := "with " + f.Variant + " on " + cell.AtOf(f.Operation, f.Parameter).String() + " "
		if f.Rate != nil {
			found = append(found, at+f.Text)
			continue
		}
		open = append(open, at+f.Ended)
	}
	if len(open) == 0 {
		return "the capacity cannot be compared: too few blocks have a search of both sides"
	}
	text := "the capacity cannot be compared: " + FewNames(open)
	if len(found) > 0 {
		text += "; " + FewNames(found)
	}
	return text
}

// headlines are the findings that the sentence is made of.
func headlines(findings []finding.Finding) []finding.Finding {
	var out []finding.Finding
	for _, f := range findings {
		if f.Headline {
			out = append(out, f)
		}
	}
	return out
}

// stepClause is what the one variant that is also compared with another one costs more than that: the answer to "did this change
// make it dearer?". There is none where several are.
func stepClause(doc *finding.Document, heads []finding.Finding) []string {
	var steps []finding.Finding
	for _, f := range doc.Findings {
		extra := len(doc.Experiment.Variants) > 0 && f.Against != "" && f.Against != doc.Experiment.Variants[0].Name
		if extra && len(heads) > 0 && f.Metric == heads[0].Metric && f.Role == "" && f.Service == "" && !doc.NotTracing(&f) {
			steps = append(steps, f)
		}
	}
	if len(steps) != 1 {
		return nil
	}
	text := ofOne(steps[0])
	if over := " over " + steps[0].Against; !strings.Contains(text, over) {
		text = steps[0].Variant + over + ": " + text
	}
	return []string{text}
}

func nothing(doc *finding.Document) string {
	switch {
	case doc.Runs.Good == 0 && doc.Runs.Failed == 0:
		return "There is no run yet: nothing can be compared."
	case FailureOnTop(doc):
		return "No run succeeded: " + strings.TrimRight(doc.Runs.Failure[0], ".: ") + "."
	case doc.Runs.Good == 0:
		return "No run succeeded: nothing can be compared."
	case len(doc.Experiment.Variants) < 2:
		return "There is one variant only: nothing can be compared."
	}
	return "No block holds both a baseline and a variant: nothing can be compared."
}

// FailureOnTop reports whether the summary is the first of the failures.
func FailureOnTop(doc *finding.Document) bool {
	return doc.Runs.Good == 0 && len(doc.Runs.Failure) > 0 && len(doc.Searches) == 0 && len(headlines(doc.Findings)) == 0
}

// variantsOf returns the number of variants in headlines.
func variantsOf(heads []finding.Finding) int {
	names := map[string]bool{}
	for _, f := range heads {
		names[f.Variant] = true
	}
	return len(names)
}

// where names the operation of a headline, at its level.
func where(f finding.Finding) string { return cell.AtOf(f.Operation, f.Parameter).String() }

// rankedHeads are the headlines of variants that lost too few spans to matter, and the names
// of the others: with where, if they have some of both. Where all lost too many they are all
// that there is to tell.
func rankedHeads(doc *finding.Document, heads []finding.Finding) (kept []finding.Finding, excluded []string) {
	var lossy []finding.Finding
	for _, f := range heads {
		lost := slices.ContainsFunc(doc.Lossy, func(l finding.Lossy) bool {
			here := f.Metric == metric.Slope || cell.LevelOf(l.Parameter) == cell.LevelOf(f.Parameter)
			return l.Variant == f.Variant && l.Operation == f.Operation && here
		})
		if lost {
			lossy = append(lossy, f)
		} else {
			kept = append(kept, f)
		}
	}
	if len(kept) == 0 {
		return heads, nil
	}
	for _, f := range lossy {
		name := f.Variant
		if slices.ContainsFunc(kept, func(k finding.Finding) bool { return k.Variant == f.Variant }) {
			name += " on " + where(f)
		}
		if !slices.Contains(excluded, name) {
			excluded = append(excluded, name)
		}
	}
	return kept, excluded
}

// wholeHeads are the headlines of variants that leave out no step of tracing, and no trace.
func wholeHeads(doc *finding.Document, heads []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(slices.Clone(heads), func(f finding.Finding) bool {
		return slices.ContainsFunc(doc.Experiment.Variants, func(v finding.Variant) bool { return v.Name == f.Variant && v.Partial })
	})
}
