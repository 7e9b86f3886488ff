// What an experiment repeats: the figures that a study published, and what it
// claimed.

package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/metric"
)

// readStudy reads published and claims, and gives each of the experiments, one for each
// workload, what is about it.
func readStudy(s *program.Source, n *program.Node, all []*Experiment, catalog *program.Catalog) {
	figures, found := n.Get("published"), n.Get("claims")
	if figures == nil && found == nil || len(all) == 0 {
		return
	}
	known := newStudied(all, catalog)
	s.Names = map[string][]string{"variant": known.variants, "workload": known.workloads, "operation": known.operations}
	var published []Published
	if figures != nil {
		published = readPublished(s, figures, known)
	}
	var claims []Claim
	if found != nil {
		claims = readClaims(s, found)
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

func newStudied(all []*Experiment, catalog *program.Catalog) studied {
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
			return slices.ContainsFunc(e.Operations, func(o program.Operation) bool { return o.Name == name })
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

// Claim is a finding of a study: a range in which intervals are to lie.
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
	Above     *float64 `yaml:"above" as:"bound"`                             // relative range, from: 0 (no difference), 5%, -0.1
	Below     *float64 `yaml:"below" as:"bound"`                             // relative range, to; one of both is needed
}

func readClaims(s *program.Source, n *program.Node) []Claim {
	if n.Kind != program.List {
		s.Fail(n.At, "claims must be a list, not %s", n.Kind)
		return nil
	}
	var out []Claim
	for _, item := range n.Items {
		var c Claim
		if !s.Decode(item, &c) {
			continue
		}
		if slices.ContainsFunc(out, func(o Claim) bool { return o.Name == c.Name }) {
			s.Fail(item.At, "a second claim called %q", program.Printable(c.Name))
		}
		out = append(out, c)
	}
	return out
}

func (c *Claim) Begin(*program.Source, *program.Node) { c.Of = "cost" }

func (c *Claim) Finish(s *program.Source, n *program.Node) {
	for key, text := range map[string]string{"name": c.Name, "text": c.Text, "metric": c.Metric} {
		if text == "" && (n.Get(key) == nil || n.Get(key).Text == "") {
			s.Lacks(n, key, n.At, "a claim needs a %s", key)
		}
	}
	switch {
	case c.Above == nil && c.Below == nil:
		s.Lacks(n, "above", n.At, "a claim says where its intervals lie: above: 0%%, below: 5%%, or both")
	case c.Above != nil && c.Below != nil && *c.Above >= *c.Below:
		s.Fail(n.Get("below").At, "nothing is both above %s and below %s", program.FormatShare(*c.Above), program.FormatShare(*c.Below))
	}
	if c.Metric == metric.LostShare && (c.Of == "ratio" || c.Over != "") {
		s.Fail(n.Get("metric").At, "lost spans are counted for each variant and operation: leave out of: ratio and over")
	}
	if c.Metric == metric.LostShare && c.Below != nil && *c.Below <= 0 {
		s.Fail(n.Get("below").At, "no share of spans is below %s, and none lost is 0 itself: write below: 0.01%% or the like", program.FormatShare(*c.Below))
	}
	checkPairOf(s, n, *c)
}

// checkPairOf reports a ratio that does not name both of its sides.
func checkPairOf(s *program.Source, n *program.Node, c Claim) {
	pair := len(c.Variants) == 2 || len(c.Workloads) == 2
	row, _ := metric.Of(c.Metric)
	switch {
	case row.IsCause() && c.Of != "ratio":
		s.Fail(n.Get("metric").At, "what a cause adds is held against what another one adds, or the same of another variant: add of: ratio, and beside: %s or two variants", metric.CPUTracing)
	case c.Of != "ratio" && c.Beside != "":
		s.Fail(n.Get("beside").At, "what is beside the metric is held against it in a ratio: add of: ratio")
	case c.Beside != "" && (pair || c.Beside == c.Metric):
		s.Fail(n.Get("beside").At, "a ratio is of two metrics, or of two variants or workloads: name two different metrics, or leave beside out")
	case c.Of == "ratio" && c.Beside == "" && !pair && len(c.Operation) != 2:
		s.Fail(n.Get("of").At, "a ratio is of two variants, two workloads, two operations, or of the metric and one beside it: name two, the first over the second")
	}
}

// Budgets: what the user is willing to pay, per metric.

// limitedNames are the metrics that a budget may name.
func limitedNames() []string { return metric.Where(func(r metric.Row) bool { return r.Limited }) }

// limitedWords are their names, and their short words.
func limitedWords() []string {
	return append(slices.Collect(maps.Keys(metric.Limits())), limitedNames()...)
}

func readBudget(s *program.Source, n *program.Node) []Limit {
	var out []Limit
	for _, e := range s.Entries(n, "budget") {
		name, err := metricOf(e.Key)
		if err != nil {
			s.Fail(e.At, "%v", err)
			continue
		}
		if slices.ContainsFunc(out, func(l Limit) bool { return l.Metric == name }) {
			s.Fail(e.At, "%s has a limit already", name)
			continue
		}
		text := s.Line(e.Value)
		limit, err := parseLimit(name, text)
		if err != nil {
			s.Fail(e.Value.At, "%v", err)
			continue
		}
		out = append(out, limit)
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
	return "", fmt.Errorf("%s", program.Unknown("metric of a budget", program.Printable(word), limitedWords()))
}

// parseLimit reads 5% or 0.05, and of what takes time or bytes an amount: 20ms, 5MB. A bare number above 1 is more likely
// a forgotten % than an increase by that many times.
func parseLimit(name, text string) (Limit, error) {
	limit := Limit{Metric: name, Text: text}
	row, _ := metric.Of(name)
	amount := map[string]string{"s": ", nor a duration such as 20ms", "bytes": ", nor a size such as 5MB"}[row.Unit]
	if amount != "" {
		if v, err := program.ParseAmount(text, row.Unit); err == nil {
			limit.Value, limit.Unit = v, row.Unit
			return limit, nil
		}
	}
	v, percent, err := program.ParsePercent(text)
	switch {
	case err != nil:
		return limit, fmt.Errorf("%w%s", err, amount)
	case v < 0:
		return limit, fmt.Errorf("a budget cannot be negative: %s", text)
	case v > 1 && !percent:
		return limit, fmt.Errorf("%s would be %s; write %s%%, or %s if it is meant", text, program.FormatShare(v), text, program.FormatShare(v))
	case v > 1 && name == metric.LostShare:
		return limit, fmt.Errorf("no more than 100%% can be lost: %s", text)
	}
	limit.Value = v
	return limit, nil
}

// ParseBudget reads the words of a flag: "cpu=3%,p99=5%,lost=0". Errors name the
// words, not the flag.
func ParseBudget(text string) ([]Limit, error) {
	s := &program.Source{}
	limits := readBudget(s, limitsOf(s, program.Place{Flag: quote(text)}, text))
	return limits, s.Err()
}

// limitsOf returns cpu=3%,p99=5% as the mapping that a file has.
func limitsOf(s *program.Source, at program.Place, text string) *program.Node {
	n := &program.Node{Kind: program.Mapping, At: at}
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			s.Fail(at, "%q is not METRIC=SHARE, such as cpu=3%%", program.Printable(part))
			continue
		}
		n.Entries = append(n.Entries, program.Entry{Key: name, At: at, Value: &program.Node{Kind: program.Scalar, Text: value, At: at}})
	}
	return n
}
