// This file tells the headline while the experiment lasts.

package analysis

import (
	"cmp"
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
)

// Headline is the CPU per operation, or the capacity, so far, in a line: with its interval from 6
// blocks on, and of the variant that differs most where there are several. It is
// "" before the first block is whole. It costs little: no histogram is read, and
// no block is left out as spoiled.
func Headline(e *config.Experiment, records []record.Record) string {
	if e == nil || len(e.Variants) == 0 {
		return ""
	}
	findings := slices.DeleteFunc(HeadlineFindings(e, records), func(f finding.Finding) bool { return seemsUntraced(records, f.Variant) })
	if len(findings) == 0 {
		return ""
	}
	variant := slices.MaxFunc(findings, func(a, b finding.Finding) int {
		return cmp.Compare(math.Abs(a.Shown().Estimate), math.Abs(b.Shown().Estimate))
	}).Variant
	var parts []string
	for _, f := range findings {
		if f.Variant == variant {
			parts = append(parts, strings.TrimSpace(f.Operation+" "+cell.LevelOf(f.Parameter).String())+" "+finding.FormatInterval(*f.Shown(), f.Unit, f.ByRatio()))
		}
	}
	return finding.MetricName(findings[0].Metric) + " " + variant + ": " + strings.Join(parts, ", ")
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
		if r.Life.Told()+r.Life.Thrown > 0 {
			return false
		}
		calibrated = calibrated || r.Kind == record.Calibration
	}
	return calibrated
}

// HeadlineFindings are the headline's findings alone, without verdicts, by
// variant.
func HeadlineFindings(e *config.Experiment, records []record.Record) []finding.Finding {
	return effect.New(delivery.Blank(dataset.Glance(e, records))).HeadlineFindings()
}
