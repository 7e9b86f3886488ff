// This file is the results of a replication, sorted out, and how surely to ask of them.

package replicate

import (
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// confidence of every interval, before any correction.
const confidence = 0.95

// replication is the results, sorted out.
type replication struct {
	results []*result
	figures []*figure
	series  []finding.Series
	claims  []finding.Claim
	apart   bool // experiments of one workload: no mean and no ratio is over several of them
}

// result is one of the results. Where several are of one workload its name has the
// experiment's behind it.
type result struct {
	*finding.Document
	workload string
	baseline string
}

// resultOf returns the result of a workload, nil where there is none.
func (s *replication) resultOf(workload string) *result {
	for _, r := range s.results {
		if r.workload == workload {
			return r
		}
	}
	return nil
}

// ask is the confidence to ask of an interval over these results that is to have the
// one given, in spite of stopping at a precision.
func ask(given float64, results ...*result) float64 {
	most := given
	for _, r := range results {
		if e := r.Experiment; e.Precision > 0 && e.Most > e.Blocks {
			most = max(most, stats.SequentialConfidence(e.Blocks, e.Most, given))
		}
	}
	return most
}
