// This file has the account of spans.

package finding

// Ledger says where the spans of one operation went, for one variant and hop,
// summed over the good runs. Operation "(start)" and "(stop)" hold what belongs
// to no operation.
type Ledger struct {
	Operation  string  `json:"operation"`
	Variant    string  `json:"variant"`
	Hop        string  `json:"hop"` // e.g. "app → sink"
	Operations uint64  `json:"operations"`
	ByChance   bool    `json:"by_chance,omitempty"` // chance decides which traces are sampled: what LostMost is beyond LostShare may be traces lost whole
	Entries    []Entry `json:"entries"`             // in the order of a span's way
	Pages      []Page  `json:"pages,omitempty"`     // where spans pass through hops: the same, hop by hop

	Services  []ServiceSpans `json:"services,omitempty"` // whose spans came and did not, where some did not and it is known how many each of several makes
	Exact     bool           `json:"exact"`              // whether a loss of a single span would show
	Outcome   []Reason       `json:"outcome"`            // what the page comes to
	Verdict   string         `json:"verdict"`            // the same in words, e.g. "nothing lost"
	LostShare float64        `json:"lost_share"`
	LostMost  float64        `json:"lost_most"`           // share that may have been lost at most, where their number is not sure
	Unchecked uint64         `json:"unchecked,omitempty"` // spans that came without a look at their ids: a loss that duplicates among them make up for does not show
}

// Entry is one line of a ledger.
type Entry struct {
	Name  string `json:"name"` // from a closed list: see package ledger
	Text  string `json:"text"` // the same in words
	Spans int64  `json:"spans"`
	Low   int64  `json:"low,omitempty"` // where it is an interval
	High  int64  `json:"high,omitempty"`
	How   string `json:"how"` // "counted", "inferred" or "declared"
}
