// This file says before an experiment is run how many blocks its verdicts need.

package analysis

import (
	"github.com/tracetax/tracetax/internal/analysis/effect"
	"github.com/tracetax/tracetax/internal/config"
)

// Outlook is what the verdicts of one family of claims will need.
type Outlook = effect.Outlook

// Foresee says what the verdicts on the headline and those on budgets will need; no claims
// where there are none. A budget for lost spans needs no blocks: they are counted.
func Foresee(e *config.Experiment) (headline, budgets Outlook) {
	if e == nil || len(e.Variants) == 0 {
		return headline, budgets
	}
	return effect.Outlooks(e)
}
