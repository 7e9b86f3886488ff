// This file is the table of what can become of a span.

package ledger

import "github.com/tracetax/tracetax/internal/finding"

// Fate is the fate of spans: a row of the table.
type Fate int

// The fates, in the order of a span's way. Behind them stand remarks, which are of spans that a fate has already.
const (
	Expected Fate = iota
	NotExported
	SampledOut
	DecidedOut
	Suppressed
	Dropped
	FailedSend
	ReportedSent
	LostAtStop
	Merged
	SampledOnWay
	DroppedOnWay
	EarlyOnWay
	TornOnWay
	FailedOnWay
	Delivered
	Duplicated
	Background
	ReportedBeyond
	Unaccounted
	Fates // how many there are

	cameLate   = iota - 1 // of the delivered: while the processes stopped, or a later operation was made
	failedCame            // failed exports beyond everything that is missing
	ofStarting            // of the delivered: spans of starting, beyond those of the requests made
	besides               // of the delivered: spans beside the whole traces of all operations
	absent                // parents of spans that came, which never came themselves
	foreign               // traces with ids that the load generator did not choose; only names separate them from other work
	idless                // spans that came whose ids were not checked
	copied                // of those left out on the way: may be copies, and of other work, so as many may be lost
	figures               // how many figures a line has
)

// account is the place of a fate in the account of spans.
type account int

const (
	netted account = iota // no loss
	lost
	aside // in no other figure, and never netted
)

// source is the source of a count.
type source int

const (
	byAccount source = iota // it follows from the other figures
	byTracer                // of the whole run
	byHop
	bySink
)

// table has a row a fate. text is its name for a reader, loss the sentence of a page around the number.
var table = [Fates]struct {
	name   string
	by     source
	is     account
	figure string // of finding.PageLost
	place  string // where such spans were lost
	text   string
	loss   [2]string
}{
	Expected:       {name: "expected"},
	NotExported:    {name: "not-exported", text: "not exported"}, // by intent: the variant has no exporter
	SampledOut:     {name: "sampled-out", text: "sampled out"},
	DecidedOut:     {name: "sampled-by-tracer", by: byTracer, text: "sampled out by the tracer"},                               // once their traces were there
	Suppressed:     {name: "suppressed", by: bySink, place: finding.LostByLimit, text: "suppressed by the tracer's own limit"}, // reported over the wire; lost where operations are unthrottled
	Dropped:        {"dropped", byTracer, lost, "dropped", finding.LostInQueue, "tracer says dropped", [2]string{"the tracer says that it dropped ", ""}},
	FailedSend:     {"failed-export", byTracer, lost, "failed", finding.LostInStream, "failed export", [2]string{"", " in failed exports"}},
	ReportedSent:   {name: "says-sent", by: byTracer, is: aside, text: "tracer says sent"},                                              // on the page of All: given to exports. Many count before they know what becomes of one
	LostAtStop:     {"lost-at-stop", byAccount, lost, "at-stop", finding.LostAtStop, "lost at the stop", [2]string{"", " at the stop"}}, // still with the tracer when its process stopped, by its own count of the sent and the dropped
	Merged:         {name: "merged", by: bySink},                                                                                        // into others that were delivered
	SampledOnWay:   {name: "sampled-on-way", by: byHop, text: "sampled out on the way"},                                                 // on purpose
	DroppedOnWay:   {"dropped-on-way", byHop, lost, "dropped-on-way", finding.LostOnWay, "dropped on the way", [2]string{"", " dropped on the way"}},
	EarlyOnWay:     {"dropped-early", byAccount, lost, "dropped-early", finding.LostOnWay, "dropped too early on the way", [2]string{"", " dropped too early on the way"}}, // before it was decided on their traces
	TornOnWay:      {"torn", byAccount, lost, "torn", finding.LostOnWay, "left out of kept traces", [2]string{"", " left out of kept traces"}},                             // by a hop or the tracer
	FailedOnWay:    {"failed-on-way", byHop, lost, "failed-on-way", finding.LostOnWay, "failed export on the way", [2]string{"", " in failed exports on the way"}},
	Delivered:      {name: "delivered", by: bySink}, // each span once
	Duplicated:     {name: "duplicated", by: bySink, is: aside},
	Background:     {name: "other-work", by: bySink, is: aside, text: "of other work"},                                          // in traces that no operation begins (timers, health checks): they make up for no loss
	ReportedBeyond: {name: "said-beyond", by: byTracer, is: aside, text: "tracer says dropped, not missing"},                    // on the page of All: drops that the sink does not miss
	Unaccounted:    {"unaccounted", byAccount, lost, "unaccounted", finding.LostNowhere, "", [2]string{"", " unaccounted for"}}, // negative: more came than expected
}

// set is some fates.
type set uint32

func only(f Fate) set { return 1 << f }

func (s set) has(f Fate) bool { return s&only(f) != 0 }

// losses are those that a tracer may report.
var losses = only(Dropped) | only(FailedSend)

// String is the name of a fate's entry.
func (f Fate) String() string { return table[f].name }

// Text returns its name for a reader.
func (f Fate) Text() string {
	if text := table[f].text; text != "" {
		return text
	}
	return table[f].name
}

// Figure is its figure of finding.PageLost; "" where it is no loss.
func (f Fate) Figure() string { return table[f].figure }

// Loss returns the sentence that so many were lost.
func (f Fate) Loss(number string) string { return table[f].loss[0] + number + table[f].loss[1] }

// Place returns the place where spans of this fate were lost; "" if that is no loss under any load.
func (f Fate) Place() string { return table[f].place }

// reported reports whether a program reports such spans as lost.
func (f Fate) reported() bool { return table[f].is == lost && f != Unaccounted }
