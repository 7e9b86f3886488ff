// This file makes the account of one run: it charges missing spans to the losses that the tracer reports, and leaves the rest
// unaccounted.

package ledger

import (
	"math"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// linesOf returns the lines of a run: its phases, Start, Stop.
func linesOf(run Run, t Tracing) []line {
	if t.random() && !t.ReportsTraced(run) {
		run.Phases = unreported(run.Phases)
	}
	lines, begun := make([]line, 0, len(run.Phases)+2), run.begun(t)
	for _, s := range run.Phases {
		lines = append(lines, open(s, t, begun))
	}
	carried(lines, run, t)
	lines = append(lines, begin(run, t))
	doubtStart(lines, run, t)
	switch {
	case t.random() && !t.ReportsTraced(run):
	case t.Buffers > 0:
		moveBuffered(lines, float64(t.Buffers), float64(t.Besides))
	case t.Late:
		moveBuffered(lines, math.Inf(1), 0)
	default:
		moveCold(lines)
	}
	if !t.random() {
		moveUnsure(lines)
	}
	for i, s := range run.Phases {
		if !t.none() && !t.random() {
			s.Sink, _ = s.Sink.OfOperations(begun)
			lines[i].besides(s, t.per(s))
		}
	}
	var others map[string]int64
	run.Stop.Sink, others = run.Stop.Sink.OfOperations(begun) // what is of no operation is put down to none
	stop := listed(run.Stop)
	stop.operation, stop.background = Stop, others
	for _, f := range []Fate{Delivered, Merged, Suppressed} {
		stop.spans[f] -= charge(lines, stop.spans[f], f, false)
	}
	showAbsent(lines, run, t)
	decide(lines, run)
	believeHops(lines, run, t)
	for i, s := range run.Phases {
		lines[i].tear(s, run, begun)
	}
	for i, s := range run.Phases {
		operations := s.Started
		if t.random() {
			operations = seen(s.Sink) + leftOut(s, t.per(s))
		}
		lines[i].doubt(operations)
		lines[i].doubtCount()
	}
	chargeReported(lines, run)
	stopped(lines, run, t)
	whole := crossing(lines, run, t)
	for i := range lines {
		lines[i].endDoubt()
		lines[i].spans[Unaccounted] = lines[i].missing.nearest(0)
		lines[i].exact = lines[i].exact && !run.Unquiet && (t.none() || lines[i].spans[Unaccounted] >= 0) // more than expected: the expected number is wrong
	}
	if !t.none() {
		lines[len(lines)-1].ofStarting()
	}
	whole.spans[Unaccounted] = whole.missing.low
	return append(lines, stop, whole)
}

// doubtStart makes no line exact where spans of the start may come among those of the phases: it is not known how many it
// makes, and none came in its own time. They would stand in for as many that are lost.
func doubtStart(lines []line, run Run, t Tracing) {
	start := lines[len(lines)-1]
	if t.none() || start.known || run.First == "" || run.Start.Sink.Sum() > 0 {
		return
	}
	for i := range lines {
		lines[i].exact = false
	}
}

// begin returns the line of the start. What to expect there is known where it is
// known of the readiness request and of the first operation, and chance has no
// part in it. A readiness request that failed need not have come to the traced program. The setup is known by as many requests.
func begin(run Run, t Tracing) line {
	l := listed(run.Start)
	l.operation = Start
	probe, first, setup := t.Spans[record.ProbeOperation], t.Spans[run.First], t.Spans[record.SetupOperation]
	if t.random() || probe.Later || first.Later || run.Start.Started > 0 && !probe.known() || run.First != "" && !first.known() {
		return l
	}
	if run.Start.Started == 0 && run.First == "" {
		return l
	}
	if run.Start.Setup > 0 && (!setup.known() || setup.High > 0 && setup.Requests != run.Start.Setup) {
		return l
	}
	l.known, l.basis = true, Inferred
	l.unasked = run.Start.Started - min(run.Start.Started, run.Start.Completed)
	l.ofUnasked = probe.High * float64(l.unasked)
	l.expected = between{probe.Low * float64(run.Start.Completed), probe.High * float64(run.Start.Started)}
	if run.First != "" {
		l.expected = l.expected.plus(between{first.Low, first.High})
	}
	if run.Start.Setup > 0 {
		l.expected = l.expected.plus(between{setup.Low, setup.High})
	}
	l.settleDue(t)
	return l
}

// ofStarting takes the spans that came beyond those of the requests made: a program's
// start makes some of its own (connections that it opens, for one). They are listed only,
// and what is missing of the requests' may hide behind them: the line is not exact.
func (l *line) ofStarting() {
	if !l.known || l.spans[Unaccounted] >= 0 {
		return
	}
	l.spans[ofStarting] = -l.spans[Unaccounted]
	l.widen(exactly(l.spans[ofStarting])) // so they hide nothing that is missing elsewhere
	l.spans[Unaccounted] = 0
}

// open returns the line of a phase before any of its missing spans are explained.
func open(s Stretch, t Tracing, begun record.Begun) line {
	var others map[string]int64
	per := t.per(s)
	if !t.none() && per.known() { // of others the traces are unknown
		s.Sink, others = s.Sink.OfOperations(begun)
	}
	l := listed(s)
	l.unsure = s.Started - min(s.Started, s.Completed) + s.Resent
	if l.known = per.known(); !l.known {
		return l
	}
	l.basis = per.How
	l.perTrace = per.perTrace()
	l.expected = between{per.Low * float64(s.Completed), per.High * float64(s.Started+s.Resent)}
	parts, ofMix := t.partsOf(s)
	if ofMix {
		l.expected = parts.expected
		l.expected.high += per.High * float64(s.Resent)
		l.basis = parts.how
	}
	l.settleDue(t)
	if t.random() {
		if l.due, l.traced = t.tracedSpans(s, t.decided(s), per); !l.traced {
			l.due, l.chance = sampled(s, per, t.Sampling)
		}
		l.missing = l.due.less(l.sum())
	}
	l.exact = (l.traced || !t.random()) && checked(s.Sink) && !per.Later && !per.Shown && (t.none() || (per.exact() || ofMix && parts.exact) && l.unsure == 0)
	if t.none() {
		return l
	}
	if per.exact() {
		l.agreed, l.perOperation = per.Agreed, per.Low
	}
	if !t.random() {
		l.services = servicesOf(s, per, others)
	}
	l.cold(s, per)
	traces := float64(s.Started) * per.traces()
	if t.random() {
		traces = float64(seen(s.Sink))
	}
	l.larger(s, per, traces)
	l.separate(s.Sink, others, begun)
	if s.Chosen && s.Sink.Foreign > 0 {
		l.spans[foreign], l.exact = float64(s.Sink.Foreign), false
	}
	return l
}

// settleDue sets the expected spans that should arrive, where chance has no part in it.
func (l *line) settleDue(t Tracing) {
	l.due = l.expected
	if t.none() {
		l.due = exactly(0)
	}
	if t.Silent {
		l.spans[NotExported] = l.expected.high
	}
	l.missing = l.due.less(l.sum())
}

// sampled returns how many spans should arrive under random sampling: those of
// the traces that were seen, if their number is what chance allows; otherwise at
// least those of the fewest traces that it allows. A lost trace looks like one
// that was not sampled: as many may be lost as chance allows.
func sampled(s Stretch, per PerOperation, p float64) (between, chance) {
	low, _ := stats.BinomialBand(tracesOf(min(s.Started, s.Completed), per), p, bandConfidence)
	high := mostSampled(s.Started, per, p)
	c := chance{traces: seen(s.Sink) + leftOut(s, per), trials: tracesOf(s.Started, per), low: low, high: high}
	fewest := per.Low / per.traces() * float64(max(c.traces, low))
	if unsure := s.Started - min(s.Started, s.Completed); unsure > 0 {
		fewest = math.Max(0, fewest-per.Low*float64(unsure))
	}
	most := per.High / per.traces() * float64(max(c.traces, high))
	c.hidden = most - per.High/per.traces()*float64(max(c.traces, low))
	return between{fewest, most}, c
}

// leftOut returns the number of traces that a stretch's hops left out, as far as their spans show.
func leftOut(s Stretch, per PerOperation) uint64 {
	spans := reportedBy(s.Hops, func(h record.Hop) *uint64 { return h.Sampled })
	if spans == 0 || per.Low <= 0 {
		return 0
	}
	return uint64(math.Round(spans * per.traces() / per.Low))
}

// This file finds what a tracer took with it when its process stopped.

// stopped puts down to the stop what is missing for sure and was neither dropped nor given to an export before, by the
// tracer's own word: it still held that. Of what was given to exports, some may be missing: so much is left where it is.
func stopped(lines []line, run Run, t Tracing) {
	if run.Reported.Sent == nil || t.random() && !t.ReportsTraced(run) || t.none() {
		return
	}
	came := float64(run.Start.Sink.Unique() + run.Start.Sink.Merged)
	for _, s := range run.Phases {
		came += float64(s.Sink.Unique() + s.Sink.Merged)
	}
	if run.Reported.SentBy == record.ByLog { // it covers all until the end, also what was sent at the stop
		came += float64(run.Stop.Sink.Unique() + run.Stop.Sink.Merged)
	}
	missing := 0.0
	for _, l := range lines {
		missing += math.Max(0, l.missing.low)
		came += l.spans[SampledOnWay] + l.placed() - l.spans[Dropped]
	}
	after := math.Max(0, float64(*run.Reported.Sent)-came) // sent, and lost after that
	charge(lines, math.Max(0, missing-after), LostAtStop, false)
}

// Missing spans explained by the programs that report losing them.

// chargeReported books what the tracer reports as lost, and what the sink refused, on the lines that miss spans. The tracer
// reports for the whole run: the operation of a span is inferred. Drops that exceed everything missing cannot belong to an
// operation with a known expectation, and are booked on the last line, the start.
func chargeReported(lines []line, run Run) {
	dropped, failed := run.Reported.Dropped, run.Reported.Failed
	start := &lines[len(lines)-1]
	for i := range lines {
		lines[i].reports, lines[i].gaps = reported(run.Reported), run.gaps
	}
	if dropped != nil {
		used := charge(lines, float64(*dropped), Dropped, true)
		start.spans[ReportedBeyond] = float64(*dropped) - used
	}
	refused := run.Start.Sink.Rejected + run.Stop.Sink.Rejected
	for _, s := range run.Phases {
		refused += s.Sink.Rejected
	}
	total := float64(refused)
	if failed != nil {
		total = math.Max(total, float64(*failed))
	}
	used := charge(lines, total, FailedSend, true)
	start.spans[failedCame] = total - used
}

// reported are the losses that a tracer reports.
func reported(a record.Reported) (out set) {
	if a.Dropped != nil {
		out |= only(Dropped)
	}
	if a.Failed != nil {
		out |= only(FailedSend)
	}
	return out
}

// charge spreads a total of one fate over lines in proportion to the spans that they miss for sure, then, if unsure is set, to
// those that they may miss. It returns how many it charged.
func charge(lines []line, total float64, f Fate, unsure bool) float64 {
	used := 0.0
	round := func(room func(between) float64) {
		rooms := make([]float64, len(lines))
		for i := range lines {
			rooms[i] = room(lines[i].missing)
		}
		got, left := share(total-used, rooms)
		for i, spans := range got {
			lines[i].put(f, spans)
			lines[i].missing = lines[i].missing.less(spans)
		}
		used = total - left
	}
	round(func(b between) float64 { return b.low })
	if unsure {
		before := make([]float64, len(lines))
		for i := range lines {
			before[i] = lines[i].placed()
		}
		round(func(b between) float64 { return b.high })
		for i := range lines {
			lines[i].guessed += lines[i].placed() - before[i]
		}
	}
	return used
}

// lost returns the spans that should have arrived and did not, neither by themselves nor in another span. Spans that a
// tracer holds back by its own rule were not to arrive.
func (l line) lost() float64 {
	if l.operation == shared {
		return l.placed() + l.spans[Unaccounted]
	}
	return l.placed() + math.Max(0, l.spans[Unaccounted])
}

// placed returns the lost spans that a program reports.
func (l line) placed() (sum float64) {
	for f := range Fates {
		if f.reported() {
			sum += l.spans[f]
		}
	}
	return sum
}

// lostAtMost returns the spans that may have been lost if their number varies or operations failed, without traces that
// chance may hide.
func (l line) lostAtMost() float64 {
	return math.Max(l.lost(), l.placed()+l.missing.high-l.chance.hidden)
}

// This file is the small arithmetic of what is known only between two ends, of
// sharing out a total, and of rounding to whole spans.

// between is a number of spans that lies between two ends, which are equal where
// it is known.
type between struct{ low, high float64 }

func exactly(v float64) between { return between{v, v} }

func (b between) plus(c between) between { return between{b.low + c.low, b.high + c.high} }

func (b between) less(v float64) between { return between{b.low - v, b.high - v} }

// nearest returns the number between the ends that is nearest to v: what is
// unsure is held against none of them.
func (b between) nearest(v float64) float64 { return math.Max(b.low, math.Min(b.high, v)) }

// share hands total out over places in proportion to their room, never more than
// a place has room for, in whole spans. It returns what each place got and what
// no place had room for.
func share(total float64, room []float64) (got []float64, left float64) {
	got = make([]float64, len(room))
	var sum float64
	for _, r := range room {
		sum += math.Max(0, r)
	}
	if sum <= 0 || total <= 0 {
		return got, math.Max(0, total)
	}
	part := math.Min(1, total/sum)
	for i, r := range room {
		got[i] = math.Floor(math.Max(0, r) * part)
	}
	left = total
	for _, g := range got {
		left -= g
	}
	for i, r := range room { // the remainder of the rounding, from the first place on
		more := math.Min(left, math.Max(0, r)-got[i])
		if more > 1 {
			more = 1
		}
		got[i] += more
		left -= more
	}
	return got, left
}

func whole(v float64) int64 { return int64(math.Round(v)) }
