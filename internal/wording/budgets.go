// This file says how budgets were kept, and what advice would save.

package wording

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// Allowed is the limit that a finding was held against, as its owner wrote it: "5 %", "2.00 ms", of spans "0 % lost". It is "" where
// there is none.
func Allowed(f *finding.Finding) string {
	text := strings.TrimSpace(limit(f.Verdict))
	if text != "" && f.Metric == metric.DeliveredShare {
		text += " lost"
	}
	return text
}

// CheckBadge is a verdict beside its limit, which it need not name.
func CheckBadge(f *finding.Finding) string {
	switch f.Verdict.Kind {
	case finding.Within, finding.Over:
		return string(f.Verdict.Kind)
	}
	return strings.TrimSuffix(LongBadge(f), ", budget"+limit(f.Verdict))
}

// CheckRemark is why a limit cannot be told to be kept; "" where the badge says it.
func CheckRemark(f *finding.Finding) string {
	if f.Verdict.Kind != finding.CannotTell || short(f.Verdict) && !hopeless(f) {
		return ""
	}
	return Remark(f)
}

// Kept says how many limits were kept, the worst first: "Over budget: 3 of 12; 8 inconclusive".
func Kept(over, open, within int) string {
	all := over + open + within
	switch {
	case over > 0 && open > 0:
		return fmt.Sprintf("Over budget: %d of %d; %d inconclusive", over, all, open)
	case over > 0:
		return fmt.Sprintf("Over budget: %d of %d", over, all)
	case open > 0:
		return fmt.Sprintf("Inconclusive: %d of %d; %d within budget", open, all, within)
	case all > 1:
		return fmt.Sprintf("Within budget: all %d", all)
	}
	return "Within budget"
}

// Saved is what an advice saves of the CPU per operation, by the variant that has its setting: "saves 2.0 µs (1.0 to 3.0)". Where none
// has, nobody knows.
func Saved(a *finding.Advice) string {
	i := a.Saves
	if i == nil {
		return "not tried: what it saves is unknown"
	}
	size, ends := finding.FormatParts(claim.Magnitude(*i), "s", false)
	text := strings.TrimSpace(size + " " + ends)
	switch {
	case i.Low != nil && i.High != nil && *i.Low <= 0 && *i.High >= 0:
		return "no saving seen: " + finding.FormatInterval(*i, "s", false)
	case i.Estimate > 0:
		return "costs " + text + " more"
	}
	return "saves " + text
}
