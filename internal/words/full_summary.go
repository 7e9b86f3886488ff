// This file puts all that a result comes to into one sentence.

package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
)

// fewVariants is how many variants the sentence names one by one.
const fewVariants = 3

// FullSummary says what tracing costs, in one sentence. least is the fewest blocks that an
// interval needs.
func FullSummary(doc *finding.Document, least int) string {
	all := headlines(doc.Findings)
	traced := tracedHeads(doc, all)
	heads, apart := rankedHeads(doc, traced)
	if len(heads) == 0 && len(doc.Searches) > 0 {
		clauses := slices.Concat([]string{searchedText(doc)}, budgetClause(doc), untracedClause(doc), suppressedClause(doc))
		return opening(doc) + strings.Join(clauses, "; ") + "."
	}
	if len(all) == 0 {
		return nothing(doc)
	}
	var clauses []string
	byVariant, many := group(heads), "the %d variants"
	if whole := wholeHeads(doc, heads); len(byVariant) > fewVariants && len(whole) > 0 && len(whole) < len(heads) {
		heads, many = whole, "the %d variants that make all steps of tracing"
		byVariant = group(heads)
	}
	untraced := untracedClause(doc)
	if len(heads) == 0 {
		clauses = append(clauses, untraced...)
	} else if name := fmt.Sprintf(many, len(byVariant)); len(byVariant) > fewVariants {
		clauses = append(clauses, span(subject{name: name, with: "with " + name, many: true}, heads))
	} else {
		for _, one := range byVariant {
			clauses = append(clauses, clause(who(doc, one[0].Variant), one))
		}
	}
	clauses = append(clauses, gapsClause(doc, all)...)
	clauses = append(clauses, budgetClause(doc)...)
	if len(heads) > 0 {
		clauses = append(clauses, untraced...)
	}
	if text, calms := lossClause(doc); text != "" && (len(untraced) == 0 || !calms) {
		clauses = append(clauses, text)
	}
	clauses = append(clauses, suppressedClause(doc)...)
	clauses = append(clauses, lossyBaseline(doc)...)
	if len(apart) > 0 {
		clauses = append(clauses, "excluded from the ranking, because they lost spans: "+FewNames(apart))
	}
	if slices.ContainsFunc(heads, figureOnly) {
		clauses = append(clauses, "an interval needs at least "+Blocks(least))
	}
	return opening(doc) + strings.Join(clauses, "; ") + "."
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
		open = append(open, at+strings.TrimPrefix(f.Text, f.Goal+": "))
	}
	if len(open) == 0 {
		return "the capacity cannot be compared: too few blocks hold a search of both sides"
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

func nothing(doc *finding.Document) string {
	switch {
	case doc.Runs.Good == 0 && doc.Runs.Failed == 0:
		return "There is no run yet: nothing can be compared."
	case doc.Runs.Good == 0:
		if len(doc.Runs.Failure) > 0 {
			_, cause, _ := strings.Cut(doc.Runs.Failure[0], ": ")
			return "No run succeeded: " + strings.TrimRight(strings.TrimSpace(cause), ".: ") + "."
		}
		return "No run succeeded: nothing can be compared."
	case len(doc.Experiment.Variants) < 2:
		return "There is one variant only: nothing can be compared."
	}
	return "No block holds both a baseline and a variant: nothing can be compared."
}

func opening(doc *finding.Document) string {
	if doc.Experiment.Workload == "" {
		return "On this program, "
	}
	return "On " + doc.Experiment.Workload + ", "
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

// budgetClause says how the budget was kept.
func budgetClause(doc *finding.Document) []string {
	var over, open, kept []string
	for _, f := range doc.Findings {
		if f.Verdict.Budget == nil {
			continue
		}
		name := strings.TrimSuffix(finding.MetricName(f.Metric)+" of "+f.Variant+" on "+where(f), " on ")
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
		return []string{"over budget: " + FewNames(over)}
	case len(open) > 0:
		return []string{"it cannot be told whether the budget is kept by " + FewNames(open)}
	case len(kept) > 0:
		return []string{"within the budget"}
	}
	return nil
}
