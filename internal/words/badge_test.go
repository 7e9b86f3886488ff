package words

import (
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

func TestBadge(t *testing.T) {
	number := func(v float64) *float64 { return &v }
	relative := &finding.Interval{Estimate: 0.31, Low: number(-0.03), High: number(0.77)}
	for name, c := range map[string]struct {
		f          finding.Finding
		text, long string
	}{
		"a wide bound": {finding.Finding{Unit: "s", Relative: relative, Verdict: finding.Verdict{Kind: finding.NoDifference, Bound: number(0.9)}},
			"inconclusive", "inconclusive"},
		"a narrow bound": {finding.Finding{Unit: "s", Relative: relative, Verdict: finding.Verdict{Kind: finding.NoDifference, Bound: number(0.25)}},
			"under 25 %", "no difference > 25 %"},
		"an absolute bound": {finding.Finding{Unit: "s", Verdict: finding.Verdict{Kind: finding.NoDifference, Bound: number(3.14e-6)}},
			"under 3.2 µs", "no difference > 3.2 µs"},
		"several claims": {finding.Finding{Unit: "s", Relative: relative, Verdict: finding.Verdict{Kind: finding.CannotTell, Claims: 3, Low: number(-0.1), High: number(0.9)}},
			"not significant after correction for 3 comparisons", "not significant after correction for 3 comparisons"},
		"a budget": {finding.Finding{Unit: "s", Relative: relative, Verdict: finding.Verdict{Kind: finding.CannotTell, Claims: 3, Low: number(-0.1), High: number(0.9), Budget: number(0.05), Reasons: []finding.Reason{{Code: finding.WhyStraddles}}}},
			"inconclusive", "inconclusive"},
		"work that was not done": {finding.Finding{Unit: "s", Relative: relative, Verdict: finding.Verdict{Kind: finding.CannotTell, Low: number(-0.1), High: number(0.9), Budget: number(0.05), Reasons: []finding.Reason{{Code: finding.WhyLost}}}},
			"cannot tell", "cannot tell"},
		"too few blocks, and too wide": {finding.Finding{Unit: "s", Relative: relative, Verdict: finding.Verdict{Kind: finding.CannotTell, Claims: 8, MoreBlocks: 1}},
			"inconclusive", "inconclusive"},
		"too few blocks": {finding.Finding{Unit: "s", Relative: &finding.Interval{Estimate: 0.31, Low: number(0.03), High: number(0.77)}, Verdict: finding.Verdict{Kind: finding.CannotTell, Claims: 8, MoreBlocks: 1}},
			"needs 1 block more", "needs 1 block more"},
		"modes":  {finding.Finding{Verdict: finding.Verdict{Kind: finding.CannotTell, Claims: 3}}, "cannot tell", "cannot tell"},
		"within": {finding.Finding{Verdict: finding.Verdict{Kind: finding.Within, Budget: number(0.05)}}, "within 5 %", "within 5 %"},
	} {
		if got := Badge(&c.f); got != c.text {
			t.Errorf("%s: %q, want %q", name, got, c.text)
		}
		if got := LongBadge(&c.f); got != c.long {
			t.Errorf("%s, with room: %q, want %q", name, got, c.long)
		}
	}
}
