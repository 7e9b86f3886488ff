package analysis_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/analysis/warn"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// only changes the runs of one variant.
func only(variant string, change func(*record.Record)) func(*scene) {
	return func(s *scene) { s.change = onlyRuns(variant, change) }
}

func onlyRuns(variant string, change func(*record.Record)) func(*record.Record) {
	return func(r *record.Record) {
		if r.Variant == variant {
			change(r)
		}
	}
}

// searchScene makes the scene one of searches; one variant's are changed.
func searchScene(variant string, change func(*record.Record, *record.Search)) func(*scene) {
	return func(s *scene) {
		*s = capacities(map[string]float64{"none": 2450, "otel": 1520})
		s.also(search(variant, change))
	}
}

// precise is a design that stops at a precision.
func precise(least, most int, precision float64) func(*scene) {
	return func(s *scene) {
		s.design = func(e *config.Experiment) {
			e.Design.Blocks, e.Design.Most, e.Design.Precision = least, most, precision
		}
	}
}

// provocations has one row for every warning of the list.
var provocations = []struct {
	code string
	by   func(*scene)
}{
	{"interrupted", func(s *scene) { s.design = func(e *config.Experiment) { e.Design.Blocks = 12 } }},
	{"quick", func(s *scene) { s.quick = true }},
	{"rate-declared", func(s *scene) {
		s.design = func(e *config.Experiment) { e.Design.Quick, e.Design.Unpiloted = true, "50% of slowest" }
	}},
	{"faults-injected", func(s *scene) { s.design = func(e *config.Experiment) { e.Faults.SinkLoses = 0.03 } }},
	{"precision-not-reached", precise(8, 10, 0.0001)},
	{"stopped-early", precise(8, 30, 0.05)},
	{"pilot", func(s *scene) {
		s.design = func(e *config.Experiment) { e.Load.Relative = &config.Relative{Share: 0.5} }
		s.extra = []record.Record{pilot("none", record.Found, 1650), pilot("otel", record.Found, 1000)}
	}},
	{"woven", only("otel", func(r *record.Record) { r.Harness.Order = "woven" })},
	{"groups", func(s *scene) { s.design = func(e *config.Experiment) { e.Design.Order = config.Windows } }},
	{"generator-bound", searchScene("otel", func(_ *record.Record, c *record.Search) { c.Outcome, c.Rate = record.ByGenerator, 0 })},
	{"search-limit", searchScene("otel", func(_ *record.Record, c *record.Search) { c.Outcome, c.Rate = record.AboveMax, 0 })},
	{"search-saturated", searchScene("otel", func(_ *record.Record, c *record.Search) { c.Outcome, c.Rate = record.Saturated, 0 })},
	{"search-unsteady", searchScene("otel", func(r *record.Record, c *record.Search) {
		if r.Block == 2 {
			c.Outcome = record.Unsteady
		}
	})},
	{"database-busy", only("otel", func(r *record.Record) {
		p := &r.Phases[0]
		p.Usage = append(p.Usage, record.Usage{Process: "postgres", Role: "database", Seconds: window + drain, CPUSeconds: 0.75 * window})
	})},
	{"variant-left-out", func(s *scene) { s.leftOut = []finding.LeftOut{{Variant: "kieker", Reason: "no Java"}} }},
	{"too-few-blocks", func(s *scene) { s.blocks = 5 }},
	{"failed-runs", func(s *scene) {
		s.change = func(r *record.Record) {
			if r.Block == 2 {
				r.Failure = &record.Failure{Stage: "window", Message: "it died"}
			}
		}
	}},
	{"spoiled-blocks", only("otel", func(r *record.Record) {
		if r.Block == 2 {
			r.Harness.StealSeconds = 12
		}
	})},
	{"windows-left-out", func(s *scene) { s.change = disturb(2, 1, true) }},
	{"spoiled-kept", only("otel", func(r *record.Record) { r.Harness.StealSeconds = 12 })},
	{"overloaded", only("otel", func(r *record.Record) { r.Phases[0].Load.WallSeconds = 30 })},
	{"generator-late", only("otel", func(r *record.Record) { r.Phases[0].Load.Lag = spread(10000, 0.002) })},
	{"lag-differs", func(s *scene) {
		s.latencies = true
		only("otel", func(r *record.Record) { r.Phases[0].Load.Lag = spread(10000, 40e-6) })(s)
	}},
	{"harness-shared-cpu", only("otel", func(r *record.Record) { r.Harness.Placement = "none" })},
	{"program-unseen", only("otel", func(r *record.Record) { r.Start.Unseen = []string{"app"} })},
	{"left-cgroup", only("otel", func(r *record.Record) {
		r.Phases[0].Usage[0].Source, r.Phases[0].Usage[0].Outside = "clock", []string{"java (process 7)"}
	})},
	{"limits-unmet", only("otel", func(r *record.Record) { r.Harness.Unmet = []string{"no quota for app"} })},
	{"sink-busy", only("otel", func(r *record.Record) { r.Phases[0].Usage[2].CPUSeconds = 0.8 * window })},
	{"harness-busy", only("none", func(r *record.Record) { r.Harness.OwnCPU = 6 })},
	{"cpu-stolen", only("none", func(r *record.Record) { r.Harness.StealSeconds = 2 })},
	{"busy-neighbour", only("otel", func(r *record.Record) { r.Phases[0].Others = 0.3 })},
	{"load-average", only("none", func(r *record.Record) { r.Harness.LoadAverage = 1.2 })},
	{"starts-beside", only("otel", func(r *record.Record) { r.Start.Beside = []string{"none"} })},
	{"clock-accounting", only("none", func(r *record.Record) { r.Harness.Accounting = "clock" })},
	{"clock-accounting", only("otel", func(r *record.Record) {
		r.Harness.Accounting, r.Phases[0].Usage[0].Source = record.BySidecar, "clock"
	})},
	{"throttled", only("otel", func(r *record.Record) { r.Phases[0].Usage[0].ThrottleSeconds = 0.5 })},
	{"log-full", only("otel", func(r *record.Record) { r.Phases[0].Usage[0].LogFullSeconds = 0.02 })},
	{"spinning", only("otel", func(r *record.Record) {
		u := &r.Phases[0].Usage[0]
		u.Involuntary, u.ContextSwitches = uint64(6000*u.Seconds), uint64(7000*u.Seconds)
	})},
	{"window-short", func(s *scene) {
		s.plan = func(p *config.Plan) { p.Delay = 5 * time.Second }
		s.also(inTurns)
	}},
	{"never-steady", func(s *scene) {
		s.design = func(e *config.Experiment) { e.Load.WarmupMost = 30 * time.Second }
		s.extra = []record.Record{warmingUp("none", 2, 80), warmingUp("otel", 70, 80)}
	}},
	{"first-dearer", func(s *scene) {
		s.order = []string{"json", "db"}
		only("otel", func(r *record.Record) {
			first := r.Block % 2
			r.Phases[first].Position, r.Phases[1-first].Position = 0, 1
			r.Phases[first].Usage[0].CPUSeconds *= 1.6
		})(s)
	}},
	{"still-compiling", only("otel", func(r *record.Record) { r.Phases[0].Compiling = new(0.32) })},
	{"never-quiet", only("otel", func(r *record.Record) { r.Phases[0].Quiet = false })},
	{"never-calm", only("otel", func(r *record.Record) { r.Phases[0].Calm = new(bool) })},
	{"idle-unknown", only("otel", func(r *record.Record) { r.Start.IdleSteady = new(bool) })},
	{"idle-differs", only("otel", func(r *record.Record) { r.Stop.Idle = idle(0.3) })},
	{"works-apart", only("otel", func(r *record.Record) {
		r.Harness.Order = "windows"
		r.Phases[0].Away = &record.Away{Seconds: window, CPUSeconds: 0.1}
	})},
	{"works-beside", only("none", func(r *record.Record) {
		r.Phases[0].Windows = []record.Window{{WallSeconds: window, Operations: 1, Beside: 0.03 * window}}
	})},
	{"rested", func(s *scene) { s.also(resting(0.3)) }},
	{"constant-arrivals", func(s *scene) { s.design = func(e *config.Experiment) { e.Load.Arrivals = "constant" } }},
	{"constant-calls", only("otel", func(r *record.Record) { r.Phases[0].Load.Driven = &record.Driven{Constant: true} })},
	{"in-turn", func(s *scene) {
		s.design = func(e *config.Experiment) { e.Design.Order = config.Paired }
		s.also(resting(0))
	}},
	{"sittings-differ", func(s *scene) { s.sit(2, 0.1, true) }},
	{"nodes-differ", func(s *scene) { s.scatter(2, 0.3) }},
	{"low-rate", func(s *scene) { s.rate = 5 }},
	{"cpu-negative", only("otel", func(r *record.Record) { r.Start.Idle[0].CPUSeconds = 1.9 })},
	{"modes", func(s *scene) {
		s.blocks, s.noise = 12, 0.003
		only("otel", func(r *record.Record) {
			if r.Block%2 == 0 {
				r.Phases[0].Usage[0].CPUSeconds *= 2
			}
		})(s)
	}},
	{"carry-over", func(s *scene) {
		s.blocks, s.noise, s.orders = 12, 0.003, alternating
		only("otel", func(r *record.Record) {
			if r.Position == 1 {
				r.Phases[0].Usage[0].CPUSeconds *= 1.05
			}
		})(s)
	}},
	{"causes-disagree", func(s *scene) { *s = steppedProfiles(1200) }},
	{"no-straight-line", func(s *scene) {
		*s = calls(map[string]call{"otel": {perSpan: 300e-9, deeper: 200e-9}}, 2, 4, 8, 16, 32)
	}},
	{"operations-failed", only("none", func(r *record.Record) { r.Phases[0].Load.Failed, r.Phases[0].Load.Completed = 1, 9999 })},
	{"redirected", only("otel", func(r *record.Record) { r.Phases[0].Load.Redirects = map[string]uint64{"302 to /login": 10000} })},
	{"delayed-acknowledgement", func(s *scene) {
		only("otel", func(r *record.Record) { r.Phases[0].Load.PutOff = 6000 })(s)
	}},
	{"few-connections", only("otel", func(r *record.Record) { r.Start.Workers, r.Phases[0].Load.Used = map[string]int{"app": 2}, 3 })},
	{"answers-differ", func(s *scene) {
		s.change = func(r *record.Record) {
			r.Phases[0].Load.Answers = map[int]uint64{200: 4000, 500: 6000}
			if r.Variant == "none" {
				r.Phases[0].Load.Answers = map[int]uint64{200: 10000}
			}
		}
	}},
	{"expectation-unknown", func(s *scene) { s.plan = func(p *config.Plan) { p.Spans = nil } }},
	{"nothing-traced", func(s *scene) {
		s.plan = func(p *config.Plan) { p.Spans = nil }
		s.change = onlyRuns("otel", func(r *record.Record) {
			r.Phases[0].Sink, r.Phases[0].WarmupSink, r.Life, r.Stop.Sink = record.Counts{}, record.Counts{}, record.Counts{}, record.Counts{}
		})
	}},
	{"traces-elsewhere", only("none", func(r *record.Record) {
		r.Elsewhere = []record.Elsewhere{{Process: "app", To: []string{"127.0.0.1:4318"}}}
	})},
	{"library-not-traced", only("otel", func(r *record.Record) {
		r.Tracer.Missed = map[string]map[string]string{"app": {"sqlalchemy": "sqlalchemy only instruments …"}}
	})},
	{"packages-differ", func(s *scene) {
		s.shadowed = []finding.Shadowed{{Variant: "otel", Process: "app", Package: "grpcio", Own: "1.66.2", Tracer: "1.82.1"}}
	}},
	{"packages-unknown", func(s *scene) {
		s.shadowed = []finding.Shadowed{{Variant: "otel", Process: "app", Unknown: "its command names no Python"}}
	}},
	{"tracer-in-launcher", only("otel", func(r *record.Record) {
		r.Loaded = map[string][]string{"app": {"npm start", "node server.js"}}
	})},
	{"own-sampler", func(s *scene) { // 3 of 30 come where nobody asks for them, and 20 of 20 where somebody does
		counts := func(n uint64) record.Counts { return record.Counts{Checking: true, Spans: 3 * n, Roots: n, Traces: n} }
		s.extra = []record.Record{{Schema: record.Schema, Kind: record.Calibration, Variant: "otel", Phases: []record.Phase{{
			Operation: "json", Quiet: true, Load: record.Load{Intended: 20, Started: 20, Completed: 20, Identified: 20}, Sink: counts(20),
		}}, Unasked: &record.Unasked{Operation: "json", Completed: 30, Sink: counts(3), Quiet: true}}}
	}},
	{"callers-sample", func(s *scene) { // none of 30 come where nobody asks for them
		counts := func(n uint64) record.Counts { return record.Counts{Checking: true, Spans: 3 * n, Roots: n, Traces: n} }
		s.extra = []record.Record{{Schema: record.Schema, Kind: record.Calibration, Variant: "otel", Phases: []record.Phase{{
			Operation: "json", Quiet: true, Load: record.Load{Intended: 20, Started: 20, Completed: 20, Identified: 20}, Sink: counts(20),
		}}, Unasked: &record.Unasked{Operation: "json", Completed: 30, Sink: counts(0), Quiet: true}}}
	}},
	{"baseline-own", func(s *scene) {
		s.design = func(e *config.Experiment) { e.Variants[0].Env = map[string]string{"TRACING": "off"} }
	}},
	{"no-spans", func(s *scene) { // of one of two operations the calibration saw no span either
		s.order, s.operations["dark"] = []string{"json", "dark"}, 50e-6
		s.plan = func(p *config.Plan) { delete(p.Spans, "dark") }
		s.change = onlyRuns("otel", func(r *record.Record) { r.Phases[1].Sink = record.Counts{Checking: true} })
		s.extra = []record.Record{{Schema: record.Schema, Kind: record.Calibration, Variant: "otel", Phases: []record.Phase{{
			Operation: "dark", Quiet: true, Load: record.Load{Intended: 20, Started: 20, Completed: 20}, Sink: record.Counts{Checking: true},
		}}}}
	}},
	{"calibration-differs", only("otel", func(r *record.Record) {
		if r.Block == 1 {
			r.Kind, r.Block = record.Calibration, 0
			r.Phases[0].Sink.Spans = 4 * r.Phases[0].Load.Started
		}
	})},
	{"spans-lost", only("otel", func(r *record.Record) {
		n := uint64(7)
		r.Tracer.Dropped = &n
		r.Phases[0].Sink.Spans -= n
	})},
	{"spans-unaccounted", only("otel", func(r *record.Record) { r.Phases[0].Sink.Spans-- })},
	{"spans-surplus", only("otel", func(r *record.Record) { r.Phases[0].Sink.Spans++ })},
	{"sampling-off", func(s *scene) { s.plan = func(p *config.Plan) { p.Sampling = 0.5 } }},
	{"duplicates", only("otel", func(r *record.Record) { r.Phases[0].Sink.Spans++; r.Phases[0].Sink.Duplicate = 1 })},
	{"other-runtime", func(s *scene) {
		s.change = func(r *record.Record) {
			r.Start.Runtimes = map[string]string{"app": "java 17 (Debian)"}
			if r.Variant == "otel" {
				r.Start.Runtimes["app"] = "java 25 (Debian)"
			}
		}
	}},
	{"packets-beside", func(s *scene) {
		s.design = func(e *config.Experiment) {
			e.Design.Order, e.Variants[1].Tracer = config.Windows, &program.Tracer{Name: "packets", Packets: program.Packets{Captured: "x"}}
		}
	}},
	{"traces-not-kept", only("otel", func(r *record.Record) { r.Kept = &record.KeptTraces{Spans: 3, Received: 5} })},
	{"packets-dropped", only("otel", func(r *record.Record) {
		dropped := uint64(3)
		r.Packets = &record.Packets{Captured: new(uint64), Dropped: &dropped, Bytes: 24}
	})},
	{"sink-refused", only("otel", func(r *record.Record) { r.Life.Malformed = 3 })},
	{"hop-waits-long", func(s *scene) { s.design = through(map[string]string{"wait": "5s", "traces": "50000"}) }},
	{"hop-room-small", func(s *scene) { s.design = through(map[string]string{"wait": "1s", "traces": "100"}) }},
	{"spans-late", func(s *scene) {
		s.design = through(map[string]string{"wait": "1s", "traces": "50000"})
		late := uint64(3)
		s.change = onlyRuns("otel", func(r *record.Record) { r.Hops = []record.Hop{{Name: "tail", Late: &late}} })
	}},
	{"evicted", only("otel", func(r *record.Record) { r.Life.Evicted = 1 })},
	{"waited-for-tracer", only("otel", func(r *record.Record) { r.Start.ConnectedSeconds = 1.5 })},
	{"backend-differs", only("otel", func(r *record.Record) { r.Backend = &record.Backend{Name: "zipkin", Stored: 9, Answered: new(uint64)} })},
	{"killed-at-stop", only("otel", func(r *record.Record) { r.Stop.Killed = true })},
}

// provocation is what provokes a warning.
func provocation(code string) func(*scene) {
	for _, p := range provocations {
		if p.code == code {
			return p.by
		}
	}
	return nil
}

// A search judges a probe by the CPU over its load alone, so what the tracer
// defers beyond a short one is missed.
func TestShortProbes(t *testing.T) {
	for delay, want := range map[time.Duration]bool{5 * time.Second: true, 4 * time.Second: false} {
		s := capacities(map[string]float64{"none": 2450, "otel": 1520})
		s.plan = func(p *config.Plan) { p.Delay = delay }
		doc := analyse(t, s.input())
		if warned(doc, "window-short") != want {
			t.Errorf("probes of %.0f s, delay %s: %+v", float64(window), delay, doc.Warnings)
		}
		for _, w := range doc.Warnings {
			if w.Code == "window-short" && !strings.Contains(w.Text, "a probe of 20s is shorter than 5 times the tracer's delay of 5s") {
				t.Error(w.Text)
			}
		}
	}
}

// inTurns has a run wait while others have the load.
func inTurns(r *record.Record) { r.Harness.Order = "windows" }

// A tracer that holds spans for as long as the load lasts is measured as it comes, where its load is in one piece.
func TestShortLoads(t *testing.T) {
	for delay, want := range map[time.Duration]bool{window * time.Second: false, window*time.Second + 1: true} {
		s := twoVariants()
		s.plan = func(p *config.Plan) { p.Delay = delay }
		if doc := analyse(t, s.input()); warned(doc, "window-short") != want {
			t.Errorf("a load of %.0f s, a delay of %s: %+v", float64(window), delay, doc.Warnings)
		}
	}
}

// Hops hold spans back as the tracer does.
func TestShortWindowsOverHops(t *testing.T) {
	for passing, want := range map[time.Duration]bool{3*time.Second + 1: true, 3 * time.Second: false} {
		s := twoVariants()
		s.plan = func(p *config.Plan) { p.Delay, p.Passing = time.Second, passing }
		s.also(inTurns)
		doc := analyse(t, s.input())
		if warned(doc, "window-short") != want {
			t.Errorf("a window of %.0f s, hops that hold spans for %s: %+v", float64(window), passing, doc.Warnings)
		}
		for _, w := range doc.Warnings {
			if w.Code == "window-short" && !strings.Contains(w.Text, "the delays of the tracer and of its hops, ") {
				t.Error(w.Text)
			}
		}
	}
}

func TestEveryWarningCanBeProvoked(t *testing.T) {
	plain := twoVariants()
	plain.latencies, plain.noise = true, 0.002
	if doc := analyse(t, plain.input()); len(doc.Warnings) > 0 {
		t.Fatalf("warnings without cause: %+v", doc.Warnings)
	}
	provoked := map[string]bool{}
	for _, p := range provocations {
		t.Run(p.code, func(t *testing.T) {
			s := twoVariants()
			p.by(&s)
			doc := analyse(t, s.input())
			if !warned(doc, p.code) {
				t.Errorf("not among %+v", doc.Warnings)
			}
			for _, w := range doc.Warnings {
				if w.Text == "" || w.Advice == "" || w.Severity == "" {
					t.Errorf("says too little: %+v", w)
				}
			}
		})
		provoked[p.code] = true
	}
	for _, code := range warn.Codes() {
		if !provoked[code] {
			t.Errorf("no row provokes %s", code)
		}
	}
}

func TestInterrupted(t *testing.T) {
	failing := func(variant string, from int) func([]record.Record) []record.Record {
		return func(all []record.Record) []record.Record {
			var kept []record.Record
			for _, r := range all {
				if r.Variant == variant && r.Block >= from {
					if r.Block > from+1 {
						continue
					}
					r.Failure = &record.Failure{Stage: "ready", Message: "it died"}
				}
				kept = append(kept, r)
			}
			return kept
		}
	}
	for _, c := range []struct {
		name    string
		records func([]record.Record) []record.Record
		text    string
	}{
		{"done", func(r []record.Record) []record.Record { return r }, ""},
		{"after the first block", func(r []record.Record) []record.Record { return r[:2] }, "2 of 20 runs were made"},
		{"in a block", func(r []record.Record) []record.Record { return r[:19] }, "19 of 20 runs were made"},
		{"a variant given up", failing("otel", 3), ""},
		{"the baseline given up", failing("none", 3), ""},
		{"no calibration, so that nothing else is made", func(r []record.Record) []record.Record {
			calibration := record.Record{Schema: record.Schema, Kind: record.Calibration, Variant: "otel", Attempt: 1, Failure: &record.Failure{Stage: "ready", Message: "it died"}}
			again := calibration
			again.Attempt = 2
			return []record.Record{calibration, again}
		}, ""},
		{"a calibration that may succeed yet", func([]record.Record) []record.Record {
			return []record.Record{{Schema: record.Schema, Kind: record.Calibration, Variant: "otel", Attempt: 1, Failure: &record.Failure{Stage: "ready", Message: "it died"}}}
		}, "0 of 20 runs were made"},
		{"one run failed for good", func(r []record.Record) []record.Record {
			r[3].Failure = &record.Failure{Stage: "ready", Message: "it died"}
			return r
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := twoVariants().input()
			in.Records = c.records(in.Records)
			doc := analyse(t, in)
			if warned(doc, "interrupted") != (c.text != "") {
				t.Fatalf("%+v", doc.Warnings)
			}
			if c.text == "" {
				return
			}
			w := doc.Warnings[0]
			if w.Code != "interrupted" || w.Text != c.text || w.Advice != "go on with: tracetax run --resume tracetax-results/scene" {
				t.Errorf("%+v", w)
			}
			if len(doc.Repeat) != 2 || doc.Repeat[0] != "tracetax run --resume tracetax-results/scene" {
				t.Errorf("%q", doc.Repeat)
			}
		})
	}
}

func TestWarningsOfOneCauseAreOne(t *testing.T) {
	s := twoVariants()
	s.latencies, s.noise = true, 0.002
	only("otel", func(r *record.Record) { r.Phases[0].Load.Lag = spread(10000, 40e-6) })(&s)
	var found []string
	for _, w := range analyse(t, s.input()).Warnings {
		if w.Code == "lag-differs" {
			found = append(found, w.Text)
		}
	}
	if len(found) != 1 || !strings.Contains(found[0], "latency p75") || strings.Contains(found[0], "_") {
		t.Errorf("%q", found)
	}
}

func TestCausesAreToldOnce(t *testing.T) {
	s := twoVariants()
	s.change = func(r *record.Record) {
		r.Failure = &record.Failure{Stage: "start", Message: "not on the PATH of many folders"}
	}
	doc := analyse(t, s.input())
	text := strings.Join(doc.Runs.Failure, "\n")
	if strings.Count(text, "many folders") != 1 || !strings.Contains(text, "block 10, otel, attempt 1: as in block 1, none, attempt 1") {
		t.Error(text)
	}
	if warned(doc, "too-few-blocks") {
		t.Error("the number of blocks is told where no run succeeded")
	}
}

func TestVariantsThatDoNotKnowTheSinkExportNothing(t *testing.T) {
	for env, want := range map[string]bool{"on": false, "http://{sink.otlp.http}": true} {
		s := twoVariants()
		s.variants[1].tracer, s.variants[1].spans = "none", 0
		s.design = func(e *config.Experiment) { e.Variants[1].Env = map[string]string{"ACCESS_LOG": env} }
		doc := analyse(t, s.input())
		if warned(doc, "expectation-unknown") != want || warned(doc, "nothing-traced") != want {
			t.Errorf("%s: %+v", env, doc.Warnings)
		}
	}
}

func TestOneIsNotMany(t *testing.T) {
	s := twoVariants()
	s.rate, s.variants[1].spans = 1, 1
	s.change = func(r *record.Record) {
		if r.Variant == "otel" && r.Block == 2 {
			r.Failure = &record.Failure{Stage: "window", Message: "it died"}
		}
	}
	doc := analyse(t, s.input())
	if doc.Experiment.Load != "1 operation/s for 20s, open loop" {
		t.Error(doc.Experiment.Load)
	}
	if f := get(t, doc, "json", "otel", "cpu_per_span"); f.Note != "added CPU over the expected 1 span per operation" {
		t.Error(f.Note)
	}
	for _, w := range doc.Warnings {
		if w.Code == "failed-runs" && w.Text != "runs of otel: 1 failed, of 10; 1 block does not count" {
			t.Error(w.Text)
		}
	}
}

// A generator that is busy is its own affair as long as it makes what it should.
func TestGeneratorBoundLoads(t *testing.T) {
	busy := func(r *record.Record) {
		for i := range r.Phases {
			r.Phases[i].Usage[1].CPUSeconds = 0.96 * r.Phases[i].Load.WallSeconds
		}
	}
	closed := connections(0.005, 8, 1, 8)
	closed.also(busy)
	held := twoVariants()
	held.also(busy)
	slow := twoVariants()
	slow.also(func(r *record.Record) { r.Phases[0].Load.WallSeconds = 30 })
	slow.also(busy)
	for name, c := range map[string]struct {
		scene scene
		want  bool
	}{"closed loop": {closed, true}, "a rate that was held": {held, false}, "a rate that was not": {slow, true}} {
		if doc := analyse(t, c.scene.input()); warned(doc, "generator-bound") != c.want {
			t.Errorf("%s: %+v", name, doc.Warnings)
		}
	}
}

// Where a number of operations ends a window, its duration is a time-out, and no length that a hop's wait is held against.
func TestWaitAgainstAWindowOfCalls(t *testing.T) {
	for wait, want := range map[string]bool{"5s": true, "3s": false} {
		s := twoVariants()
		s.design = func(e *config.Experiment) {
			through(map[string]string{"wait": wait, "traces": "50000"})(e)
			e.Load.Calls, e.Load.Duration = 10000, time.Hour // which takes 20 s
		}
		if got := warned(analyse(t, s.input()), "hop-waits-long"); got != want {
			t.Errorf("a wait of %s: warned %t", wait, got)
		}
	}
}

// through has the spans of the second variant go through a hop that waits, with these settings.
func through(settings map[string]string) func(*config.Experiment) {
	service := &program.Service{Name: "collector", Settings: []program.Setting{
		{Name: "wait", Kind: "duration", Meaning: "delay"}, {Name: "traces", Kind: "count", Meaning: program.MeaningRoom},
	}}
	return func(e *config.Experiment) {
		e.Variants[1].Via = []program.Process{{Name: "tail", Service: service, Settings: settings}}
	}
}

// On a busy machine what it may have caused is below that; the rest is not.
func TestWarningsNameTheirCause(t *testing.T) {
	s := twoVariants()
	s.change = func(r *record.Record) {
		if r.Variant == "otel" {
			r.Phases[0].Others, r.Phases[0].Calm = 0.3, new(bool)
			r.Phases[0].Sink.Duplicate, r.Phases[0].Sink.Spans = 20, r.Phases[0].Sink.Spans+20
		}
	}
	from := map[string]string{}
	for _, w := range analyse(t, s.input()).Warnings {
		from[w.Code] = w.From
	}
	for code, want := range map[string]string{"busy-neighbour": "", "never-calm": "busy-neighbour", "duplicates": ""} {
		if got, is := from[code]; !is || got != want {
			t.Errorf("%s, %t, follows from %q, want %q", code, is, got, want)
		}
	}
}

// An experiment that ended for its time was not interrupted; one with too few blocks for that was.
func TestEndedForItsTime(t *testing.T) {
	for blocks, interrupted := range map[int]bool{7: false, 5: true} {
		s := twoVariants()
		s.design = func(e *config.Experiment) { e.Design.Within = 7*time.Minute + 30*time.Second }
		s.change = func(r *record.Record) {
			r.Started = time.Date(2026, 3, 14, 9, r.Block, 0, 0, time.UTC)
			r.Ended = r.Started.Add(time.Minute)
		}
		in := s.input()
		in.Records = in.Records[:2*blocks]
		if doc := analyse(t, in); warned(doc, "interrupted") != interrupted || (len(doc.Repeat) == 2) != interrupted {
			t.Errorf("%d blocks: %q, %+v", blocks, doc.Repeat, doc.Warnings)
		}
	}
}
