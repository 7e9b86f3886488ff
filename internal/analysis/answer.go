// This file puts the headline into one sentence.
package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
)

// fewVariants is how many variants the sentence names one by one.
const fewVariants = 3

// answer says what tracing costs, in one sentence.
func answer(doc *finding.Document) string {
	heads := headlines(doc.Findings)
	if len(heads) == 0 {
		return nothing(doc)
	}
	var clauses []string
	byVariant := group(heads)
	if len(byVariant) > fewVariants {
		clauses = append(clauses, span(fmt.Sprintf("the %d variants", len(byVariant)), heads, true))
	} else {
		for _, one := range byVariant {
			clauses = append(clauses, clause(one))
		}
	}
	clauses = append(clauses, budgetClause(doc)...)
	if text := lossClause(doc); text != "" {
		clauses = append(clauses, text)
	}
	return opening(doc, heads) + strings.Join(clauses, "; ") + "."
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

func nothing(doc *finding.Document) string {
	switch {
	case doc.Runs.Good == 0 && doc.Runs.Failed == 0:
		return "There is no run yet: nothing can be compared."
	case doc.Runs.Good == 0:
		return "No run succeeded: nothing can be compared."
	case len(doc.Experiment.Variants) < 2:
		return "There is one variant only: nothing can be compared."
	}
	return "No block holds both a baseline and a variant: nothing can be compared."
}

func opening(doc *finding.Document, heads []finding.Finding) string {
	text := "On " + doc.Experiment.Workload + ", "
	if doc.Experiment.Workload == "" {
		text = "On this program, "
	}
	least := slices.MinFunc(heads, func(a, b finding.Finding) int { return cmp.Compare(a.Blocks, b.Blocks) })
	if heads[0].Absolute != nil && heads[0].Absolute.Low == nil {
		text += "in " + blocks(least.Blocks) + " (figures only), "
	}
	return text
}

// group collects the headlines by variant, in their order.
func group(heads []finding.Finding) [][]finding.Finding {
	var out [][]finding.Finding
	place := map[string]int{}
	for _, f := range heads {
		i, seen := place[f.Variant]
		if !seen {
			i = len(out)
			place[f.Variant] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], f)
	}
	return out
}

// clause says what one variant costs.
func clause(heads []finding.Finding) string {
	name := "tracing with " + heads[0].Variant
	if len(heads) == 1 {
		return name + " " + cost(heads[0]) + " on " + heads[0].Operation
	}
	return span(name, heads, false)
}

// cost is one headline in words.
func cost(f finding.Finding) string {
	const what = " of CPU per operation"
	if untold(f) {
		return "changes the CPU per operation by an amount that cannot be told (" + strings.TrimPrefix(f.Verdict.Text, "cannot tell: ") + ")"
	}
	size := *f.Absolute
	amount := finding.FormatValue(max(size.Estimate, -size.Estimate), f.Unit) + what
	if f.Relative != nil {
		amount += ", " + finding.FormatInterval(*f.Relative, f.Unit, true) + ","
	}
	if f.Verdict.Kind == finding.NoDifference {
		return "makes no difference in CPU per operation larger than " + strings.TrimPrefix(f.Verdict.Text, "no difference larger than ")
	}
	if size.Estimate < 0 {
		return "saves " + amount
	}
	return "costs " + amount
}

// span says what several headlines come to: the range, and the ends by name.
func span(who string, heads []finding.Finding, many bool) string {
	verb := func(one, more string) string {
		if many {
			return " " + more + " "
		}
		return " " + one + " "
	}
	told := slices.DeleteFunc(slices.Clone(heads), untold)
	if len(told) == 0 {
		return who + verb("changes", "change") + "the CPU per operation by an amount that cannot be told"
	}
	seen := slices.DeleteFunc(slices.Clone(told), unseen)
	if len(seen) == 0 {
		return who + verb("makes", "make") + "no difference in CPU per operation larger than " + largestBound(told) + except(heads, many)
	}
	slices.SortStableFunc(seen, func(a, b finding.Finding) int { return cmp.Compare(size(a), size(b)) })
	least, most := seen[0], seen[len(seen)-1]
	text := fmt.Sprintf("between %s (%s) and %s (%s, %s) more CPU per operation", share(least), named(least, many), share(most), named(most, many), amount(most))
	if len(seen) == 1 {
		text = fmt.Sprintf("%s more CPU per operation (%s, %s)", share(most), named(most, many), amount(most))
	}
	if len(seen) < len(told) {
		text += ", with no difference larger than " + largestBound(told) + " elsewhere"
	}
	return who + verb("costs", "cost") + text + except(heads, many)
}

// unseen reports whether no difference was seen.
func unseen(f finding.Finding) bool { return f.Verdict.Kind == finding.NoDifference }

// untold reports whether there is a reason against the figure itself, not only
// too few blocks for a verdict.
func untold(f finding.Finding) bool {
	v := f.Verdict
	return f.Absolute == nil || v.Kind == finding.CannotTell && v.Low == nil && v.MoreBlocks == 0 && f.Absolute.Low != nil
}

// except names those of which nothing can be told.
func except(heads []finding.Finding, many bool) string {
	var names []string
	for _, f := range heads {
		if untold(f) {
			names = append(names, named(f, many))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (it cannot be told for " + fewNames(names) + ")"
}

// size orders headlines: relative where there is a ratio.
func size(f finding.Finding) float64 {
	switch {
	case f.Relative != nil:
		return f.Relative.Estimate
	case f.Absolute != nil:
		return f.Absolute.Estimate
	}
	return 0
}

func largestBound(heads []finding.Finding) string {
	worst, text := -1.0, ""
	for _, f := range heads {
		if f.Verdict.Bound != nil && *f.Verdict.Bound > worst {
			worst = *f.Verdict.Bound
			text = finding.FormatBound(worst, f.Unit, f.Relative != nil)
		}
	}
	return text
}

// share is a headline's size: relative where there is a ratio.
func share(f finding.Finding) string {
	if f.Relative != nil {
		return finding.FormatValue(f.Relative.Estimate, "1")
	}
	return amount(f)
}

func amount(f finding.Finding) string { return finding.FormatValue(f.Absolute.Estimate, f.Unit) }

func named(f finding.Finding, many bool) string {
	if many {
		return f.Variant + " on " + f.Operation
	}
	return f.Operation
}

// budgetClause says how the budget was kept.
func budgetClause(doc *finding.Document) []string {
	var over, open, kept []string
	for _, f := range doc.Findings {
		if f.Verdict.Budget == nil {
			continue
		}
		name := strings.TrimSuffix(f.Metric+" of "+f.Variant+" on "+f.Operation, " on ")
		switch f.Verdict.Kind {
		case finding.Over:
			over = append(over, name)
		case finding.Within:
			kept = append(kept, name)
		default:
			open = append(open, name)
		}
	}
	switch {
	case len(over) > 0:
		return []string{"over budget: " + fewNames(over)}
	case len(open) > 0:
		return []string{"it cannot be told whether the budget is kept by " + fewNames(open)}
	case len(kept) > 0:
		return []string{"within the budget"}
	}
	return nil
}

// fewNames lists some names and the number of the others.
func fewNames(names []string) string {
	const most = 2
	if len(names) <= most {
		return strings.Join(names, " and ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// lossClause says what became of the spans; "" where none were to be delivered.
func lossClause(doc *finding.Document) string {
	known, surplus := 0, false
	var worst *finding.Ledger
	for i := range doc.Ledgers {
		l := &doc.Ledgers[i]
		due := entry(*l, ledger.Expected) - entry(*l, ledger.SampledOut) - entry(*l, ledger.NotExported)
		if l.Operation == ledger.All || l.Operation == ledger.Start || l.Operation == ledger.Stop || due <= 0 && l.LostShare == 0 {
			continue
		}
		known++
		surplus = surplus || entry(*l, ledger.Unaccounted) < 0
		if l.LostShare > 0 && (worst == nil || l.LostShare > worst.LostShare) {
			worst = l
		}
	}
	switch {
	case known == 0:
		return ""
	case worst != nil:
		return fmt.Sprintf("up to %s of the spans were lost (%s on %s)", finding.FormatValue(worst.LostShare, "1"), worst.Variant, worst.Operation)
	case surplus:
		return "more spans came than were expected"
	}
	return "no span was lost"
}
