// This file accounts for hops that decide on whole traces, and say what they did in traces: which they threw away before they
// had decided, and whether those that they kept are whole.

package ledger

import (
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// traces are those that came of operations whose traces are all alike.
type traces struct {
	known   bool
	came    int64
	partial int64 // of which lack spans
	lacking int64 // these
}

func (t *traces) add(more traces, first bool) {
	t.known = more.known && (first || t.known)
	t.came += more.came
	t.partial += more.partial
	t.lacking += more.lacking
}

// decides reports whether a hop says that it kept traces in a run: what it leaves out are whole ones, by what it says, also in a
// stretch of which it kept none. One that never kept any may leave out spans.
func decides(run, stretch []record.Hop) bool {
	kept := func(hops []record.Hop, least uint64) bool {
		return slices.ContainsFunc(hops, func(h record.Hop) bool { return h.Kept != nil && *h.Kept >= least })
	}
	return kept(run, 1) && kept(stretch, 0)
}

// droppedEarly puts down the spans of traces that hops threw away undecided, as far as it is known how many a trace has.
func (l *line) droppedEarly() {
	spans := math.Min(l.perTrace*said(l.hops, func(h record.Hop) *uint64 { return h.Early }), math.Max(0, l.missing.high))
	if l.known && spans > 0 {
		l.early += spans
		l.missing = l.missing.less(spans)
	}
}

// tear takes from what was left out on purpose the spans that kept traces lack: a trace that came in parts was decided on in
// parts. What they lack is first put down to what came late and to what was lost in another way, so that it is the least.
func (l *line) tear(s Stretch, run Run, begun record.Begun) {
	if tracer := run.Admitted.Sampled; decides(run.Hops, s.Hops) || tracer != nil && *tracer > 0 {
		l.kept = keptOf(s, l.perTrace, begun)
	}
	if !l.kept.known || !l.known {
		return
	}
	elsewhere := math.Max(0, l.missing.high) + l.placed() + math.Max(0, l.late)
	lacking := math.Max(0, float64(l.kept.lacking)-elsewhere)
	for _, out := range []*float64{&l.left, &l.decided} {
		spans := math.Min(*out, lacking)
		*out -= spans
		l.torn += spans
		lacking -= spans
	}
}

// decide puts down what the tracer says that it left out once the traces were there. It says it of the whole run, at the stop.
func decide(lines []line, run Run) {
	if n := run.Admitted.Sampled; n != nil {
		putDown(lines, float64(*n), func(l *line, spans float64) { l.decided += spans }, true)
	}
}

// keptOf are the traces that came, all of which should have so many spans.
func keptOf(s Stretch, perTrace float64, begun record.Begun) traces {
	own, _ := s.Sink.Apart(begun)
	if perTrace <= 0 || !own.Whole() {
		return traces{}
	}
	out := traces{known: true}
	for _, sizes := range own.Shapes {
		for size, n := range sizes {
			out.came += n
			if lacks := int64(perTrace) - int64(size); lacks > 0 {
				out.partial += n
				out.lacking += n * lacks
			}
		}
	}
	out.partial, out.lacking = max(0, out.partial), max(0, out.lacking) // below none where traces that had come before got more
	return out
}

// byTrace says on the pages of hops that decide on traces what is known of those, and on the tracer's which spans it tore out
// of traces.
func (p *page) byTrace(pages []finding.Page) []finding.Page {
	early, torn := whole(p.early), whole(p.torn)
	for i := range pages {
		at := &pages[i]
		if at.EarlyTraces != nil && *at.EarlyTraces > 0 {
			at.Early = min(at.Inside, early)
			at.Inside -= at.Early
			early -= at.Early
		}
		if at.KeptTraces == nil || *at.KeptTraces == 0 {
			continue
		}
		if at.Sampled != nil && torn > 0 {
			at.Torn = min(*at.Sampled, torn)
			left := *at.Sampled - at.Torn
			at.Sampled = &left
			torn -= at.Torn
			if at.Outcome != finding.HopUnsure {
				at.Outcome = finding.HopLost
			}
		}
		if p.kept.known {
			at.Traces, at.Partial = &p.kept.came, &p.kept.partial
		}
	}
	if app := &pages[0]; p.decided > 0 && app.Outcome == finding.HopLost { // the rest is the tracer's
		tracers := min(app.Between, torn)
		app.Between -= tracers
		app.Torn += tracers
	}
	return pages
}
