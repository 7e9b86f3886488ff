// This file says what a figure is worth whose variant lost spans. Had it sent them all, it
// would have done more work: the figure is the least that it costs. So it may confirm that
// it costs something, and can neither refute that nor show that it costs little.

package replicate

import "github.com/tracetax/tracetax/internal/finding"

// limit is on which side of a ratio the true one lies.
type limit int

const (
	exact   limit = iota // at the figure itself
	atMost               // at the figure, or below
	atLeast              // at the figure, or above
	neither              // nothing is known
)

// limit is that of the figure's ratio to the baseline.
func (f *figure) limit() limit {
	switch {
	case !f.lossy:
		return exact
	case f.Better == "higher":
		return atMost
	}
	return atLeast
}

// inverse is the limit of one over the ratio.
func (l limit) inverse() limit {
	switch l {
	case atMost:
		return atLeast
	case atLeast:
		return atMost
	}
	return l
}

// and is the limit of the product of two ratios.
func (l limit) and(other limit) limit {
	switch {
	case l == exact:
		return other
	case other == exact || l == other:
		return l
	}
	return neither
}

// supports reports whether a figure with this limit can confirm the claim.
func (l limit) supports(c finding.Claim) bool {
	switch l {
	case atMost:
		return c.Above == nil
	case atLeast:
		return c.Below == nil
	}
	return l == exact
}

// limit is that of the mean of the parts over the mean of those under them.
func (e evidence) limit() limit {
	out := exact
	for _, p := range e.parts {
		out = out.and(p.limit)
	}
	for _, p := range e.under {
		out = out.and(p.limit.inverse())
	}
	return out
}
