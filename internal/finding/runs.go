// This file has how the runs fared, and what is to be known of them.

package finding

// Warning is the harness accusing itself: what it saw, and what to do.
type Warning struct {
	Code     string `json:"code"`            // from a closed list, see docs/warnings.md
	Severity string `json:"severity"`        // "note", "warning" or "spoiled"
	Text     string `json:"text"`            // what was seen, in words
	Advice   string `json:"advice"`          // what to do
	Where    string `json:"where,omitempty"` // operation, variant or block
}

// Runs counts the runs that the findings rest on.
type Runs struct {
	Good    int      `json:"good"`               // runs with a usable result
	Failed  int      `json:"failed"`             // runs without one
	Blocks  int      `json:"blocks"`             // whole blocks
	Stopped string   `json:"stopped,omitempty"`  // why no more blocks were made, where their number was not fixed
	Stop    *Reason  `json:"stop,omitempty"`     // the same as a code with figures
	Dropped []string `json:"dropped,omitempty"`  // blocks left out, and why
	Spoilt  []Reason `json:"spoilt,omitempty"`   // the same as codes with figures
	Failure []string `json:"failures,omitempty"` // why runs failed: a cause in full where it first occurs

	Variants []VariantRuns `json:"variants,omitempty"` // the same by variant
}

// VariantRuns is what there is of one variant.
type VariantRuns struct {
	Variant string `json:"variant"` // name of the variant
	Good    int    `json:"good"`    // runs with a usable result
	Failed  int    `json:"failed"`  // attempts
	Blocks  int    `json:"blocks"`  // that count: a good run beside a good baseline
	Dropped int    `json:"dropped"` // blocks left out because this variant's run was spoiled
}
