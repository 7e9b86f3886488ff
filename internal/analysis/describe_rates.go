// This file says in words where relative rates come from.

package analysis

import "github.com/tracetax/tracetax/internal/words"

// pilotTexts says where a relative rate came from, a sentence an operation.
func (s *study) pilotTexts() []string {
	relative := s.Experiment.Load.Relative
	var out []string
	for _, operation := range s.Operations() {
		var found []string
		for _, p := range s.Piloted(operation) {
			found = append(found, words.Pilot(p.Variant, p.Found))
		}
		if len(found) == 0 {
			continue
		}
		rate, share := 0.0, 0.0
		if relative != nil && len(relative.Shares) == 0 {
			rate, _ = s.RateOf(operation)
			share = relative.Share
		}
		out = append(out, operation+": "+words.Pilots(found, rate, share))
	}
	return out
}

// relativeRates are the rates that a relative one came to, by operation; nil where
// the rate was a given one.
func (s *study) relativeRates() map[string]float64 {
	if relative := s.Experiment.Load.Relative; relative == nil || len(relative.Shares) > 0 {
		return nil
	}
	out := map[string]float64{}
	for _, operation := range s.Operations() {
		if rate, ok := s.RateOf(operation); ok {
			out[operation] = rate
		}
	}
	return out
}
