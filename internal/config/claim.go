// Claims of a study, as predicates on intervals.

package config

import (
	"slices"

	"github.com/tracetax/tracetax/internal/metric"
)

// The words of a claim.
var (
	claimKinds = []string{"cost", "ratio"}
	claimOvers = []string{"operations", "workloads", "variants", "all"}
)

func (s *source) claims(n *node, known studied) []Claim {
	if n.kind != list {
		s.fail(n.at, "claims must be a list, not %s", n.kind)
		return nil
	}
	var out []Claim
	for _, item := range n.items {
		c, ok := s.claim(item, known)
		if !ok {
			continue
		}
		if slices.ContainsFunc(out, func(o Claim) bool { return o.Name == c.Name }) {
			s.fail(item.at, "a second claim called %q", printable(c.Name))
		}
		out = append(out, c)
	}
	return out
}

func (s *source) claim(n *node, known studied) (Claim, bool) {
	c := Claim{Of: claimKinds[0]}
	ok := s.mapping(n, "a claim", fields{
		"name":       func(v *node) { c.Name = s.line(v) },
		"text":       func(v *node) { c.Text = s.text(v) },
		"metric":     func(v *node) { c.Metric = s.oneOf(v, "metric", metricNames()...) },
		"of":         func(v *node) { c.Of = s.oneOf(v, "of", claimKinds...) },
		"beside":     func(v *node) { c.Beside = s.oneOf(v, "metric", metricNames()...) },
		"variants":   func(v *node) { c.Variants = s.among(v, "variant", known.variants) },
		"workloads":  func(v *node) { c.Workloads = s.among(v, "workload", known.workloads) },
		"operations": func(v *node) { c.Operation = s.among(v, "operation", known.operations) },
		"over":       func(v *node) { c.Over = s.oneOf(v, "over", claimOvers...) },
		"some":       func(v *node) { c.Some = s.flag(v) },
		"above":      func(v *node) { c.Above = s.bound(v) },
		"below":      func(v *node) { c.Below = s.bound(v) },
	})
	if !ok {
		return c, false
	}
	for key, text := range map[string]string{"name": c.Name, "text": c.Text, "metric": c.Metric} {
		if text == "" && (n.get(key) == nil || n.get(key).text == "") {
			s.lacks(n, key, n.at, "a claim needs a %s", key)
		}
	}
	switch {
	case c.Above == nil && c.Below == nil:
		s.lacks(n, "above", n.at, "a claim says where its intervals lie: above: 0%%, below: 5%%, or both")
	case c.Above != nil && c.Below != nil && *c.Above >= *c.Below:
		s.fail(n.get("below").at, "nothing is both above %s and below %s", formatShare(*c.Above), formatShare(*c.Below))
	}
	if c.Metric == metric.LostShare && (c.Of == "ratio" || c.Over != "") {
		s.fail(n.get("metric").at, "lost spans are counted for each variant and operation: leave out of: ratio and over")
	}
	if c.Metric == metric.LostShare && c.Below != nil && *c.Below <= 0 {
		s.fail(n.get("below").at, "no share of spans is below %s, and none lost is 0 itself: write below: 0.01%% or the like", formatShare(*c.Below))
	}
	s.pairOf(n, c)
	return c, true
}

// pairOf complains of a ratio of which it is not clear what is held against what.
func (s *source) pairOf(n *node, c Claim) {
	pair := len(c.Variants) == 2 || len(c.Workloads) == 2
	switch {
	case c.Of != "ratio" && c.Beside != "":
		s.fail(n.get("beside").at, "what is beside the metric is held against it in a ratio: add of: ratio")
	case c.Beside != "" && (pair || c.Beside == c.Metric):
		s.fail(n.get("beside").at, "a ratio is of two metrics, or of two variants or workloads: name two different metrics, or leave beside out")
	case c.Of == "ratio" && c.Beside == "" && !pair && len(c.Operation) != 2:
		s.fail(n.get("of").at, "a ratio is of two variants, two workloads, two operations, or of the metric and one beside it: name two, the first over the second")
	}
}

// among reads a list of names, each of which is known.
func (s *source) among(n *node, what string, known []string) []string {
	var out []string
	for i, name := range s.texts(n) {
		at := n.at
		if n.kind == list {
			at = n.items[i].at
		}
		switch {
		case !slices.Contains(known, name):
			s.fail(at, "%s", unknown(what, printable(name), known))
		case slices.Contains(out, name):
			s.fail(at, "%s %q is here a second time", what, printable(name))
		default:
			out = append(out, name)
		}
	}
	return out
}

// bound reads a relative difference: 5%, -0.1 or 0.
func (s *source) bound(n *node) *float64 {
	v, _, err := parsePercent(s.text(n))
	if err != nil {
		s.fail(n.at, "%v", err)
		return nil
	}
	return &v
}

func (c Claim) pairs() pairs {
	var p pairs
	p.add("name", c.Name)
	p.add("text", c.Text)
	p.add("metric", c.Metric)
	p.add("of", c.Of)
	p.text("beside", c.Beside)
	for _, one := range []struct {
		key   string
		names []string
	}{{"variants", c.Variants}, {"workloads", c.Workloads}, {"operations", c.Operation}} {
		if len(one.names) > 0 {
			p.add(one.key, inline[string](one.names))
		}
	}
	p.text("over", c.Over)
	if c.Some {
		p.add("some", true)
	}
	if c.Above != nil {
		p.add("above", formatShare(*c.Above))
	}
	if c.Below != nil {
		p.add("below", formatShare(*c.Below))
	}
	return p
}
