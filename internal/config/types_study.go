// What a study published, and what it claimed: an experiment that repeats it shows
// the study's figures beside its own, and says of each claim whether it holds.

package config

// Published is one figure of a study.
type Published struct {
	Source    string // authors, title, year
	Workload  string // "" for the experiment's only one
	Operation string // "" for the study's arithmetic mean over all operations
	Variant   string
	Metric    string            // a metric of findings.json
	Parameter map[string]string // e.g. {depth: 8}
	Value     float64           // in the metric's unit
	Spread    float64           // standard deviation, where the study gives one; 0: none
	Note      string            // e.g. "raw-log mean, not in the text"
}

// Claim is a finding of a study as a predicate on intervals: it holds where every
// one of the intervals that it selects lies wholly in the given range, is refuted
// where one lies wholly outside, and cannot be told otherwise.
type Claim struct {
	Name      string // e.g. "MF3.1"
	Text      string // in words
	Metric    string
	Of        string   // "cost" (relative, against the baseline) or "ratio" (of two costs, the first over the second: of two Variants, Workloads or Operations, or of Metric over Beside)
	Beside    string   // of a ratio: the metric whose cost the metric's cost is held against
	Variants  []string // none: all but the baseline
	Workloads []string // none: all
	Operation []string // none: all
	Over      string   // "" each selected figure by itself; "operations", "workloads", "variants" or "all": their geometric mean
	Some      bool     // it is enough that one of the selected holds; otherwise all must
	Above     *float64 // relative: 0 is no cost
	Below     *float64
}
