// What of a workload an experiment measures: operations, or a mix of them.

package config

import (
	"math"
	"slices"
	"strconv"
)

// measured are the operations that the experiment measures on w: named ones,
// a mix, or all.
func (s *source) measured(p parts, w *Workload) []Operation {
	switch {
	case p.operations != nil && p.mix != nil:
		s.fail(p.mix.at, "an experiment has either operations or a mix")
		return nil
	case p.mix != nil:
		return s.mix(p.mix, w)
	case p.operations == nil:
		return slices.Clone(w.Operations)
	}
	var out []Operation
	for i, name := range s.texts(p.operations) {
		at := p.operations.at
		if p.operations.kind == list {
			at = p.operations.items[i].at
		}
		if slices.ContainsFunc(out, func(o Operation) bool { return o.Name == name }) {
			s.fail(at, "operation %q is here a second time", printable(name))
			continue
		}
		if o := s.operationOf(at, name, w); o != nil {
			out = append(out, *o)
		}
	}
	if len(out) == 0 && len(s.problems) == 0 {
		s.fail(p.operations.at, "operations is empty; leave it out to measure all")
	}
	return out
}

func (s *source) operationOf(at place, name string, w *Workload) *Operation {
	var known []string
	for i := range w.Operations {
		if w.Operations[i].Name == name {
			return &w.Operations[i]
		}
		known = append(known, w.Operations[i].Name)
	}
	s.fail(at, "%s (of workload %s)", unknown("operation", printable(name), known), w.Name)
	return nil
}

// mix is one operation, made of several by weight.
func (s *source) mix(n *node, w *Workload) []Operation {
	if !w.Manner().Mixes {
		s.fail(n.at, "workload %s is self-driving, one operation at a time: it has no mix; name its operations", w.Name)
		return nil
	}
	o := Operation{Name: "mix"}
	for _, e := range s.entries(n, "mix") {
		text := s.line(e.value)
		weight, err := strconv.ParseFloat(text, 64)
		if share, percent, e := parsePercent(text); err != nil && percent {
			weight, err = share, e
		}
		if err != nil || !(weight > 0) || math.IsInf(weight, 0) {
			s.fail(e.value.at, "%q is not a weight: a number above 0", printable(text))
			continue
		}
		if part := s.operationOf(e.at, e.key, w); part != nil {
			o.Mix = append(o.Mix, Share{Operation: *part, Weight: weight})
		}
	}
	if len(n.entries) == 0 {
		s.fail(n.at, "mix is empty; it gives each operation a weight: {json: 0.6, db: 0.4}")
	}
	return []Operation{o}
}
