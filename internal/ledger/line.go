// The account of one stretch, a line.

package ledger

import (
	"maps"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// line is the closed account of one stretch.
type line struct {
	operation  string
	operations uint64
	unsure     uint64  // operations that may have made fewer spans: they failed
	unasked    uint64  // readiness requests that failed: another program may have answered them
	ofUnasked  float64 // spans that these may have made
	known      bool    // whether it is known how many spans to expect
	basis      string  // how it is known how many spans to expect
	expected   between
	due        between          // those that should arrive
	missing    between          // due less the explained
	spans      [figures]float64 // by fate and remark
	reports    set              // which losses the tracer reports
	gaps       set              // of these, which it does not report of some of the runs: so many are known at least
	ofStart    bool             // whether more drops than missing spans may be of the start, whose spans are not known
	exact      bool
	chance     chance
	traced     bool // the tracer counts the traces that it samples: chance has no part in it

	agreed       uint64           // operations that agreed on the number; 0: it is taken as it stands
	perOperation float64          // spans, where they agreed
	varies       bool             // traces came that have more spans than any was known to have
	doubted      bool             // what is missing may not have been made
	moved        float64          // of the delivered: came at the stop, or while a later operation was made; below 0: were of an earlier one
	atStop       float64          // of these, at the stop
	guessed      float64          // reported as lost, and put down to this line though it may miss none
	crossed      bool             // spans that came may be those of others, or those that did not
	others       float64          // of the delivered: may be those of others, so as many of its own may be lost
	background   map[string]int64 // spans of other work, by the name of the root

	services map[string]service // whose spans they are; nil: not sure

	hops       []record.Hop // what the hops report in the stretch
	perTrace   float64      // spans of each trace; 0: not known, or they differ
	kept       traces       // where hops decide on traces: those that came
	unreported bool         // one of them, or the tracer, does not report how many it left out
	counted    bool         // the left out are known by counts alone, which include copies
}

// put puts spans down to a fate.
func (l *line) put(f Fate, spans float64) {
	l.spans[f] += spans
	if f == Delivered || f == Merged || f == Suppressed {
		l.moved, l.atStop = l.moved+spans, l.atStop+spans
	}
	switch {
	case f == Delivered:
		l.spans[cameLate] += spans
		l.exact = l.exact && spans == 0
	case f == FailedSend && spans > 0: // the sink refused them, where the tracer does not report it
		l.reports |= only(f)
	}
}

// chance is the outcome of random sampling: traces seen, the band they belong in, and the spans of
// the traces that may have been lost whole within it.
type chance struct {
	traces, trials, low, high uint64
	hidden                    float64
}

// listed returns the line of a stretch whose spans are only listed.
func listed(s Stretch) line {
	l := line{operation: s.Operation, operations: s.Started, hops: s.Hops}
	l.spans[Delivered], l.spans[Duplicated] = float64(s.Sink.Unique()), float64(s.Sink.Duplicate)
	l.spans[Merged], l.spans[Suppressed], l.spans[idless] = float64(s.Sink.Merged), float64(s.Sink.Suppressed), float64(unchecked(s.Sink))
	return l
}

// sum returns the number of spans that the sink counts: delivered, merged into those, or not
// sent by the tracer's own limit.
func (l line) sum() float64 { return l.spans[Delivered] + l.spans[Merged] + l.spans[Suppressed] }

// widen adds spans to those that are expected, and so to those that are missing.
func (l *line) widen(by between) {
	l.expected, l.due, l.missing = l.expected.plus(by), l.due.plus(by), l.missing.plus(by)
}

// middle is the number of spans to expect where it lies between two ends.
func (l line) middle() float64 {
	if l.unsure > 0 {
		return l.expected.high
	}
	return (l.expected.low + l.expected.high) / 2
}

// The numbers of spans of an operation that should have arrived in a run, and that did.

// Delivery counts the spans of an operation in one run: Due should have arrived, as far as is known; Delivered did, by
// themselves or merged into others; LostAtMost may be lost, at least Due less Delivered, without whole traces that chance may
// hide. LeftOut were left out on purpose, as the tracer and the hops report; they are in none of the others. OfOthers of the
// delivered may be late ones of other operations: as many more may be lost, and are in LostAtMost.
type Delivery struct{ Due, Delivered, LostAtMost, LeftOut, OfOthers float64 }

// Share is the delivered share, 0 to 1; 1 where nothing was due.
func (d Delivery) Share() float64 {
	if d.Due <= 0 {
		return 1
	}
	return math.Min(1, d.Delivered/d.Due)
}

// Deliveries returns the deliveries of runs by operation, by the rules of Account.
// Operations are absent if in some run the number of their spans is unknown, or whether any was
// to arrive.
func Deliveries(t Tracing, runs ...Run) map[string]Delivery {
	if t.random() && len(runs) > 1 && !t.ReportsTraced(runs...) {
		runs = []Run{together(runs)}
	}
	out, unknown := map[string]Delivery{}, map[string]bool{}
	for _, run := range runs {
		for _, l := range linesOf(run, t) {
			if l.operation == shared {
				continue
			}
			came, sum := l.spans[Delivered]+l.spans[Merged], out[l.operation]
			out[l.operation] = Delivery{
				Due: sum.Due + came + l.lost(), Delivered: sum.Delivered + came, LostAtMost: sum.LostAtMost + l.lostAtMost(), LeftOut: sum.LeftOut + l.spans[SampledOnWay] + l.spans[DecidedOut],
				OfOthers: sum.OfOthers + l.others,
			}
			unknown[l.operation] = unknown[l.operation] || !l.known || l.due.low <= 0 && l.due.high > 0
		}
	}
	maps.DeleteFunc(out, func(operation string, _ Delivery) bool { return unknown[operation] })
	return out
}

// larger takes note of traces that have more spans than any had in the calibration. They were
// made, so they make up for none that is missing; and there may be more of them, as rare as
// they came among so many traces, which lost some. A declared number they contradict only where others are missing.
func (l *line) larger(s Stretch, per PerOperation, of float64) {
	if !per.exact() || per.Roots == nil || !tells(s.Sink, 1) {
		return
	}
	traces, spans, most := s.Sink.Shapes.Larger(per.Roots, per.Cold.in(s))
	extra, many, top := float64(spans), float64(traces), float64(most)
	if per.Above > 0 && most <= per.Above {
		l.exact, l.basis = false, Inferred
		l.widen(between{extra, extra + float64(per.Above)*math.Min(math.Max(0, of-many), per.further(many, of))})
		return
	}
	if extra == 0 || per.How == Declared && l.missing.high+extra <= 0 {
		return
	}
	l.varies, l.exact, l.basis = true, false, Inferred
	l.widen(between{extra, extra + top*math.Min(chanced(many), math.Max(0, of-many))})
}

// showAbsent puts down to lines the parents of spans that came, which never came themselves. So
// many were lost for sure, whatever came besides. A parent may come later than its children,
// until the stop.
func showAbsent(lines []line, run Run, t Tracing) {
	came := float64(run.Start.Sink.Absent + run.Stop.Sink.Absent)
	rooms := make([]float64, len(lines))
	rooms[len(lines)-1] = math.Max(0, float64(run.Start.Sink.Absent))
	for i, s := range run.Phases {
		came += float64(s.Sink.Absent)
		rooms[i] = math.Max(0, float64(s.Sink.Absent))
	}
	got, _ := share(came, rooms)
	for i, s := range run.Phases {
		l := &lines[i]
		if got[i] <= 0 || !l.known || l.unsure > 0 || t.none() || !t.per(s).Parents || s.Sink.Merged+s.Sink.Suppressed > 0 || leavesOut(s.Hops) || run.unreported(t) {
			continue
		}
		l.spans[absent] = got[i]
		by := between{math.Max(0, l.spans[absent]-l.missing.low), math.Max(0, l.spans[absent]-l.missing.high)}
		l.exact = l.exact && by.high == 0
		l.widen(by)
	}
}

// doubt takes it that what is missing was never made, as far as the operations that agreed leave
// it possible and nothing shows that it was lost.
func (l *line) doubt(operations uint64) {
	room := math.Floor(l.missing.low - l.spans[absent])
	if !l.known || room <= 0 || l.agreed == 0 && !l.varies {
		return
	}
	if !l.varies {
		others := math.Floor(rare(l.agreed) * float64(operations))
		room = math.Min(room, math.Floor(others*l.perOperation))
	}
	if room <= 0 {
		return
	}
	l.doubted, l.exact = true, false
	l.widen(between{-room, 0})
	l.due.low = math.Max(0, l.due.low)
}

// endDoubt ends the doubt of spans that the tracer admits to have lost: they were made, and no hop left them out.
func (l *line) endDoubt() {
	if by := min(l.spans[copied], l.spans[copied]-l.missing.high); by > 0 {
		l.spans[SampledOnWay] -= by
		l.spans[copied] -= by
		l.missing.low += by
	}
	if !l.doubted {
		return
	}
	if by := math.Min(0, l.missing.high) - l.missing.low; by > 0 {
		l.missing.low += by
		l.expected.low += by
		l.due.low += by
	}
}

// Missing spans by service: the number of spans of each service is learnt with that of the operation.

// byService returns the number of spans of each service that one of so many operations makes; nil if operations differ, or
// spans of other work are among them.
func byService(c record.Counts, others map[string]int64, operations uint64) map[string]uint64 {
	if len(others) > 0 || c.Duplicate > 0 || operations == 0 {
		return nil
	}
	var sum uint64
	out := map[string]uint64{}
	for service, spans := range c.Services {
		if spans%operations != 0 {
			return nil
		}
		out[service], sum = spans/operations, sum+spans
	}
	if sum != c.Spans || sum == 0 {
		return nil
	}
	return out
}

// sameServices merges two calibrations.
func sameServices(a, b map[string]uint64) map[string]uint64 {
	if !maps.Equal(a, b) {
		return nil
	}
	return a
}

// service counts the spans of one service in a stretch: those that should come, and that came.
type service struct{ due, came float64 }

// servicesOf are the services of a stretch; nil where it is not sure whose its spans are.
func servicesOf(s Stretch, per PerOperation, others map[string]int64) map[string]service {
	var sum uint64
	for _, spans := range per.Services {
		sum += spans
	}
	if !per.exact() || sum != uint64(per.Low) || s.Started != s.Completed || s.Resent > 0 || len(others) > 0 || s.Sink.Duplicate > 0 {
		return nil
	}
	out := map[string]service{}
	for name, spans := range per.Services {
		out[name] = service{due: float64(spans * s.Started)}
	}
	for name, spans := range s.Sink.Services {
		one, known := out[name]
		if !known && spans > 0 {
			return nil
		}
		one.came = float64(spans)
		out[name] = one
	}
	return out
}

// addServices adds those of a run, as far as they are known of all runs.
func (p *page) addServices(l line) {
	if l.services == nil || l.spans[cameLate] > 0 || p.runs > 1 && p.services == nil {
		p.services = nil
		return
	}
	sum := map[string]service{}
	for name, one := range l.services {
		before := p.services[name]
		sum[name] = service{before.due + one.due, before.came + one.came}
	}
	p.services = sum
}

// missing lists the services, where there are several and spans of any did not come.
func (p *page) missingOf() []finding.ServiceSpans {
	if len(p.services) < 2 || p.spans[SampledOnWay]+p.spans[DecidedOut] > 0 { // the services of those left out on purpose are unknown
		return nil
	}
	var out []finding.ServiceSpans
	short := false
	for _, name := range slices.Sorted(maps.Keys(p.services)) {
		one := p.services[name]
		short = short || one.came < one.due
		out = append(out, finding.ServiceSpans{Service: name, Expected: whole(one.due), Delivered: whole(one.came)})
	}
	if !short {
		return nil
	}
	return out
}
