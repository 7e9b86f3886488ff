// Operations that a tracer does not trace: its cost there is not the cost of tracing.

package delivery

import (
	"math"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/wording"
)

// byChance bounds the probability that sampling alone has kept no trace.
const byChance = 0.001

// Untraced are the operations of a variant that should have sent spans and sent none, by
// what the variant is meant to do: no span is sent by intent, nor declared to be made, nor may
// sampling have kept none by chance, nor is the variant on other processes alone (on:). It reports too whether that is so of all operations of
// which some should have come.
func (b *Accounts) Untraced(variant string) (none []finding.Ledger, all bool) {
	t := b.Tracing[variant]
	if t.Silent || t.Sampling <= 0 || !b.traces(variant) {
		return nil, false
	}
	nothing, some := b.cameOf(variant) == 0, false
	for _, l := range b.Ledgers {
		own := l.Operation != ledger.Start && l.Operation != ledger.Stop && l.Operation != ledger.All
		if l.Variant != variant || !own || l.Operations == 0 {
			continue
		}
		dark := nothing || b.isDark(l)
		some = some || !dark
		if per, known := t.Spans[l.Operation]; known && per.How == ledger.Declared && per.High == 0 {
			continue
		}
		if !nothing && (b.skips(variant, l.Operation) || b.cameLate(variant)) {
			continue
		}
		if dark && math.Pow(1-t.Sampling, float64(l.Operations)) <= byChance {
			none = append(none, l)
		}
	}
	return none, len(none) > 0 && !some
}

// skips reports whether a variant leaves the process that an operation asks untraced on purpose.
func (b *Accounts) skips(variant, operation string) bool {
	return slices.ContainsFunc(b.Experiment.Variants, func(v config.Variant) bool {
		return v.Name == variant && slices.ContainsFunc(b.Experiment.Operations, func(o program.Operation) bool {
			return o.Name == operation && v.Skips(o, b.Experiment.Workload)
		})
	})
}

// cameLate reports whether spans of an operation without any may have come with those of another one.
func (b *Accounts) cameLate(variant string) bool {
	var runs []ledger.Run
	for _, r := range b.All[variant] {
		runs = append(runs, ledger.FromRecord(r.Record))
	}
	return ledger.CameLate(b.Tracing[variant], runs...)
}

// isDark reports whether nothing is known of spans of an operation, lost ones included, where
// some came of the run.
func (b *Accounts) isDark(l finding.Ledger) bool {
	came := ledger.Spans(l, ledger.Delivered) + ledger.Spans(l, ledger.Merged) + ledger.Spans(l, ledger.Suppressed) + ledger.Spans(l, ledger.DecidedOut) + ledger.Spans(l, ledger.SampledOnWay) + ledger.Reported(l)
	if !ledger.Expects(l) && b.leftOut(l.Variant) > 0 {
		return false // some of those may have been of it
	}
	return came == 0 && ledger.Spans(l, ledger.Unaccounted) <= 0
}

// leftOut returns the number of spans of a variant that its tracer and its hops report as left out on purpose.
func (b *Accounts) leftOut(variant string) uint64 {
	var n uint64
	for _, r := range b.All[variant] {
		n += saidBy(r.Tracer.Sampled)
		for _, hop := range r.Hops {
			n += saidBy(hop.Sampled)
		}
	}
	return n
}

// cameOf returns the number of spans that came of a variant in all of its measured runs, those included that
// the sink threw away by order, and that the tracer or a hop left out on purpose.
func (b *Accounts) cameOf(variant string) uint64 {
	n := b.leftOut(variant)
	for _, r := range b.All[variant] {
		n += r.Life.Sum() + r.Life.Thrown
		for _, p := range r.Phases {
			came := p.Came()
			n += came.Sum() + came.Thrown
		}
	}
	return n
}

// traces reports whether spans of a variant should come: the sink is not gone on purpose, and the variant has a tracer
// or its configuration names the sink.
func (b *Accounts) traces(variant string) bool {
	for i, v := range b.Variants {
		if v.Name == variant {
			return b.Experiment.FaultsOf(v).SinkGone == "" && (v.TracerName() != program.NoTracer || i > 0 && knowsSink(v, b.Plans[variant]))
		}
	}
	return false
}

// UntracedOperations lists the operations of all variants without a span, and the whole
// run where that is so of all of them, with what is known of why.
func (b *Accounts) UntracedOperations() []finding.Untraced {
	var out []finding.Untraced
	for _, v := range b.Variants {
		none, all := b.Untraced(v.Name)
		if len(none) == 0 {
			continue
		}
		causes := b.CausesOf(v, none, all)
		var operations uint64
		for _, l := range none {
			out = append(out, finding.Untraced{Variant: v.Name, Operation: l.Operation, Operations: l.Operations, Causes: causes})
			operations += l.Operations
		}
		if all {
			out = append(out, finding.Untraced{Variant: v.Name, Operations: operations, Causes: causes})
		}
	}
	return out
}

// dimLedgers takes "nothing lost" from the ledgers of operations without a span.
func (b *Accounts) dimLedgers() {
	for _, v := range b.Variants {
		none, all := b.Untraced(v.Name)
		if all {
			none = append(none, finding.Ledger{Operation: ledger.All})
		}
		for i := range b.Ledgers {
			one := &b.Ledgers[i]
			here := slices.ContainsFunc(none, func(l finding.Ledger) bool { return l.Operation == one.Operation })
			if here && one.Variant == v.Name && one.LostShare == 0 {
				one.Outcome, one.Exact = []finding.Reason{{Code: finding.PageNoSpan}}, false
				one.Verdict = wording.Page(one.Outcome)
			}
		}
	}
}

// Reasons why no span came of a variant, from codes and counts that its runs kept.

// looked adds up the signs of a tracer in all good runs of a variant.
type looked struct {
	counts      record.Counts
	dropped     uint64
	failed      uint64
	runs        int // that looked at the processes, and whose spans were to come to the sink
	connections uint64
	processes   []record.ProcessSigns // by process, added up; each of Programs once
	seen        uint64                // programs that were looked at
	lacking     uint64
	loaded      uint64
}

// lookAt adds up the reports of a variant's runs.
func (b *Accounts) lookAt(variant string) looked {
	var out looked
	for _, block := range dataset.BlocksIn(b.All[variant]) {
		r := b.All[variant][block]
		out.counts = out.counts.Plus(r.Life)
		out.dropped += saidBy(r.Tracer.Dropped)
		out.failed += saidBy(r.Tracer.Failed)
		if r.Signs == nil {
			continue
		}
		for _, p := range r.Signs.Hops {
			out.add(p)
		}
		if len(r.Signs.Processes) == 0 && len(r.Signs.Hops) > 0 { // spans reached a hop
			continue
		}
		if r.Backend == nil { // of what connects to another the sink hears nothing
			out.runs++
			out.connections += r.Signs.Connections
		}
		for _, p := range r.Signs.Processes {
			out.add(p)
		}
	}
	return out
}

func saidBy(n *uint64) uint64 {
	if n == nil {
		return 0
	}
	return *n
}

func (l *looked) add(p record.ProcessSigns) {
	l.seen += uint64(len(p.Programs))
	l.lacking += uint64(p.Lacking)
	l.loaded += uint64(p.Loaded)
	i := slices.IndexFunc(l.processes, func(o record.ProcessSigns) bool { return o.Process == p.Process })
	if i < 0 {
		i = len(l.processes)
		l.processes = append(l.processes, record.ProcessSigns{Process: p.Process})
	}
	to := &l.processes[i]
	for _, name := range p.Programs {
		if !slices.Contains(to.Programs, name) {
			to.Programs = append(to.Programs, name)
		}
	}
	for _, sign := range p.Log {
		j := slices.IndexFunc(to.Log, func(o record.LogSign) bool { return o.Cause == sign.Cause })
		if j < 0 {
			to.Log = append(to.Log, sign)
			continue
		}
		to.Log[j].Lines += sign.Lines
		to.Log[j].Last = sign.Last
	}
}

// CausesOf returns the known reasons why no span came of some operations of a variant, or of all.
func (b *Accounts) CausesOf(v config.Variant, none []finding.Ledger, all bool) []finding.NoSpanBy {
	if !all {
		return b.causesBeside(v.Name, none)
	}
	l := b.lookAt(v.Name)
	var out []finding.NoSpanBy
	add := func(c finding.NoSpanBy) {
		if c.Count > 0 {
			c.Text = wording.Cause(c)
			out = append(out, c)
		}
	}
	if plan := b.Plans[v.Name]; plan != nil && !knowsSink(v, plan) && !plan.NamesSink() && len(plan.Files) == 0 {
		add(finding.NoSpanBy{Cause: finding.NotTold, Count: uint64(max(1, len(plan.Processes)))})
	}
	if v.Tracer != nil {
		add(l.otherLanguage(v.Tracer.Language))
		add(l.notLoaded(v.Tracer.Language))
	}
	add(finding.NoSpanBy{Cause: finding.NotInherited, Count: l.lacking, Of: l.seen})
	add(l.inLog(record.TracerFailed, finding.TracerFailed))
	add(finding.NoSpanBy{Cause: finding.Refused, Count: l.counts.Malformed + l.counts.Rejected, Log: finding.PlainText(l.counts.Refusal())})
	if l.counts.Requests+l.counts.Malformed == 0 {
		add(finding.NoSpanBy{Cause: finding.NotUnderstood, Count: l.connections})
	}
	export := l.inLog(record.ExportFailed, finding.ExportFailed)
	if export.Count == 0 {
		export.Count = l.failed
	}
	add(export)
	add(finding.NoSpanBy{Cause: finding.Dropped, Count: l.dropped})
	add(finding.NoSpanBy{Cause: finding.OtherSignals, Count: l.counts.Metrics + l.counts.Logs})
	if l.counts.Metrics+l.counts.Logs+l.counts.Rejected == 0 {
		add(finding.NoSpanBy{Cause: finding.Empty, Count: l.counts.Requests})
	}
	add(finding.NoSpanBy{Cause: finding.OnlyBefore, Count: b.learntSpans(v.Name)})
	if out == nil {
		add(finding.NoSpanBy{Cause: finding.NotInstrumented, Count: l.loaded, Of: l.seen})
	}
	if out == nil && l.runs > 0 {
		add(finding.NoSpanBy{Cause: finding.NotConnected, Count: uint64(l.runs)})
	}
	return out
}

// causesBeside returns the number of spans of the other operations: the tracer is there, and
// instruments nothing in these.
func (b *Accounts) causesBeside(variant string, none []finding.Ledger) []finding.NoSpanBy {
	one := finding.NoSpanBy{Cause: finding.NotInstrumented, Count: b.lookAt(variant).counts.Sum()}
	if one.Count == 0 {
		return nil
	}
	for _, l := range none {
		one.Names = append(one.Names, l.Operation)
	}
	one.Text = wording.Cause(one)
	return []finding.NoSpanBy{one}
}

// otherLanguage reports programs if none is of the tracer's language.
func (l looked) otherLanguage(language string) finding.NoSpanBy {
	one := finding.NoSpanBy{Cause: finding.OtherLanguage}
	begins, known := program.Programs[language]
	if !known || l.seen == 0 {
		return one
	}
	for _, p := range l.processes {
		for _, name := range p.Programs {
			if slices.ContainsFunc(begins, func(b string) bool { return strings.HasPrefix(strings.ToLower(name), b) }) {
				return one
			}
			one.Names = append(one.Names, name)
		}
	}
	one.Count, one.Of = l.seen, l.seen
	return one
}

// notLoaded reports programs of the tracer's language that do not load it.
func (l looked) notLoaded(language string) finding.NoSpanBy {
	one := finding.NoSpanBy{Cause: finding.NotLoaded}
	for _, p := range l.processes {
		if name := program.Heedless(language, p.Programs); name != "" {
			one.Names, one.Count, one.Process = append(one.Names, name), one.Count+1, p.Process
		}
	}
	return one
}

// inLog returns the log lines of a cause, from the process with the most.
func (l looked) inLog(cause record.Cause, as finding.NoSpanCause) finding.NoSpanBy {
	one := finding.NoSpanBy{Cause: as}
	for _, p := range l.processes {
		for _, sign := range p.Log {
			if sign.Cause == cause && sign.Lines > one.Count {
				one.Count, one.Process, one.Log = sign.Lines, p.Process, finding.PlainText(sign.Last)
			}
		}
	}
	return one
}

// Elsewhere are the processes, by variant, that sent spans elsewhere than to the sink in a measured run, or tried to.
func (b *Accounts) Elsewhere() []finding.Elsewhere {
	var out []finding.Elsewhere
	for _, v := range b.Variants {
		at := map[string]int{} // by process: its place in out
		for _, block := range dataset.BlocksIn(b.All[v.Name]) {
			for _, seen := range b.All[v.Name][block].Elsewhere {
				i, known := at[seen.Process]
				if !known {
					i = len(out)
					at[seen.Process], out = i, append(out, finding.Elsewhere{Variant: v.Name, Process: seen.Process, Of: len(b.All[v.Name])})
				}
				one := &out[i]
				one.To = append(one.To, seen.To...)
				slices.Sort(one.To)
				one.To = slices.Compact(one.To)
				if seen.Log != nil {
					one.Log = finding.PlainText(seen.Log.Last)
				}
				one.Runs++
			}
		}
	}
	for i := range out {
		out[i].Text = wording.Elsewhere(out[i])
	}
	return out
}

// learntSpans returns the number of spans in a variant's calibrations.
func (b *Accounts) learntSpans(variant string) uint64 {
	var n uint64
	for _, r := range b.Calibrations(variant) {
		if !r.Failed() {
			n += r.Life.Sum()
		}
	}
	return n
}
