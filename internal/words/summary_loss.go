// This file tells in the summary what became of the spans.

package words

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
)

// lossClause says what became of the spans; "" where none were to be delivered. It calms where
// it tells of none that was lost, or may have been: not beside operations of which no span came.
func lossClause(doc *finding.Document) (text string, calms bool) {
	if slices.ContainsFunc(doc.Searches, func(f finding.Search) bool { return f.Kind == string(config.GoalLossless) }) {
		return "", true // spans were lost on purpose
	}
	known, surplus, blind, unsure := 0, false, false, false
	mayBe := 0.0                      // the most that may have been lost of any
	var worst, hidden, slight shareAt // lost; may have been, in traces that chance hides; or of few operations
	for i := range doc.Ledgers {
		l := &doc.Ledgers[i]
		due := ledger.Spans(*l, ledger.Expected) - ledger.Spans(*l, ledger.SampledOut) - ledger.Spans(*l, ledger.SampledOnWay) - ledger.Spans(*l, ledger.NotExported)
		if l.Operation == ledger.All && ledger.BesideOperations(doc.Ledgers, l.Variant) != nil && l.LostShare > worst.share {
			known++
			worst = shareAt{l.LostShare, l.Variant + ", in the whole run"}
		}
		if l.Operation == ledger.All || l.Operation == ledger.Start || l.Operation == ledger.Stop {
			continue
		}
		if due <= 0 && l.LostShare == 0 {
			blind = blind || unexpected(*l)
			continue
		}
		known++
		least, most, _ := ledger.LossEnds(*l)
		if !l.ByChance {
			mayBe = max(mayBe, most)
		}
		switch {
		case !l.ByChance && finding.Matters(most-least):
			unsure = true
		case !l.ByChance:
			slight.raise(most, l)
		case doc.UnknownLoss(l.Operation, nil, l.Variant) != nil:
			unsure = true
		case most > least:
			hidden.raise(most, l)
		}
		surplus = surplus || ledger.Spans(*l, ledger.Unaccounted) < 0
		if share, at := mostLost(doc, l); share > worst.share {
			worst = shareAt{share, at}
		}
	}
	atRates, found := lossAtRates(doc)
	switch {
	case atRates != "":
		return atRates, false
	case known == 0:
		return "", true
	case found && worst.share > 0:
		return "at the rates found no span was lost", true // beyond them, where probes overload the service, is no news
	case worst.share > 0 && finding.Matters(mayBe-worst.share):
		return fmt.Sprintf("at least %s of the spans were lost (%s), and up to %s may have been", finding.FormatValue(worst.share, "1"), worst.where, finding.FormatValue(mayBe, "1")), false
	case worst.share > 0:
		return fmt.Sprintf("up to %s of the spans were lost (%s)", finding.FormatValue(worst.share, "1"), worst.where), false
	case surplus:
		return "more spans came than were expected", true
	case !unsure && unchecked(doc):
		return "as many spans came as were expected, without a look at their ids: whether duplicates make up for lost ones is not known", true
	case unsure:
		return "no span was lost for sure, but how many were to come is not known well enough to tell", true
	case hidden.share > 0:
		return fmt.Sprintf("all traces that came of the sampled are complete, but up to %s of the spans may have been lost in whole traces (%s)", finding.FormatValue(hidden.share, "1"), hidden.where), true
	case slight.share > 0:
		return fmt.Sprintf("no span was lost for sure, and at most %s of them may have been (%s)", finding.FormatValue(slight.share, "1"), slight.where), true
	case blind:
		return "no span was lost where it is known how many were to come", true
	}
	return "no span was lost", true
}

// unchecked reports whether spans of operations came of which nobody looked at the ids.
func unchecked(doc *finding.Document) bool {
	return slices.ContainsFunc(doc.Ledgers, func(l finding.Ledger) bool {
		return l.Unchecked > 0 && l.Operation != ledger.All && l.Operation != ledger.Start && l.Operation != ledger.Stop
	})
}

// mostLost is the share of its spans that the variant of a ledger lost on its operation, and
// where: what excludes it from the ranking, at the level where it is most, or else the ledger's own, which has
// the warm-up too.
func mostLost(doc *finding.Document, l *finding.Ledger) (share float64, where string) {
	if apart := doc.Lost(l.Operation, nil, l.Variant); apart != nil {
		where = l.Variant + " on " + cell.AtOf(l.Operation, apart.Parameter).String()
		if apart.Part != "" {
			where += ", " + apart.Part
		}
		return apart.LostShare, where
	}
	where = l.Variant + " on " + l.Operation
	if finding.Matters(l.LostShare) {
		where += ", the warm-up included"
	}
	return l.LostShare, where
}

// shareAt is the most of something that may be, and where.
type shareAt struct {
	share float64
	where string
}

func (m *shareAt) raise(share float64, l *finding.Ledger) {
	if share > m.share {
		*m = shareAt{share, l.Variant + " on " + l.Operation}
	}
}

// lossyBaseline says where the baseline lost spans: what is held against it looks dear.
func lossyBaseline(doc *finding.Document) []string {
	var out []string
	for _, l := range doc.Lossy {
		if len(doc.Experiment.Variants) > 0 && l.Variant == doc.Experiment.Variants[0].Name {
			out = append(out, finding.FormatValue(l.LostShare, "1")+" on "+cell.AtOf(l.Operation, l.Parameter).String())
		}
	}
	if len(out) == 0 {
		return nil
	}
	return []string{"the baseline itself lost spans (" + FewNames(out) + "), so that it looks cheaper than it is"}
}

// came reports whether any span of a search did: otherwise there is no tracer, or a dark one.
func came(doc *finding.Document, search *finding.Search) bool {
	return slices.ContainsFunc(doc.Ledgers, func(l finding.Ledger) bool {
		return l.Variant == search.Variant && l.Operation == search.Operation && ledger.Spans(l, ledger.Delivered) > 0
	})
}

// unexpected reports whether spans came of which it is not known how many were to come.
func unexpected(l finding.Ledger) bool {
	return !ledger.Expects(l) && ledger.Spans(l, ledger.Delivered) > 0
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
			unknown = append(unknown, l.Variant+" on "+cell.AtOf(l.Operation, l.Parameter).String())
		}
	}
	var clauses []string
	if most != nil && *most.LostShare > 0 {
		clauses = append(clauses, fmt.Sprintf("at the rates found, up to %s of the spans were lost (%s on %s)", finding.FormatValue(*most.LostShare, "1"), most.Variant, most.Operation))
	}
	if len(unknown) > 0 {
		clauses = append(clauses, "how many spans were lost at the rate found is not known of "+FewNames(unknown))
	}
	return strings.Join(clauses, "; "), most != nil
}

// suppressedClause says who suppressed how many of its spans at most.
func suppressedClause(doc *finding.Document) []string {
	most := map[string]float64{}
	cells := map[string]int{}
	var names []string
	for _, u := range doc.Suppressed {
		if _, known := most[u.Variant]; !known {
			names = append(names, u.Variant)
		}
		most[u.Variant] = max(most[u.Variant], u.Share)
		cells[u.Variant]++
	}
	if len(names) == 0 {
		return nil
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(most[b], most[a]) })
	for i, name := range names {
		upTo := ""
		if cells[name] > 1 {
			upTo = "up to "
		}
		names[i] = fmt.Sprintf("%s%s of the spans with %s", upTo, finding.FormatValue(most[name], "1"), name)
	}
	return []string{"the tracer's own limit suppressed " + FewNames(names)}
}

// This file says where spans were lost.

// Place says where spans were lost.
func Place(place string) string {
	switch place {
	case finding.LostByLimit:
		return "by a limit of the tracer's own"
	case finding.LostInQueue:
		return "in the tracer's queue"
	case finding.LostInStream:
		return "in the stream to the receiver"
	case finding.LostAtStop:
		return "at the stop"
	case finding.LostOnWay:
		return "at a hop on the way"
	case finding.LostAtSink:
		return "at the receiver"
	}
	return "nobody says where"
}

// Places are the shares that were lost, each with its place.
func Places(where []finding.LostAt) string {
	var places []string
	for _, p := range where {
		places = append(places, finding.FormatValue(p.Share, "1")+" "+Place(p.Place))
	}
	return strings.Join(places, ", ")
}

// Lost says how many spans were lost, and where.
func Lost(l finding.Lossy) string {
	text := finding.FormatValue(l.LostShare, "1") + " of the spans lost"
	if l.Part != "" {
		text += " " + l.Part
	}
	if l.Part == "" || len(l.Where) > 0 {
		text += ": " + Places(l.Where)
	}
	return text
}

// This file keeps figures out of the summary that are not what tracing costs, because no span
// came, and says of whom.

// tracedHeads are the headlines without those of which no span came on a side, or went elsewhere.
func tracedHeads(doc *finding.Document, heads []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(slices.Clone(heads), func(f finding.Finding) bool { return doc.NotTracing(&f) })
}

// untracedNames are the variants of which no span came of any operation, or of some.
func untracedNames(doc *finding.Document) []string {
	var out []string
	for _, v := range doc.Experiment.Variants {
		var operations []string
		for _, u := range doc.Untraced {
			if u.Variant == v.Name && u.Operation != "" {
				operations = append(operations, u.Operation)
			}
		}
		switch {
		case doc.IsUntraced(v.Name, ""):
			out = append(out, v.Name)
		case len(operations) > 0:
			out = append(out, v.Name+" on "+listed(operations))
		}
	}
	return out
}

// untracedClause says of whom no span came, and of whom spans went elsewhere; nothing where all came of all.
func untracedClause(doc *finding.Document) []string {
	names, elsewhere := untracedNames(doc), elsewhereNames(doc)
	there := " there"
	if len(tracedHeads(doc, headlines(doc.Findings))) == 0 {
		there = ""
	}
	var out []string
	if len(names) > 0 {
		out = append(out, "no span came with "+FewNames(names)+", so that what tracing costs"+there+" cannot be told")
	}
	if len(elsewhere) > 0 {
		out = append(out, FewNames(elsewhere)+" sent spans elsewhere than to the sink, so that what tracing costs"+there+" cannot be told")
	}
	return out
}

// elsewhereNames are the variants that sent spans elsewhere than to the sink.
func elsewhereNames(doc *finding.Document) []string {
	var out []string
	for _, v := range doc.Experiment.Variants {
		if doc.IsElsewhere(v.Name) {
			out = append(out, v.Name)
		}
	}
	return out
}

// This file tells, in the summary, what is particular to self-driving
// workloads: who is ranked.

// rankedHeads are the headlines of variants that lost too few spans to matter, and the names
// of the others: with where, if they have some of both. Where all lost too many they are all
// that there is to tell.
func rankedHeads(doc *finding.Document, heads []finding.Finding) (kept []finding.Finding, apart []string) {
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
		if !slices.Contains(apart, name) {
			apart = append(apart, name)
		}
	}
	return kept, apart
}

// perFurtherCall is what a slope is an amount of.
const perFurtherCall = "per further call in depth"

// wholeHeads are the headlines of variants that leave out no step of tracing, and no trace.
func wholeHeads(doc *finding.Document, heads []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(slices.Clone(heads), func(f finding.Finding) bool {
		return slices.ContainsFunc(doc.Experiment.Variants, func(v finding.Variant) bool { return v.Name == f.Variant && v.Partial })
	})
}
