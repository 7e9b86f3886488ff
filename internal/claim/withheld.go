// Reasons against an answer, whatever the interval.

package claim

import (
	"math"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
)

// Idle returns the reason why a finding is not the cost of tracing: no span came of a side, or one sent spans elsewhere; or nil.
func Idle(doc *finding.Document, f *finding.Finding) *finding.Reason {
	for _, variant := range []string{f.Variant, f.Against} {
		if doc.UntracedIn(f, variant) {
			return &finding.Reason{Code: finding.WhyUntraced, Variant: variant}
		}
	}
	if who := doc.OneElsewhere(f); who != "" {
		return &finding.Reason{Code: finding.WhyElsewhere, Variant: who}
	}
	return nil
}

// Withheld reports whether an answer was withheld for another reason than want of blocks.
func Withheld(v finding.Verdict) bool {
	return v.Kind == finding.CannotTell && v.Low == nil && v.MoreBlocks == 0
}

// ModeShare is the share of the larger mode by which modes must differ to matter.
const ModeShare = 0.01

// Divided are the modes into which one side falls and the other does not; nil where there are none, or where they are apart by
// no more than a share of the larger one, or than matters where there is no ratio to judge them by. ofBase: the base does.
func Divided(r stats.ModeReport, share, matters float64) (modes []stats.Mode, ofBase bool) {
	share = max(share, ModeShare)
	apart := func(modes []stats.Mode) bool {
		if len(modes) < 2 {
			return false
		}
		least, most := modes[0].Center, modes[len(modes)-1].Center
		return most-least > max(matters, share*max(math.Abs(least), math.Abs(most)))
	}
	switch {
	case !r.Differ || !apart(r.Baseline) && !apart(r.Value):
		return nil, false
	case len(r.Baseline) > len(r.Value):
		return r.Baseline, true
	}
	return r.Value, false
}

// TakeBack takes an answer back that what is known beside the figures does not allow: that a thing costs no more, where
// it looks cheaper than it is, and that it costs more, where it looks dearer. It reports whether it did. The interval
// stays.
func TakeBack(v *finding.Verdict, cheaper, dearer *finding.Reason) bool {
	var reason *finding.Reason
	switch v.Kind {
	case finding.Within, finding.Saves:
		reason = cheaper
	case finding.Over, finding.Costs:
		reason = dearer
	case finding.NoDifference:
		if reason = cheaper; reason == nil {
			reason = dearer
		}
	}
	if reason != nil {
		cannotTell(v, 0, *reason)
	}
	return reason != nil
}
