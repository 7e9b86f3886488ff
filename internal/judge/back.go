package judge

import "github.com/tracetax/tracetax/internal/finding"

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
