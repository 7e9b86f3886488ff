package finding

// Page is a ledger's account of one hop: of the way from one program to the next. A nil figure is one that nobody tells.
type Page struct {
	From     string   `json:"from"`                     // "app": the traced processes; or a hop
	To       string   `json:"to"`                       // a hop; or "sink"
	Past     []string `json:"past,omitempty"`           // hops between the two that do not say what they took in
	Expected *int64   `json:"expected"`                 // spans that From made, or took in
	Sampled  *int64   `json:"sampled"`                  // of which it left out on purpose: no loss
	Dropped  *int64   `json:"dropped"`                  // of which it threw away
	Failed   *int64   `json:"failed"`                   // of which it lost in exports
	Sent     *int64   `json:"sent"`                     // that it passed on, by its own word
	Refused  *int64   `json:"refused"`                  // that To did not take in; From may have sent them again
	Received int64    `json:"received"`                 // that came to To
	Early    int64    `json:"dropped_early,omitempty"`  // of which it threw away before it had decided on their traces
	Torn     int64    `json:"torn,omitempty"`           // that it left out of traces which it kept
	Inside   int64    `json:"lost_inside,omitempty"`    // that From took in, did not pass on, and says nothing of; of the app: that the tracer still held at the stop
	Between  int64    `json:"lost_between,omitempty"`   // that it passed on, or says nothing of, and that did not come
	More     int64    `json:"more,omitempty"`           // that came beyond what From says
	Copies   int64    `json:"sampled_copies,omitempty"` // of what From left out, at least: copies of others, or spans of other work, as no more can be missing
	Twice    int64    `json:"duplicated,omitempty"`     // of what came: copies of others, by their ids, which hops do not look at
	Outcome  Outcome  `json:"outcome"`                  // what the page comes to

	EarlyTraces *int64 `json:"dropped_early_traces,omitempty"` // traces that From threw away before it had decided on them
	KeptTraces  *int64 `json:"kept_traces,omitempty"`          // traces that From decided to keep; a part of a trace that came late counts as another
	Traces      *int64 `json:"traces,omitempty"`               // where From decides on traces: of which something came to the sink
	Partial     *int64 `json:"partial_traces,omitempty"`       // of which lack spans; nil: not known
	Source      string `json:"source,omitempty"`               // by what From says it: "log", "metrics"; "" where it is the sink's word or the account's own
	Untold      string `json:"untold,omitempty"`               // why From, or a hop that is passed over, does not say it
}

// The ends of a span's way.
const (
	PageApp  = "app"
	PageSink = "sink"
)

// Outcome is what a page comes to.
type Outcome string

// The outcomes of a page.
const (
	HopWhole   Outcome = "whole"   // nothing was lost here; what was left out on purpose is no loss
	HopLost    Outcome = "lost"    // spans were lost here
	HopMore    Outcome = "more"    // more came than From says: the two disagree
	HopHidden  Outcome = "hidden"  // as many came as were to, or more, and some of them twice: losses may be hidden so
	HopUnsure  Outcome = "unsure"  // spans did not come, and a hop does not say whether it left them out on purpose
	HopUnknown Outcome = "unknown" // nobody knows how many were to come
)

// Lost is how many spans were lost on this page: dropped, also too early, left out of kept traces, in failed exports, inside and between.
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
