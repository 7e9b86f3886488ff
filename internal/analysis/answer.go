// This file puts the headline into one sentence.
package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

// fewVariants is how many variants the sentence names one by one.
const fewVariants = 3

// answer says what tracing costs, in one sentence. least is the fewest blocks that an
// interval needs.
func answer(doc *finding.Document, least int) string {
	all := headlines(doc.Findings)
	heads, apart := rankedHeads(doc, all)
	if len(heads) == 0 && len(doc.Searches) > 0 {
		clauses := slices.Concat([]string{searchedText(doc)}, budgetClause(doc), untracedClause(doc), unsentClause(doc))
		return opening(doc) + strings.Join(clauses, "; ") + "."
	}
	if len(heads) == 0 {
		return nothing(doc)
	}
	var clauses []string
	byVariant, many := group(heads), "the %d variants"
	if whole := wholeHeads(doc, heads); len(byVariant) > fewVariants && len(whole) > 0 && len(whole) < len(heads) {
		heads, many = whole, "the %d variants that make all steps of tracing"
		byVariant = group(heads)
	}
	if name := fmt.Sprintf(many, len(byVariant)); len(byVariant) > fewVariants {
		clauses = append(clauses, span(subject{name: name, with: "with " + name, many: true}, heads))
	} else {
		for _, one := range byVariant {
			clauses = append(clauses, clause(who(doc, one[0].Variant), one))
		}
	}
	clauses = append(clauses, gapsClause(doc, all)...)
	clauses = append(clauses, budgetClause(doc)...)
	untraced := untracedClause(doc)
	clauses = append(clauses, untraced...)
	if text, calms := lossClause(doc); text != "" && (len(untraced) == 0 || !calms) {
		clauses = append(clauses, text)
	}
	clauses = append(clauses, unsentClause(doc)...)
	clauses = append(clauses, lossyBaseline(doc)...)
	if len(apart) > 0 {
		clauses = append(clauses, "listed apart, because they lost spans: "+fewNames(apart))
	}
	if slices.ContainsFunc(heads, figureOnly) {
		clauses = append(clauses, "an interval needs at least "+blocks(least))
		if doc.Quick {
			clauses[len(clauses)-1] += " and no --quick"
		}
	}
	return opening(doc) + strings.Join(clauses, "; ") + "."
}

// searchedText says what the searches came to where there is no capacity to compare:
// the rates that were found, and why the others were not.
func searchedText(doc *finding.Document) string {
	var found, open []string
	for _, f := range doc.Searches {
		at := "with " + f.Variant + " on " + cell{f.Operation, levelOf(f.Parameter)}.String() + " "
		if f.Rate != nil {
			found = append(found, at+f.Text)
			continue
		}
		open = append(open, at+strings.TrimPrefix(f.Text, f.Goal+": "))
	}
	if len(open) == 0 {
		return "the capacity cannot be compared: too few blocks hold a search of both sides"
	}
	text := "the capacity cannot be compared: " + fewNames(open)
	if len(found) > 0 {
		text += "; " + fewNames(found)
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

// lossClause says what became of the spans; "" where none were to be delivered. It calms where
// it tells of none that was lost, or may have been: not beside operations of which no span came.
func lossClause(doc *finding.Document) (text string, calms bool) {
	if slices.ContainsFunc(doc.Searches, func(f finding.Search) bool { return f.Kind == string(spec.GoalLossless) }) {
		return "", true // spans were lost on purpose
	}
	known, surplus, blind, unsure := 0, false, false, false
	worst, where := 0.0, ""
	for i := range doc.Ledgers {
		l := &doc.Ledgers[i]
		due := entry(*l, ledger.Expected) - entry(*l, ledger.SampledOut) - entry(*l, ledger.NotExported)
		if l.Operation == ledger.All || l.Operation == ledger.Start || l.Operation == ledger.Stop {
			continue
		}
		if due <= 0 && l.LostShare == 0 {
			blind = blind || unexpected(*l)
			continue
		}
		known++
		least, most, _ := lossEnds(*l)
		unsure = unsure || most-least > 1-lossless
		surplus = surplus || entry(*l, ledger.Unaccounted) < 0
		if share, at := mostLost(doc, l); share > worst {
			worst, where = share, at
		}
	}
	atRates, found := lossAtRates(doc)
	switch {
	case atRates != "":
		return atRates, false
	case known == 0:
		return "", true
	case found && worst > 0:
		return "at the rates found no span was lost", true // beyond them, where probes overload the service, is no news
	case worst > 0:
		return fmt.Sprintf("up to %s of the spans were lost (%s)", finding.FormatValue(worst, "1"), where), false
	case surplus:
		return "more spans came than were expected", true
	case unsure:
		return "no span was lost for sure, but their number varies too much to tell", true
	case blind:
		return "no span was lost where it is known how many were to come", true
	}
	return "no span was lost", true
}

// mostLost is the share of its spans that the variant of a ledger lost on its operation, and
// where: what lists it apart, at the level where it is most, or else the ledger's own, which has
// the warm-up too.
func mostLost(doc *finding.Document, l *finding.Ledger) (share float64, where string) {
	if apart := doc.Lost(l.Operation, nil, l.Variant); apart != nil {
		return apart.LostShare, l.Variant + " on " + cell{l.Operation, levelOf(apart.Parameter)}.String()
	}
	where = l.Variant + " on " + l.Operation
	if l.LostShare > 1-lossless {
		where += ", the warm-up included"
	}
	return l.LostShare, where
}

// lossyBaseline says where the baseline lost spans: what is held against it looks dear.
func lossyBaseline(doc *finding.Document) []string {
	var out []string
	for _, l := range doc.Lossy {
		if len(doc.Experiment.Variants) > 0 && l.Variant == doc.Experiment.Variants[0].Name {
			out = append(out, finding.FormatValue(l.LostShare, "1")+" on "+cell{l.Operation, levelOf(l.Parameter)}.String())
		}
	}
	if len(out) == 0 {
		return nil
	}
	return []string{"the baseline itself lost spans (" + fewNames(out) + "), so that it looks cheaper than it is"}
}

// came reports whether any span of a search did: otherwise there is no tracer, or a dark one.
func came(doc *finding.Document, search *finding.Search) bool {
	return slices.ContainsFunc(doc.Ledgers, func(l finding.Ledger) bool {
		return l.Variant == search.Variant && l.Operation == search.Operation && entry(l, ledger.Delivered) > 0
	})
}

// unexpected reports whether spans came of which it is not known how many were to come.
func unexpected(l finding.Ledger) bool {
	known := slices.ContainsFunc(l.Entries, func(e finding.Entry) bool { return e.Name == ledger.Expected })
	return !known && entry(l, ledger.Delivered) > 0
}

// lossAtRates says what was lost at the rates that were found, and of which it is not known;
// "" where none was lost. It reports whether it is known of any.
func lossAtRates(doc *finding.Document) (text string, known bool) {
	var most *finding.Search
	var unknown []string
	for i := range doc.Searches {
		switch l := &doc.Searches[i]; {
		case l.LostShare != nil && (most == nil || *l.LostShare > *most.LostShare):
			most = l
		case l.LostShare == nil && slices.Contains(l.Outcomes, string(record.Found)) && came(doc, l):
			unknown = append(unknown, l.Variant+" on "+cell{l.Operation, levelOf(l.Parameter)}.String())
		}
	}
	var clauses []string
	if most != nil && *most.LostShare > 0 {
		clauses = append(clauses, fmt.Sprintf("at the rates found, up to %s of the spans were lost (%s on %s)", finding.FormatValue(*most.LostShare, "1"), most.Variant, most.Operation))
	}
	if len(unknown) > 0 {
		clauses = append(clauses, "how many spans were lost at the rate found is not known of "+fewNames(unknown))
	}
	return strings.Join(clauses, "; "), most != nil
}
