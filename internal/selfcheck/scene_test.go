package selfcheck

import (
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
)

// scene is what the experiments of a selfcheck leave on a machine of a given noise.
type scene struct {
	blocks int
	noise  float64 // of CPU in seconds; of latency and memory in proportion
	shift  map[string]float64
	kinds  map[string]finding.Verdict // by variant and metric
}

func quiet() scene { return scene{blocks: 16, noise: 0.5e-6} }

func key(variant, metric string) string { return variant + " " + metric }

// jitter is noise with a centre of zero, another for each variant and metric.
func (s scene) jitter(block, salt int) float64 {
	n := (block*7+salt*5)%s.blocks*2 - (s.blocks - 1) // each odd number from −(blocks−1) to blocks−1 once, if blocks has no factor 7
	return s.noise * float64(n) / float64(s.blocks)
}

// effects are the injected costs, by variant and metric.
var effects = map[string]float64{
	key(Burn3, "cpu_per_operation"): 3e-6, key(Burn73, "cpu_per_operation"): 73e-6, key(Flush200, "cpu_per_operation"): 200e-6,
	key(Sleep1, "cpu_per_operation"): 8e-6, key(Burn73, "memory_mean"): 50e6, key(Idle5, "cpu_per_operation"): 25e-6,
}

// costs holds the variants of all experiments.
func (s scene) costs() Evidence {
	doc := &finding.Document{Runs: finding.Runs{Blocks: s.blocks}, Experiment: finding.Experiment{Variants: []finding.Variant{{Name: "plain"}}}}
	e := Evidence{Document: doc, Said: map[string]map[int]Said{}}
	for i, variant := range []string{Again, Burn3, Burn73, Sleep1, Idle5, Flush200} {
		e.Said[variant] = map[int]Said{}
		for block := 1; block <= s.blocks; block++ {
			e.Said[variant][block] = Said{
				Requests: 100, Burnt: uint64(1e11 * effects[key(variant, "cpu_per_operation")]), Slept: 100 * s.slept(block),
				Idled: 5e7, Alive: 1e9, Flushed: 100, FlushBurnt: 100 * 200e3,
			}
			e.Records = append(e.Records, record.Record{
				Kind: record.Measured, Variant: variant, Block: block,
				Phases: []record.Phase{{Operation: "json", Load: record.Load{Completed: 1000, WallSeconds: 0.5}}},
			})
		}
		for j, m := range []struct {
			name, unit  string
			base, noise float64
		}{{"cpu_per_operation", "s", 60e-6, 1}, {"latency_mean", "s", 200e-6, 3}, {"latency_p50", "s", 150e-6, 3}, {"latency_p90", "s", 170e-6, 3}, {"memory_mean", "bytes", 4e6, 1e11}} {
			f := finding.Finding{Operation: "json", Variant: variant, Against: "plain", Metric: m.name, Unit: m.unit, Better: "lower", Blocks: s.blocks, Verdict: s.kinds[key(variant, m.name)]}
			if m.name == "memory_mean" {
				f.Operation = "" // of the run
			}
			for block := 1; block <= s.blocks; block++ {
				effect := effects[key(variant, m.name)]
				if variant == Sleep1 && m.name == "latency_mean" {
					effect = float64(s.slept(block)) * 1e-9 // it differs from block to block, and so does the latency
				}
				value := m.base + effect + s.shift[key(variant, m.name)] + m.noise*s.jitter(block, i+j)
				f.Samples = append(f.Samples, finding.Sample{Block: block, Baseline: m.base, Value: value})
			}
			doc.Findings = append(doc.Findings, f)
		}
	}
	return e
}

// slept is how long each request of a block slept, in ns.
func (s scene) slept(block int) uint64 { return 1_100_000 + 10_000*uint64(block) }

// faulty is an experiment whose ledger and warnings are given.
func faulty(entries map[ledger.Fate]int64, warnings ...string) *finding.Document {
	doc := &finding.Document{Runs: finding.Runs{Blocks: 2}}
	for _, variant := range traced {
		all := finding.Ledger{Operation: ledger.All, Variant: variant}
		for fate, n := range entries {
			all.Entries = append(all.Entries, finding.Entry{Name: fate.String(), Spans: n})
		}
		doc.Ledgers = append(doc.Ledgers, finding.Ledger{Operation: "json", Variant: variant, Entries: all.Entries}, all)
	}
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
		Tracer: record.Reported{Dropped: &dropped, Failed: &failed}, Life: record.Counts{Spans: came},
	}
}

func (s scene) evidence() map[string]Evidence {
	late := faulty(nil, "generator-late")
	late.Findings = []finding.Finding{{Metric: "latency_p50", Variant: Again, Unit: "s", Better: "lower", Blocks: 1, Baseline: 5.1e-3, Samples: []finding.Sample{{Block: 1, Baseline: 5.1e-3, Value: 5.3e-3}}}}
	lossy := Evidence{
		Document: faulty(map[ledger.Fate]int64{ledger.Expected: 2000, ledger.Delivered: 1940, ledger.Unaccounted: 60}, "spans-unaccounted"),
		Records:  []record.Record{{Kind: record.Calibration, Variant: traced[0], Life: record.Counts{Spans: 90, Thrown: 3}}},
	}
	dropping := Evidence{
		Document: faulty(map[ledger.Fate]int64{
			ledger.Expected: 2000, ledger.Delivered: 1200, ledger.Dropped: 790, ledger.FailedSend: 10, ledger.Unaccounted: 0,
		}, "spans-lost"),
		Records: []record.Record{lateRun("none", 0, 0)},
	}
	for _, variant := range traced {
		lossy.Records = append(lossy.Records,
			record.Record{Kind: record.Measured, Variant: variant, Life: record.Counts{Spans: 970, Thrown: 30}},
			record.Record{Kind: record.Measured, Variant: variant, Failure: &record.Failure{}, Life: record.Counts{Thrown: 7}},
			record.Record{Kind: record.Measured, Variant: variant, Life: record.Counts{Spans: 970, Thrown: 30}})
		dropping.Records = append(dropping.Records, lateRun(variant, 600, 395), lateRun(variant, 600, 395))
	}
	all := map[string]Evidence{}
	for _, x := range Full.Experiments() { // the quick form's are among them
		switch x.Name {
		case LossySink:
			all[x.Folder()] = lossy
		case LateSink:
			all[x.Folder()] = dropping
		case LateGenerator:
			all[x.Folder()] = Evidence{Document: late}
		default:
			all[x.Folder()] = s.costs()
		}
	}
	return all
}
