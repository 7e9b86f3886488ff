// This file computes before a run how many blocks the verdicts need.

package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/delivery"
	"github.com/tracetax/tracetax/internal/analysis/effect"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/wording"
)

// Outlook holds the blocks that the verdicts of one family of claims will need.
type Outlook = effect.Outlook

// Foresee returns the needs of the verdicts on the headline and on budgets; either may have no
// claims. A budget for lost spans needs no blocks: they are counted.
func Foresee(e *config.Experiment) (headline, budgets Outlook) {
	if e == nil || len(e.Variants) == 0 {
		return headline, budgets
	}
	return effect.Outlooks(e)
}

// This file computes the headline while the experiment lasts.

// Headline is the CPU per operation, or the capacity, so far, in a line: with its interval from 6
// blocks on, and of the variant that differs most where there are several; of the one step that the experiment asks for
// (against: …), both over the baseline and over the other. It is
// "" before the first block is whole. It costs little: no histogram is read, and
// no block is left out as spoiled.
func Headline(e *config.Experiment, records []record.Record) string {
	if e == nil || len(e.Variants) == 0 {
		return ""
	}
	untraced := func(f finding.Finding) bool {
		return seemsUntraced(records, f.Variant) || seemsUntraced(records, f.Against)
	}
	glance := effect.New(delivery.Blank(dataset.Glance(e, records)))
	findings := slices.DeleteFunc(glance.HeadlineFindings(false), untraced)
	if len(findings) == 0 {
		return ""
	}
	variant := slices.MaxFunc(findings, func(a, b finding.Finding) int {
		return cmp.Compare(math.Abs(a.Shown().Estimate), math.Abs(b.Shown().Estimate))
	}).Variant
	step := ""
	if steps := slices.DeleteFunc(glance.HeadlineFindings(true), untraced); len(steps) > 0 && !slices.ContainsFunc(steps, func(f finding.Finding) bool {
		return f.Variant != steps[0].Variant || f.Against != steps[0].Against
	}) {
		variant = steps[0].Variant // what the experiment is about, such as one commit beside another
		step = "; over " + steps[0].Against + ": " + figuresOf(steps, variant)
	}
	return finding.MetricName(findings[0].Metric) + " " + variant + ": " + figuresOf(findings, variant) + step
}

// figuresOf are the figures of a variant, by operation.
func figuresOf(findings []finding.Finding, variant string) string {
	var parts []string
	for _, f := range findings {
		if f.Variant == variant {
			parts = append(parts, strings.TrimSpace(f.Operation+" "+cell.LevelOf(f.Parameter).String())+" "+finding.FormatInterval(*f.Shown(), f.Unit, f.ByRatio()))
		}
	}
	return strings.Join(parts, ", ")
}

// seemsUntraced reports whether a variant that exports, since it was calibrated, has sent no
// span so far: what it costs is not what tracing costs.
func seemsUntraced(records []record.Record, variant string) bool {
	calibrated := false
	for i := range records {
		r := &records[i]
		if r.Variant != variant || r.Failed() {
			continue
		}
		if r.Life.Sum()+r.Life.Thrown > 0 {
			return false
		}
		calibrated = calibrated || r.Kind == record.Calibration
	}
	return calibrated
}

// Precise reports whether the records so far are enough for the precision that
// the design asks for, of the one metric that it names (CPU per operation where it
// names none): the interval of every operation and variant against the baseline,
// over all roles, must reach no further than that. width is the widest half-width
// among them, on the scale of the logarithm of the ratio (0.02 is about ±2 %);
// it is infinite where one of them has no interval yet. Blocks that the harness
// spoiled are left out, as they are at the end.
//
// It fails where the metric is not one that runs have, or where a record cannot
// be read. Without a precision to reach enough is never true.
func Precise(in Input) (enough bool, width float64, err error) {
	if in.Experiment == nil || len(in.Experiment.Variants) == 0 {
		return false, math.Inf(1), fmt.Errorf("looking at the precision so far: the experiment has no variants")
	}
	set, err := dataset.New(in.Experiment, in.Plans, in.Environment, in.Records)
	if err != nil {
		return false, math.Inf(1), fmt.Errorf("looking at the precision so far: %w", err)
	}
	width, err = effect.New(delivery.Blank(set)).Widest(in.Experiment.Design.Metric)
	precision := in.Experiment.Design.Precision
	return err == nil && precision > 0 && width <= precision, width, err
}

// repeat lists the commands that repeat the experiment; one that was interrupted
// can be gone on with.
func (s *study) repeat(file string) []string {
	again := []string{"tracetax run " + wording.Quoted(s.in.Results+"/"+file)}
	if made, asked := s.Progress(); made < asked {
		return append([]string{resumes(s.in.Results)}, again...)
	}
	return again
}

func resumes(results string) string { return "tracetax run --resume " + wording.Quoted(results) }

// Found sets the folder of a document, as its reader named it, also in its commands.
func Found(doc *finding.Document, results string) {
	for i, command := range doc.Repeat {
		switch command {
		case resumes(doc.Results):
			doc.Repeat[i] = resumes(results)
		case "tracetax run " + wording.Quoted(doc.Results+"/"+record.ExperimentFile):
			doc.Repeat[i] = "tracetax run " + wording.Quoted(results+"/"+record.ExperimentFile)
		}
	}
	doc.Results = results
}

// This file counts the runs behind the findings, and explains why others failed.

// counted returns the counts of the runs behind the findings.
func (s *study) counted() finding.Runs {
	failed := s.FailedThemselves()
	out := finding.Runs{Failed: len(failed), Blocks: s.WholeBlocks(), Stop: s.Stopped(), Generators: s.Generators()}
	if n := len(s.Sittings()); n > 1 {
		out.Sittings = n
	}
	if n := len(s.Nodes()); n > 1 {
		out.Nodes = n
	}
	if out.Stop != nil {
		out.Stop.Text = wording.Reason(*out.Stop)
		out.Stopped = out.Stop.Text
	}
	for _, v := range s.Variants {
		one := finding.VariantRuns{Variant: v.Name, Good: len(s.All[v.Name]), Blocks: len(s.BlocksOf(v.Name, s.Baseline))}
		for _, r := range failed {
			if r.Variant == v.Name {
				one.Failed++
			}
		}
		for _, d := range s.Dropped {
			if d.Variant == v.Name {
				one.Dropped++
			}
		}
		out.Good += one.Good
		out.Variants = append(out.Variants, one)
	}
	for _, d := range s.Dropped {
		reason := d.Reason
		reason.Text = fmt.Sprintf("block %d: %s", d.Block, wording.Reason(reason))
		out.Spoilt, out.Dropped = append(out.Spoilt, reason), append(out.Dropped, reason.Text)
	}
	out.Failure = wording.Failures(failed)
	return out
}

// Spoiled counts the planned blocks that the harness or the machine spoiled, and that are worth making again: none, where
// more are than may be left out. It looks at no figure of the program.
//
// It fails where a record cannot be read.
func Spoiled(in Input) (int, error) {
	set, err := dataset.New(in.Experiment, in.Plans, in.Environment, in.Records)
	if err != nil {
		return 0, fmt.Errorf("looking for blocks that were spoiled: %w", err)
	}
	return set.Again(), nil
}
