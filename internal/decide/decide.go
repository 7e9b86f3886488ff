// Package decide owns the choice among ways of tracing: it places each between what it shows and what it costs, and makes CPUs
// and requests of per cent. It is pure: the same findings give the same decisions. It must not know records, nor how a decision
// is shown.
package decide

import (
	"maps"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/metric"
)

// alike is the share of another way's traces that a way has to keep to count as keeping as many: two shares of 10 % by chance
// are never the same.
const alike = 0.95

// Rates tells what became of the rates of a load.
type Rates interface {
	Offered(at cell.At) float64                              // operations/s; 0 where there was no rate
	BelowRate(variant string, at cell.At) (missed, runs int) // in how many of its runs a variant did not hold it
	BlockSeconds() float64                                   // time that a block takes; 0 where it is not known
}

// Decisions are those of a document, one for each operation at each level that was asked at a rate. Ask is the confidence to ask
// of intervals.
func Decisions(doc *finding.Document, rates Rates, ask claim.Ask) []finding.Decision {
	if len(doc.Experiment.Variants) == 0 {
		return nil
	}
	base := doc.Experiment.Variants[0].Name
	var out []finding.Decision
	costs := map[cell.At][]*finding.Finding{}
	var order []cell.At
	for i := range doc.Findings {
		f := &doc.Findings[i]
		if f.Metric != metric.CPUPerOperation || f.Charged() != "" || f.Operation == "" || f.Against != base || f.Uncompared {
			continue
		}
		if doc.NotTracing(f) {
			continue // what it costs is not what tracing costs
		}
		at := cell.AtOf(f.Operation, f.Parameter)
		if costs[at] == nil {
			order = append(order, at)
		}
		costs[at] = append(costs[at], f)
	}
	for _, at := range order {
		offered := rates.Offered(at)
		if offered <= 0 {
			continue
		}
		d := decision(doc, costs[at], offered, ask)
		d.Seconds = rates.BlockSeconds()
		if d.Reached == 0 {
			d.Missed = missed(rates, d.Baseline, at)
		}
		for i := range d.Ways {
			if w := &d.Ways[i]; w.Standing != finding.CannotHold {
				w.Missed = missed(rates, w.Variant, at)
			}
		}
		out = append(out, d)
	}
	return out
}

// missed is how often a variant did not hold the rate; nil where it always did.
func missed(rates Rates, variant string, at cell.At) *finding.Missed {
	if n, runs := rates.BelowRate(variant, at); n > 0 {
		return &finding.Missed{Missed: n, Runs: runs}
	}
	return nil
}

// decision is that of one operation; costs are what the variants cost it.
func decision(doc *finding.Document, costs []*finding.Finding, rate float64, ask claim.Ask) finding.Decision {
	first := costs[0]
	d := finding.Decision{Operation: first.Operation, Parameter: first.Parameter, Baseline: first.Against, Rate: rate}
	base, _ := claim.Sides(first.Samples)
	d.Carries, d.Blocks = carries(base, ask), len(first.Samples)
	for _, f := range costs {
		_, value := claim.Sides(f.Samples)
		w := finding.Way{
			Variant: f.Variant, Kept: keptOf(doc, f), Picks: picks(doc, f), InBudget: inBudget(doc, f),
			Relative: f.Relative, CPU: Times(f.Absolute, rate), Carries: carries(value, ask),
		}
		if who, reached := overloaded(doc, f); who == f.Against {
			d.Reached = reached
		} else if who != "" {
			w.Standing, w.Reached = finding.CannotHold, reached
		}
		if lost, unknown := doc.LostOf(f, f.Variant), doc.UnknownLossOf(f, f.Variant); w.Standing == "" && lost != nil {
			w.Standing, w.Lost = finding.LosesSpans, lost.LostShare
		} else if w.Standing == "" && unknown != nil {
			w.Standing, w.Lost = finding.MayLoseSpans, unknown.LostMost
		}
		if w.Picks {
			w.Failed = failed(doc, f)
		}
		d.Ways = append(d.Ways, w)
	}
	place(&d)
	d.Whole, d.Choice = whole(&d), choice(&d)
	for i, f := range costs {
		if w := &d.Ways[i]; d.Whole != "" && w.Variant != d.Whole && sound(&d, w) {
			w.Saves = saved(f, costs[slices.IndexFunc(costs, func(c *finding.Finding) bool { return c.Variant == d.Whole })], ask)
			if w.Standing == finding.OnFrontier && keepsAll(w) {
				w.Needs = needed(w.Saves, len(f.Samples))
			}
		}
	}
	return d
}

// Times is an interval in another unit, of which one holds so many of these.
func Times(i *finding.Interval, by float64) *finding.Interval {
	if i == nil {
		return nil
	}
	out := finding.Interval{Estimate: by * i.Estimate}
	if i.Low != nil && i.High != nil {
		low, high := by**i.Low, by**i.High
		out.Low, out.High = &low, &high
	}
	return finite(out)
}

// finite is an interval, or nil where a figure of it is too large for a number.
func finite(i finding.Interval) *finding.Interval {
	for _, x := range []*float64{&i.Estimate, i.Low, i.High} {
		if x != nil && (math.IsInf(*x, 0) || math.IsNaN(*x)) {
			return nil
		}
	}
	return &i
}

// carries is how many operations/s one CPU carries, by the CPU seconds that one takes in each block; nil where that is not above zero.
func carries(each claim.Figures, ask claim.Ask) *finding.Interval {
	i := claim.Paired(each, false, ask).Interval(claim.Confidence)
	if i == nil || i.Estimate <= 0 {
		return nil
	}
	out := finding.Interval{Estimate: 1 / i.Estimate}
	if i.Low != nil && i.High != nil && *i.Low > 0 {
		low, high := 1 / *i.High, 1 / *i.Low
		out.Low, out.High = &low, &high
	}
	return finite(out)
}

// keptOf is the share of an operation's traces that a variant keeps. Where nothing decides on traces, and none of the spans was
// left out, all are kept.
func keptOf(doc *finding.Document, f *finding.Finding) finding.Number {
	for i := range doc.Findings {
		if k := &doc.Findings[i]; k.Metric == metric.KeptShare && beside(k, f) && k.Value.Known() {
			return k.Value
		}
	}
	l := ledgerOf(doc, f)
	if l == nil {
		return finding.NotKnown()
	}
	var expected, came, out int64
	for _, e := range l.Entries {
		switch e.Name {
		case ledger.Expected.String():
			expected = e.Spans
		case ledger.Delivered.String():
			came = e.Spans
		case ledger.SampledOut.String(), ledger.DecidedOut.String(), ledger.SampledOnWay.String(), ledger.NotExported.String():
			out += e.Spans
		}
	}
	switch lost := doc.LostOf(f, f.Variant); {
	case out == 0 && lost == nil && came > 0:
		return 1
	case expected <= 0:
		return finding.NotKnown()
	}
	return finding.Number(min(1, float64(came)/float64(expected)))
}

// beside reports whether a finding is of the same pair, on the same operation at the same level, as another.
func beside(a, b *finding.Finding) bool {
	return a.Variant == b.Variant && a.Against == b.Against && a.Operation == b.Operation && maps.Equal(a.Parameter, b.Parameter)
}

// ledgerOf is the account of a variant's spans on the operation of a finding; nil where there is none.
func ledgerOf(doc *finding.Document, f *finding.Finding) *finding.Ledger {
	i := slices.IndexFunc(doc.Ledgers, func(l finding.Ledger) bool { return l.Variant == f.Variant && l.Operation == f.Operation })
	if i < 0 {
		return nil
	}
	return &doc.Ledgers[i]
}

// picks reports whether a tracer or a hop decided on traces by what is in them. A hop that passes on all counts none as kept.
func picks(doc *finding.Document, f *finding.Finding) bool {
	l := ledgerOf(doc, f)
	return l != nil && (slices.ContainsFunc(l.Pages, func(p finding.Page) bool { return p.KeptTraces != nil && *p.KeptTraces > 0 }) ||
		slices.ContainsFunc(l.Entries, func(e finding.Entry) bool { return e.Name == ledger.DecidedOut.String() && e.Spans > 0 }))
}

// failed is the share of a variant's requests that were answered with an error of the server; nil where no status of HTTP is known.
func failed(doc *finding.Document, f *finding.Finding) *float64 {
	bad, all := uint64(0), uint64(0)
	for _, a := range doc.Answers {
		if a.Variant != f.Variant || a.Operation != f.Operation || !maps.Equal(a.Parameter, f.Parameter) {
			continue
		}
		for status, n := range a.Statuses {
			if status < 100 {
				return nil // of gRPC
			}
			if all += n; status >= 500 {
				bad += n
			}
		}
	}
	if all == 0 {
		return nil
	}
	share := float64(bad) / float64(all)
	return &share
}

// overloaded is who of a pair could not hold the rate, and the operations/s that it reached; "" where both did.
func overloaded(doc *finding.Document, f *finding.Finding) (who string, reached float64) {
	for i := range doc.Findings {
		other := &doc.Findings[i]
		if !beside(other, f) {
			continue
		}
		for _, r := range slices.Concat(other.Verdict.Reasons, other.Notes) {
			if r.Code == finding.WhyOverloaded || r.Code == finding.NoteOtherRate {
				return r.Variant, r.Figure("reached")
			}
		}
	}
	return "", 0
}

// inBudget is the worst of a variant's verdicts on budgets, those of the whole run among them; None where there is no budget.
func inBudget(doc *finding.Document, f *finding.Finding) finding.Kind {
	worst := -1
	order := []finding.Kind{finding.Within, finding.CannotTell, finding.Overloaded, finding.Over}
	for i := range doc.Findings {
		other := &doc.Findings[i]
		if other.Verdict.Budget != nil && other.Variant == f.Variant && (other.Operation == "" || beside(other, f)) {
			worst = max(worst, slices.Index(order, other.Verdict.Kind))
		}
	}
	if worst < 0 {
		return finding.None
	}
	return order[worst]
}

// saved is the share of what one way adds that another does not: the centre of the shares within blocks. It is nil where the
// first is not sure to add anything.
func saved(f, whole *finding.Finding, ask claim.Ask) *finding.Interval {
	if whole.Absolute == nil || whole.Absolute.Low == nil || *whole.Absolute.Low <= 0 {
		return nil
	}
	added := map[int]float64{}
	for _, s := range whole.Samples {
		added[s.Block] = s.Value - s.Baseline
	}
	var shares claim.Figures
	for _, s := range f.Samples {
		of, both := added[s.Block]
		if !both {
			continue
		}
		if of <= 0 {
			return nil // of nothing there is no share
		}
		v := 1 - (s.Value-s.Baseline)/of
		shares = append(shares, claim.Figure{Block: s.Block, Low: v, Mid: v, High: v})
	}
	if i := claim.Paired(shares, false, ask).Interval(claim.Confidence); i != nil {
		return finite(*i)
	}
	return nil
}

// mostNeeded is the most blocks that are worth a difference: what needs more is alike.
const mostNeeded = 100

// needed is how many blocks in all may tell a share from nothing, as an interval narrows with the root of their number; 0 where
// these do, or nobody would make so many.
func needed(i *finding.Interval, blocks int) int {
	if i == nil || i.Low == nil || i.High == nil || *i.Low > 0 || *i.High < 0 || i.Estimate == 0 {
		return 0
	}
	beyond := *i.High - i.Estimate
	if i.Estimate > 0 {
		beyond = i.Estimate - *i.Low
	}
	all := math.Ceil(float64(blocks) * math.Pow(beyond/i.Estimate, 2))
	if all > mostNeeded {
		return 0
	}
	return max(blocks+1, int(all))
}

// place gives each way its place that has none yet.
func place(d *finding.Decision) {
	var placed []*finding.Way
	for i := range d.Ways {
		switch w := &d.Ways[i]; {
		case w.Standing != "":
		case d.Reached > 0 || !w.Kept.Known() || w.CPU == nil || w.CPU.Low == nil || w.CPU.High == nil:
			w.Standing = finding.NotPlaced
		default:
			w.Standing = finding.OnFrontier
			placed = append(placed, w)
		}
	}
	for _, w := range placed {
		var best *finding.Way
		for _, other := range placed {
			if dominates(other, w) && (best == nil || other.CPU.Estimate < best.CPU.Estimate) {
				best = other
			}
		}
		if best != nil {
			w.Standing, w.By = finding.Dominated, best.Variant
		}
	}
}

// dominates reports whether a way is better than another: it shows at least as much, and its interval lies wholly below.
func dominates(a, b *finding.Way) bool {
	if *a.CPU.High >= *b.CPU.Low {
		return false
	}
	if b.Picks && !a.Picks { // traces by chance are no match for those that were chosen, unless there are all of them
		return keepsAll(a)
	}
	return float64(a.Kept) >= alike*float64(b.Kept)
}

// keepsAll reports whether a way keeps every trace, but for what no ranking counts as lost.
func keepsAll(w *finding.Way) bool { return w.Kept.Known() && float64(w.Kept) >= finding.Lossless }

// sound reports whether a way did all of its work, at the rate of the others.
func sound(d *finding.Decision, w *finding.Way) bool {
	did := w.Standing == finding.OnFrontier || w.Standing == finding.Dominated || w.Standing == finding.NotPlaced
	return did && d.Reached == 0 && w.CPU != nil && w.Kept.Known()
}

// whole is the cheapest way that keeps every trace; "" where none does.
func whole(d *finding.Decision) string {
	return cheapest(d, keepsAll)
}

// choice is the way within all budgets that keeps most traces, and of several that keep as many the cheapest; "" where none is
// within, or there is no budget.
func choice(d *finding.Decision) string {
	most := finding.Number(0)
	for i := range d.Ways {
		if w := &d.Ways[i]; w.InBudget == finding.Within && sound(d, w) {
			most = max(most, w.Kept)
		}
	}
	return cheapest(d, func(w *finding.Way) bool {
		return w.InBudget == finding.Within && float64(w.Kept) >= alike*float64(most)
	})
}

// cheapest is the cheapest of some sound ways; "" where there is none.
func cheapest(d *finding.Decision, of func(*finding.Way) bool) string {
	best, name := math.Inf(1), ""
	for i := range d.Ways {
		if w := &d.Ways[i]; sound(d, w) && of(w) && w.CPU.Estimate < best {
			best, name = w.CPU.Estimate, w.Variant
		}
	}
	return name
}
