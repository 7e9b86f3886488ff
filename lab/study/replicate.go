// Package study owns the replication of a published study by several results: tables beside the
// published figures, rankings of variants, means over operations, ratios between workloads and
// between tracers, and the verdict on each claim. It is pure: the same findings give the same
// document. It must not know how a finding was made nor how a replication is shown.
package study

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/wording"
)

// Input holds the results of a replication: one result, one experiment over several workloads,
// or several experiments over one workload.
type Input struct {
	Results []*finding.Document
	Claims  []finding.Claim // replace those of the results; nil: theirs
	Tool    string          // version of tracetax
	Now     time.Time
}

// Make returns the replication. It fails without results, and with two results of the same
// experiment on the same workload: either could count.
func Make(in Input) (*Replication, error) {
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
	out := &Replication{
		Schema: Schema, Tool: in.Tool, Created: in.Now, Name: s.results[0].Experiment.Name,
		Series: s.series, Tables: s.tables(), Rankings: s.rankings(), Means: s.means(), Ratios: s.ratios(), Claims: s.judged(),
		Warnings: s.warnings(), Tracers: s.tracers(),
	}
	s.carry(out)
	putIntoWords(out)
	out.Methods = s.methods(out)
	out.Summary = s.summary(out)
	return out, nil
}

// putIntoWords gives the reasons of a replication their sentences.
func putIntoWords(s *Replication) {
	fill := func(r *finding.Reason) {
		if r != nil {
			r.Text = wording.Reason(*r)
		}
	}
	for i := range s.Tables {
		for k := range s.Tables[i].Rows {
			fill(s.Tables[i].Rows[k].Reason)
		}
	}
	for i := range s.Claims {
		for k := range s.Claims[i].Figures {
			fill(s.Claims[i].Figures[k].Reason)
		}
	}
}

// tellApart adds the experiment to the names of results of one workload. Their experiments
// differ, so nothing is averaged over them. It fails if there are claims: these name a workload,
// not an experiment.
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
		return fmt.Errorf("there are claims, and results of several experiments (%s): replicate each experiment alone", s.results[0].Results)
	}
	return nil
}

// carry copies each result's own figures.
func (s *replication) carry(out *Replication) {
	for _, r := range s.results {
		out.Results = append(out.Results, Result{
			Results: r.Results, Workload: r.workload, Load: r.Experiment.Load, Tool: r.Tool, Runtimes: runtimesOf(r.Environment), Created: r.Created, Blocks: r.Runs.Blocks, Quick: r.Quick, Summary: r.Summary,
		})
		for _, l := range r.Lossy {
			out.Lossy = append(out.Lossy, Lossy{Workload: r.workload, Lossy: l})
		}
		for _, u := range r.Suppressed {
			out.Suppressed = append(out.Suppressed, Suppressed{Workload: r.workload, Suppressed: u})
		}
		for _, i := range r.Increments {
			out.Increments = append(out.Increments, Step{Workload: r.workload, Increment: i})
		}
		for _, c := range r.Sweeps {
			out.Sweeps = append(out.Sweeps, Sweep{Workload: r.workload, Sweep: c})
		}
		for _, l := range r.Searches {
			l.Points = nil // every probe is in the result
			out.Searches = append(out.Searches, Search{Workload: r.workload, Search: l})
		}
		for _, l := range r.Experiment.LeftOut {
			out.LeftOut = append(out.LeftOut, LeftOut{Workload: r.workload, LeftOut: l})
		}
	}
}

// runtimesOf returns the versions of the programs that the workload and its tracers need.
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

// warnings returns the results' warnings, each once, without notes.
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

// This file holds the sorted results and the confidence of their intervals.

type replication struct {
	results []*result
	figures []*figure
	series  []Series
	claims  []finding.Claim
	apart   bool // several experiments of one workload: no mean or ratio spans them
}

// result is one result. If several have one workload, the experiment's name follows the workload's.
type result struct {
	*finding.Document
	workload string
	baseline string
}

// resultOf returns the result of a workload, or nil.
func (s *replication) resultOf(workload string) *result {
	for _, r := range s.results {
		if r.workload == workload {
			return r
		}
	}
	return nil
}

// ask returns the nominal confidence of an interval that keeps the given one although these results
// may have stopped at a precision.
func ask(results ...*result) claim.Ask {
	return func(given float64) float64 {
		most := given
		for _, r := range results {
			if e := r.Experiment; e.Precision > 0 && e.Most > e.Blocks {
				most = max(most, stats.SequentialConfidence(e.Blocks, e.Most, given))
			}
		}
		return most
	}
}

// methods describes how the figures were computed, a sentence each.
func (s *replication) methods(out *Replication) []string {
	var text []string
	amount := func(t Table) bool { return t.Amount }
	if slices.ContainsFunc(out.Tables, func(t Table) bool { return !t.Amount && !isCount(t.Metric) }) {
		text = append(text, "A cost is a relative change over the baseline of the same block: the Hodges–Lehmann centre of the log-ratios, with the exact signed-rank 95 % interval over the blocks.")
	}
	if slices.ContainsFunc(out.Tables, amount) {
		text = append(text, "Where the operation does nothing, a cost is the time that tracing adds: the Hodges–Lehmann centre of the differences within blocks. A published one is the published value less the same study's baseline.")
	}
	if len(out.Series) > 0 {
		text = append(text, "A published cost is the published value over the same study's baseline; \"within\" means that our 95 % interval contains it. Published values come from other machines and versions: compare costs, not values.")
	}
	if len(out.Rankings) > 0 {
		if slices.ContainsFunc(s.figures, func(f *figure) bool { return !f.of.ordered(f.Variant) }) {
			text = append(text, "Variants that leave out steps of tracing, traces or spans on purpose are not in the ranking: their cost is that of a part.")
		}
		if slices.ContainsFunc(s.figures, func(f *figure) bool {
			why := f.why()
			return why != nil && why.Code == finding.WhyLossUnknown
		}) {
			text = append(text, "Variants with an unknown number of lost spans are not in the ranking either.")
		}
		text = append(text, "Two variants share a letter if the 95 % interval of their ratio within blocks contains 1; each pair is compared without correction. Kendall's τ-b is over the variants that both orders have.")
	}
	if len(out.Means) > 0 {
		text = append(text, "A mean is over the operations that all variants have, among variants with more than one operation; over several workloads it has the variants that all workloads have. The arithmetic mean is of the relative changes, and depends on which side is the baseline. The ratio of means is the studies' own way: in each block, the mean of the values over all operations, divided by the baseline's; operations with large values weigh more. A published mean over all operations is compared with that alone, and only if none of ours is missing. The geometric mean is of the ratios, within blocks; over several workloads it pairs the first blocks, then the second, and so on: blocks of different results are independent, and any pairing is as good.")
	}
	if len(out.Ratios) > 0 {
		text = append(text, "Ratios between tracers are within blocks (signed rank); ratios between workloads are between independent blocks (rank sum).")
	}
	if len(out.Claims) > 0 {
		text = append(text, "A claim about several figures is confirmed if each 95 % interval lies in its range (intersection–union test, Berger 1982: no correction is needed), and refuted if one interval, corrected for their number (Bonferroni), lies beyond. For a claim that some figure is in the range it is the other way round. Claims are not corrected for each other.")
	}
	if len(out.Lossy) > 0 {
		text = append(text, "Variants that lost over 1 % of their spans are excluded from the ranking, the means and the ratios.")
	}
	if len(out.Suppressed) > 0 {
		text = append(text, "Variants with over 1 % of the spans suppressed by the tracer's own limit are in ranking, means and ratios, with a mark: with these settings they do less work than sending all spans.")
	}
	return text
}
