// Comparisons under a budget.

package analysis_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/compare"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
)

// A budget on what one result costs and a comparison of its variants under the same budget have the same verdict.
func TestBudgetOfRunAndCompare(t *testing.T) {
	budget := append(cpuBudget(0.05), config.Limit{Metric: "memory_peak", Value: 0.02}, config.Limit{Metric: metric.LostShare}, config.Limit{Metric: "latency_p999", Value: 0.1})
	kinds := map[finding.Kind]int{}
	for seed := range uint64(60) {
		s := alike(seed, 10)
		s.budget = budget
		s.variants[1].adds, s.variants[2].adds = float64(seed%10)*0.6e-6, float64(seed%7)*0.6e-6
		doc := s.result(t, "one")
		compared, err := compare.Variants(compare.Input{Base: doc, Budget: budget}, []string{"none", "a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range compared.Changes {
			if c.Verdict.Budget == nil || c.Metric == metric.LostShare || c.Metric == "latency_p999" { // counted; not measured
				continue
			}
			i := slices.IndexFunc(doc.Findings, func(f finding.Finding) bool {
				return f.Variant == c.Variant && f.Metric == c.Metric && f.Operation == c.Operation && f.Role == c.Role && f.Verdict.Budget != nil
			})
			if i < 0 {
				t.Fatalf("seed %d: the result has no verdict on %s of %s", seed, c.Metric, c.Variant)
			}
			if ran := doc.Findings[i].Verdict; ran.Kind != c.Verdict.Kind || ran.Claims != c.Verdict.Claims {
				t.Errorf("seed %d, %s of %s on %q: %s of %d claims in the result, %s of %d compared", seed, c.Metric, c.Variant, c.Operation, ran.Kind, ran.Claims, c.Verdict.Kind, c.Verdict.Claims)
			}
			kinds[c.Verdict.Kind]++
		}
	}
	if kinds[finding.Over] == 0 || kinds[finding.Within] == 0 || kinds[finding.CannotTell] == 0 {
		t.Errorf("not all verdicts came: %v", kinds)
	}
}

func TestCompareBudget(t *testing.T) {
	before := shop(1, 12, calm).result(t, "main")
	same := shop(2, 12, calm).result(t, "same")
	slow := shop(3, 12, calm).slowed(24e-6).result(t, "slow")
	lossy := shop(4, 12, calm)
	lossy.change = func(r *record.Record) {
		for i := range r.Phases {
			if r.Variant == "otel" {
				r.Phases[i].Sink.Spans = r.Phases[i].Sink.Spans * 9 / 10
			}
		}
	}
	limit := func(metric string, v float64) []config.Limit { return []config.Limit{{Metric: metric, Value: v}} }
	for _, c := range []struct {
		name   string
		after  *finding.Document
		budget []config.Limit
		metric string
		want   finding.Kind
		why    finding.Code
	}{
		{"slower", slow, cpuBudget(0.05), metric.CPUPerOperation, finding.Over, ""},
		{"wide limit", same, cpuBudget(0.3), metric.CPUPerOperation, finding.Within, ""},
		{"narrow limit", same, cpuBudget(0.02), metric.CPUPerOperation, finding.CannotTell, finding.WhyMoreBlocks},
		{"lost", lossy.result(t, "lossy"), limit(metric.LostShare, 0.02), metric.LostShare, finding.Over, ""},
		{"not lost", same, limit(metric.LostShare, 0), metric.LostShare, finding.Within, ""},
		{"memory, not what people decide by", same, limit("memory_mean", 0.5), "memory_mean", finding.Within, ""},
		{"not measured", same, limit("latency_p99", 0.5), "latency_p99", finding.CannotTell, finding.WhyNotInBoth},
	} {
		doc := compared(t, compare.Input{Base: before, News: []*finding.Document{c.after}, Budget: c.budget})
		operation := "json"
		if finding.IsOfLoad(c.metric) {
			operation = "" // of the run
		}
		v := changeIn(t, doc, 0, operation, "otel", c.metric).Verdict
		if v.Kind != c.want || c.why != "" && !tells(v.Reasons, c.why) || v.Budget == nil {
			t.Errorf("%s: %+v", c.name, v)
		}
		if more := v.MoreBlocks > 0; more != tells(v.Reasons, finding.WhyMoreBlocks) {
			t.Errorf("%s: %d more blocks, and says %q", c.name, v.MoreBlocks, v.Text)
		}
	}
}

// A limit of an amount is held against what is added: in one experiment, between variants, and, but for times, between results.
func TestBudgetOfAnAmount(t *testing.T) {
	amount := func(name, unit string, v float64) []config.Limit {
		return []config.Limit{{Metric: name, Value: v, Unit: unit}}
	}
	for limit, want := range map[float64]finding.Kind{25e-6: finding.Over, 35e-6: finding.Within, 30e-6: finding.CannotTell} {
		s := twoVariants() // otel adds 30 µs
		s.budget = amount(metric.CPUPerOperation, "s", limit)
		f := get(t, analyse(t, s.input()), "json", "otel", metric.CPUPerOperation)
		if f.Verdict.Kind != want || f.Verdict.BudgetUnit != "s" || f.ByRatio() {
			t.Errorf("may add %v s: %+v", limit, f.Verdict)
		}
	}
	three := twoVariants()
	three.variants = append(three.variants, actor{name: "both", tracer: "otel-go", adds: 60e-6, spans: 3})
	doc := three.result(t, "three")
	for limit, want := range map[float64]finding.Kind{25e-6: finding.Over, 35e-6: finding.Within} {
		got, err := compare.Variants(compare.Input{Base: doc, Budget: amount(metric.CPUPerOperation, "s", limit)}, []string{"otel", "both"})
		if err != nil {
			t.Fatal(err)
		}
		if v := changeIn(t, got, 0, "json", "both", metric.CPUPerOperation).Verdict; v.Kind != want || v.BudgetUnit != "s" {
			t.Errorf("between variants, %v s: %+v", limit, v)
		}
	}
	before, after := shop(1, 12, calm).result(t, "a"), shop(2, 12, calm).result(t, "b")
	of := func(name, unit string, v float64) finding.Verdict {
		return changeIn(t, compared(t, compare.Input{Base: before, News: []*finding.Document{after}, Budget: amount(name, unit, v)}), 0, "json", "otel", name).Verdict
	}
	if v := of(metric.CPUPerOperation, "s", 1); v.Kind != finding.CannotTell || !tells(v.Reasons, finding.WhyFigureOnly) {
		t.Errorf("times of two results: %+v", v)
	}
}

// A variant that failed in one of the results is no variant that keeps the budget.
func TestCompareBudgetOnWhatFailed(t *testing.T) {
	before, after := shop(1, 12, calm).result(t, "a"), shop(2, 12, calm).result(t, "b")
	after.Findings = slices.DeleteFunc(after.Findings, func(f finding.Finding) bool { return f.Variant == "otel" && f.Operation == "work" })
	doc := compared(t, compare.Input{Base: before, News: []*finding.Document{after}, Budget: cpuBudget(0.5)})
	if v := changeIn(t, doc, 0, "json", "otel", metric.CPUPerOperation).Verdict; v.Kind != finding.Within {
		t.Errorf("on json: %+v", v)
	}
	if v := changeIn(t, doc, 0, "work", "otel", metric.CPUPerOperation).Verdict; v.Kind != finding.CannotTell || v.Budget == nil {
		t.Errorf("on work, which was not measured: %+v", v)
	}
}

// A level that is missing in one of the results, or in both, does not keep the budget
// that the other levels keep.
func TestCompareBudgetOnAMissingLevel(t *testing.T) {
	at := func(level, variant string) func(finding.Finding) bool {
		return func(f finding.Finding) bool {
			return f.Parameter["connections"] == level && f.Metric == metric.CPUPerOperation && (variant == "" || f.Variant == variant)
		}
	}
	result := func(seed uint64, folder string) *finding.Document {
		s := connections(0.005, 8, 1, 2, 4)
		s.seed = seed
		return s.result(t, folder)
	}
	for _, c := range []struct {
		name           string
		fromOld, toNew func(finding.Finding) bool // what is missing
	}{
		{"in the new one", nil, at("4", "otel")},
		{"in the base", at("4", "otel"), nil},
		{"in both, where other figures are there", at("4", ""), at("4", "")},
		{"in the new one, wholly", nil, func(f finding.Finding) bool { return f.Parameter["connections"] == "4" }},
	} {
		before, after := result(1, "a"), result(2, "b")
		for doc, missing := range map[*finding.Document]func(finding.Finding) bool{before: c.fromOld, after: c.toNew} {
			if missing != nil {
				doc.Findings = slices.DeleteFunc(doc.Findings, missing)
			}
		}
		doc := compared(t, compare.Input{Base: before, News: []*finding.Document{after}, Budget: cpuBudget(0.5)})
		verdicts := map[string]finding.Kind{}
		for _, one := range doc.Changes {
			if one.Of == finding.OfCost && one.Verdict.Budget != nil {
				verdicts[one.Variant+" "+one.Operation+" "+cell.LevelOf(one.Parameter).String()] = one.Verdict.Kind
			}
		}
		for level, want := range map[string]finding.Kind{"1": finding.Within, "2": finding.Within, "4": finding.CannotTell} {
			if got := verdicts["otel json connections "+level]; got != want {
				t.Errorf("missing %s: at %s connections %q, want %q, of %v", c.name, level, got, want, verdicts)
			}
		}
		if len(verdicts) != 3 || !strings.Contains(doc.Summary, "the budget is inconclusive for CPU per operation of otel on json, connections 4") {
			t.Errorf("missing %s: %v: %s", c.name, verdicts, doc.Summary)
		}
	}
}

// A limit on what the filter leaves out is not met by silence.
func TestCompareBudgetOnWhatIsFiltered(t *testing.T) {
	f, err := compare.ParseFilter("metric:memory_peak")
	if err != nil {
		t.Fatal(err)
	}
	doc := compared(t, compare.Input{Base: shop(1, 8, calm).result(t, "a"), News: []*finding.Document{shop(2, 8, calm).result(t, "b")}, Budget: cpuBudget(0.5), Filter: f})
	for _, c := range doc.Changes {
		if c.Metric == metric.CPUPerOperation && c.Verdict.Kind == finding.CannotTell {
			return
		}
	}
	t.Error("no verdict on the limit")
}

// Where no span comes any more, nothing was saved, and no budget is kept.
func TestCompareWithWhatWasNotTraced(t *testing.T) {
	before := shop(1, 12, calm).result(t, "before")
	after := shop(2, 12, calm).result(t, "after")
	after.Untraced = []finding.Untraced{{Variant: "otel", Operation: "json"}}
	doc := compared(t, compare.Input{Base: before, News: []*finding.Document{after}, Budget: cpuBudget(0.3)})
	if v := changeIn(t, doc, 0, "json", "otel", metric.CPUPerOperation).Verdict; v.Kind != finding.CannotTell || v.Reason().Code != finding.WhyUntraced || v.Reason().Result != "after" || v.Reason().Variant != "otel" {
		t.Errorf("%+v", v)
	}
	if v := changeIn(t, doc, 0, "work", "otel", metric.CPUPerOperation).Verdict; v.Kind != finding.Within {
		t.Errorf("another operation: %+v", v)
	}
	after.Untraced = []finding.Untraced{{Variant: "otel"}}
	doc = compared(t, compare.Input{Base: before, News: []*finding.Document{after}})
	if v := changeIn(t, doc, 0, "", "otel", "startup_time").Verdict; v.Kind != finding.CannotTell {
		t.Errorf("the whole run: %+v", v)
	}
	after.Untraced = []finding.Untraced{{Variant: "none", Operation: "json"}}
	doc = compared(t, compare.Input{Base: before, News: []*finding.Document{after}})
	if v := changeIn(t, doc, 0, "json", "otel", metric.CPUPerOperation).Verdict; v.Kind != finding.CannotTell {
		t.Errorf("over a baseline that traces and sent nothing: %+v", v)
	}
}

// What the newer side may have lost more, because fewer spans of a number that varies came, is not
// taken for none; nor are whole traces that chance may hide, where what is lost has a limit.
func TestCompareWithWhatMayLoseMore(t *testing.T) {
	result := func(seed uint64, by float64, change func(*scene)) *finding.Document {
		s := shop(seed, 12, calm).slowed(by)
		change(&s)
		return s.result(t, "r")
	}
	varies := func(spans uint64) func(*scene) {
		return func(s *scene) {
			spansPer(2, 4)(s)
			sent(spans)(s)
		}
	}
	kept := func(share float64, traces uint64) func(*scene) { return sampled(share, traces, 3*traces) }
	exact := func(*scene) {}
	lost := func(v float64) []config.Limit { return []config.Limit{{Metric: metric.LostShare, Value: v}} }
	for name, c := range map[string]struct {
		before, after func(*scene)
		slower        float64
		budget        []config.Limit
		metric        string
		want          finding.Kind
	}{
		"as many of a number that varies":   {varies(30000), varies(30000), 0, cpuBudget(0.5), metric.CPUPerOperation, finding.Within},
		"more of it":                        {varies(24000), varies(30000), 0, cpuBudget(0.5), metric.CPUPerOperation, finding.Within},
		"fewer of it":                       {varies(30000), varies(24000), 0, cpuBudget(0.5), metric.CPUPerOperation, finding.CannotTell},
		"fewer, and over all the same":      {varies(30000), varies(24000), 50e-6, cpuBudget(0.1), metric.CPUPerOperation, finding.Over},
		"varies now":                        {exact, varies(30000), 0, cpuBudget(0.5), metric.CPUPerOperation, finding.CannotTell},
		"over, which may have lost before":  {varies(24000), exact, 50e-6, cpuBudget(0.1), metric.CPUPerOperation, finding.CannotTell},
		"over, of as many that varied":      {varies(30000), varies(30000), 50e-6, cpuBudget(0.1), metric.CPUPerOperation, finding.Over},
		"the most memory, which varies now": {exact, varies(24000), 0, []config.Limit{{Metric: "memory_peak", Value: 0.5}}, "memory_peak", finding.CannotTell},
		"varied before":                     {varies(30000), exact, 0, cpuBudget(0.5), metric.CPUPerOperation, finding.Within},
		"sampled, as chance has it":         {kept(0.1, 990), kept(0.1, 990), 0, lost(0), metric.LostShare, finding.CannotTell},
		"and as many may be lost":           {kept(0.1, 990), kept(0.1, 990), 0, lost(0.2), metric.LostShare, finding.Within},
		"sampled now":                       {exact, kept(0.1, 990), 0, lost(0), metric.LostShare, finding.CannotTell},
		"sampled, and half of it lost":      {kept(0.1, 990), kept(0.1, 500), 0, lost(0.1), metric.LostShare, finding.Over},
		"sampled before, and never lost":    {kept(0.1, 990), exact, 0, lost(0), metric.LostShare, finding.Within},
		"sampled, and CPU is what is asked": {kept(0.1, 990), kept(0.1, 990), 0, cpuBudget(0.5), metric.CPUPerOperation, finding.Within},
	} {
		doc := compared(t, compare.Input{Base: result(1, 0, c.before), News: []*finding.Document{result(2, c.slower, c.after)}, Budget: c.budget})
		if v := changeIn(t, doc, 0, operationOf(c.metric), "otel", c.metric).Verdict; v.Kind != c.want {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func operationOf(name string) string {
	if metric.Must(name).WholeRun {
		return ""
	}
	return "json"
}

// A side that loses more spans than the other did less work: the newer is not cheaper for that,
// nor dearer where that is the older. What is dearer all the same is dearer.
func TestCompareWithWhatLosesMore(t *testing.T) {
	lost := func(doc *finding.Document, share float64) *finding.Document {
		doc.Lossy = []finding.Lossy{{Operation: "json", Variant: "otel", LostShare: share}}
		return doc
	}
	base := func(doc *finding.Document) *finding.Document { doc.Lossy[0].Variant = "none"; return doc }
	made := func(seed uint64, by, share float64) *finding.Document {
		return lost(shop(seed, 12, calm).slowed(by).result(t, "r"), share)
	}
	lostBudget := func(v float64) []config.Limit {
		return append(cpuBudget(0.5), config.Limit{Metric: metric.LostShare, Value: v})
	}
	for _, c := range []struct {
		name          string
		before, after *finding.Document
		budget        []config.Limit
		want          finding.Kind
	}{
		{"more lost", made(1, 0, 0), made(2, 0, 0.3), cpuBudget(0.5), finding.CannotTell},
		{"as much lost", made(1, 0, 0.3), made(2, 0, 0.305), cpuBudget(0.5), finding.Within},
		{"allowed for", made(1, 0, 0), made(2, 0, 0.3), lostBudget(0.4), finding.Within},
		{"over all the same", made(1, 0, 0), made(2, 50e-6, 0.3), cpuBudget(0.1), finding.Over},
		{"cheaper, with more lost", made(1, 24e-6, 0), made(2, 0, 0.3), nil, finding.CannotTell},
		{"cheaper", made(1, 24e-6, 0.3), made(2, 0, 0), nil, finding.Saves},
		{"dearer, with less lost", made(1, 0, 0.3), made(2, 24e-6, 0), nil, finding.CannotTell},
		{"over, with less lost", made(1, 0, 0.3), made(2, 50e-6, 0), cpuBudget(0.1), finding.CannotTell},
		{"dearer, over a baseline that loses now", made(1, 0, 0), base(made(2, 24e-6, 0.3)), nil, finding.CannotTell},
		{"cheaper, over a baseline that lost before", base(made(1, 24e-6, 0.3)), made(2, 0, 0), nil, finding.CannotTell},
		{"dearer, over a baseline that lost before", base(made(1, 0, 0.3)), made(2, 24e-6, 0), nil, finding.Costs},
	} {
		doc := compared(t, compare.Input{Base: c.before, News: []*finding.Document{c.after}, Budget: c.budget})
		if v := changeIn(t, doc, 0, "json", "otel", metric.CPUPerOperation).Verdict; v.Kind != c.want {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
}

// A baseline without spans has delivered nothing, and lost nothing: a variant that loses spans does not lose fewer than it.
func TestLostOverABaselineWithoutSpans(t *testing.T) {
	s := shop(4, 12, calm)
	s.change = func(r *record.Record) {
		for i := range r.Phases {
			if r.Variant == "otel" {
				r.Phases[i].Sink.Spans = r.Phases[i].Sink.Spans * 7 / 10
			}
		}
	}
	doc, err := compare.Variants(compare.Input{Base: s.result(t, "lossy"), Budget: []config.Limit{{Metric: metric.LostShare, Value: 0.01}}}, []string{"none", "otel"})
	if err != nil {
		t.Fatal(err)
	}
	if c := changeIn(t, doc, 0, "json", "otel", metric.LostShare); c.Verdict.Kind != finding.CannotTell {
		t.Errorf("30 %% are lost, with a budget of 1 %%: %s (%s)", c.Verdict.Kind, c.Verdict.Text)
	}
}

// Between variants of a result, what one lost more than the other is held against a limit of losses.
func TestLostMoreThanAnotherVariant(t *testing.T) {
	s := shop(4, 12, calm)
	s.change = func(r *record.Record) {
		for i := range r.Phases {
			if r.Variant == "otel" {
				r.Phases[i].Sink.Spans = r.Phases[i].Sink.Spans * 9 / 10
			}
		}
	}
	in := compare.Input{Base: s.result(t, "lossy"), Budget: []config.Limit{{Metric: metric.LostShare, Value: 0.02}}}
	for order, want := range map[[2]string]finding.Kind{{"otel-10", "otel"}: finding.Over, {"otel", "otel-10"}: finding.Within} {
		doc, err := compare.Variants(in, order[:])
		if err != nil {
			t.Fatal(err)
		}
		if c := changeIn(t, doc, 0, "json", order[1], metric.LostShare); c.Verdict.Kind != want {
			t.Errorf("%v: %s (%s)", order, c.Verdict.Kind, c.Verdict.Text)
		}
	}
}

// A limit of a ratio is not held against an amount: a baseline that exports nothing has no ratio.
func TestCompareBudgetWithoutARatio(t *testing.T) {
	const bytes = "export_bytes_per_operation"
	in := compare.Input{Base: twoVariants().result(t, "one"), Budget: []config.Limit{{Metric: bytes, Value: 0.05}}}
	doc, err := compare.Variants(in, []string{"none", "otel"})
	if err != nil {
		t.Fatal(err)
	}
	if v := changeIn(t, doc, 0, "json", "otel", bytes).Verdict; v.Kind != finding.CannotTell || v.Reason().Code != finding.WhyNoRatio {
		t.Errorf("%+v", v)
	}
}

// Pairs of made-up results to compare: the same machine on two days.

// day is a machine's mood over one result: how much slower it is than on another
// day, how it drifts from block to block, and how often something gets in the way.
type day struct {
	slower   float64 // factor on everything
	drift    float64 // per block, accumulated
	outliers float64 // share of the runs that something else slows down
}

// over makes the mood of a day into a change of records.
func (d day) over(r *rand.Rand) func(*record.Record) {
	return func(one *record.Record) {
		factor := d.slower * math.Exp(d.drift*float64(one.Block))
		if r.Float64() < d.outliers {
			factor *= 1 + 0.15*r.ExpFloat64()
		}
		for i := range one.Phases {
			for j := range one.Phases[i].Usage {
				u := &one.Phases[i].Usage[j]
				u.CPUSeconds *= factor
				u.ContextSwitches = uint64(float64(u.ContextSwitches) * factor)
			}
		}
		one.Start.ReadySeconds *= factor
		one.Start.FirstOperationSeconds *= factor
	}
}

// moody is a day drawn at random.
func moody(r *rand.Rand) day {
	return day{slower: math.Exp(0.1 * r.NormFloat64()), drift: 0.01 * r.NormFloat64(), outliers: 0.05}
}

// shop is an experiment of two operations and two variants.
func shop(seed uint64, blocks int, d day) scene {
	return scene{
		seed: seed, blocks: blocks, order: []string{"json", "work"}, operations: map[string]float64{"json": 50e-6, "work": 400e-6}, rate: 500, noise: 0.02,
		variants: []actor{
			{name: "none", tracer: "none"},
			{name: "otel", tracer: "otel-go", adds: 30e-6, spans: 3},
			{name: "otel-10", tracer: "otel-go", adds: 12e-6, spans: 1},
		},
		change: d.over(rand.New(rand.NewPCG(seed, 99))),
	}
}

// slowed makes tracing with otel cost so many CPU seconds more per operation.
func (s scene) slowed(by float64) scene {
	s.variants = append([]actor(nil), s.variants...)
	for i := range s.variants {
		if s.variants[i].name == "otel" {
			s.variants[i].adds += by
		}
	}
	return s
}

// result analyses a scene, as found in a folder.
func (s scene) result(t testing.TB, folder string) *finding.Document {
	t.Helper()
	in := s.input()
	in.Results = folder
	doc, err := analysis.Analyse(in)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func compared(t testing.TB, in compare.Input) *finding.Comparison {
	t.Helper()
	doc, err := compare.Compare(in)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// changeIn finds a change of a cost over all roles.
func changeIn(t testing.TB, doc *finding.Comparison, index int, operation, variant, metric string) finding.Change {
	t.Helper()
	for _, c := range doc.Changes {
		if c.Of == finding.OfCost && c.New == index && c.Operation == operation && c.Variant == variant && c.Metric == metric && c.Role == "" {
			return c
		}
	}
	t.Fatalf("no change of %s of %s on %s", metric, variant, operation)
	return finding.Change{}
}

func cpuBudget(share float64) []config.Limit {
	return []config.Limit{{Metric: metric.CPUPerOperation, Value: share, Text: "as tested"}}
}
