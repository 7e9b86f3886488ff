// What an experiment repeats: the figures that a study published, and what it
// claimed.

package config

import (
	"slices"
)

// study reads published and claims, and gives each of the experiments, one for each
// workload, what is about it.
func (s *source) study(p parts, all []*Experiment, catalog *Catalog) {
	if p.published == nil && p.claims == nil || len(all) == 0 {
		return
	}
	known := newStudied(all, catalog)
	var published []Published
	if p.published != nil {
		published = s.published(p.published, known)
	}
	var claims []Claim
	if p.claims != nil {
		claims = s.claims(p.claims, known)
	}
	for _, e := range all {
		for _, row := range published {
			if row.Workload == "" || row.Workload == e.Workload.Name {
				e.Published = append(e.Published, row)
			}
		}
		e.Claims = claims
	}
}

// studied are the names that figures and claims may be about.
type studied struct {
	own        []string            // the workloads of the experiment
	workloads  []string            // those and all of the catalog
	variants   []string            // of the experiment
	operations []string            // of all its workloads
	of         map[string][]string // operations by workload
}

func newStudied(all []*Experiment, catalog *Catalog) studied {
	known := studied{of: map[string][]string{}}
	for _, e := range all {
		known.own = append(known.own, e.Workload.Name)
		for _, o := range e.Operations {
			known.of[e.Workload.Name] = append(known.of[e.Workload.Name], o.Name)
			if !slices.Contains(known.operations, o.Name) {
				known.operations = append(known.operations, o.Name)
			}
		}
	}
	for _, v := range all[0].Variants {
		known.variants = append(known.variants, v.Name)
	}
	// A resolved experiment has one workload of several that are claimed about.
	known.workloads = slices.Clone(known.own)
	if names, err := catalog.Workloads(); err == nil {
		known.workloads = append(known.workloads, names...)
	}
	return known
}

// about reports whether all that a figure or claim names is left in the experiment:
// a choice of variants takes some away.
func (e *Experiment) about(workload string, operations, variants []string) bool {
	has := func(names []string, is func(name string) bool) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !is(name) })
	}
	return (workload == "" || workload == e.Workload.Name) &&
		has(operations, func(name string) bool {
			return slices.ContainsFunc(e.Operations, func(o Operation) bool { return o.Name == name })
		}) &&
		has(variants, func(name string) bool {
			return slices.ContainsFunc(e.Variants, func(v Variant) bool { return v.Name == name })
		})
}

// studied adds what the experiment repeats, as far as it still has what that is about.
func (e *Experiment) studied(p *pairs) {
	var rows []Published
	for _, row := range e.Published {
		var operations []string
		if row.Operation != "" { // otherwise it is the study's mean over all
			operations = []string{row.Operation}
		}
		if e.about(row.Workload, operations, []string{row.Variant}) {
			rows = append(rows, row)
		}
	}
	if len(rows) > 0 {
		p.add("published", publishedLines(rows))
	}
	var claims []pairs
	for _, c := range e.Claims {
		if e.about("", c.Operation, c.Variants) {
			claims = append(claims, c.pairs())
		}
	}
	if len(claims) > 0 {
		p.add("claims", claims)
	}
}
