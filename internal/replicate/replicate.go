// Package replicate owns what several results say together, and how that compares with a
// published study: the tables beside each other, the order of the variants, means over
// operations, ratios between workloads and between tracers, and the verdict on each claim. It is
// pure: the same findings give the same document. It must not know how a finding was
// made nor how a replication is shown.
package replicate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/words"
)

// Input is what a replication is made of: one result, those of one experiment over several
// workloads, or those of several experiments over one.
type Input struct {
	Results []*finding.Document
	Claims  []finding.Claim // instead of those that the results carry; nil: theirs
	Tool    string          // version of tracetax
	Now     time.Time
}

// Make returns what the results say together. It fails where there is no result, or
// where two are of the same experiment on the same workload: it could not be said which one
// counts.
func Make(in Input) (*finding.Replication, error) {
	if len(in.Results) == 0 {
		return nil, errors.New("making a replication: there is no result")
	}
	s := &replication{claims: in.Claims}
	for _, doc := range in.Results {
		if len(doc.Experiment.Variants) == 0 {
			return nil, fmt.Errorf("making a replication: the result in %s has no variants", doc.Results)
		}
		r := &result{Document: doc, workload: doc.Experiment.Workload, baseline: doc.Experiment.Variants[0].Name}
		if r.workload == "" {
			r.workload = doc.Experiment.Name
		}
		s.results = append(s.results, r)
		if in.Claims == nil && s.claims == nil {
			s.claims = doc.Experiment.Claims
		}
	}
	if err := s.tellApart(); err != nil {
		return nil, fmt.Errorf("making a replication: %w", err)
	}
	s.collect()
	s.findSeries()
	out := &finding.Replication{
		Schema: finding.ReplicationSchema, Tool: in.Tool, Created: in.Now, Name: s.results[0].Experiment.Name,
		Series: s.series, Tables: s.tables(), Rankings: s.rankings(), Means: s.means(), Ratios: s.ratios(), Claims: s.judged(),
		Warnings: s.warnings(), Tracers: s.tracers(),
	}
	s.carry(out)
	words.FillReplication(out)
	out.Methods = s.methods(out)
	out.Summary = s.summary(out)
	return out, nil
}

// tellApart names results of one workload by their experiments too. They ask that workload
// different things, so nothing is averaged over them; and claims, which name workloads,
// could be about any of them.
func (s *replication) tellApart() error {
	experiments := map[string][]*result{}
	for _, r := range s.results {
		for _, twin := range experiments[r.workload] {
			if twin.Experiment.Name == r.Experiment.Name {
				return fmt.Errorf("%s and %s are both results of %s: leave one of them out, or compare them with 'tracetax compare'", twin.Results, r.Results, r.workload)
			}
		}
		experiments[r.workload] = append(experiments[r.workload], r)
	}
	for workload, twins := range experiments {
		if len(twins) == 1 {
			continue
		}
		s.apart = true
		for _, r := range twins {
			r.workload = join(workload, r.Experiment.Name)
		}
	}
	if s.apart && len(s.claims) > 0 {
		return fmt.Errorf("there are claims, and results of several experiments (%s): replicate each experiment, so that it is clear which one a claim is about", s.results[0].Results)
	}
	return nil
}

// carry takes over what each result says by itself.
func (s *replication) carry(out *finding.Replication) {
	for _, r := range s.results {
		out.Results = append(out.Results, finding.ReplicationResult{
			Results: r.Results, Workload: r.workload, Load: r.Experiment.Load, Tool: r.Tool, Runtimes: runtimesOf(r.Environment), Created: r.Created, Blocks: r.Runs.Blocks, Quick: r.Quick, Summary: r.FullSummary,
		})
		for _, l := range r.Lossy {
			out.Lossy = append(out.Lossy, finding.ReplicationLossy{Workload: r.workload, Lossy: l})
		}
		for _, u := range r.Suppressed {
			out.Suppressed = append(out.Suppressed, finding.ReplicationSuppressed{Workload: r.workload, Suppressed: u})
		}
		for _, i := range r.Increments {
			out.Increments = append(out.Increments, finding.ReplicationStep{Workload: r.workload, Increment: i})
		}
		for _, c := range r.Sweeps {
			out.Sweeps = append(out.Sweeps, finding.ReplicationSweep{Workload: r.workload, Sweep: c})
		}
		for _, l := range r.Searches {
			l.Points = nil // every probe is in the result
			out.Searches = append(out.Searches, finding.ReplicationSearch{Workload: r.workload, Search: l})
		}
		for _, l := range r.Experiment.LeftOut {
			out.LeftOut = append(out.LeftOut, finding.ReplicationLeft{Workload: r.workload, LeftOut: l})
		}
	}
}

// runtimesOf are the versions of the programs that the workload and its tracers need.
func runtimesOf(environment map[string]any) []string {
	said, _ := environment["runtimes"].(map[string]any)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(said)) {
		if text, ok := said[name].(string); ok && text != "" {
			out = append(out, name+": "+finding.PlainText(text))
		}
	}
	return out
}

// warnings are the results' own, once each, without the notes.
func (s *replication) warnings() []finding.Warning {
	out := []finding.Warning{}
	for _, r := range s.results {
		for _, w := range r.Warnings {
			if w.Severity == "note" {
				continue
			}
			w.Where = join(r.workload, w.Where)
			if !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}
