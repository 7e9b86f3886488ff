// This file finds what stands against comparing two findings.
package analysis

import (
	"fmt"
	"math"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// silent reports whether a finding is shown without ever having a verdict.
func silent(f *finding.Finding) bool { return f.Verdict.Kind == finding.None && f.Verdict.Text == "" }

// reasons returns what either result says against its own figure.
func (c *comparison) reasons(index int, f, g *finding.Finding) (overloaded, doubt string) {
	for i, one := range []*finding.Finding{f, g} {
		name := c.names[0]
		if i == 1 {
			name = c.names[index+1]
		}
		switch {
		case one.Verdict.Kind == finding.Overloaded:
			overloaded = "in " + name + ", " + one.Verdict.Text
		case untoldAtAll(one) && doubt == "":
			doubt = "in " + name + ", " + strings.TrimPrefix(one.Verdict.Text, "cannot tell: ")
		}
		doc := c.in.Base
		if i == 1 {
			doc = c.in.News[index]
		}
		for _, variant := range []string{one.Variant, one.Against} {
			if doubt == "" && doc.IsUntraced(variant, one.Operation) {
				doubt = "in " + name + ", no span came with " + variant + ", so that this is not what tracing costs"
			}
		}
	}
	return overloaded, doubt
}

// lostMore says by how much more the newer side of a change lost of its spans than the older:
// then it did less work, and that it costs no more says nothing. "" where it is under 1 %.
func (c *comparison) lostMore(index int, f, g *finding.Finding) string {
	if f.Metric == deliveredShare || f.Metric == deliveredRate {
		return "" // that is what it is about
	}
	before := c.in.Base.LostShare(f.Operation, f.Parameter, f.Variant)
	after := c.in.News[index].LostShare(g.Operation, g.Parameter, g.Variant)
	allowed := 1 - lossless
	for _, limit := range c.in.Budget {
		if limit.Metric == lostMetric {
			allowed = max(allowed, limit.Value)
		}
	}
	if after-before <= allowed {
		return ""
	}
	return fmt.Sprintf("in %s, %s lost %s of its spans, against %s: this is the cost of less work", c.names[index+1], g.Variant, finding.FormatValue(after, "1"), finding.FormatValue(before, "1"))
}

// untoldAtAll reports whether there is a reason against the figure itself, and not
// only against a verdict on it.
func untoldAtAll(f *finding.Finding) bool {
	v := f.Verdict
	return v.Kind == finding.CannotTell && v.Low == nil && v.MoreBlocks == 0 && !strings.HasSuffix(v.Text, noRatio)
}

// modesBetween says whether the ratios of one result fall into modes that those of
// the other do not have: then a single shift does not tell what changed.
// Modes count that are further apart than the share that a single ratio may be off.
func modesBetween(before, after string, logsBefore, logsAfter []float64, off float64) string {
	report := stats.Modes(exponentials(logsBefore), exponentials(logsAfter))
	if !report.Differ || !apart(report.Baseline, max(modeShare, off), 0) && !apart(report.Value, max(modeShare, off), 0) {
		return ""
	}
	name, modes := after, report.Value
	if len(report.Baseline) > len(report.Value) {
		name, modes = before, report.Baseline
	}
	var parts []string
	for _, m := range modes {
		parts = append(parts, fmt.Sprintf("%.0f %% at %s", m.Share*100, finding.FormatInterval(finding.Interval{Estimate: m.Center - 1}, "1", true)))
	}
	return "the costs in " + name + " fall into modes, " + strings.Join(parts, " and ")
}

func exponentials(logs []float64) []float64 {
	out := make([]float64, len(logs))
	for i, v := range logs {
		out[i] = math.Exp(v)
	}
	return out
}

// shift is an estimate as a change has it; nil where there is none.
func shift(e stats.Estimate) *finding.Interval {
	if math.IsNaN(e.Center) || math.IsInf(e.Center, 0) {
		return nil
	}
	return interval(e, false)
}
