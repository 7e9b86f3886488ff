package record

// Outcome is how the search for a capacity ended: one of a closed list.
type Outcome string

// The outcomes of a search. Only Found has a Rate.
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

// Capacity is what the search for a rate found in one phase.
type Capacity struct {
	Goal    string  `json:"goal"`             // "cpu", "latency" or "lossless"
	Target  float64 `json:"target"`           // a share for cpu, seconds for latency, lost spans for lossless
	Method  string  `json:"method"`           // "fit" or "staircase"
	Outcome Outcome `json:"outcome"`          // how the search ended
	Rate    float64 `json:"rate,omitempty"`   // operations/s
	Passing float64 `json:"passing"`          // the highest rate probed that passed; 0: none
	Failing float64 `json:"failing"`          // the lowest rate probed that did not; 0: none
	Binding string  `json:"binding"`          // what keeps it from more: "quota", "hottest thread", "database", "generator", …
	Linear  bool    `json:"linear"`           // whether CPU rose in proportion to the rate, so that the fit held
	Base    float64 `json:"base,omitempty"`   // U₀ of U = U₀ + D·X: share of the CPU at no load
	Demand  float64 `json:"demand,omitempty"` // D: CPU seconds an operation, of the CPU that the app may use
	Seconds float64 `json:"seconds"`          // length of the search, warm-up left out
	Note    string  `json:"note,omitempty"`   // what is to be known of it, in words
	Probes  []Probe `json:"probes"`           // every stretch of load, in order
	Before  []Probe `json:"before,omitempty"` // of an earlier search in the same phase, which ended unsteady and does not count
}

// Probe is one stretch of load within a search.
type Probe struct {
	Purpose      string  `json:"purpose"`              // "probe", "verify", "bisect" or "step"
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
