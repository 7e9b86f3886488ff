// This file has the account of spans.

package finding

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
	How   string `json:"how"`            // who says so: "counted", "inferred" or "declared"
}
