// This file is the settled account of one stretch, a line, and what it says by itself.

package ledger

import "github.com/tracetax/tracetax/internal/record"

// line is the settled account of one stretch. All figures are spans.
type line struct {
	operation   string
	operations  uint64
	unsure      uint64 // operations that may have made fewer spans: they failed
	known       bool   // whether it is known how many spans to expect
	how         string
	expected    between
	due         between // of which should arrive
	notExported float64
	delivered   float64
	late        float64 // of which came while the processes stopped
	duplicated  float64
	merged      float64 // into others that were delivered
	decided     float64 // left out by the tracer on purpose, once their traces were there
	suppressed  float64 // suppressed by a limit of the tracer's own
	dropped     float64
	admits      bool // whether the tracer says anything of drops
	failed      float64
	admitsFail  bool
	silent      silence // whether it did not say it of some of the runs
	admitted    float64 // drops beyond everything that is missing
	ofStart     bool    // whether they may be of the start, of which it is not known what to expect
	atStop      float64 // of what is missing: still with the tracer when its process stopped
	excess      float64 // failed exports beyond everything that is missing
	missing     between // due less what is told of
	unaccounted float64
	besides     float64 // of the delivered: spans of starting, beyond those of the requests made
	exact       bool
	chance      chance
	traced      bool // the tracer counts the traces that it samples: chance has no part in it
	orphans     uint64

	agreed       uint64           // operations that agreed on the number; 0: it is taken as it stands
	perOperation float64          // spans, where they agreed
	varies       bool             // traces came that have more spans than any was known to have
	doubted      bool             // what is missing may not have been made
	absent       float64          // parents of spans that came, which never came themselves
	background   map[string]int64 // spans of other work, by the name of the root
	foreign      float64          // traces of other ids than the load generator chose, which are told from other work by names alone
	unchecked    float64          // spans that came whose ids were not checked

	services map[string]service // whose spans they are; nil: not sure

	hops         []record.Hop // what the hops say in the stretch
	left         float64      // that they left out on purpose
	droppedOnWay float64
	early        float64 // that they threw away before they had decided on their traces
	torn         float64 // that they left out of traces which they kept
	perTrace     float64 // spans of each trace; 0: not known, or they differ
	kept         traces  // where hops decide on traces: those that came
	failedOnWay  float64
	blind        bool    // one of them, or the tracer, does not say how many it left out
	counted      bool    // what they left out is known by their counts alone, which tell no span from its copy
	copies       float64 // of what they left out: may be copies, and of other work, so that as many may be lost
}

// silence is where the tracer did not say what it lost in a run, beside others of which it did: of all of them it is known
// at least.
type silence struct{ drops, failures bool }

// chance is how random sampling fared: traces seen, the band they belong in, and the spans of
// the traces that may have been lost whole within it.
type chance struct {
	traces, trials, low, high uint64
	hidden                    float64
}

// listed returns the line of a stretch whose spans are only listed.
func listed(s Stretch) line {
	return line{
		operation: s.Operation, operations: s.Started,
		delivered: float64(s.Sink.Unique()), duplicated: float64(s.Sink.Duplicate), orphans: s.Sink.Orphans,
		merged: float64(s.Sink.Merged), suppressed: float64(s.Sink.Suppressed), unchecked: float64(unchecked(s.Sink)),
		hops: s.Hops,
	}
}

// told is how many spans the sink was told of: delivered, merged into those, or not
// sent by a limit of the tracer's own.
func (l line) told() float64 { return l.delivered + l.merged + l.suppressed }

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
