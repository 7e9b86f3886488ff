// This file has the account of spans.

package finding

import (
	"maps"
)

// Ledger says where the spans of one operation went, for one variant and hop,
// summed over the good runs. Operation "(start)" and "(stop)" hold what belongs
// to no operation.
type Ledger struct {
	Operation  string  `json:"operation"`           // the operation; "(start)" and "(stop)" hold what belongs to none
	Variant    string  `json:"variant"`             // name of the variant
	Hop        string  `json:"hop"`                 // the way of the spans, as "app → sink"
	Operations uint64  `json:"operations"`          // how many were made
	ByChance   bool    `json:"by_chance,omitempty"` // chance decides which traces are sampled: what LostMost is beyond LostShare may be traces lost whole
	Entries    []Entry `json:"entries"`             // in the order of a span's way
	Pages      []Page  `json:"pages,omitempty"`     // where spans pass through hops: the same, hop by hop

	Services  []ServiceSpans `json:"services,omitempty"`  // whose spans came and did not, where some did not and it is known how many each of several makes
	Exact     bool           `json:"exact"`               // whether a loss of a single span would show
	Outcome   []Reason       `json:"outcome"`             // what the page comes to
	Verdict   string         `json:"verdict"`             // the same in words, e.g. "nothing lost"
	LostShare float64        `json:"lost_share"`          // share of the spans that is lost for sure
	LostMost  float64        `json:"lost_most"`           // share that may have been lost at most, where their number is not sure
	Unchecked uint64         `json:"unchecked,omitempty"` // spans that came without a look at their ids: a loss that duplicates among them make up for does not show
}

// Entry is one line of a ledger.
type Entry struct {
	Name  string `json:"name"`           // a code from a closed list; see docs/ledger.md
	Text  string `json:"text"`           // the same in words
	Spans int64  `json:"spans"`          // how many; where it is not sure, Low to High
	Low   int64  `json:"low,omitempty"`  // lower end, where it is an interval
	High  int64  `json:"high,omitempty"` // upper end, likewise
	How   string `json:"how"`            // "counted", "inferred" or "declared"
}

// Page is a ledger's account of one hop: of the way from one program to the next. A nil figure is one that nobody tells.
type Page struct {
	From     string   `json:"from"`                     // "app": the traced processes; or a hop
	To       string   `json:"to"`                       // a hop; or "sink"
	Past     []string `json:"past,omitempty"`           // hops between the two that do not say what they took in
	Expected *int64   `json:"expected"`                 // spans that From made, or took in
	Sampled  *int64   `json:"sampled"`                  // of these, left out on purpose: no loss
	Dropped  *int64   `json:"dropped"`                  // of these, thrown away
	Failed   *int64   `json:"failed"`                   // of these, lost in exports
	Sent     *int64   `json:"sent"`                     // that it passed on, by its own word
	Refused  *int64   `json:"refused"`                  // that To did not take in; From may have sent them again
	Received int64    `json:"received"`                 // that came to To
	Early    int64    `json:"dropped_early,omitempty"`  // of these, thrown away before it decided on their traces
	Torn     int64    `json:"torn,omitempty"`           // that it left out of traces which it kept
	Inside   int64    `json:"lost_inside,omitempty"`    // that From took in, did not pass on, and says nothing of; of the app: that the tracer still held at the stop
	Between  int64    `json:"lost_between,omitempty"`   // that it passed on, or says nothing of, and that did not come
	More     int64    `json:"more,omitempty"`           // that came beyond what From says
	Copies   int64    `json:"sampled_copies,omitempty"` // of what From left out, at least: copies of others, or spans of other work, as no more can be missing
	Twice    int64    `json:"duplicated,omitempty"`     // of what came: copies of others, by their ids, which hops do not look at
	Outcome  Outcome  `json:"outcome"`                  // what the page comes to

	EarlyTraces *int64 `json:"dropped_early_traces,omitempty"` // traces that From threw away before it had decided on them
	KeptTraces  *int64 `json:"kept_traces,omitempty"`          // traces that From decided to keep; a part of a trace that came late counts as another
	Traces      *int64 `json:"traces,omitempty"`               // where From decides on traces: those with a span that came to the sink
	Partial     *int64 `json:"partial_traces,omitempty"`       // of these, without some of their spans; nil: not known
	Source      string `json:"source,omitempty"`               // by what From says it: "log", "metrics"; "" where it is the sink's word or the account's own
	Unreported  string `json:"unreported,omitempty"`           // why From, or a hop that is passed over, does not say it
}

// The ends of a span's way.
const (
	PageApp  = "app"
	PageSink = "sink"
)

// Outcome is the result of a page.
type Outcome string

// The outcomes of a page.
const (
	HopWhole   Outcome = "whole"   // nothing was lost here; what was left out on purpose is no loss
	HopLost    Outcome = "lost"    // spans were lost here
	HopMore    Outcome = "more"    // more came than `from` says: the two disagree
	HopHidden  Outcome = "hidden"  // as many came as were to, or more, and some of them twice: losses may be hidden so
	HopUnsure  Outcome = "unsure"  // spans did not come, and a hop does not say whether it left them out on purpose
	HopUnknown Outcome = "unknown" // the number of spans to come is unknown
)

// Lost returns the number of spans lost on this page: dropped, also too early, left out of kept traces, in failed exports, inside and between.
func (p Page) Lost() int64 {
	lost := p.Early + p.Torn + p.Inside + p.Between
	for _, n := range []*int64{p.Dropped, p.Failed} {
		if n != nil {
			lost += *n
		}
	}
	return lost
}

// ServiceSpans are the spans of one service: those that were to come, and those that came.
type ServiceSpans struct {
	Service   string `json:"service"`   // service.name of the spans
	Expected  int64  `json:"expected"`  // spans that were to come
	Delivered int64  `json:"delivered"` // spans that came
}

// Packets are those of a variant that captures them, by the word of what captured them: over the life of the processes of the
// good runs, warm-up and readiness included. A nil figure is one that some of the runs do not tell.
type Packets struct {
	Variant    string `json:"variant"`              // name of the variant
	Runs       int    `json:"runs"`                 // how many
	Captured   *int64 `json:"captured"`             // packets
	Dropped    *int64 `json:"dropped"`              // packets that came and were not captured
	Bytes      int64  `json:"bytes"`                // of the files that hold the captured
	Unreported string `json:"unreported,omitempty"` // why a figure is not told
}

// DroppedShare is the share of the packets that were dropped; 0 where it is not told.
func (p Packets) DroppedShare() float64 {
	if p.Captured == nil || p.Dropped == nil || *p.Captured+*p.Dropped == 0 {
		return 0
	}
	return float64(*p.Dropped) / float64(*p.Captured+*p.Dropped)
}

// Proxied are the calls that the proxies of a variant counted, over the life of the processes of the good runs, warm-up included.
type Proxied struct {
	Variant string `json:"variant"`         // name of the variant
	Runs    int    `json:"runs"`            // how many
	Calls   *int64 `json:"calls"`           // null: some of the runs do not tell
	Makes   *Calls `json:"makes,omitempty"` // how many the graph makes of the operations that were started, where the workload is one
}

// Calls is a number of calls, or where chance has a part in it the least and the most.
type Calls struct {
	Low  int64 `json:"low"`  // the least
	High int64 `json:"high"` // the most
}

// The list of unknown losses: unknown is not none.

// Lossless is the delivered share below which a tracer is excluded from rankings and no cost per span is given: one that
// throws spans away is not cheap.
const Lossless = 0.99

// Matters reports whether a share of spans, lost for sure or not known of, is more than a cost may go without.
func Matters(share float64) bool { return share > 1-Lossless }

// LossUnknown is a variant which may have lost over 1 % of its spans on an operation beyond what
// it lost for sure, in what is measured: in its window, of a search at the rate that it found,
// and unthrottled, made by the workload itself, in all. Traces that random sampling may hide
// are not in it: see Ledger.LostMost.
type LossUnknown struct {
	Operation string            `json:"operation"`           // the operation; "" for the whole run
	Parameter map[string]string `json:"parameter,omitempty"` // the level of what was varied between phases, as {"connections": "4"}; levels are never mixed
	Variant   string            `json:"variant"`             // name of the variant
	LostShare float64           `json:"lost_share"`          // for sure, 0 to 1
	LostMost  float64           `json:"lost_most"`           // at most, 0 to 1; 1 where it is not known how many were to come
	Why       Code              `json:"why"`                 // why nobody knows it better: "number-unknown" (of spans to come), "number-varies", "operations-failed", "made-unknown", "more-than-expected" or "no-probe" (at the rate found)
	Text      string            `json:"text"`                // the same in words
}

// UnknownLoss is what nobody knows of what a variant lost on an operation at its level; without
// a level, as of a line over all of them, where most may have been lost. It is nil where it is
// known to 1 %.
func (d *Document) UnknownLoss(operation string, parameter map[string]string, variant string) *LossUnknown {
	var worst *LossUnknown
	for i := range d.LossUnknown {
		l := &d.LossUnknown[i]
		here := l.Variant == variant && l.Operation == operation && (len(parameter) == 0 || maps.Equal(l.Parameter, parameter))
		if here && (worst == nil || l.LostMost > worst.LostMost) {
			worst = l
		}
	}
	return worst
}

// This file has the words of spans that do not come though nothing is lost: a tracer suppresses
// them by a limit of its own.

// Suppressed is a variant that suppressed over 1 % of its spans on an operation, because its
// tracer has a limit such as a least duration. What it costs is to be read with that. Of
// unthrottled operations, made by the workload itself, such spans count as lost: see Lossy.
type Suppressed struct {
	Operation string            `json:"operation"`           // the operation; "" for the whole run
	Parameter map[string]string `json:"parameter,omitempty"` // the level of what was varied between phases, as {"connections": "4"}; levels are never mixed
	Variant   string            `json:"variant"`             // name of the variant
	Share     float64           `json:"share"`               // of the spans that its operations were to send, the warm-up's too
	Spans     int64             `json:"spans"`               // that were suppressed
}

// Lost is what a variant lost on an operation at its level, where that is over 1 % of its
// spans; without a level, as of a line over all of them, at the worst. It is nil otherwise.
func (d *Document) Lost(operation string, parameter map[string]string, variant string) *Lossy {
	var worst *Lossy
	for i := range d.Lossy {
		l := &d.Lossy[i]
		here := l.Variant == variant && l.Operation == operation && (len(parameter) == 0 || maps.Equal(l.Parameter, parameter))
		if here && (worst == nil || l.LostShare > worst.LostShare) {
			worst = l
		}
	}
	return worst
}

// LostShare is the share of its spans that Lost tells of; 0 where it is nil.
func (d *Document) LostShare(operation string, parameter map[string]string, variant string) float64 {
	if l := d.Lost(operation, parameter, variant); l != nil {
		return l.LostShare
	}
	return 0
}
