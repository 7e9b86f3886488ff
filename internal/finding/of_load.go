// This file has what is of the load of a whole run: what was left undone on any of its operations
// counts there.

package finding

import (
	"slices"

	"github.com/tracetax/tracetax/internal/metric"
)

// IsOfLoad reports whether a metric is of the whole run, and of what all its operations made it
// do. Others of the whole run are of its start.
func IsOfLoad(name string) bool {
	row, _ := metric.Of(name)
	return row.OfLoad
}

// LostOf is what a variant lost of the spans of what a finding is about, as Lost has it: at the
// worst of all operations where it is of the load of the whole run. It is nil where nothing was.
func (d *Document) LostOf(f *Finding, variant string) *Lossy {
	if !IsOfLoad(f.Metric) {
		return d.Lost(f.Operation, f.Parameter, variant)
	}
	var worst *Lossy
	for i := range d.Lossy {
		if l := &d.Lossy[i]; l.Variant == variant && (worst == nil || l.LostShare > worst.LostShare) {
			worst = l
		}
	}
	return worst
}

// LostShareOf is the share of its spans that LostOf tells of; 0 where it is nil.
func (d *Document) LostShareOf(f *Finding, variant string) float64 {
	if l := d.LostOf(f, variant); l != nil {
		return l.LostShare
	}
	return 0
}

// UnknownLossOf is what nobody knows of what a variant lost of the spans of what a finding is about, as UnknownLoss has
// it: at the worst of all operations where it is of the load of the whole run.
func (d *Document) UnknownLossOf(f *Finding, variant string) *LossUnknown {
	if !IsOfLoad(f.Metric) {
		return d.UnknownLoss(f.Operation, f.Parameter, variant)
	}
	var worst *LossUnknown
	for i := range d.LossUnknown {
		if l := &d.LossUnknown[i]; l.Variant == variant && (worst == nil || l.LostMost > worst.LostMost) {
			worst = l
		}
	}
	return worst
}

// LostMostOf is the share of its spans that a variant may have lost of what a finding is about: for sure, or unknown to
// anybody.
func (d *Document) LostMostOf(f *Finding, variant string) float64 {
	most := d.LostShareOf(f, variant)
	if unknown := d.UnknownLossOf(f, variant); unknown != nil {
		most = max(most, unknown.LostMost)
	}
	return most
}

// UntracedIn reports whether no span came of a variant of what a finding is about, or, where it
// is of the load of the whole run, of any of its operations.
func (d *Document) UntracedIn(f *Finding, variant string) bool {
	if !IsOfLoad(f.Metric) {
		return d.IsUntraced(variant, f.Operation)
	}
	return slices.ContainsFunc(d.Untraced, func(u Untraced) bool { return u.Variant == variant })
}
