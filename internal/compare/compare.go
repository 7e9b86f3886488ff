// Package compare owns what changed between results of one experiment, or between variants of one, in what tracing
// costs. It reads documents, not records. It must not know how a figure was measured, nor how a change is shown.
// Each result carries its own baseline, run by run beside the variants, so
// that a machine that is slower today than it was yesterday is slower on both
// sides of each ratio, and the ratios can be compared.
package compare

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// Input is what a comparison is made of.
type Input struct {
	Base   *finding.Document
	News   []*finding.Document // at least one
	Filter Filter              // what is compared; the zero value is everything
	Budget []config.Limit      // what may have been added since Base
	Force  bool                // compare what is common to different experiments or machines
	Tool   string              // version of tracetax
	Now    time.Time
}

// What is compared: finding.Comparison.Mode.
const (
	byResults  = "results"
	byVariants = "variants"
)

// DifferentError says why results are not compared.
type DifferentError struct {
	What []string // a sentence each: what differs, and how
}

func (e *DifferentError) Error() string {
	return "the results cannot be compared as they are: " + strings.Join(e.What, "; ")
}

// Compare says what changed from one result to each of the others. It fails with a
// DifferentError where they are not of one experiment or one machine, unless that
// is forced; and where nothing is left to compare.
func Compare(in Input) (*finding.Comparison, error) {
	if in.Base == nil || len(in.News) == 0 {
		return nil, errors.New("comparing results: give one to compare with, and at least one more")
	}
	c := &comparison{in: in, mode: byResults, names: sideNames(append([]*finding.Document{in.Base}, in.News...))}
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
		Schema: finding.ComparisonSchema, Tool: c.in.Tool, Created: c.in.Now, Mode: c.mode, Filter: c.in.Filter.text,
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
	doc.Summary = changeSummary(doc)
	if why := c.noCapacity(); why != "" {
		doc.Summary = "It cannot be told how the capacity changed: " + why + ". Of the rest: " + lowerFirst(doc.Summary)
		c.warn("compare-no-capacity", "warning", why, "mend what kept the search from a rate (see 'tracetax report' of that result), then measure it again")
		doc.Warnings = append(doc.Warnings, c.warnings[len(c.warnings)-1])
	}
	return doc
}

// noCapacity says why a search for a capacity gave none that could be compared,
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

func lowerFirst(text string) string {
	if text == "" {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// onlyRatios takes out what cannot be compared between machines.
func onlyRatios(doc *finding.Comparison) {
	doc.Changes = slices.DeleteFunc(doc.Changes, func(c finding.Change) bool {
		return c.Relative == nil && c.Verdict.Budget == nil
	})
	for i := range doc.Changes {
		c := &doc.Changes[i]
		c.Absolute = nil
		for _, cost := range []*finding.Cost{&c.Before, &c.After} {
			cost.Value, cost.Absolute = 0, nil
		}
	}
}

// nothing says why there is nothing to compare.
func (c *comparison) nothing() error {
	if c.in.Filter.text == "" {
		return errors.New("the results have no figure in common: nothing can be compared")
	}
	return fmt.Errorf("the filter %q leaves nothing to compare: %s", c.in.Filter.text, c.choices())
}
