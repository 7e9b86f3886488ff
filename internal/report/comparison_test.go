// Comparisons as they are shown: golden files, and what must hold for any names.

package report

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/finding"
)

// sampleComparison has each kind of verdict, over two new results.
func sampleComparison() *finding.Comparison {
	doc := &finding.Comparison{
		Schema: finding.ComparisonSchema, Tool: "0.1.0-dev", Created: time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC), Mode: "results",
		Base:    finding.Side{Name: "main", Results: "results/main", Workload: "hello/go", Load: "500 operations/s for 20s, open loop", Blocks: 12},
		Summary: "Since main, branch: CPU per operation went up for otel on json by 8.7 % (3.9 to 13.7).",
		News: []finding.Side{
			{Name: "branch", Results: "results/branch", Blocks: 12, Changed: []string{"otel: processor batch → simple"}},
			{Name: "next", Results: "results/next", Blocks: 10},
		},
		Warnings: []finding.Warning{
			{Code: "compare-tool", Severity: "note", Text: "main was made by tracetax 1, branch by 2", Advice: "use one version for both"},
			{Code: "compare-warned", Severity: "warning", Text: "branch has 2 warnings of its own", Advice: "read them: tracetax report results/branch"},
		},
	}
	kinds := []finding.Kind{finding.Costs, finding.Saves, finding.NoDifference, finding.CannotTell, finding.Overloaded, finding.Over, finding.Within}
	i := 0
	for _, metric := range []struct{ name, unit string }{{"cpu_per_operation", "s"}, {"latency_p99", "s"}, {"memory_mean", "bytes"}} {
		for new := range doc.News {
			for _, operation := range []string{"json", "work"} {
				doc.Changes = append(doc.Changes, sampleChange(operation, metric.name, metric.unit, new, kinds[i%len(kinds)], i))
				i++
			}
			mean := sampleChange("", metric.name, metric.unit, new, finding.NoDifference, i)
			mean.Of = finding.OfMean
			mean.Before, mean.After = finding.Cost{Value: finding.NotKnown(), Relative: mean.Before.Relative, Blocks: 12}, finding.Cost{Value: finding.NotKnown(), Relative: mean.After.Relative, Blocks: 12}
			base := sampleChange("json", metric.name, metric.unit, new, finding.None, i)
			base.Of, base.Variant, base.Note = finding.OfBaseline, "none", "both may have changed"
			doc.Changes = append(doc.Changes, mean, base)
		}
	}
	return doc
}

func sampleChange(operation, metric, unit string, new int, kind finding.Kind, i int) finding.Change {
	estimate := 0.01 * float64(i%7-3)
	around := func(v float64) *finding.Interval {
		low, high := v-0.012, v+0.013
		return &finding.Interval{Estimate: v, Low: &low, High: &high}
	}
	value := map[string]float64{"s": 52e-6, "bytes": 21e6}[unit]
	c := finding.Change{
		Of: finding.OfCost, New: new, Operation: operation, Variant: "otel", Against: "none", Metric: metric, Unit: unit, Better: "lower",
		Headline: metric == "cpu_per_operation",
		Before:   finding.Cost{Value: finding.Number(value), Relative: around(0.2), Blocks: 12},
		After:    finding.Cost{Value: finding.Number(value * (1 + estimate)), Relative: around(0.2 + estimate), Blocks: 12},
		Relative: around(estimate),
	}
	limit, bound := 0.02, 0.034
	v := finding.Verdict{Kind: kind, Claims: 5}
	if kind != finding.None && kind != finding.Overloaded { // corrected: wider than by itself
		low, high := estimate-0.021, estimate+0.022
		v.Estimate, v.Low, v.High = &estimate, &low, &high
	}
	switch kind {
	case finding.Over, finding.Within:
		v.Budget = &limit
	case finding.NoDifference:
		v.Bound = &bound
	case finding.CannotTell:
		v.Text, v.MoreBlocks = "cannot tell: +1.1 % (−0.2 to 2.4) straddles the budget of 2.0 %; about 14 blocks more in each result would settle it", 14
	case finding.Overloaded:
		v.Text = "in branch, otel could not hold 500/s: 420/s reached"
	}
	c.Verdict = v
	return c
}

// elsewhereComparison is one between machines.
func elsewhereComparison() *finding.Comparison {
	doc := sampleComparison()
	doc.Elsewhere, doc.News, doc.Changes = true, doc.News[:1], doc.Changes[:2]
	doc.Ranks = []finding.Rank{
		{Operation: "json", Metric: "cpu_per_operation", Variant: "none", Places: []int{1, 1}},
		{Operation: "json", Metric: "cpu_per_operation", Variant: "otel", Places: []int{2, 0}},
	}
	return doc
}

// variantsComparison is one of variants of one result, in blocks that are too few for so many claims, through a filter.
func variantsComparison() *finding.Comparison {
	doc := sampleComparison()
	doc.Mode, doc.Base.Name, doc.Warnings = finding.ByVariants, "none", nil
	doc.Filter, doc.Hidden = "metric:/cpu|p99/", []finding.Hidden{{Key: "metric", Names: []string{"memory_mean", "memory_peak", "startup_time"}}, {Key: "operation", Names: []string{"idle"}}}
	doc.News[0], doc.News[1] = finding.Side{Name: "otel", Blocks: 8}, finding.Side{Name: "zipkin", Blocks: 8}
	doc.Changes = slices.DeleteFunc(doc.Changes, func(c finding.Change) bool { return c.Of != finding.OfCost || c.Metric == "memory_mean" })
	for i := range doc.Changes {
		c := &doc.Changes[i]
		c.Variant, c.Against = doc.News[c.New].Name, "none"
		if c.Headline {
			c.Verdict = finding.Verdict{Kind: finding.CannotTell, Claims: 8, MoreBlocks: 1, Text: "cannot tell: 1 block more"}
		}
	}
	first := &doc.Changes[0]
	first.Verdict = finding.Verdict{Kind: finding.Costs, Joint: true, Claims: 8, Estimate: &first.Relative.Estimate, Low: first.Relative.Low, High: first.Relative.High}
	return doc
}

// nastyComparison has names and texts that must do no harm.
func nastyComparison() *finding.Comparison {
	doc := sampleComparison()
	doc.Summary, doc.Base.Name, doc.News[0].Name = nastyName+" | **costs** @everyone", nastyName, "a|b`c_d*e"
	for i := range doc.Changes {
		doc.Changes[i].Operation, doc.Changes[i].Variant = "GET /x|y\n<b>", nastyName
	}
	doc.Warnings = append(doc.Warnings, finding.Warning{Code: nastyName, Severity: "warning", Text: nastyName + "\n\n# head", Advice: "[a](http://b)"})
	return doc
}

func TestGoldenComparison(t *testing.T) {
	for name, doc := range map[string]*finding.Comparison{"comparison": sampleComparison(), "comparison-elsewhere": elsewhereComparison(), "comparison-nasty": nastyComparison(), "comparison-variants": variantsComparison()} {
		for ending, write := range map[string]func(io.Writer, *finding.Comparison) error{
			"80.txt":  comparisonForm(TerminalOptions{Width: 80}),
			"140.txt": comparisonForm(TerminalOptions{Width: 140, Color: true}),
			"all.txt": comparisonForm(TerminalOptions{All: true}),
			"md":      ComparisonMarkdown,
		} {
			var got bytes.Buffer
			if err := write(&got, doc); err != nil {
				t.Fatal(err)
			}
			golden(t, name+"."+ending, got.Bytes())
		}
	}
	quick := small
	quick.quick, quick.blocks = true, 2
	for name, doc := range map[string]*finding.Document{"small": small.make(), "quick": quick.make(), "nasty": nasty(), "empty": empty(), "untraced": untracedAt(true, small.operations...), "untraced-part": untracedAt(false, "work")} {
		var got bytes.Buffer
		if err := Markdown(&got, doc); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".md", got.Bytes())
	}
}

func comparisonForm(opts TerminalOptions) func(io.Writer, *finding.Comparison) error {
	return func(w io.Writer, doc *finding.Comparison) error { return Comparison(w, doc, opts) }
}

// Whatever the names, the Markdown keeps its form: tables have as many cells in
// each row, nothing becomes HTML but the folds, and nobody is called.
func TestMarkdownKeepsItsForm(t *testing.T) {
	texts := map[string]string{}
	add := func(name string, write func(io.Writer) error) {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		texts[name] = b.String()
	}
	for name, doc := range fixtures() {
		add(name, func(w io.Writer) error { return Markdown(w, doc) })
	}
	add("comparison", func(w io.Writer) error { return ComparisonMarkdown(w, sampleComparison()) })
	add("nasty comparison", func(w io.Writer) error { return ComparisonMarkdown(w, nastyComparison()) })
	for name, text := range texts {
		if at := strings.Index(text, "```sh\n"); at >= 0 { // what is code is not rendered
			text = text[:at] + text[at+strings.LastIndex(text[at:], "```"):]
		}
		columns := 0
		for _, line := range strings.Split(text, "\n") {
			if !strings.HasPrefix(line, "|") {
				columns = 0
				continue
			}
			cells := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			if columns > 0 && cells != columns {
				t.Errorf("%s: %d cells instead of %d: %s", name, cells, columns, line)
			}
			columns = cells
		}
		for _, harm := range []string{"<script", "<img", "<b>", "@everyone", "http://", "\x1b", "\n# "} {
			if strings.Contains(text, harm) {
				t.Errorf("%s: %q in it", name, harm)
			}
		}
		if open, closed := strings.Count(text, "<details>"), strings.Count(text, "</details>"); open != closed {
			t.Errorf("%s: %d folds opened, %d closed", name, open, closed)
		}
		if rest := strings.NewReplacer("<details><summary>", "", "</summary>", "", "</details>", "").Replace(text); strings.Contains(rest, "<") {
			t.Errorf("%s: HTML besides the folds: %s", name, rest[strings.Index(rest, "<"):])
		}
	}
}

func TestComparisonJSON(t *testing.T) {
	var b bytes.Buffer
	if err := ComparisonJSON(&b, sampleComparison()); err != nil || !strings.Contains(b.String(), `"of": "geomean"`) {
		t.Errorf("%v: %.200s", err, b.String())
	}
}
