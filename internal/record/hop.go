package record

import (
	"github.com/tracetax/tracetax/internal/cell"
)

// Hop has the counters of a program on the way of spans, over a stretch of time. A nil pointer means that
// it does not say: that is not none.
type Hop struct {
	Name       string  `json:"name"`                 // of the program
	Received   *uint64 `json:"received,omitempty"`   // took in, those that it left out or lost later among them
	Refused    *uint64 `json:"refused,omitempty"`    // did not take in, and told the sender so, who may have sent them again
	Sampled    *uint64 `json:"sampled,omitempty"`    // left out on purpose: by a sampler, a filter
	Dropped    *uint64 `json:"dropped,omitempty"`    // thrown away: its queue was full
	Failed     *uint64 `json:"failed,omitempty"`     // lost in exports
	Sent       *uint64 `json:"sent,omitempty"`       // passed on
	Early      *uint64 `json:"early,omitempty"`      // in traces, not in spans: thrown away before it was decided on them, of spans in no other count
	Kept       *uint64 `json:"kept,omitempty"`       // in traces: that it decided to keep
	Late       *uint64 `json:"late,omitempty"`       // how often spans came whose trace it had decided on
	Traced     *uint64 `json:"traced,omitempty"`     // in traces: of a tracer, that it decided for at their beginning, by chance
	Calls      *uint64 `json:"calls,omitempty"`      // in calls: that proxies which the tracer brought took for the processes that they are before
	Source     string  `json:"source,omitempty"`     // by whose word: "log", "metrics"; both are joined by " and "
	Unreported string  `json:"unreported,omitempty"` // why it does not say, where it should
}

// By whose word something is said.
const (
	ByLog     = "log"
	ByMetrics = "metrics"
	ByRings   = "rings" // of a tracer whose rings the sink reads
)

// Figures are the hop's numbers, each under its name in a file of a service.
func (h *Hop) Figures() map[string]**uint64 {
	return map[string]**uint64{
		"received": &h.Received, "refused": &h.Refused, "sampled": &h.Sampled, "dropped": &h.Dropped, "failed": &h.Failed, "sent": &h.Sent,
		"early": &h.Early, "kept": &h.Kept, "late": &h.Late, "traced": &h.Traced, "calls": &h.Calls,
	}
}

// Reports reports whether it reports anything.
func (h Hop) Reports() bool {
	for _, figure := range h.Figures() {
		if *figure != nil {
			return true
		}
	}
	return false
}

// Waiting returns the number of spans that it took in and whose fate it has not reported yet; false where it does not report
// enough to tell. What it does not say that it leaves out, drops or loses it is taken to pass on.
func (h Hop) Waiting() (spans int64, known bool) {
	if h.Received == nil || h.Sent == nil {
		return 0, false
	}
	waiting := int64(*h.Received) - int64(*h.Sent)
	for _, out := range []*uint64{h.Sampled, h.Dropped, h.Failed} {
		if out != nil {
			waiting -= int64(*out)
		}
	}
	return waiting, true
}

// Minus returns the counts after before. A count that became smaller is unknown: the hop has started again.
func (h Hop) Minus(before Hop) Hop {
	return h.with(before, func(after, before uint64) (uint64, bool) { return after - before, after >= before })
}

// Plus adds up two stretches of time.
func (h Hop) Plus(next Hop) Hop {
	return h.with(next, func(a, b uint64) (uint64, bool) { return a + b, true })
}

func (h Hop) with(other Hop, combine func(a, b uint64) (uint64, bool)) Hop {
	out := Hop{Name: h.Name, Source: h.Source, Unreported: h.Unreported}
	if out.Unreported == "" {
		out.Unreported = other.Unreported
	}
	into, theirs := out.Figures(), other.Figures()
	for name, mine := range h.Figures() {
		if *mine == nil || *theirs[name] == nil {
			continue
		}
		if n, known := combine(**mine, **theirs[name]); known {
			*into[name] = &n
		} else if out.Unreported == "" {
			out.Unreported = "its count of " + name + " spans became smaller: it has started again"
		}
	}
	return out
}

// HopsMinus returns the counts of each hop after before; nothing if these are not the same hops.
func HopsMinus(after, before []Hop) []Hop {
	return hopsWith(after, before, Hop.Minus)
}

// HopsPlus adds up the counts of each hop in two stretches of time; one may be without hops.
func HopsPlus(a, b []Hop) []Hop {
	if len(a) == 0 || len(b) == 0 {
		return append(append([]Hop(nil), a...), b...)
	}
	return hopsWith(a, b, Hop.Plus)
}

func hopsWith(a, b []Hop, combine func(Hop, Hop) Hop) []Hop {
	if len(a) != len(b) {
		return nil
	}
	var out []Hop
	for i := range a {
		if a[i].Name != b[i].Name {
			return nil
		}
		out = append(out, combine(a[i], b[i]))
	}
	return out
}

// Backend has the counts of the backend that spans went to, instead of the sink, over the life of the processes.
type Backend struct {
	Name       string  `json:"name"`                 // of the backend
	Stored     uint64  `json:"stored"`               // spans, by its counters
	Dropped    uint64  `json:"dropped,omitempty"`    // spans that it took in and threw away, by its counters
	Astray     uint64  `json:"astray,omitempty"`     // spans that came to the sink in its place: they are in no other count
	Answered   *uint64 `json:"answered,omitempty"`   // spans that it gave when it was asked for all; nil: it was not known how many
	Unreported string  `json:"unreported,omitempty"` // why not
}

// Cause is a reason why no span of a program came, from one of its logs.
type Cause string

// The causes that a log can tell.
const (
	TracerFailed Cause = "tracer-failed" // the tracer, or something that it needs, could not be loaded
	ExportFailed Cause = "export-failed" // what was to be sent was not taken
)

// Signs are the traces of a tracer that can be seen from outside. They are kept of runs in which no
// span came, so it can be told why.
type Signs struct {
	Connections uint64         `json:"connections"`         // that the sink's receivers accepted; datagrams have none
	Processes   []ProcessSigns `json:"processes,omitempty"` // one a traced process; none where spans reached a hop
	Hops        []ProcessSigns `json:"hops,omitempty"`      // one a hop whose log tells why it could not pass spans on
}

// Elsewhere is what can be seen from outside of spans that a process of the workload sent, or tried to send, elsewhere than
// to the sink.
type Elsewhere struct {
	Process string   `json:"process"`       // name of the process; "" where it is one of several
	To      []string `json:"to,omitempty"`  // where it was connected to: addresses at ports of known receivers, none of this run's own
	Log     *LogSign `json:"log,omitempty"` // lines of its log that tell of a failed export; looked for where nothing is to come to the sink
}

// ProcessSigns are those of one traced process with its descendants, at the end of the
// last operation.
type ProcessSigns struct {
	Process  string    `json:"process"`            // name of the process
	Programs []string  `json:"programs,omitempty"` // base names of the programs that ran, one a process of the system
	Lacking  int       `json:"lacking,omitempty"`  // how many of them started without the variables that say where the sink is
	Loaded   int       `json:"loaded,omitempty"`   // how many have a file of the tracer open, or mapped; a tracer without native code need not show
	Log      []LogSign `json:"log,omitempty"`      // what its log tells
}

// LogSign is a cause that the log of a process tells.
type LogSign struct {
	Cause Cause  `json:"cause"` // what they tell
	Lines uint64 `json:"lines"` // that tell it
	Last  string `json:"last"`  // the last of them, cut at 300 bytes
}

// Outcome is the end of a search for a capacity: one of a closed list.
type Outcome string

// The outcomes of a search. Only Found has a Rate; Saturated has one in Passing (see Search.Carries).
const (
	Found       Outcome = "found"        // a rate was found
	ByGenerator Outcome = "by-generator" // the service can do more than the generator can ask
	AboveMax    Outcome = "above-max"    // that was asked for
	BelowLeast  Outcome = "below-least"  // rate that can be asked
	Unsteady    Outcome = "unsteady"     // probes contradict each other: no rate could be verified
	Saturated   Outcome = "saturated"    // before the target: more is not held, though the app has CPU to spare; Passing is the highest rate held
	NoSpans     Outcome = "no-spans"     // lossless: none is sent, or it is not known exactly how many should be
)

// earlier are the outcomes as records had them that an earlier tracetax wrote.
var earlier = map[string]Outcome{
	"bounded by the generator": ByGenerator, "above the most asked for": AboveMax, "below the lowest rate that can be asked": BelowLeast,
	"above-most": AboveMax, "saturated before the target": Saturated, "no spans to lose": NoSpans,
}

// UnmarshalText reads an outcome, also one of an earlier tracetax.
func (o *Outcome) UnmarshalText(text []byte) error {
	if now, was := earlier[string(text)]; was {
		*o = now
		return nil
	}
	*o = Outcome(text)
	return nil
}

// Search is the result of the search for a rate in one phase.
type Search struct {
	Goal    string  `json:"goal"`             // "cpu", "latency" or "lossless"
	Target  float64 `json:"target"`           // a share for cpu, seconds for latency, lost spans for lossless
	Method  string  `json:"method"`           // "fit"
	Outcome Outcome `json:"outcome"`          // how the search ended
	Rate    float64 `json:"rate,omitempty"`   // operations/s
	Passing float64 `json:"passing"`          // the highest rate probed that passed; 0: none
	Failing float64 `json:"failing"`          // the lowest rate probed that did not; 0: none
	Binding string  `json:"binding"`          // what keeps it from more: "quota", "hottest thread", "database", "generator", …
	Linear  bool    `json:"linear"`           // whether CPU rose in proportion to the rate, so the fit held
	Base    float64 `json:"base,omitempty"`   // U₀ of U = U₀ + D·X: share of the CPU at no load
	Demand  float64 `json:"demand,omitempty"` // D: CPU seconds an operation, of the CPU that the app may use
	Seconds float64 `json:"seconds"`          // length of the search, warm-up left out
	Note    string  `json:"note,omitempty"`   // what is to be known of it, in words
	Probes  []Probe `json:"probes"`           // every stretch of load, in order
	Before  []Probe `json:"before,omitempty"` // of an earlier search in the same phase, which ended unsteady and does not count
}

// Carries is the highest rate, in operations/s, that the variant holds within the goal. Where the search found one, it is that. Where
// the variant was saturated before a CPU target, it is the highest rate held: a limit other than its CPU comes first. It is not
// known where the search ended for another reason.
func (s *Search) Carries() (rate float64, known bool) {
	switch s.Outcome {
	case Found:
		return s.Rate, s.Rate > 0
	case Saturated:
		return s.Passing, s.Passing > 0
	}
	return 0, false
}

// Probe is one stretch of load within a search.
type Probe struct {
	Purpose      string  `json:"purpose"`              // "probe", "verify" or "bisect"
	Rate         float64 `json:"rate"`                 // operations/s asked for
	Seconds      float64 `json:"seconds"`              // length of the schedule
	Load         Load    `json:"load"`                 // what was made in it
	Sink         Counts  `json:"sink"`                 // from the start of the probe to the quiet after it
	Usage        []Usage `json:"usage"`                // over the load alone: from its start to its last operation's end
	DrainSeconds float64 `json:"drain_seconds"`        // from the last operation's end to the quiet
	Quiet        bool    `json:"quiet"`                // false: the sink still received when patience ended
	Utilisation  float64 `json:"utilisation"`          // CPU of the app and its sidecars over the load, of the CPU that the app may use
	Hottest      float64 `json:"hottest"`              // share of one CPU that the busiest thread of the app or a sidecar used; 0: not known
	HottestOf    string  `json:"hottest_of,omitempty"` // the process that this thread belongs to
	Others       float64 `json:"others,omitempty"`     // share of the app's CPUs, or of the harness's, whichever is more, that the host and programs outside the run took
	Expected     float64 `json:"expected,omitempty"`   // spans that the operations answered as expected made; 0: none are to come, or it is not known exactly how many
	Lost         float64 `json:"lost"`                 // of these did not come
	Passed       bool    `json:"passed"`               // the goal was met
	Held         bool    `json:"held"`                 // the rate was held
	Why          string  `json:"why,omitempty"`        // what failed, in words
}

// ParameterDepth is the parameter of a phase on which the spans that an operation
// makes depend: how many calls in one another it is.
const ParameterDepth = cell.Depth

// Work names what makes a certain number of spans; see cell.At.
func Work(operation string, parameter map[string]string) string {
	return cell.AtOf(operation, parameter).Work()
}

// Work names what the phase made spans by; see the function.
func (p *Phase) Work() string { return Work(p.Operation, p.Parameter) }
