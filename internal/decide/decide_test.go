package decide

import (
	"math"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

const (
	base = 100e-6 // CPU seconds that an operation takes without tracing
	rate = 200.0  // operations/s
)

// shown is a way whose truth is known: the share of the traces that it keeps, and what it adds.
type shown struct {
	name  string
	kept  float64
	adds  float64 // CPU seconds per operation
	lost  float64
	holds float64 // operations/s that it reaches; 0: the rate
	kind  finding.Kind
	picks bool
}

// document is one with the findings of those ways; blocks differ from each other by 10 %, and a way from itself by 1 %.
func document(blocks int, ways ...shown) *finding.Document {
	doc := &finding.Document{Experiment: finding.Experiment{Variants: []finding.Variant{{Name: "none"}}}}
	for n, w := range ways {
		doc.Experiment.Variants = append(doc.Experiment.Variants, finding.Variant{Name: w.name})
		f := finding.Finding{Operation: "get", Variant: w.name, Against: "none", Metric: metric.CPUPerOperation, Unit: "s", Headline: true}
		for b := range blocks {
			weather := 1 + 0.1*math.Sin(float64(b))
			own := 1 + 0.01*math.Sin(float64(7*b+3*n))
			f.Samples = append(f.Samples, finding.Sample{Block: b + 1, Baseline: base * weather, Value: (base + w.adds*own) * weather})
		}
		from, to := claim.Sides(f.Samples)
		logs, _ := claim.Ratios(from, to)
		f.Absolute = claim.Paired(to.Minus(from), false, claim.Given).Interval(claim.Confidence)
		f.Relative = claim.Paired(logs, true, claim.Given).Interval(claim.Confidence)
		if w.holds > 0 {
			f.Verdict = finding.Verdict{Kind: finding.CannotTell, Reasons: []finding.Reason{{Code: finding.WhyOverloaded, Variant: w.name,
				Figures: []finding.Figure{{Name: "offered", Value: rate, Unit: "1/s"}, {Name: "reached", Value: w.holds, Unit: "1/s"}}}}}
		}
		if w.kind != "" {
			limit := 0.1
			f.Verdict.Kind, f.Verdict.Budget = w.kind, &limit
		}
		doc.Findings = append(doc.Findings, f)
		if w.kept < 1 && w.lost == 0 {
			doc.Findings = append(doc.Findings, finding.Finding{Operation: "get", Variant: w.name, Against: "none", Metric: metric.KeptShare, Unit: "1", Value: finding.Number(w.kept)})
		}
		if w.lost > 0 {
			doc.Lossy = append(doc.Lossy, finding.Lossy{Operation: "get", Variant: w.name, LostShare: w.lost})
		}
		l := finding.Ledger{Operation: "get", Variant: w.name, Entries: []finding.Entry{
			{Name: "expected", Spans: 10000}, {Name: "sampled-out", Spans: int64(10000 * (1 - w.kept))}, {Name: "delivered", Spans: int64(10000 * (w.kept - w.lost))}}}
		if traces := int64(3); w.picks {
			l.Pages = []finding.Page{{From: "collector", To: finding.PageSink, KeptTraces: &traces}}
		}
		doc.Ledgers = append(doc.Ledgers, l)
	}
	return doc
}

// rates offers one rate, which variants miss in so many of 8 runs.
type rates struct {
	offered float64
	missed  map[string]int
}

func (r rates) Offered(cell.At) float64 { return r.offered }

func (r rates) BlockSeconds() float64 { return 60 }

func (r rates) BelowRate(variant string, _ cell.At) (missed, runs int) { return r.missed[variant], 8 }

func decided(t *testing.T, doc *finding.Document) *finding.Decision {
	t.Helper()
	all := Decisions(doc, rates{offered: rate}, claim.Given)
	if len(all) != 1 {
		t.Fatalf("%d decisions, want 1", len(all))
	}
	return &all[0]
}

func near(a, b, share float64) bool { return math.Abs(a-b) <= share*math.Abs(b)+1e-12 }

// What 10 % saves is known: nine tenths of it where a request that is sampled out costs nothing, nothing where all of the cost comes
// before the sampler.
func TestSaves(t *testing.T) {
	for name, c := range map[string]struct{ tenth, saves float64 }{"sampled out for nothing": {4e-6, 0.9}, "a filter before the sampler": {40e-6, 0}} {
		d := decided(t, document(8, shown{name: "all", kept: 1, adds: 40e-6}, shown{name: "tenth", kept: 0.1, adds: c.tenth}))
		s := d.Way("tenth").Saves
		if d.Whole != "all" || s == nil || math.Abs(s.Estimate-c.saves) > 0.01 || s.Low == nil || *s.Low > c.saves || *s.High < c.saves {
			t.Errorf("%s: %+v of %q, want %g", name, s, d.Whole, c.saves)
		}
		if d.Way("all").Saves != nil {
			t.Errorf("%s: what keeps all saves %+v of itself", name, d.Way("all").Saves)
		}
	}
	doc := document(8, shown{name: "all", kept: 1, adds: 0}, shown{name: "tenth", kept: 0.1, adds: 1e-6})
	if s := decided(t, doc).Way("tenth").Saves; s != nil {
		t.Errorf("of nothing it saves %+v", s)
	}
}

// Of a way that keeps every trace, too, and is not told from the cheapest, it is known how many blocks may tell it.
func TestNeeds(t *testing.T) {
	between := func(low, estimate, high float64) *finding.Interval {
		return &finding.Interval{Estimate: estimate, Low: &low, High: &high}
	}
	for name, c := range map[string]struct {
		saves *finding.Interval
		want  int
	}{
		"dearer, perhaps": {between(-0.32, -0.15, 0.05), 15}, "cheaper, perhaps": {between(-0.05, 0.15, 0.32), 15}, "nearly told": {between(-0.31, -0.15, 0.01), 10},
		"told": {between(-0.32, -0.15, -0.01), 0}, "alike": {between(-0.1, 0.001, 0.1), 0}, "no interval": {&finding.Interval{Estimate: 0.1}, 0}, "nothing": {nil, 0},
	} {
		if got := needed(c.saves, 8); got != c.want {
			t.Errorf("%s: %d blocks, want %d", name, got, c.want)
		}
	}
	d := decided(t, document(8, shown{name: "all", kept: 1, adds: 40e-6}, shown{name: "collector", kept: 1, adds: 40.3e-6}, shown{name: "tenth", kept: 0.1, adds: 39.9e-6}))
	other, tenth := d.Way("all"), d.Way("tenth") // by their estimates the Collector is the cheaper
	if other.Needs == 0 || other.Needs != needed(other.Saves, 8) || needed(tenth.Saves, 8) == 0 || tenth.Needs != 0 || d.Way(d.Whole).Needs != 0 {
		t.Errorf("%+v, %+v", other, tenth)
	}
	if d.Blocks != 8 || d.Seconds != 60 {
		t.Errorf("%d blocks of %g s", d.Blocks, d.Seconds)
	}
}

// Per cent becomes CPUs at the rate, and operations that one CPU carries.
func TestConsequence(t *testing.T) {
	d := decided(t, document(8, shown{name: "all", kept: 1, adds: 60e-6}))
	w := d.Way("all")
	if !near(w.CPU.Estimate, 60e-6*rate, 0.05) || *w.CPU.Low > w.CPU.Estimate || *w.CPU.High < w.CPU.Estimate {
		t.Errorf("CPU: %+v", w.CPU)
	}
	if !near(d.Carries.Estimate, 1/base, 0.05) || !near(w.Carries.Estimate, 1/160e-6, 0.05) {
		t.Errorf("one CPU carries %+v, then %+v", d.Carries, w.Carries)
	}
	for _, i := range []*finding.Interval{d.Carries, w.Carries} {
		if *i.Low >= i.Estimate || *i.High <= i.Estimate {
			t.Errorf("an interval that does not hold its estimate: %g to %g about %g", *i.Low, *i.High, i.Estimate)
		}
	}
	if cores := Times(w.Relative, 40); !near(cores.Estimate, 24, 0.02) || !near(*cores.High, 40**w.Relative.High, 1e-9) || Times(nil, 40) != nil {
		t.Errorf("of 40 cores: %+v", cores)
	}
}

// The places of ways, and what is advised.
func TestStandings(t *testing.T) {
	all, tenth := shown{name: "all", kept: 1, adds: 40e-6}, shown{name: "tenth", kept: 0.1, adds: 10e-6}
	for name, c := range map[string]struct {
		ways          []shown
		blocks        int
		want          string // of each way
		whole, choice string
	}{
		"a frontier":                         {ways: []shown{all, tenth}, want: "frontier frontier", whole: "all"},
		"a dearer way that shows no more":    {ways: []shown{all, {name: "collector", kept: 1, adds: 50e-6}}, want: "frontier dominated", whole: "all"},
		"as dear as the other":               {ways: []shown{all, {name: "collector", kept: 1, adds: 40.1e-6}}, want: "frontier frontier", whole: "collector"}, // by its estimate
		"sampling that saves nothing":        {ways: []shown{all, {name: "tenth", kept: 0.1, adds: 50e-6}}, want: "frontier dominated", whole: "all"},
		"shares that chance makes":           {ways: []shown{{name: "a", kept: 0.099, adds: 10e-6}, {name: "b", kept: 0.101, adds: 20e-6}}, want: "frontier dominated"},
		"it loses spans, and is the cheaper": {ways: []shown{all, {name: "lossy", kept: 1, adds: 1e-6, lost: 0.2}}, want: "frontier loses-spans", whole: "all"},
		"it cannot hold the rate":            {ways: []shown{{name: "all", kept: 1, adds: 40e-6, holds: 120}, tenth}, want: "cannot-hold frontier"},
		"chosen traces are no tenth": {ways: []shown{tenth, {name: "errors", kept: 0.01, adds: 40e-6, picks: true}},
			want: "frontier frontier"},
		"but all of them are as good": {ways: []shown{all, {name: "errors", kept: 0.01, adds: 50e-6, picks: true}}, want: "frontier dominated", whole: "all"},
		"too few blocks":              {ways: []shown{all, tenth}, blocks: 3, want: "not-placed not-placed", whole: "all"},
		"a budget": {ways: []shown{{name: "all", kept: 1, adds: 40e-6, kind: finding.Over}, {name: "tenth", kept: 0.1, adds: 9e-6, kind: finding.Within},
			{name: "hundredth", kept: 0.01, adds: 5e-6, kind: finding.Within}}, want: "frontier frontier frontier", whole: "all", choice: "tenth"},
		"of two that show as much the cheaper": {ways: []shown{{name: "a", kept: 0.1, adds: 9e-6, kind: finding.Within},
			{name: "b", kept: 0.098, adds: 8.95e-6, kind: finding.Within}}, want: "frontier frontier", choice: "b"},
		"a budget that nothing meets": {ways: []shown{{name: "all", kept: 1, adds: 40e-6, kind: finding.Over}, {name: "tenth", kept: 0.1, adds: 20e-6, kind: finding.CannotTell}},
			want: "frontier frontier", whole: "all"},
		"a budget that only a lossy way meets": {ways: []shown{{name: "all", kept: 1, adds: 40e-6, kind: finding.Over}, {name: "lossy", kept: 1, adds: 1e-6, lost: 0.1, kind: finding.Within}},
			want: "frontier loses-spans", whole: "all"},
	} {
		if c.blocks == 0 {
			c.blocks = 8
		}
		d := decided(t, document(c.blocks, c.ways...))
		var got []string
		for _, w := range d.Ways {
			got = append(got, string(w.Standing))
			if (w.By != "") != (w.Standing == finding.Dominated) {
				t.Errorf("%s: %s is %s by %q", name, w.Variant, w.Standing, w.By)
			}
		}
		if strings.Join(got, " ") != c.want || d.Whole != c.whole || d.Choice != c.choice {
			t.Errorf("%s: %q, all by %q, chosen %q; want %q, %q, %q", name, got, d.Whole, d.Choice, c.want, c.whole, c.choice)
		}
	}
}

// A way that cannot hold the rate is told with what it reached, and where the program itself cannot nothing is placed.
func TestOverloaded(t *testing.T) {
	d := decided(t, document(8, shown{name: "all", kept: 1, adds: 40e-6, holds: 120}))
	if w := d.Ways[0]; w.Reached != 120 || w.Saves != nil || d.Reached != 0 {
		t.Errorf("%+v", d)
	}
	doc := document(8, shown{name: "all", kept: 1, adds: 40e-6, holds: 120})
	doc.Findings[0].Verdict.Reasons[0].Variant = "none"
	if d := decided(t, doc); d.Reached != 120 || d.Ways[0].Standing != finding.NotPlaced || d.Whole != "" {
		t.Errorf("the baseline: %+v", d)
	}
}

// A way that misses the rate in a few runs keeps its place, and it is known how often.
func TestMissed(t *testing.T) {
	doc := document(8, shown{name: "all", kept: 1, adds: 40e-6}, shown{name: "slow", kept: 1, adds: 50e-6, holds: 120})
	d := Decisions(doc, rates{rate, map[string]int{"none": 2, "all": 1, "slow": 7}}, claim.Given)[0]
	all, slow := d.Way("all"), d.Way("slow")
	if all.Standing != finding.OnFrontier || *all.Missed != (finding.Missed{Missed: 1, Runs: 8}) || *d.Missed != (finding.Missed{Missed: 2, Runs: 8}) {
		t.Errorf("%+v, and the baseline %+v", all, d.Missed)
	}
	if slow.Standing != finding.CannotHold || slow.Missed != nil {
		t.Errorf("%+v", slow)
	}
	if d := decided(t, document(8, shown{name: "all", kept: 1, adds: 40e-6})); d.Missed != nil || d.Ways[0].Missed != nil {
		t.Errorf("all runs held the rate: %+v", d)
	}
}

// A hop that passes on all counts no trace as kept, and picks none.
func TestHopThatPassesAllOn(t *testing.T) {
	doc := document(8, shown{name: "collector", kept: 1, adds: 40e-6, picks: true})
	*doc.Ledgers[0].Pages[0].KeptTraces = 0
	if w := decided(t, doc).Ways[0]; w.Picks || w.Kept != 1 {
		t.Errorf("%+v", w)
	}
}

// Of a way that decides by what is in traces it is known how many requests failed.
func TestFailed(t *testing.T) {
	doc := document(8, shown{name: "errors", kept: 0.1, adds: 40e-6, picks: true}, shown{name: "tenth", kept: 0.1, adds: 40e-6})
	answers := func(statuses map[int]uint64) *finding.Decision {
		doc.Answers = []finding.Answers{{Operation: "get", Variant: "errors", Statuses: statuses}, {Operation: "put", Variant: "errors", Statuses: map[int]uint64{503: 9}},
			{Operation: "get", Variant: "tenth", Statuses: statuses}}
		return decided(t, doc)
	}
	d := answers(map[int]uint64{200: 90, 404: 5, 500: 4, 503: 1})
	if w := d.Way("errors"); w.Failed == nil || *w.Failed != 0.05 || d.Way("tenth").Failed != nil {
		t.Errorf("%+v, want 5 %%", d.Ways)
	}
	for _, unknown := range []map[int]uint64{{0: 90, 14: 10}, nil} {
		if w := answers(unknown).Way("errors"); w.Failed != nil {
			t.Errorf("%v: %g failed", unknown, *w.Failed)
		}
	}
}

// Unknown is neither all nor nothing: without an account of the spans, or where losses are not known, a way has no place.
func TestUnknown(t *testing.T) {
	doc := document(8, shown{name: "all", kept: 1, adds: 40e-6})
	doc.Ledgers = nil
	if w := decided(t, doc).Ways[0]; w.Kept.Known() || w.Standing != finding.NotPlaced {
		t.Errorf("no account: %+v", w)
	}
	doc = document(8, shown{name: "all", kept: 1, adds: 40e-6})
	doc.LossUnknown = []finding.LossUnknown{{Operation: "get", Variant: "all", LostMost: 0.3}}
	if w := decided(t, doc).Ways[0]; w.Standing != finding.MayLoseSpans || w.Lost != 0.3 {
		t.Errorf("unknown losses: %+v", w)
	}
	doc.Untraced = []finding.Untraced{{Variant: "all", Operation: "get"}}
	if all := Decisions(doc, rates{offered: rate}, claim.Given); len(all) != 0 {
		t.Errorf("of a way that was not traced: %+v", all)
	}
	if all := Decisions(document(8, shown{name: "all", kept: 1}), rates{}, claim.Given); len(all) != 0 {
		t.Errorf("without a rate: %+v", all)
	}
}
