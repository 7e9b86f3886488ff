// This file finds the budgets of claims.

package effect

import (
	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/metric"
)

// budgetFor returns the limit that the claim is held against, if there is one:
// what the user is willing to pay is meant over the baseline and over all roles.
func (s *Maker) budgetFor(c *claim) *config.Limit {
	if c.pair.Extra || c.Role != "" || c.metric.NoVerdict {
		return nil
	}
	for i := range s.Experiment.Budget {
		if limit := &s.Experiment.Budget[i]; limit.Metric == c.Metric {
			return limit
		}
	}
	return nil
}

func (s *Maker) lostBudget(p dataset.Pair) *config.Limit {
	for i := range s.Experiment.Budget {
		if limit := &s.Experiment.Budget[i]; limit.Metric == metric.LostShare && !p.Extra {
			return limit
		}
	}
	return nil
}
