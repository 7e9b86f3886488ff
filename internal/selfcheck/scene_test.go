package selfcheck

import (
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// scene is what the experiments of a selfcheck leave on a machine of a given noise.
type scene struct {
	blocks int
	noise  float64 // of CPU in seconds; of latency and memory in proportion
	shift  map[string]float64
	kinds  map[string]finding.Verdict // by variant and metric
}

func quiet() scene { return scene{blocks: 16, noise: 1e-6} }

func key(variant, metric string) string { return variant + " " + metric }

// jitter is noise with a centre of zero, another for each variant and metric.
func (s scene) jitter(block, salt int) float64 {
	n := (block*7+salt*5)%s.blocks*2 - (s.blocks - 1) // each odd number from −(blocks−1) to blocks−1 once, if blocks has no factor 7
	return s.noise * float64(n) / float64(s.blocks)
}

func (s scene) costs() Evidence {
	doc := &finding.Document{Runs: finding.Runs{Blocks: s.blocks}, Experiment: finding.Experiment{Variants: []finding.Variant{{Name: "none"}}}}
	slept := map[int]float64{}
	effects := map[string]float64{
		key(Burn20, "cpu_per_operation"): 20e-6, key(Burn200, "cpu_per_operation"): 200e-6, key(Flush200, "cpu_per_operation"): 200e-6,
		key(Sleep, "cpu_per_operation"): 8e-6, key(Hold, "memory_mean"): 50e6,
	}
	for i, variant := range []string{Again, Burn20, Burn200, Sleep, Hold, Flush200} {
		for j, m := range []struct {
			name, unit  string
			base, noise float64
		}{{"cpu_per_operation", "s", 60e-6, 1}, {"latency_mean", "s", 200e-6, 3}, {"latency_p50", "s", 150e-6, 3}, {"memory_mean", "bytes", 4e6, 1e11}} {
			f := finding.Finding{Operation: "json", Variant: variant, Against: "none", Metric: m.name, Unit: m.unit, Better: "lower", Blocks: s.blocks, Verdict: s.kinds[key(variant, m.name)]}
			if m.name == "memory_mean" {
				f.Operation = "" // of the run
			}
			for block := 1; block <= s.blocks; block++ {
				effect := effects[key(variant, m.name)]
				if variant == Sleep && m.name == "latency_mean" {
					slept[block] = 1.1e-3 + 10e-6*float64(block) // it differs from block to block, and so does the latency
					effect = slept[block]
				}
				value := m.base + effect + s.shift[key(variant, m.name)] + m.noise*s.jitter(block, i+j)
				f.Samples = append(f.Samples, finding.Sample{Block: block, Baseline: m.base, Value: value})
			}
			told(&f)
			doc.Findings = append(doc.Findings, f)
		}
	}
	return Evidence{Document: doc, Slept: slept}
}

// claims is how many claims are made together of each metric.
const claims = 5

// told fills in what the ordinary analysis makes of a finding's samples, unless its verdict
// is given.
func told(f *finding.Finding) {
	var base, value []float64
	for _, s := range f.Samples {
		base, value = append(base, s.Baseline), append(value, s.Value)
	}
	f.Baseline, f.Value = stats.Center(base), stats.Center(value)
	given, v := f.Verdict.Kind, &f.Verdict
	if given == finding.Overloaded {
		return
	}
	scale, err := stats.LogRatios(base, value)
	relative, shown := err == nil, stats.Ratio
	differences, _ := stats.Differences(base, value)
	f.Absolute = told95(stats.SignedRank(differences, 0.95))
	if relative {
		f.Relative = told95(stats.Ratio(stats.SignedRank(scale, 0.95)))
	} else {
		scale, shown = differences, func(e stats.Estimate) stats.Estimate { return e }
	}
	own := f.Shown()
	if given != finding.None || own.Low == nil {
		return
	}
	v.Claims, v.Confidence = claims, stats.Bonferroni(0.95, claims)
	e := shown(stats.SignedRank(scale, v.Confidence))
	if v.Kind, v.Text = finding.CannotTell, "cannot tell"; !e.Bounded {
		return
	}
	v.Low, v.High = &e.Low, &e.High
	switch {
	case e.Low > 0:
		v.Kind, v.Text = finding.Costs, "costs "+finding.FormatSize(finding.Interval{Estimate: e.Center, Low: &e.Low, High: &e.High}, f.Unit, relative)
	case e.High < 0:
		low, high := -e.High, -e.Low
		v.Kind, v.Text = finding.Saves, "saves "+finding.FormatSize(finding.Interval{Estimate: -e.Center, Low: &low, High: &high}, f.Unit, relative)
	case *own.Low <= 0 && *own.High >= 0:
		bound := e.Hidden()
		v.Kind, v.Bound, v.Text = finding.NoDifference, &bound, "no difference larger than "+finding.FormatBound(bound, f.Unit, relative)
		if v.Wide(relative) {
			v.Text = "inconclusive: " + finding.FormatInterval(finding.Interval{Estimate: e.Center, Low: &e.Low, High: &e.High}, f.Unit, true)
		}
	}
}

func told95(e stats.Estimate) *finding.Interval {
	i := &finding.Interval{Estimate: e.Center}
	if e.Bounded {
		i.Low, i.High = &e.Low, &e.High
	}
	return i
}

// faulty is an experiment whose ledger and warnings are given.
func faulty(entries map[string]int64, warnings ...string) *finding.Document {
	doc := &finding.Document{Runs: finding.Runs{Blocks: 2}}
	all := finding.Ledger{Operation: ledger.All, Variant: "otel"}
	for name, n := range entries {
		all.Entries = append(all.Entries, finding.Entry{Name: name, Spans: n})
	}
	doc.Ledgers = []finding.Ledger{{Operation: "json", Variant: "otel", Entries: all.Entries}, all}
	for _, code := range warnings {
		doc.Warnings = append(doc.Warnings, finding.Warning{Code: code})
	}
	return doc
}

// lateRun is a run of 1,000 operations, the first one, those of the warm-up and those
// of the window, 400 of them while the sink was late.
func lateRun(variant string, came, dropped uint64) record.Record {
	failed := uint64(5)
	load := func(n uint64) record.Load { return record.Load{Started: n, Completed: n} }
	return record.Record{
		Kind: record.Measured, Variant: variant, Start: record.Start{FirstOperation: "json", Probes: 3},
		Phases: []record.Phase{{Operation: "json", Warmup: load(199), Load: load(800)}},
		Tracer: record.Admitted{Dropped: &dropped, Failed: &failed}, Life: record.Counts{Spans: came},
	}
}

func (s scene) evidence() map[string]Evidence {
	late := faulty(nil, "generator-late")
	one := finding.Finding{Metric: "latency_p50", Variant: Again, Unit: "s", Better: "lower", Blocks: 1, Samples: []finding.Sample{{Block: 1, Baseline: 5.1e-3, Value: 5.3e-3}}}
	told(&one)
	late.Findings = []finding.Finding{one}
	return map[string]Evidence{
		Costs:         s.costs(),
		SmallCosts:    s.costs(), // each holds the variants of all three
		OtherCosts:    s.costs(),
		DeferredCosts: s.costs(),
		WovenSame:     s.costs(), // they hold more than woven variants do
		WovenBurn:     s.costs(),
		LossySink: {
			Document: faulty(map[string]int64{ledger.Expected: 2000, ledger.Delivered: 1940, ledger.Unaccounted: 60}, "spans-unaccounted"),
			Records: []record.Record{
				{Kind: record.Calibration, Life: record.Counts{Spans: 90, Thrown: 3}},
				{Kind: record.Measured, Life: record.Counts{Spans: 970, Thrown: 30}},
				{Kind: record.Measured, Failure: &record.Failure{}, Life: record.Counts{Thrown: 7}},
				{Kind: record.Measured, Life: record.Counts{Spans: 970, Thrown: 30}},
			},
		},
		LateSink: {
			Document: faulty(map[string]int64{
				ledger.Expected: 2000, ledger.Delivered: 1200, ledger.Dropped: 790, ledger.FailedSend: 10, ledger.Unaccounted: 0,
			}, "spans-lost"),
			Records: []record.Record{lateRun("none", 0, 0), lateRun(traced, 600, 395), lateRun(traced, 600, 395)},
		},
		LateGenerator: {Document: late},
	}
}
