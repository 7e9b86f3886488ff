// What the program of the charts reads: a document, its figures in words, and what it would else
// have to know of metrics, goals and ledgers.

package parts

import (
	"slices"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/words"
)

// Charts is what the program of the charts reads.
type Charts struct {
	Document *finding.Document `json:"document"`
	Figures  []ChartFigures    `json:"figures"` // beside document.findings
	Order    []int             `json:"order"`   // of document.findings for a reader
	Baseline string            `json:"baseline"`
	Names    map[string]string `json:"names"`   // of metrics, for a reader
	Looks    map[string]Look   `json:"looks"`   // by the kind of goal of a search
	Entries  []ChartEntry      `json:"entries"` // of ledgers, in the order in which they are drawn
	Bars     []int             `json:"bars"`    // of document.ledgers those that are drawn
	Paints   map[string]Paint  `json:"paints"`  // of variants
	Points   [][]string        `json:"points"`  // of document.sweeps: the value at each point, with its interval
	Costs    [][]string        `json:"costs"`   // of study.tables: the cost in each row, with its interval

	Replication *finding.Replication `json:"replication,omitempty"`
	Lines       []ChartLine          `json:"lines,omitempty"` // that a study published
}

// ChartFigures are a finding's figures as every report writes them.
type ChartFigures struct {
	Label    string   `json:"label"`
	Group    string   `json:"group"`
	Variant  string   `json:"variant"` // with its mark
	Against  string   `json:"against"`
	Baseline string   `json:"baseline"`
	Value    string   `json:"value"`
	Absolute string   `json:"absolute"`
	Relative string   `json:"relative"`
	Mark     string   `json:"mark"` // of the verdict
	Tone     string   `json:"tone"`
	Before   string   `json:"before,omitempty"` // "at least"
	Told     []string `json:"told,omitempty"`   // what the marks of the variants say
	Dark     bool     `json:"dark,omitempty"`   // no span came of a side
	Apart    bool     `json:"apart,omitempty"`  // it lost spans: it stands below the others, whatever it costs
}

// Look is what a search looks at in each probe.
type Look struct {
	Field  string `json:"field"` // of a point
	Unit   string `json:"unit"`
	Name   string `json:"name"`
	Target bool   `json:"target"` // there is a figure to be met, which is drawn
	Spread bool   `json:"spread"` // of several decades, where there are many probes
}

// Looks are by the kind of goal.
var Looks = map[string]Look{
	string(config.GoalCPU):      {Field: "utilisation", Unit: "1", Name: "CPU used", Target: true},
	string(config.GoalLatency):  {Field: "seconds", Unit: "s", Name: "latency", Target: true, Spread: true},
	string(config.GoalLossless): {Field: "lost", Unit: "count", Name: "spans lost"},
}

// ChartEntry is an entry that has a share in what was expected, and how it is drawn.
type ChartEntry struct {
	Name string `json:"name"`
	Text string `json:"text"` // what a reader calls it
	Look string `json:"look"`
}

// ChartEntries are in the order in which they are drawn.
var ChartEntries = []ChartEntry{
	chartEntry(ledger.Delivered, "delivered"), chartEntry(ledger.SampledOut, "sampled"), chartEntry(ledger.SampledOnWay, "sampled-way"),
	chartEntry(ledger.Merged, "merged"), chartEntry(ledger.Suppressed, "suppressed"),
	chartEntry(ledger.Dropped, "dropped"), chartEntry(ledger.FailedSend, "failed"), chartEntry(ledger.LostAtStop, "stopped"),
	chartEntry(ledger.DroppedOnWay, "dropped-way"), chartEntry(ledger.FailedOnWay, "failed-way"),
	chartEntry(ledger.Unaccounted, "unaccounted"), chartEntry(ledger.Duplicated, "duplicated"),
}

// HasBar reports whether something became of the spans of a ledger but that they came: a bar of nothing else tells nothing.
func HasBar(l *finding.Ledger) bool {
	return slices.ContainsFunc(l.Entries, func(e finding.Entry) bool {
		drawn := slices.ContainsFunc(ChartEntries, func(c ChartEntry) bool { return c.Name == e.Name })
		return drawn && e.Name != ledger.Delivered && e.Spans > 0
	})
}

func chartEntry(name, look string) ChartEntry {
	return ChartEntry{Name: name, Text: words.Entry(name), Look: look}
}

// ChartLine is a line that a study published of a variant, on our own baseline: it is of what
// tracing adds.
type ChartLine struct {
	Operation string       `json:"operation"`
	Metric    string       `json:"metric"`
	Variant   string       `json:"variant"`
	Points    [][2]float64 `json:"points"`
}
