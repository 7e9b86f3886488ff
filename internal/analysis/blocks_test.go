// Which runs and blocks count.

package analysis_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

func TestBlocksThatCount(t *testing.T) {
	failed := &record.Failure{Stage: "ready", Message: "the port was taken"}
	for _, c := range []struct {
		name    string
		records func([]record.Record) []record.Record
		blocks  int
		failed  int
	}{
		{"all", func(r []record.Record) []record.Record { return r }, 10, 0},
		{"a block without its baseline", func(r []record.Record) []record.Record { return r[1:] }, 9, 0},
		{"a block without the variant", func(r []record.Record) []record.Record { return r[:19] }, 9, 0},
		{"a failed run", func(r []record.Record) []record.Record { r[3].Failure = failed; return r }, 9, 1},
		{"a run beside one that failed", func(r []record.Record) []record.Record {
			r[3].Failure = &record.Failure{Stage: record.StageBlock, Message: "another one failed"}
			return r
		}, 9, 0},
		{"a second attempt", func(r []record.Record) []record.Record {
			again := r[3]
			again.Attempt = 2
			r[3].Failure = failed
			return append(r, again)
		}, 10, 1},
		{"a second attempt that failed too", func(r []record.Record) []record.Record {
			again := r[3]
			again.Attempt, again.Failure = 2, failed
			r[3].Failure = failed
			return append(r, again)
		}, 9, 2},
		{"a phase is missing", func(r []record.Record) []record.Record { r[3].Phases = nil; return r }, 9, 0},
		{"a variant that is not in the experiment", func(r []record.Record) []record.Record { r[3].Variant = "gone"; return r }, 9, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := twoVariants().input()
			in.Records = c.records(in.Records)
			doc := analyse(t, in)
			if f := get(t, doc, "json", "otel", "cpu_per_operation"); f.Blocks != c.blocks {
				t.Errorf("%d blocks, want %d", f.Blocks, c.blocks)
			}
			if doc.Runs.Failed != c.failed || len(doc.Runs.Failure) != c.failed || warned(doc, "failed-runs") != (c.failed > 0) {
				t.Errorf("runs %+v", doc.Runs)
			}
		})
	}
}

// Where a block is made in groups each variant is compared with the baseline of its own group: what slowed another group
// down is not in it.
func TestGroupsOfABlock(t *testing.T) {
	s := twoVariants()
	s.variants = append(s.variants, actor{name: "late", tracer: "otel-go", adds: 10e-6, spans: 3})
	in := s.input()
	whole := analyse(t, in)
	var grouped []record.Record
	for i := range in.Records {
		r := in.Records[i]
		switch r.Variant {
		case "none":
			for _, with := range []string{"otel", "late"} {
				one := r
				one.Harness.With = []string{with}
				grouped = append(grouped, slower(one, with))
			}
		default:
			r.Harness.With = []string{"none"}
			grouped = append(grouped, slower(r, r.Variant))
		}
	}
	in.Records = grouped
	in.Experiment.Design.Order = config.Windows
	doc := analyse(t, in)
	for _, variant := range []string{"otel", "late"} {
		got, want := get(t, doc, "json", variant, "cpu_per_operation"), get(t, whole, "json", variant, "cpu_per_operation")
		if got.Blocks != 10 || math.Abs(got.Relative.Estimate-want.Relative.Estimate) > 0.03 {
			t.Errorf("%s costs %+.3f in groups, and %+.3f without", variant, got.Relative.Estimate, want.Relative.Estimate)
		}
	}
	if !warned(doc, "groups") || warned(whole, "groups") || doc.Runs.Blocks != 10 {
		t.Errorf("groups are told: %t, and where there are none: %t; of %d blocks", warned(doc, "groups"), warned(whole, "groups"), doc.Runs.Blocks)
	}
}

// slower is a run of a group that took three times as much CPU, where it is that of the variant late.
func slower(r record.Record, group string) record.Record {
	if group != "late" {
		return r
	}
	r.Phases = slices.Clone(r.Phases)
	for i := range r.Phases {
		r.Phases[i].Usage = slices.Clone(r.Phases[i].Usage)
		for j := range r.Phases[i].Usage {
			r.Phases[i].Usage[j].CPUSeconds *= 3
		}
	}
	return r
}

func TestSpoiledBlocks(t *testing.T) {
	for _, c := range []struct {
		name          string
		bad           []int // blocks with 20 % of the CPU stolen
		dropped, kept int
		made, again   int // of 10 planned blocks
	}{
		{"none", nil, 0, 0, 10, 0}, {"one", []int{4}, 1, 0, 10, 1}, {"a fifth", []int{1, 4}, 2, 0, 10, 2}, {"at most a fifth", []int{1, 4, 7}, 2, 1, 10, 0},
		{"one, made again", []int{4}, 1, 0, 11, 1}, {"that one too", []int{4, 11}, 2, 0, 11, 1}, {"a fifth, of which one is made again", []int{1, 4}, 2, 0, 11, 2},
		{"a fifth and one in their place", []int{1, 4, 12}, 3, 0, 12, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := twoVariants()
			s.blocks, s.design = c.made, func(e *config.Experiment) { e.Design.Blocks = 10 }
			s.change = func(r *record.Record) {
				for _, block := range c.bad {
					if r.Block == block && r.Variant == "otel" {
						r.Harness.StealSeconds = 0.2 * 60 * 2
					}
				}
			}
			doc := analyse(t, s.input())
			f := get(t, doc, "json", "otel", "cpu_per_operation")
			if len(doc.Runs.Dropped) != c.dropped || f.Blocks != c.made-c.dropped || warned(doc, "spoiled-kept") != (c.kept > 0) {
				t.Errorf("dropped %q, %d blocks", doc.Runs.Dropped, f.Blocks)
			}
			if n := len(slices.DeleteFunc(slices.Clone(doc.Warnings), func(w finding.Warning) bool { return w.Code != "spoiled-blocks" })); n != min(1, c.dropped) {
				t.Errorf("%d warnings of blocks left out, want one for all", n)
			}
			if again, err := analysis.Spoiled(s.input()); err != nil || again != c.again {
				t.Errorf("%d blocks are to be made again, %v; want %d", again, err, c.again)
			}
			if warned(doc, "interrupted") {
				t.Error("interrupted")
			}
			if doc.Runs.Variants[1].Dropped != c.dropped {
				t.Errorf("of otel: %+v", doc.Runs.Variants[1])
			}
		})
	}
}

// Of few blocks two may be spoiled, and are made again. None is left out without which there would be no interval: on a machine
// that spoils most of them a wide interval says more than none.
func TestSpoiledAmongFewBlocks(t *testing.T) {
	for _, c := range []struct{ planned, bad, made, again, dropped int }{
		{6, 2, 8, 2, 2}, {6, 2, 6, 2, 0}, {6, 3, 6, 0, 0}, {7, 3, 7, 0, 1}, {8, 2, 10, 2, 2}, {11, 3, 14, 3, 3}, {11, 4, 11, 0, 3}, {3, 2, 3, 0, 0}, {2, 1, 3, 1, 1}, {1, 1, 1, 0, 0},
	} {
		s := twoVariants()
		s.blocks, s.design = c.made, func(e *config.Experiment) { e.Design.Blocks = c.planned }
		s.change = func(r *record.Record) {
			if r.Block <= c.bad && r.Variant == "none" {
				r.Harness.StealSeconds = 24
			}
		}
		again, err := analysis.Spoiled(s.input())
		if err != nil || again != c.again {
			t.Errorf("%+v: %d are to be made again; error %v", c, again, err)
		}
		doc := analyse(t, s.input())
		f := get(t, doc, "json", "otel", "cpu_per_operation")
		if f.Blocks != c.made-c.dropped || f.Blocks >= 6 != (f.Relative.Low != nil) {
			t.Errorf("%+v: %d blocks count, %+v", c, f.Blocks, f.Relative)
		}
	}
}

// Leaving out blocks does not choose the result: where a signal goes with what a variant itself did, which a run of much work
// has more of, the interval has the truth in it as often as where nothing is spoiled.
func TestLeavingOutKeepsCoverage(t *testing.T) {
	const experiments, planned = 66, 20
	const truth = 0.6 // 30 µs more than 50
	signals := map[string]func(r *record.Record, work float64, chance *rand.Rand){
		"none": func(*record.Record, float64, *rand.Rand) {},
		"lag of a generator beside a sink that works more": func(r *record.Record, work float64, _ *rand.Rand) {
			if r.Variant == "otel" && work > 1.08 {
				r.Phases[0].Load.Lag = spread(10000, 0.03*work)
			}
		},
		"a host that takes a share of what is wanted": func(r *record.Record, work float64, chance *rand.Rand) {
			taken := min(0.04*chance.ExpFloat64(), 0.5)
			r.Harness.WorkedSeconds = 40 * math.Pow(work, 3)
			r.Harness.StealSeconds = r.Harness.WorkedSeconds * taken / (1 - taken)
		},
	}
	covered, left := map[string]int{}, map[string]int{}
	for name, signal := range signals {
		for seed := range uint64(experiments) {
			chance := rand.New(rand.NewPCG(seed, 13))
			s := twoVariants()
			s.seed, s.noise, s.blocks = seed+1, 0.1, planned
			s.change = func(r *record.Record) {
				usual := map[string]float64{"none": 50e-6, "otel": 80e-6}[r.Variant] * s.rate * window
				signal(r, r.Phases[0].Usage[0].CPUSeconds/usual, chance)
			}
			s.design = func(e *config.Experiment) { e.Design.Blocks = planned }
			again, err := analysis.Spoiled(s.input())
			if err != nil {
				t.Fatal(err)
			}
			chance = rand.New(rand.NewPCG(seed, 13))
			s.blocks += again
			doc := analyse(t, s.input())
			f := get(t, doc, "json", "otel", "cpu_per_operation")
			left[name] += len(doc.Runs.Dropped)
			if *f.Relative.Low <= truth && *f.Relative.High >= truth {
				covered[name]++
			}
		}
		t.Logf("%s: %d of %d cover it, %.1f blocks left out", name, covered[name], experiments, float64(left[name])/experiments)
	}
	for name, n := range covered {
		if n < covered["none"]-experiments*3/100 || n > covered["none"]+experiments*3/100 {
			t.Errorf("%s: %d of %d intervals cover the truth, and %d where nothing is spoiled", name, n, experiments, covered["none"])
		}
	}
	if left["a host that takes a share of what is wanted"] < experiments {
		t.Errorf("hardly anything is left out: %v", left)
	}
}

// A planned block of which every run failed is one of those of which a fifth may be left out, as whoever makes blocks again
// counts them.
func TestSpoiledBlocksBesideFailedOnes(t *testing.T) {
	s := twoVariants()
	s.blocks, s.design = 12, func(e *config.Experiment) { e.Design.Blocks = 10 }
	s.change = func(r *record.Record) {
		switch r.Block {
		case 3:
			r.Failure, r.Phases = &record.Failure{Stage: "ready", Message: "the port was taken"}, nil
		case 5, 7:
			r.Harness.StealSeconds = 0.2 * 60 * 2
		}
	}
	doc := analyse(t, s.input())
	if f := get(t, doc, "json", "otel", "cpu_per_operation"); len(doc.Runs.Dropped) != 2 || f.Blocks != 9 || warned(doc, "spoiled-kept") {
		t.Errorf("left out %q, %d blocks count", doc.Runs.Dropped, f.Blocks)
	}
}

// Half a block in the place of a spoiled one is no whole experiment.
func TestInterruptedInABlockThatIsMadeAgain(t *testing.T) {
	s := twoVariants()
	s.blocks, s.design = 11, func(e *config.Experiment) { e.Design.Blocks = 10 }
	s.change = func(r *record.Record) {
		if r.Block == 4 {
			r.Harness.StealSeconds = 0.2 * 60 * 2
		}
	}
	in := s.input()
	if doc := analyse(t, in); warned(doc, "interrupted") {
		t.Error("a whole one is interrupted")
	}
	in.Records = in.Records[:len(in.Records)-1]
	if doc := analyse(t, in); !warned(doc, "interrupted") {
		t.Error("half a block is taken for a whole one")
	}
}

func TestFewBlocksGiveFigures(t *testing.T) {
	s := twoVariants()
	s.blocks = 5
	f := get(t, analyse(t, s.input()), "json", "otel", "cpu_per_operation")
	if f.Verdict.Kind != finding.None || f.Verdict.Reason().Code != finding.WhyFewBlocks || f.Absolute.Low != nil || f.Relative.High != nil {
		t.Errorf("%+v", f)
	}
}

// A quick run is answered like any other: by its blocks.
func TestQuickRunsAreAnsweredLikeOthers(t *testing.T) {
	for _, blocks := range []int{5, 6, 10} {
		var told [2]*finding.Document
		for i, quick := range []bool{false, true} {
			s := twoVariants()
			s.blocks, s.quick, s.budget = blocks, quick, []config.Limit{{Metric: metric.MemoryPeak, Value: 0.05}}
			told[i] = analyse(t, s.input())
		}
		f := get(t, told[1], "json", "otel", "cpu_per_operation")
		if has := f.Relative.Low != nil; has != (blocks >= 6) || has != (f.Verdict.Kind == finding.Costs) {
			t.Errorf("%d blocks: %+v", blocks, f)
		}
		if diff := cmp.Diff(told[0].Findings, told[1].Findings); diff != "" {
			t.Errorf("%d blocks: a quick run is answered otherwise:\n%s", blocks, diff)
		}
	}
}

func TestABlockWithoutItsBaselineDoesNotCountForAnyPair(t *testing.T) {
	s := twoVariants()
	s.variants = append(s.variants, actor{name: "more", tracer: "otel-go", against: "otel", adds: 50e-6, spans: 5})
	in := s.input()
	in.Records = in.Records[1:]
	if f, _ := look(analyse(t, in), "json", "more", "otel", "cpu_per_operation", ""); f.Blocks != 9 {
		t.Errorf("%d blocks, want 9", f.Blocks)
	}
}

// disturb gives the runs of a block ten windows; some were disturbed: in these everything cost ten times as much.
// With leaving out, the record says what was done in the others.
func disturb(block, disturbed int, left bool) func(*record.Record) {
	return func(r *record.Record) {
		p := &r.Phases[0]
		share := float64(disturbed) / 10
		for i := range 10 {
			p.Windows = append(p.Windows, record.Window{Place: i, Operations: p.Load.Completed / 10, Disturbed: r.Block == block && i < disturbed})
		}
		if r.Block != block {
			return
		}
		calm := record.Undisturbed{Load: p.Load, Sink: p.Sink, DrainSeconds: p.DrainSeconds}
		part := func(n uint64) uint64 { return uint64(float64(n) * (1 - share)) }
		calm.Load.WallSeconds *= 1 - share
		calm.Load.Intended, calm.Load.Started, calm.Load.Completed = part(p.Load.Intended), part(p.Load.Started), part(p.Load.Completed)
		calm.Sink.Spans, calm.Sink.Bytes = part(p.Sink.Spans), part(p.Sink.Bytes)
		for i, u := range p.Usage {
			calm.Usage = append(calm.Usage, u)
			off := idling * p.DrainSeconds // of the app
			if u.Role != "app" {
				off = 0
			}
			calm.Usage[i].CPUSeconds = off + (u.CPUSeconds-off)*(1-share)
			calm.Usage[i].Seconds -= share * p.Load.WallSeconds
			p.Usage[i].CPUSeconds += 9 * share * (u.CPUSeconds - off)
		}
		if left {
			p.Undisturbed = &calm
		}
	}
}

// Figures are of the windows that nothing disturbed, and the ledger of all; where too many were disturbed the block is.
func TestDisturbedWindows(t *testing.T) {
	whole := analyse(t, twoVariants().input())
	want := get(t, whole, "json", "otel", "cpu_per_operation")
	for name, c := range map[string]struct {
		disturbed      int
		left           bool
		dropped, again int
	}{
		"left out":                   {2, true, 0, 0},
		"too many":                   {3, false, 1, 1},
		"nothing that can be spared": {1, false, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := twoVariants()
			s.change = disturb(2, c.disturbed, c.left)
			doc := analyse(t, s.input())
			f := get(t, doc, "json", "otel", "cpu_per_operation")
			if len(doc.Runs.Dropped) != c.dropped || warned(doc, "windows-left-out") != c.left {
				t.Errorf("dropped %q, windows left out: %t", doc.Runs.Dropped, warned(doc, "windows-left-out"))
			}
			if c.dropped > 0 && doc.Runs.Spoilt[0].Code != finding.SpoiltWindows {
				t.Errorf("spoilt by %s", doc.Runs.Spoilt[0].Code)
			}
			for _, sample := range f.Samples {
				if alone := want.Samples[sample.Block-1]; math.Abs(sample.Value/alone.Value-1) > 1e-3 || math.Abs(sample.Baseline/alone.Baseline-1) > 1e-3 {
					t.Errorf("block %d: %+v, and without disturbed windows %+v", sample.Block, sample, alone)
				}
			}
			for i, l := range doc.Ledgers {
				if of := whole.Ledgers[i]; l.Operations != of.Operations || !slices.Equal(l.Entries, of.Entries) {
					t.Errorf("the ledger of %s has %d operations, want all %d: %+v", l.Variant, l.Operations, of.Operations, l.Entries)
				}
			}
			if again, err := analysis.Spoiled(s.input()); err != nil || again != c.again {
				t.Errorf("%d blocks are to be made again, %v; want %d", again, err, c.again)
			}
		})
	}
}

// A machine on which more blocks are disturbed than may be left out is like this: all count, and none is made again.
func TestDisturbedWindowsEverywhere(t *testing.T) {
	s := twoVariants()
	var each []func(*record.Record)
	for _, block := range []int{1, 2, 3} {
		each = append(each, disturb(block, 3, false))
	}
	s.change = func(r *record.Record) {
		for _, change := range each {
			change(r)
		}
	}
	doc := analyse(t, s.input())
	if len(doc.Runs.Dropped) > 0 || !warned(doc, "spoiled-kept") {
		t.Errorf("dropped %q, said to be kept: %t", doc.Runs.Dropped, warned(doc, "spoiled-kept"))
	}
	if again, err := analysis.Spoiled(s.input()); err != nil || again != 0 {
		t.Errorf("%d blocks are to be made again, %v; want none", again, err)
	}
}

// In windows, the scatter of blocks is told apart from that of rounds within them; a run in one piece has none.
func TestScatter(t *testing.T) {
	for name, c := range map[string]struct {
		windows   int
		wobble    float64
		low, high float64 // of the share that comes from rounds
	}{
		"rounds": {10, 0.3, 0.5, 1}, "processes": {10, 0.001, 0, 0.01}, "one window": {1, 0.3, -1, -1}, "apart": {0, 0, -1, -1},
	} {
		s := twoVariants()
		random := rand.New(rand.NewPCG(8, 9))
		s.change = func(r *record.Record) {
			p := &r.Phases[0]
			for i := range c.windows {
				n := float64(p.Load.Completed) / float64(c.windows)
				p.Windows = append(p.Windows, record.Window{Place: 2 * i, Operations: uint64(n), CPUSeconds: n * 50e-6 * math.Exp(c.wobble*random.NormFloat64())})
			}
		}
		doc := analyse(t, s.input())
		f := get(t, doc, "json", "otel", "cpu_per_operation")
		if c.low < 0 {
			if f.Scatter != nil {
				t.Errorf("%s: %+v, want none", name, f.Scatter)
			}
			continue
		}
		if f.Scatter == nil {
			t.Errorf("%s: no scatter", name)
			continue
		}
		var logs []float64
		for _, sample := range f.Samples {
			logs = append(logs, math.Log(sample.Value/sample.Baseline))
		}
		if g := f.Scatter; g.FromRounds < c.low || g.FromRounds > c.high || g.Windows != 10 || math.Abs(g.Rounds/(c.wobble*math.Sqrt2)-1) > 0.2 || math.Abs(g.Blocks-stats.Deviation(logs)) > 1e-12 {
			t.Errorf("%s: %+v", name, g)
		}
		if other := get(t, doc, "json", "otel", "context_switches"); other.Scatter != nil {
			t.Errorf("%s: context switches scatter by %+v", name, other.Scatter)
		}
	}
}
