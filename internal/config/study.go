// What an experiment repeats: the figures that a study published, and what it
// claimed.

package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/metric"
)

// study reads published and claims, and gives each of the experiments, one for each
// workload, what is about it.
func (s *source) study(n *node, all []*Experiment, catalog *Catalog) {
	figures, found := n.get("published"), n.get("claims")
	if figures == nil && found == nil || len(all) == 0 {
		return
	}
	known := newStudied(all, catalog)
	s.names = map[string][]string{"variant": known.variants, "workload": known.workloads, "operation": known.operations}
	var published []Published
	if figures != nil {
		published = s.published(figures, known)
	}
	var claims []Claim
	if found != nil {
		claims = s.claims(found)
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

// stillPublished are the published figures that are about what the experiment still has.
func (e *Experiment) stillPublished() []Published {
	return slices.DeleteFunc(slices.Clone(e.Published), func(row Published) bool {
		var operations []string
		if row.Operation != "" { // otherwise it is the study's mean over all
			operations = []string{row.Operation}
		}
		return !e.about(row.Workload, operations, []string{row.Variant})
	})
}

// Claims of a study, as predicates on intervals.

// A claim holds where every one of the intervals that it selects lies wholly in the given range, is refuted where one lies
// wholly outside, and cannot be told otherwise.

// Claim is what a study found, as a range in which intervals are to lie.
type Claim struct {
	_         struct{} `called:"a claim"`
	Name      string   `yaml:"name" required:"experiment"`                   // what it is called; needed
	Text      string   `yaml:"text" as:"text" required:"experiment"`         // what it says; needed
	Metric    string   `yaml:"metric" as:"metric" required:"experiment"`     // of findings.json; needed. The range of lost_share is of the share itself
	Of        string   `yaml:"of" one:"cost ratio"`                          // cost over the baseline; ratio, less one, of two variants, workloads or operations, the first over the second, or of the metric over the one beside; default: cost
	Beside    string   `yaml:"beside" as:"metric"`                           // of a ratio: a metric of findings.json whose cost the metric's cost is held against, the metric over this one
	Variants  []string `yaml:"variants" as:"among" means:"variant"`          // what it is about; default: all but the baseline
	Workloads []string `yaml:"workloads" as:"among" means:"workload"`        // likewise
	Operation []string `yaml:"operations" as:"among" means:"operation"`      // likewise
	Over      string   `yaml:"over" one:"operations workloads variants all"` // geometric mean over operations, workloads, variants or all; default: each by itself
	Some      bool     `yaml:"some"`                                         // true: one is enough; default: false
	Above     *float64 `yaml:"above" as:"bound"`                             // relative range, from: 0 (no difference), 5%, -0.1
	Below     *float64 `yaml:"below" as:"bound"`                             // relative range, to; one of both is needed
}

func (s *source) claims(n *node) []Claim {
	if n.kind != list {
		s.fail(n.at, "claims must be a list, not %s", n.kind)
		return nil
	}
	var out []Claim
	for _, item := range n.items {
		var c Claim
		if !s.decode(item, &c) {
			continue
		}
		if slices.ContainsFunc(out, func(o Claim) bool { return o.Name == c.Name }) {
			s.fail(item.at, "a second claim called %q", printable(c.Name))
		}
		out = append(out, c)
	}
	return out
}

func (c *Claim) begin(*source, *node) { c.Of = "cost" }

func (c *Claim) check(s *source, n *node) {
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
	s.pairOf(n, *c)
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

func (s *source) metric(n *node) string { return s.oneOf(n, "metric", metricNames()...) }

// among reads a list of names of variants, workloads or operations, each of which is known.
func (s *source) among(n *node, what string) []string {
	var out []string
	for i, name := range s.texts(n) {
		at := n.at
		if n.kind == list {
			at = n.items[i].at
		}
		switch {
		case !slices.Contains(s.names[what], name):
			s.fail(at, "%s", unknown(what, printable(name), s.names[what]))
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

// The metrics of findings.json, as far as a file may name them.

// metricNames are the names of all metrics that may be published and claimed about, sorted.
func metricNames() []string {
	return slices.Sorted(slices.Values(metric.Where(func(r metric.Row) bool { return r.Limited || r.Named })))
}

// Budgets: what the user is willing to pay, per metric.

// limitedNames are the metrics that a budget may name.
func limitedNames() []string { return metric.Where(func(r metric.Row) bool { return r.Limited }) }

// limitedWords are their names, and their short words.
func limitedWords() []string {
	return append(slices.Collect(maps.Keys(metric.Limits())), limitedNames()...)
}

func (s *source) budget(n *node) []Limit {
	var out []Limit
	for _, e := range s.entries(n, "budget") {
		name, err := metricOf(e.key)
		if err != nil {
			s.fail(e.at, "%v", err)
			continue
		}
		if slices.ContainsFunc(out, func(l Limit) bool { return l.Metric == name }) {
			s.fail(e.at, "%s has a limit already", name)
			continue
		}
		text := s.line(e.value)
		value, err := parseLimit(name, text)
		if err != nil {
			s.fail(e.value.at, "%v", err)
			continue
		}
		out = append(out, Limit{Metric: name, Value: value, Text: text})
	}
	return out
}

func metricOf(word string) (string, error) {
	short := metric.Limits()
	if name, ok := short[word]; ok {
		return name, nil
	}
	if slices.Contains(limitedNames(), word) {
		return word, nil
	}
	return "", fmt.Errorf("%s", unknown("metric of a budget", printable(word), limitedWords()))
}

// parseLimit reads 5% or 0.05. A bare number above 1 is more likely a forgotten
// % than an increase by that many times.
func parseLimit(name, text string) (float64, error) {
	v, percent, err := parsePercent(text)
	switch {
	case err != nil:
		return 0, err
	case v < 0:
		return 0, fmt.Errorf("a budget cannot be negative: %s", text)
	case v > 1 && !percent:
		return 0, fmt.Errorf("%s would be %s; write %s%%, or %s if it is meant", text, formatShare(v), text, formatShare(v))
	case v > 1 && name == metric.LostShare:
		return 0, fmt.Errorf("no more than 100%% can be lost: %s", text)
	}
	return v, nil
}

// ParseBudget reads the words of a flag: "cpu=3%,p99=5%,lost=0". Errors name the
// words, not the flag.
func ParseBudget(text string) ([]Limit, error) {
	s := &source{}
	flag := place{flag: quote(text)}
	n := &node{kind: mapping, at: flag}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			s.fail(flag, "%q is not METRIC=SHARE, such as cpu=3%%", printable(part))
			continue
		}
		n.entries = append(n.entries, entry{name, flag, &node{kind: scalar, text: value, at: flag}})
	}
	limits := s.budget(n)
	return limits, s.err()
}
