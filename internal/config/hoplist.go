// The services that a variant's spans pass through, in order.

package config

import "slices"

// Route is where a variant's spans go on their way: its hops, and the backend where it has one.
func (v Variant) Route() []Process {
	if v.To == nil {
		return v.Via
	}
	return append(slices.Clone(v.Via), *v.To)
}

// Route are the processes that spans go to, in the order of their way: the hops, and the backend where there is one.
func (p *Plan) Route() []string {
	if p.To == "" {
		return p.Via
	}
	return append(slices.Clone(p.Via), p.To)
}
