package finding

import "slices"

// WideBound is the largest share that is worth telling as "no difference larger than": an interval that leaves room for
// more tells nothing.
const WideBound = 0.25

// Wide reports whether a verdict's interval holds zero and so much besides that it tells nothing; ratio says that it is a
// ratio's.
func (v Verdict) Wide(ratio bool) bool {
	return v.Kind == NoDifference && ratio && v.Bound != nil && *v.Bound > WideBound
}

// Inconclusive reports whether a verdict is open only because its interval is too wide: for a limit, for a claim, or to
// tell anything.
func (v Verdict) Inconclusive(ratio bool) bool {
	return v.Wide(ratio) || v.Kind == CannotTell && slices.ContainsFunc(v.Reasons, func(r Reason) bool {
		return r.Code == WhyStraddles || r.Code == WhyNotSure || r.Code == WhyCorrection
	})
}

// TooWide reports whether a finding is a ratio whose own interval holds zero and so much besides that no correction matters:
// a block or two more would tell nothing.
func (f *Finding) TooWide() bool {
	i := f.Relative
	return i != nil && f.ByRatio() && i.Low != nil && i.High != nil && *i.Low <= 0 && *i.High >= 0 && max(-*i.Low, *i.High) > WideBound
}

// ShownKind is the kind that a verdict is shown as: a wide interval is one that cannot tell.
func (v Verdict) ShownKind(ratio bool) Kind {
	if v.Wide(ratio) {
		return CannotTell
	}
	return v.Kind
}
