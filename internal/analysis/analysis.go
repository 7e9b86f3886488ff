// Package analysis owns the way from records to findings. It joins what its rooms make, and describes the experiment. It is
// pure: the same records give the same document. It must not know how a run is made nor how a result is shown.
package analysis

import (
	"errors"
	"fmt"
	"time"

	"github.com/tracetax/tracetax/internal/analysis/effect"
	"github.com/tracetax/tracetax/internal/analysis/series"
	"github.com/tracetax/tracetax/internal/analysis/warn"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/decide"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/wording"
)

// Input is everything that findings are made of.
type Input struct {
	Experiment  *config.Experiment
	Plans       map[string]*config.Plan   // by variant
	Rules       map[string]*profile.Rules // by variant, of a profiled experiment: for their advice
	Environment map[string]any            // as in environment.json
	Records     []record.Record           // as in runs.jsonl
	LeftOut     []finding.LeftOut         // variants that were asked for and could not run here
	Shadowed    []finding.Shadowed        // packages that tracers replace by other versions
	Results     string                    // the results folder, as a user names it
	Tool        string                    // version of tracetax
	Now         time.Time
}

// Analyse returns the findings of an experiment, finished or not. Unusable records
// (failed, spoiled, of variants that the experiment does not have) are left out and
// counted in Runs. It fails where the experiment has no
// variant to compare, or where a record cannot be read.
func Analyse(in Input) (*finding.Document, error) {
	if in.Experiment == nil || len(in.Experiment.Variants) == 0 {
		return nil, errors.New("analysing the records: the experiment has no variants")
	}
	s, err := newStudy(in)
	if err != nil {
		return nil, fmt.Errorf("analysing the records of %s: %w", in.Results, err)
	}
	described, err := s.describe()
	if err != nil {
		return nil, fmt.Errorf("describing the experiment of %s: %w", in.Results, err)
	}
	findings := s.Findings()
	drawn := series.Builder{Accounts: s.Accounts}
	searches, err := drawn.Searches()
	if err != nil {
		return nil, fmt.Errorf("analysing the records of %s: %w", in.Results, err)
	}
	doc := &finding.Document{
		Schema:      finding.Schema,
		Tool:        in.Tool,
		Created:     in.Now,
		Results:     in.Results,
		Experiment:  described,
		Environment: in.Environment,
		Quick:       in.Experiment.Design.Quick,
		Findings:    findings,
		Curves:      drawn.Curves(),
		Sweeps:      append(drawn.Sweeps(), drawn.SpanSweeps(findings)...),
		Searches:    searches,
		Services:    drawn.Services(),
		Calls:       drawn.Calls(),
		Increments:  s.Increments(),
		Causes:      s.Causes(in.Rules, findings),
		Lossy:       s.Excluded(findings),
		LossUnknown: s.UnknownLosses(),
		Suppressed:  s.Suppressed(),
		Untraced:    s.UntracedOperations(),
		Elsewhere:   s.Elsewhere(),
		Ledgers:     s.Ledgers,
		Packets:     s.packets(),
		Proxied:     s.proxied(),
		Answers:     s.answers(),
		Runs:        s.counted(),
		Repeat:      s.repeat(record.ExperimentFile),
	}
	doc.Profiles = s.Profiles(doc.Causes)
	effect.Withdraw(doc)
	doc.Decisions = decide.Decisions(doc, s, s.Confidence)
	doc.Warnings = warn.All(s.Estimator, in.Results, in.LeftOut, in.Shadowed)
	doc.Summary = wording.Summary(doc)
	return doc, nil
}

// BlockSeconds returns how long a block takes, as a mean over those that are whole; 0 where there is none.
func (s *study) BlockSeconds() float64 {
	sum, blocks := 0.0, map[int]bool{}
	begun, ended := map[int]time.Time{}, map[int]time.Time{}
	for _, runs := range s.All {
		for block, r := range runs {
			blocks[block] = true
			if at, known := begun[block]; !known || r.Started.Before(at) {
				begun[block] = r.Started
			}
			if r.Ended.After(ended[block]) {
				ended[block] = r.Ended
			}
		}
	}
	for block := range blocks {
		sum += ended[block].Sub(begun[block]).Seconds()
	}
	if len(blocks) == 0 {
		return 0
	}
	return sum / float64(len(blocks))
}

// Offered returns the operations/s that requests of a cell were offered; 0 where they had no rate of their own.
func (s *study) Offered(at cell.At) float64 {
	phases := s.PhasesOf(s.Baseline, at)
	if len(phases) == 0 || !metric.Open.Has(s.RegimeOf(at)) {
		return 0
	}
	return phases[0].OfferedRate
}
