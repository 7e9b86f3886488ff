// Differences between two results that forbid a comparison.

package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/wording"
)

// machineFacts are the facts that two machines must share, by their keys in
// environment.json.
var machineFacts = []struct{ key, name string }{
	{"os", "operating system"}, {"arch", "architecture"}, {"cpu_model", "CPU"}, {"cpus", "number of CPUs"},
	{"kernel", "kernel"}, {"hypervisor", "virtual machine"},
}

// look compares what was measured and where, for every new result.
func (c *comparison) look() {
	for i, doc := range c.in.News {
		before, after := c.names[0], c.names[i+1]
		what := experimentsDiffer(c.in.Base, doc, before, after)
		if sameRuns(c.in.Base, doc) {
			what = append(what, fmt.Sprintf("%s and %s hold the same runs: nothing was measured between them", before, after))
		}
		c.refused = append(c.refused, what...)
		for _, text := range what {
			c.warn("compare-different", "warning", text, "only what both have is compared; results of one experiment need no --force")
		}
		where := machinesDiffer(c.in.Base, doc, before, after)
		c.refused = append(c.refused, where...)
		if len(where) > 0 {
			c.elsewhere = true
			c.warn("compare-elsewhere", "warning", strings.Join(where, "; "),
				"costs in percent depend on the machine too: run both results on one machine, one after the other")
		}
		c.remarks(doc, before, after)
	}
}

func (c *comparison) warn(code, severity, text, advice string) {
	c.warnings = append(c.warnings, finding.Warning{Code: code, Severity: severity, Text: text, Advice: advice})
}

// experimentsDiffer lists what makes two results answers to different questions.
func experimentsDiffer(base, other *finding.Document, before, after string) []string {
	a, b := base.Experiment, other.Experiment
	var out []string
	differ := func(name, x, y string) {
		if x != y {
			out = append(out, fmt.Sprintf("the %s differs: %s in %s, %s in %s", name, wordOr(x), before, wordOr(y), after))
		}
	}
	differ("workload", a.Workload, b.Workload)
	differ("load", a.Load, b.Load)
	differ("set of operations", strings.Join(sorted(a.Operations), ", "), strings.Join(sorted(b.Operations), ", "))
	differ("baseline", baselineText(a), baselineText(b))
	differ("order", orderText(a), orderText(b))
	differ("set of operations without room for all variants at once", inTurn(base), inTurn(other))
	differ("set of faults", strings.Join(a.Faults, ", "), strings.Join(b.Faults, ", "))
	return out
}

// sameRuns reports whether two results rest on the same runs: a copy, or one result
// given twice. No two experiments begin at the same moment and find the same.
func sameRuns(a, b *finding.Document) bool {
	began := a.Environment["started"]
	return began != nil && began == b.Environment["started"] && reflect.DeepEqual(a.Findings, b.Findings)
}

// orderText returns the order of the load within a block. Figures of variants that live at the same
// time differ from those of variants that have the machine to themselves.
func orderText(e finding.Experiment) string { return cmp.Or(e.Order, "apart") }

// inTurn names the operations whose CPU was measured in turn although the order would measure it together, given room.
func inTurn(doc *finding.Document) string {
	var out []string
	for _, w := range doc.Warnings {
		if w.Code == "in-turn" {
			out = append(out, w.Where)
		}
	}
	return strings.Join(sorted(out), ", ")
}

func wordOr(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func sorted(names []string) []string {
	out := slices.Clone(names)
	slices.Sort(out)
	return out
}

// baselineText is a baseline with its settings: it must be the same, because it is
// what the machine's drift is seen by.
func baselineText(e finding.Experiment) string {
	if len(e.Variants) == 0 {
		return ""
	}
	return strings.Join(append([]string{e.Variants[0].Name + " (tracer " + e.Variants[0].Tracer + ")"}, settingsText(e.Variants[0])...), ", ")
}

func settingsText(v finding.Variant) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(v.Settings)) {
		out = append(out, name+" "+v.Settings[name])
	}
	return out
}

// machinesDiffer lists in what the machines differ.
func machinesDiffer(base, other *finding.Document, before, after string) []string {
	var out []string
	for _, fact := range machineFacts {
		x, y := base.Environment[fact.key], other.Environment[fact.key]
		if fact.key == "kernel" {
			x, y = major(x), major(y)
		}
		if x != nil && y != nil && !reflect.DeepEqual(x, y) {
			out = append(out, fmt.Sprintf("the machines differ in their %s: %v in %s, %v in %s", fact.name, x, before, y, after))
		}
	}
	return out
}

// major is the first number of a kernel's version.
func major(kernel any) any {
	text, ok := kernel.(string)
	if !ok || text == "" {
		return nil
	}
	first, _, _ := strings.Cut(text, ".")
	return first
}

// Differences between two results that are worth knowing, and no reason to refuse.

// remarks lists permitted differences, and what only one of the results has.
func (c *comparison) remarks(doc *finding.Document, before, after string) {
	base := c.in.Base
	if kernels := [2]string{factText(base, "kernel"), factText(doc, "kernel")}; kernels[0] != kernels[1] {
		c.warn("compare-kernel", "note", fmt.Sprintf("the kernel is %s in %s and %s in %s", kernels[0], before, kernels[1], after), "a kernel may change what tracing costs")
	}
	if tools := [2]string{toolOf(base), toolOf(doc)}; tools[0] != tools[1] {
		c.warn("compare-tool", "note", fmt.Sprintf("%s was made by tracetax %s, %s by %s", before, tools[0], after, tools[1]), "use one version for both")
	}
	for _, text := range ratesDiffer(base.Experiment, doc.Experiment, before, after) {
		c.warn("compare-rate", "warning", text, "the pilots found other rates: where the cost of an operation depends on the rate, name the rate (load: {rate: …}) in both")
	}
	if a, b := base.Experiment, doc.Experiment; atOnce(a) && atOnce(b) && len(a.Variants) != len(b.Variants) {
		c.warn("compare-company", "warning", fmt.Sprintf("%d variants had their load at once in %s, and %d in %s", len(a.Variants), before, len(b.Variants), after),
			"what an operation costs depends on how busy its CPU is: measure the same variants, or only those that are compared (--variants)")
	}
	for _, side := range []struct {
		has, lacks *finding.Document
		name, not  string
	}{{base, doc, before, after}, {doc, base, after, before}} {
		var alone []string
		for _, v := range side.has.Experiment.Variants {
			if !slices.ContainsFunc(side.lacks.Experiment.Variants, func(o finding.Variant) bool { return o.Name == v.Name }) {
				alone = append(alone, v.Name)
			}
		}
		if len(alone) > 0 {
			c.warn("compare-partial", "note", fmt.Sprintf("%s has %s, which %s has not", side.name, strings.Join(alone, ", "), side.not), "variants are matched by their names")
		}
		if side.has.Quick {
			c.warn("compare-quick", "warning", side.name+" was a quick run", "its windows and its warm-up are short: run it without --quick for numbers to act on")
		}
	}
	for _, one := range []struct {
		doc  *finding.Document
		name string
	}{{base, before}, {doc, after}} {
		if n := graveWarnings(one.doc); n > 0 && (one.doc != base || doc == c.in.News[0]) {
			c.warn("compare-warned", "warning", fmt.Sprintf("%s has %s of its own", one.name, wording.Counted(n, "warning")), "read them: tracetax report "+wording.Quoted(one.doc.Results))
		}
	}
}

// atOnce reports whether the variants of a block had their load at the same time.
func atOnce(e finding.Experiment) bool {
	return e.Order == string(config.Paired) || e.Order == string(config.Woven)
}

// rateApart bounds the difference of the rates of two pilots, as a ratio less 1.
const rateApart = 0.02

// ratesDiffer lists the operations that were asked at different rates, though the
// load that was asked for is the same: a share of what pilots found.
func ratesDiffer(a, b finding.Experiment, before, after string) []string {
	var out []string
	for _, operation := range slices.Sorted(maps.Keys(a.Rates)) {
		x, y := a.Rates[operation], b.Rates[operation]
		if x > 0 && y > 0 && max(x, y)/min(x, y) > 1+rateApart {
			out = append(out, fmt.Sprintf("%s was asked at %s in %s and at %s in %s", operation,
				finding.FormatValue(x, "1/s"), before, finding.FormatValue(y, "1/s"), after))
		}
	}
	return out
}

func factText(doc *finding.Document, key string) string {
	text, _ := doc.Environment[key].(string)
	return text
}

// graveWarnings counts a result's warnings that are more than notes.
func graveWarnings(doc *finding.Document) int {
	n := 0
	for _, w := range doc.Warnings {
		if w.Severity != "note" && w.From == "" {
			n++
		}
	}
	return n
}

// settingsChanged lists the variants of both that are set differently: "otel:
// processor batch → simple".
func settingsChanged(base, other *finding.Document) []string {
	var out []string
	for _, v := range base.Experiment.Variants {
		at := slices.IndexFunc(other.Experiment.Variants, func(o finding.Variant) bool { return o.Name == v.Name })
		if at < 0 {
			continue
		}
		w := other.Experiment.Variants[at]
		if v.Tracer != w.Tracer {
			out = append(out, fmt.Sprintf("%s: tracer %s → %s", v.Name, v.Tracer, w.Tracer))
		}
		names := slices.Sorted(maps.Keys(v.Settings))
		for _, name := range slices.Sorted(maps.Keys(w.Settings)) {
			if _, has := v.Settings[name]; !has {
				names = append(names, name)
			}
		}
		for _, name := range names {
			if v.Settings[name] != w.Settings[name] {
				out = append(out, fmt.Sprintf("%s: %s %s → %s", v.Name, name, wordOr(v.Settings[name]), wordOr(w.Settings[name])))
			}
		}
	}
	return out
}

// toolOf is the version of tracetax that analysed a result, and that which measured it
// where that is another.
func toolOf(d *finding.Document) string {
	if measured := factText(d, "tool"); measured != "" && measured != d.Tool {
		return d.Tool + " (measured by " + measured + ")"
	}
	return d.Tool
}

// Reasons against comparing two findings.

// silent reports whether a finding is shown without ever having a verdict.
func silent(f *finding.Finding) bool {
	return f.Verdict.Kind == finding.None && len(f.Verdict.Reasons) == 0
}

// doubts notes the reasons of either result against its own figure.
func (one *change) doubts(c *comparison, index int, f, g *finding.Finding) {
	for i, side := range []*finding.Finding{f, g} {
		name := c.names[0]
		if i == 1 {
			name = c.names[index+1]
		}
		switch {
		case side.Verdict.Kind == finding.Overloaded, slow(side) && metric.Must(side.Metric).Nature == metric.Latency:
			one.overloaded = told(side, name)
		case (withheld(side) || slow(side)) && one.doubt == nil:
			one.doubt = told(side, name)
		}
		doc := c.in.Base
		if i == 1 {
			doc = c.in.News[index]
		}
		if idle := claim.Idle(doc, side); idle != nil && one.doubt == nil {
			idle.Result, one.doubt = name, idle
		}
	}
	if slow(g) && !slow(f) && g.Verdict.Reason().Variant == g.Variant {
		one.broken = told(g, c.names[index+1])
	}
}

// slow reports whether a side of a figure could not hold the rate.
func slow(f *finding.Finding) bool { return f.Verdict.Reason().Code == finding.WhyOverloaded }

// told returns a result's reason against its own figure.
func told(f *finding.Finding, name string) *finding.Reason {
	reason := f.Verdict.Reason()
	reason.Result = name
	return &reason
}

// flattered returns the reasons why the newer side of a change looks cheaper than it is, and dearer; or
// nil. The side that looks cheaper lost over 1 % more of its spans than the other, or may have, or the
// other's baseline did: it did less work.
func (c *comparison) flattered(index int, f, g *finding.Finding) (cheaper, dearer *finding.Reason) {
	if f.Operation == "" && !finding.IsOfLoad(f.Metric) || f.Metric == metric.DeliveredShare || f.Metric == metric.DeliveredRate {
		return nil, nil // of the whole run; or that is what it is about
	}
	const matters = 1 - finding.Lossless
	allowed := matters
	for _, limit := range c.in.Budget {
		if limit.Metric == metric.LostShare {
			allowed = max(allowed, limit.Value)
		}
	}
	older, newer := worker{c.in.Base, f, f.Variant}, worker{c.in.News[index], g, g.Variant}
	cheaper, dearer = newer.lostMore(older, allowed), older.lostMore(newer, matters)
	if c.mode == finding.ByVariants {
		return cheaper, dearer // they have one baseline
	}
	older.variant, newer.variant = f.Against, g.Against
	return cmp.Or(cheaper, older.lostMore(newer, matters)), cmp.Or(dearer, newer.lostMore(older, matters))
}

// worker is a variant that a finding of a result is about.
type worker struct {
	doc     *finding.Document
	of      *finding.Finding
	variant string
}

// lostMore returns a reason if a variant lost more of its spans than another, beyond the allowed share, or may have lost more
// than the other may have; else nil. If the numbers of both vary equally, equally many may be lost.
func (w worker) lostMore(than worker, allowed float64) *finding.Reason {
	code := finding.WhyLostMore
	share, other := w.doc.LostShareOf(w.of, w.variant), than.doc.LostShareOf(than.of, than.variant)
	if share-other <= allowed {
		code = finding.WhyMayLostMore
		share, other = w.doc.LostMostOf(w.of, w.variant), than.doc.LostMostOf(than.of, than.variant)
	}
	if share-other <= allowed {
		return nil
	}
	return &finding.Reason{
		Code: code, Variant: w.variant, Result: lastParts(w.doc.Results, 1), Against: than.variant, AgainstResult: lastParts(than.doc.Results, 1),
		Figures: []finding.Figure{{Name: "share", Value: share, Unit: "1"}, {Name: "other", Value: other, Unit: "1"}},
	}
}

// unseenLoss returns a reason if spans lost in traces that chance hides may break a limit on
// additional losses; nil if the limit is surely kept, or surely broken.
func unseenLoss(older *finding.Document, f *finding.Finding, newer *finding.Document, g *finding.Finding, allowed float64) *finding.Reason {
	before, after := sampledLedger(older, f), sampledLedger(newer, g)
	if before == nil && after == nil {
		return nil
	}
	if before == nil {
		before = &finding.Ledger{LostShare: 1 - float64(f.Value), LostMost: 1 - float64(f.Value)}
	}
	if after == nil {
		after = &finding.Ledger{LostShare: 1 - float64(g.Value), LostMost: 1 - float64(g.Value)}
	}
	most := after.LostMost - before.LostShare
	if most <= allowed || after.LostShare-before.LostMost > allowed {
		return nil
	}
	return &finding.Reason{Code: finding.WhyHiddenLoss, Figures: []finding.Figure{{Name: "share", Value: most, Unit: "1"}}}
}

// sampledLedger returns the ledger of a finding's operation and variant; nil if sampling is not random.
func sampledLedger(doc *finding.Document, f *finding.Finding) *finding.Ledger {
	for i := range doc.Ledgers {
		if l := &doc.Ledgers[i]; l.Operation == f.Operation && l.Variant == f.Variant && l.ByChance {
			return l
		}
	}
	return nil
}

// withheld reports whether there is a reason against the figure itself, and not
// only against a verdict on it.
func withheld(f *finding.Finding) bool {
	v := f.Verdict
	noRatio := v.Reason().Code == finding.WhyNoRatio || v.Reason().Code == finding.WhyNotAbove
	return claim.Withheld(v) && !noRatio
}

// modesBetween returns a reason if the ratios of one result fall into modes that the
// other's do not have: a single shift does not describe that change. Modes count if
// they are further apart than the error of a single ratio.
func modesBetween(before, after string, ratios *claim.Evidence, off float64) *finding.Reason {
	report := stats.Modes(ratios.Base.Map(math.Exp).Values(), ratios.Value.Map(math.Exp).Values())
	modes, ofBase := claim.Divided(report, off, 0)
	if modes == nil {
		return nil
	}
	reason := &finding.Reason{Code: finding.WhyCostModes, Result: after}
	if ofBase {
		reason.Result = before
	}
	for _, m := range modes {
		reason.Figures = append(reason.Figures, finding.Figure{Name: "share", Value: m.Share, Unit: "1"}, finding.Figure{Name: "cost", Value: m.Center - 1, Unit: "1"})
	}
	return reason
}
