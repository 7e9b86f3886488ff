// Package compare owns what changed between results of one experiment, or between variants of one, in what tracing
// costs. It reads documents, not records. It must not know how a figure was measured, nor how a change is shown.
// Each result carries its own baseline, run by run beside the variants, so
// that a machine that is slower today than it was yesterday is slower on both
// sides of each ratio, and the ratios can be compared.
package compare

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/wording"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"
)

// Input is the input of a comparison.
type Input struct {
	Base   *finding.Document
	News   []*finding.Document // at least one
	Filter Filter              // what is compared; the zero value is everything
	Budget []config.Limit      // what may have been added since Base
	Force  bool                // compare what is common to different experiments or machines
	Tool   string              // version of tracetax
	Now    time.Time
}

// DifferentError is the reason why results are not compared.
type DifferentError struct {
	What []string // a sentence each: what differs, and how
}

func (e *DifferentError) Error() string {
	return "the results cannot be compared as they are: " + strings.Join(e.What, "; ")
}

// Compare returns the changes from one result to each of the others. It fails with a
// DifferentError if they are not of one experiment and one machine, unless forced;
// and if nothing is left to compare.
func Compare(in Input) (*finding.Comparison, error) {
	if in.Base == nil || len(in.News) == 0 {
		return nil, errors.New("comparing results: give one to compare with, and at least one more")
	}
	c := &comparison{in: in, mode: finding.ByResults, names: sideNames(append([]*finding.Document{in.Base}, in.News...))}
	c.look()
	if len(c.refused) > 0 && !in.Force {
		return nil, &DifferentError{What: c.refused}
	}
	for i, doc := range in.News {
		c.pair(i, doc)
	}
	if len(c.changes) == 0 {
		return nil, c.nothing()
	}
	c.judge()
	return c.document(), nil
}

// comparison is one being made.
type comparison struct {
	in        Input
	mode      string
	names     []string // of the results, the base first
	refused   []string // what differs that must not
	warnings  []finding.Warning
	elsewhere bool // made on different machines
	changes   []*change
	baselines []finding.Change
}

func (c *comparison) document() *finding.Comparison {
	doc := &finding.Comparison{
		Schema: finding.ComparisonSchema, Tool: c.in.Tool, Created: c.in.Now, Mode: c.mode, Filter: c.in.Filter.text, Hidden: c.hidden(),
		Base: side(c.names[0], c.in.Base), Elsewhere: c.elsewhere, Warnings: []finding.Warning{},
	}
	for i, other := range c.in.News {
		one := side(c.names[i+1], other)
		one.Changed = settingsChanged(c.in.Base, other)
		doc.News = append(doc.News, one)
	}
	for _, one := range c.changes {
		doc.Changes = append(doc.Changes, one.Change)
	}
	if c.elsewhere {
		doc.Ranks = c.ranks()
		onlyRatios(doc)
	} else {
		doc.Changes = append(doc.Changes, c.baselines...)
	}
	doc.Warnings = append(doc.Warnings, c.warnings...)
	why := c.noCapacity()
	doc.Summary = wording.Change(doc, why)
	if why != "" {
		c.warn("compare-no-capacity", "warning", why, "mend what kept the search from a rate (see 'tracetax report' of that result), then measure it again")
		doc.Warnings = append(doc.Warnings, c.warnings[len(c.warnings)-1])
	}
	return doc
}

// noCapacity returns the reason why a search for a capacity gave none that could be compared,
// where no variant has one; "" where one has, or where none was searched for.
func (c *comparison) noCapacity() string {
	searched := ""
	for i, doc := range append([]*finding.Document{c.in.Base}, c.in.News...) {
		for _, one := range doc.Searches {
			if searched == "" && one.Rate == nil {
				searched = fmt.Sprintf("in %s, %s on %s, %s", c.names[min(i, len(c.names)-1)], one.Variant, one.Operation, one.Text)
			}
		}
	}
	if slices.ContainsFunc(c.changes, func(one *change) bool { return one.Metric == metric.Capacity }) {
		return ""
	}
	return searched
}

// onlyRatios takes out what cannot be compared between machines.
func onlyRatios(doc *finding.Comparison) {
	doc.Changes = slices.DeleteFunc(doc.Changes, func(c finding.Change) bool {
		return c.Relative == nil && c.Verdict.Budget == nil && !c.Headline
	})
	for i := range doc.Changes {
		c := &doc.Changes[i]
		c.Absolute = nil
		for _, cost := range []*finding.Cost{&c.Before, &c.After} {
			cost.Value, cost.Absolute = finding.NotKnown(), nil
		}
	}
}

// nothing returns the reason why there is nothing to compare.
func (c *comparison) nothing() error {
	if c.in.Filter.text == "" {
		return errors.New("the results have no figure in common: nothing can be compared")
	}
	return fmt.Errorf("the filter %q leaves nothing to compare: %s", c.in.Filter.text, c.choices())
}

// The compared results, and their names.

func side(name string, doc *finding.Document) finding.Side {
	return finding.Side{
		Name: name, Results: doc.Results, Tool: doc.Tool, Created: doc.Created,
		Workload: doc.Experiment.Workload, Load: doc.Experiment.Load, Blocks: doc.Runs.Blocks,
	}
}

// sideNames returns the names of the results: the last parts of their paths, as
// many as differ; numbered if none do.
func sideNames(docs []*finding.Document) []string {
	names := make([]string, len(docs))
	for depth := 1; depth <= 8; depth++ {
		seen := map[string]bool{}
		for i, doc := range docs {
			names[i] = lastParts(doc.Results, depth)
			seen[names[i]] = true
		}
		if len(seen) == len(docs) {
			return names
		}
	}
	for i := range names {
		names[i] = fmt.Sprintf("%s (%d)", lastParts(docs[i].Results, 1), i+1)
	}
	return names
}

func lastParts(path string, n int) string {
	parts := strings.Split(filepath.ToSlash(filepath.Clean(path)), "/")
	return strings.Join(parts[max(0, len(parts)-n):], "/")
}

// This file chooses what is compared: metric:cpu_per_operation variant:/otel/

// Filter chooses findings by their words; the zero value chooses all.
type Filter struct {
	text string
	of   *benchproc.Filter // nil chooses all
}

// filterKeys are the words of a finding that a filter may name; any other is the
// name of a parameter.
var filterKeys = []string{"metric", "operation", "variant", "role", "service"}

// ParseFilter reads a filter in benchstat's language (golang.org/x/perf/benchproc/syntax): key:value, key:/regexp/,
// key:(a OR b), -x, and terms side by side that must all hold. An empty text chooses all.
func ParseFilter(text string) (Filter, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Filter{}, nil
	}
	of, err := benchproc.NewFilter(text)
	if err != nil {
		return Filter{}, fmt.Errorf("reading the filter: %w\nwrite KEY:VALUE or KEY:/REGEXP/, such as metric:cpu_per_operation", err)
	}
	return Filter{text, of}, nil
}

// matches reports whether the filter chooses the finding.
func (f Filter) matches(one *finding.Finding) bool { return f.chooses(wordsOf(one)) }

// names reports whether the filter chooses the finding for its value of key, and would not without one.
func (f Filter) names(key string, one *finding.Finding) bool {
	with, without := wordsOf(one), wordsOf(one)
	delete(without, key)
	return f.chooses(with) && !f.chooses(without)
}

func (f Filter) chooses(of map[string]string) bool {
	if f.of == nil {
		return true
	}
	line := &benchfmt.Result{}
	for key, word := range of {
		line.SetConfig(key, word)
	}
	chosen, err := f.of.Match(line)
	return err == nil && chosen.Any() // a line without measurements: a filter of units (.unit) chooses none
}

// wordsOf are the words of a finding by their keys; one that it does not have is not there.
func wordsOf(f *finding.Finding) map[string]string {
	out := map[string]string{}
	for key, value := range f.Parameter {
		out[key] = value
	}
	for i, word := range []string{f.Metric, f.Operation, f.Variant, f.Role, f.Service} {
		out[filterKeys[i]] = word
	}
	return out
}

// hidden lists what a filter hides wholly.
func (c *comparison) hidden() []finding.Hidden {
	var out []finding.Hidden
	for _, key := range filterKeys[:3] {
		if key == "variant" && c.mode == finding.ByVariants {
			continue // they are named
		}
		kept, seen := map[string]bool{}, []string{}
		for _, f := range overBaseline(c.in.Base) {
			word := wordsOf(f)[key]
			if word != "" && !slices.Contains(seen, word) {
				seen = append(seen, word)
			}
			kept[word] = kept[word] || c.in.Filter.matches(f)
		}
		if names := slices.DeleteFunc(seen, func(word string) bool { return kept[word] }); len(names) > 0 {
			out = append(out, finding.Hidden{Key: key, Names: names})
		}
	}
	return out
}

// choices lists the values that a filter can choose from.
func (c *comparison) choices() string {
	have := map[string][]string{}
	for _, f := range overBaseline(c.in.Base) {
		for key, word := range wordsOf(f) {
			if word != "" && !slices.Contains(have[key], word) {
				have[key] = append(have[key], word)
			}
		}
	}
	var parts []string
	for _, key := range filterKeys {
		if len(have[key]) > 0 {
			parts = append(parts, key+" is one of "+strings.Join(have[key], ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// The findings that are compared, and the key that matches those of two results.

// key matches findings of two results.
type key struct {
	operation, variant string
	level              cell.Level
	metric             string
	role, service      string
}

func keyOf(f *finding.Finding) key {
	return key{f.Operation, f.Variant, cell.LevelOf(f.Parameter), f.Metric, f.Role, f.Service}
}

// overBaseline are a document's findings against its baseline. Those against
// another variant follow from them.
func overBaseline(doc *finding.Document) []*finding.Finding {
	var out []*finding.Finding
	for i := range doc.Findings {
		f := &doc.Findings[i]
		if len(doc.Experiment.Variants) > 0 && f.Against == doc.Experiment.Variants[0].Name && !f.Uncompared {
			out = append(out, f)
		}
	}
	return out
}
