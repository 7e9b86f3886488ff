// This file has the words of self-driving workloads: what each step of
// tracing adds, and which variants lost too many spans to be ranked.

package finding

// Increment is what further steps of tracing add: one variant of a tracer over another
// one that runs fewer of its steps, within blocks.
type Increment struct {
	Operation string            `json:"operation"`
	Parameter map[string]string `json:"parameter,omitempty"`
	Tracer    string            `json:"tracer"`
	Steps     []string          `json:"steps"` // that Variant runs and Over does not
	Variant   string            `json:"variant"`
	Over      string            `json:"over"`
	Metric    string            `json:"metric"`
	Unit      string            `json:"unit"`
	Before    float64           `json:"before"`   // centre of Over's blocks
	Value     float64           `json:"value"`    // centre of Variant's blocks
	Absolute  *Interval         `json:"absolute"` // what the steps add, in Unit
	Relative  *Interval         `json:"relative"` // likewise, over Before; nil where that is zero
	Blocks    int               `json:"blocks"`
	Notes     []Reason          `json:"notes,omitempty"` // what is to be known beside it
	Note      string            `json:"note,omitempty"`  // the same in words
}

// Lossy is a variant which lost over 1 % of its spans on an operation: in its window, of a
// search at the rate that it found, and unthrottled, made by the workload itself, also in the
// warm-up or by a limit of its own. It is excluded from the ranking: what it costs is the cost of less work.
type Lossy struct {
	Operation string            `json:"operation"`
	Parameter map[string]string `json:"parameter,omitempty"`
	Variant   string            `json:"variant"`
	LostShare float64           `json:"lost_share"`
	Part      string            `json:"part,omitempty"`   // that this is the share of: "in the window" (without the warm-up), "at the rate found"; "" is all
	Spans     int64             `json:"spans"`            // that were lost
	Where     []LostAt          `json:"where"`            // the most first
	Metric    string            `json:"metric,omitempty"` // the headline, that Cost is of
	Cost      *Interval         `json:"cost,omitempty"`   // relative: the least that it costs, had it sent all spans; nil where no ratio answers
	Added     *Interval         `json:"added,omitempty"`  // likewise as an amount, in Unit, where no ratio answers
	Unit      string            `json:"unit,omitempty"`   // of Added
	Text      string            `json:"text"`
}

// The places where spans are lost.
const (
	LostByLimit  = "limit"    // of the tracer's own
	LostInQueue  = "queue"    // of the tracer
	LostInStream = "stream"   // to the receiver
	LostAtStop   = "stop"     // still with the tracer
	LostOnWay    = "hop"      // on the way, by its own word
	LostAtSink   = "receiver" //
	LostNowhere  = "unknown"  // nobody says where
)

// LostAt is how many spans were lost at one place.
type LostAt struct {
	Place string  `json:"place"` // from the list above
	Spans int64   `json:"spans"`
	Share float64 `json:"share"` // of all that should have arrived
}
