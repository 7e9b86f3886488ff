package experiment

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// notReady is the failure of a run whose process does not get ready.
func notReady(q run.Request, r *record.Record) {
	r.Failure = &record.Failure{Stage: "ready", Process: "app", Message: "not ready"}
}

// unspanned takes the spans out of a calibration.
func unspanned(_ run.Request, r *record.Record) {
	for i := range r.Phases {
		r.Phases[i].Sink, r.Phases[i].Load.Completed = record.Counts{}, 20
	}
}

// badAnswers has calibrations be answered wrongly, of one variant or ("") of all; "" is with another status each.
func badAnswers(how, only string) func(run.Request, *record.Record) {
	return func(q run.Request, r *record.Record) {
		if r.Kind == record.Calibration && (only == "" || r.Variant == only) {
			r.Failure = &record.Failure{Stage: "phases", Code: record.WrongAnswers, Process: "app", Message: "operation a: 1 wrongly (" + cmp.Or(how, q.Name) + ")"}
		}
	}
}

// another adds a variant.
func another(l *Loop) {
	one, plan := l.Variants[1], *l.Variants[1].Plan
	one.Variant.Name, plan.Variant, one.Plan = "another", "another", &plan
	calibration := *one.Calibration
	calibration.Variant, one.Calibration = "another", &calibration
	l.Variants = append(l.Variants, one)
	l.Experiment.Variants = append(l.Experiment.Variants, one.Variant)
}

// reaching is a load that reached a share of its rate of 100/s within 1 s.
func reaching(t *testing.T, share float64) record.Load {
	t.Helper()
	h := record.NewHistogram()
	for i := range 100 {
		if err := h.RecordValue(int64(float64(i)/share-float64(i))*1e7 + 1e6); err != nil {
			t.Fatal(err)
		}
	}
	latency, err := record.EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	return record.Load{Intended: 100, Started: 100, Completed: 100, WallSeconds: 1 / share, Latency: latency}
}

// slowly is a load of 100/s for 1 s, each of whose operations takes so many seconds.
func slowly(t *testing.T, seconds float64) record.Load {
	t.Helper()
	h := record.NewHistogram()
	if err := h.RecordValues(int64(seconds*1e9), 100); err != nil {
		t.Fatal(err)
	}
	latency, err := record.EncodeHistogram(h)
	if err != nil {
		t.Fatal(err)
	}
	return record.Load{Intended: 100, Started: 100, Completed: 100, Latency: latency}
}

// A mistake that the first runs show ends the experiment with them.
func TestMistakes(t *testing.T) {
	rated := func(share float64, only string) func(run.Request, *record.Record) {
		return func(q run.Request, r *record.Record) {
			for i := range r.Phases {
				if r.Kind == record.Measured && strings.Contains(q.Name, only) {
					r.Phases[i].OfferedRate, r.Phases[i].Load = 100, reaching(t, share)
				}
			}
		}
	}
	for name, c := range map[string]struct {
		change    func(run.Request, *record.Record)
		loop      func(*Loop)
		want      Mistake // "" for none
		variant   string
		operation string
		runs      int
	}{
		"nothing is wrong":             {runs: 7},
		"the calibration is not ready": {change: notReady, want: NeverReady, variant: "otel", runs: 1},
		"the baseline is never ready": {change: func(q run.Request, r *record.Record) {
			if r.Variant == "none" {
				notReady(q, r)
			}
		}, want: NeverReady, variant: "none", runs: -1},
		"it ends at its first operation": {change: func(q run.Request, r *record.Record) {
			notReady(q, r)
			r.Failure.Stage = "first operation"
		}, want: NeverReady, variant: "otel", runs: 1},
		"not ready this once": {change: func(q run.Request, r *record.Record) {
			if q.Name == "002-otel-1" {
				notReady(q, r)
			}
		}, runs: 8},
		"its port was taken": {change: func(q run.Request, r *record.Record) {
			if q.Name == "calibration-otel-1" {
				notReady(q, r)
				r.Failure.Code = record.PortTaken
			}
		}, runs: 8},
		"its pod was evicted": {change: func(q run.Request, r *record.Record) {
			if q.Name == "calibration-otel-1" {
				notReady(q, r)
				r.Failure.Code = record.Removed
			}
		}, runs: 8},
		"nobody's fault": {change: func(q run.Request, r *record.Record) {
			if q.Name == "calibration-otel-1" {
				notReady(q, r)
				r.Failure.Process = ""
			}
		}, runs: 8},
		"wrong answers, of the only variant": {change: badAnswers("status 415", ""), want: WrongAnswers, variant: "otel", runs: 2},
		"wrong answers, of two variants":     {change: badAnswers("status 415", ""), loop: another, want: WrongAnswers, variant: "another", runs: 3},
		"wrong answers, of one of two":       {change: badAnswers("status 415", "otel"), loop: another, runs: -1},
		"wrong answers, each other ones":     {change: badAnswers("", ""), loop: another, runs: -1},
		"wrong answers, and it goes on": {change: badAnswers("status 415", ""), loop: func(l *Loop) {
			another(l)
			l.GoOn = true
		}, runs: -1},
		"not ready, and it goes on": {change: notReady, loop: func(l *Loop) { l.GoOn = true }, runs: -1},

		"no span":                     {change: unspanned, want: NoSpans, variant: "otel", runs: 1},
		"no span of a way of its own": {change: unspanned, loop: ownWay, want: NoSpans, variant: "otel", runs: -1},
		"of its own, in batches": {change: func(q run.Request, r *record.Record) {
			if r.Kind == record.Calibration {
				unspanned(q, r)
			} else {
				r.Life.Spans = 100
			}
		}, loop: ownWay, runs: 7},
		"no span, and it goes on": {change: unspanned, loop: func(l *Loop) { l.GoOn = true }, runs: 7},
		"no span, declared so":    {change: unspanned, loop: declare(map[string]program.Number{"a": {}, "b": {}}), runs: 7},
		"no span, and none is sampled": {change: unspanned, loop: func(l *Loop) { // OTEL_TRACES_SAMPLER=always_off
			l.Variants[1].Plan.Sampling, l.Variants[1].Calibration.Sampling = 0, 0
			l.Variants[1].Plan.Spans = map[string]program.Number{"a": {Low: 2, High: 2}}
		}, runs: 7},
		"no span, said to be sampled": {change: func(q run.Request, r *record.Record) {
			unspanned(q, r)
			n := uint64(40)
			r.Tracer.Sampled = &n
		}, runs: 7},
		"no span of one operation, declared": {change: func(q run.Request, r *record.Record) {
			if r.Kind == record.Calibration {
				r.Phases[1].Sink = record.Counts{}
			}
		}, loop: declare(map[string]program.Number{"b": {Low: 2, High: 2}}), want: NoSpans, variant: "otel", operation: "b", runs: 1},
		"no span of one operation, not declared": {change: func(q run.Request, r *record.Record) {
			if r.Kind == record.Calibration {
				r.Phases[1].Sink = record.Counts{}
			}
		}, runs: 7},

		"a third of the rate": {change: rated(1.0/3, ""), want: RateNotReached, runs: 2},
		"most of the rate":    {change: rated(0.8, ""), runs: 7},
		"a third of too few operations to tell": {change: func(q run.Request, r *record.Record) {
			rated(1.0/3, "")(q, r)
			for i := range r.Phases {
				r.Phases[i].Load.Intended = leastJudged - 1
			}
		}, runs: 7},
		"slow operations in short windows": {change: func(_ run.Request, r *record.Record) {
			for i := range r.Phases {
				if p := &r.Phases[i]; r.Kind == record.Measured {
					p.OfferedRate, p.Load, p.Windows = 100, slowly(t, 0.5), make([]record.Window, 5)
					p.Load.WallSeconds = 1 + 5*0.49 // five times the last operation
				}
			}
		}, runs: 7},
		"a third, as others had the CPUs": {change: func(q run.Request, r *record.Record) {
			rated(1.0/3, "")(q, r)
			for i := range r.Phases {
				r.Phases[i].Others = 0.5
			}
		}, runs: 7},
		"a tenth, and others had half of the CPUs": {change: func(q run.Request, r *record.Record) {
			rated(0.1, "")(q, r)
			for i := range r.Phases {
				r.Phases[i].Others = 0.5
			}
		}, want: RateNotReached, runs: 2},
		"a third in a later block": {change: rated(1.0/3, "002-"), runs: 7},
		"a third, with a fault": {change: rated(1.0/3, "-otel-"), loop: func(l *Loop) {
			l.Experiment.Faults = config.Faults{SinkGone: "away"}
		}, runs: 7},
	} {
		t.Run(name, func(t *testing.T) {
			runner := &script{change: c.change}
			l := newLoop(runner, &kept{})
			for i, tracer := range []string{program.NoTracer, "otel"} {
				l.Variants[i].Variant.Tracer = &program.Tracer{Name: tracer}
			}
			for i := range l.Variants {
				l.Variants[i].Plan.Sampling = 1
			}
			if c.loop != nil {
				c.loop(l)
			}
			var told *MistakeError
			l.Observe = func(e Event) { told = e.Ends }
			history, err := l.Run(t.Context(), nil)
			var m *MistakeError
			if got := errors.As(err, &m); got != (c.want != "") {
				t.Fatalf("error %v, want %q; %q", err, c.want, runner.made)
			}
			if m != nil && (m.Mistake != c.want || c.variant != "" && m.Variant != c.variant || c.operation != "" && m.Operation != c.operation) {
				t.Errorf("%+v", m)
			}
			if told != m {
				t.Errorf("its observer was told of %v, and its caller of %v", told, m)
			}
			if c.runs >= 0 && len(history) != c.runs {
				t.Errorf("%d runs, want %d: %v", len(history), c.runs, runner.made)
			}
			if last := len(history) - 1; c.want == NoSpans && history[last].Kind == record.Calibration {
				before := len(runner.made)
				if _, err := l.Run(t.Context(), history); !errors.As(err, &m) || m.Mistake != NoSpans || len(runner.made) != before {
					t.Errorf("gone on with, it made %q, and ended with %v", runner.made[before:], err)
				}
			}
		})
	}
}

// ownWay makes the traced variant one of its user's own, without a tracer of the catalog.
func ownWay(l *Loop) { l.Variants[1].Variant.Tracer = &program.Tracer{Name: program.NoTracer} }

func declare(spans map[string]program.Number) func(*Loop) {
	return func(l *Loop) { l.Variants[1].Plan.Spans = spans }
}

// Of a sweep the least rate alone has to be reached.
func TestSweepsGoBeyondWhatIsReached(t *testing.T) {
	runner := &script{change: func(_ run.Request, r *record.Record) {
		if r.Kind == record.Measured {
			low, high := r.Phases[0], r.Phases[0]
			low.OfferedRate, low.Load = 100, reaching(t, 0.9)
			high.OfferedRate, high.Load = 200, reaching(t, 0.3)
			r.Phases = []record.Phase{high, low}
		}
	}}
	l := newLoop(runner, &kept{})
	l.Variants[1].Variant.Tracer = &program.Tracer{Name: "otel"}
	if history, err := l.Run(t.Context(), nil); err != nil || len(history) != 7 {
		t.Errorf("%d runs, error %v", len(history), err)
	}
}

// A process that did not end when asked is not waited for in later runs of its variant.
func TestDeafProcesses(t *testing.T) {
	runner := &script{change: func(_ run.Request, r *record.Record) {
		if r.Variant == "otel" {
			r.Stop.Deaf = []string{"app"}
		}
	}}
	if _, err := newLoop(runner, &kept{}).Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for i, q := range runner.seen {
		if deaf := slices.Contains(q.Deaf, "app"); deaf != (q.Plan.Variant == "otel" && i > 0) {
			t.Errorf("run %d, %s: not waited for is %t", i, q.Name, deaf)
		}
	}
}

func TestRateText(t *testing.T) {
	for rate, want := range map[float64]string{2000: "2000", 343.7: "344", 99.5: "99.5", 0.123456: "0.123"} {
		if got := rateText(rate); got != want {
			t.Errorf("%g: %q, want %q", rate, got, want)
		}
	}
}

// Woven variants that need nearly all of the CPU together are refused: by what pilots used before the first block, or by
// the first block itself. What is not known refuses nothing.
func TestTooDense(t *testing.T) {
	const rate = 1000
	used := func(share map[string]float64) func(run.Request, *record.Record) {
		return func(q run.Request, r *record.Record) {
			for i := range r.Phases {
				p := &r.Phases[i]
				switch cpu, known := share[r.Variant]; {
				case !known:
				case q.Kind == record.Measured: // for 1 s, with a drain of 4 s in which it uses a tenth of a CPU
					r.Start.Idle = []record.Usage{{Process: "app", Role: "app", Seconds: 2, CPUSeconds: 0.2}}
					if cpu > 1 {
						p.Load = reaching(t, 0.3)
					}
					p.Load.Started, p.Load.Completed, p.DrainSeconds = rate, rate, 4
					p.Usage = []record.Usage{{Process: "app", Role: "app", Seconds: 5, CPUSeconds: cpu + 0.4}, {Process: "db", Role: "database", Seconds: 5, CPUSeconds: 9}}
				case len(p.Progress) > 0:
					p.Progress = nil
					for n := range 9 { // it is cold at first
						p.Progress = append(p.Progress, record.Slice{AskedSeconds: 0.5, Operations: rate / 2, CPUSeconds: cpu / 2 * float64(max(1, 4-n))})
					}
				case q.Kind == record.Pilot:
					p.Load.Started, p.Usage = 2*rate, []record.Usage{{Process: "app", Role: "app", CPUSeconds: 2 * cpu}}
				}
			}
		}
	}
	third := func(memory uint64) func(*Loop) {
		return func(l *Loop) {
			one, plan := l.Variants[1], *l.Variants[1].Plan
			plan.Variant, one.Variant.Name = "third", "third"
			one.Plan, one.Calibration = &plan, &plan
			l.Variants, l.Memory = append(l.Variants, one), memory
		}
	}
	relative := func(l *Loop) {
		l.Experiment.Load.Relative = &config.Relative{Share: 0.5, Search: config.RateSearch{Goal: config.GoalCPU, CPU: 0.75}}
	}
	for name, c := range map[string]struct {
		share map[string]float64 // of a CPU, at the rate
		cpus  float64
		loop  func(*Loop)
		want  bool
		runs  int
	}{
		"room for both":                          {share: map[string]float64{"none": 0.3, "otel": 0.45}, cpus: 1, runs: 7},
		"near to all":                            {share: map[string]float64{"none": 0.3, "otel": 0.55}, cpus: 1, want: true, runs: 3},
		"far beyond, so that no rate is reached": {share: map[string]float64{"none": 1.2, "otel": 1.5}, cpus: 1, want: true, runs: 3},
		"half of two CPUs":                       {share: map[string]float64{"none": 0.3, "otel": 0.55}, cpus: 2, runs: 7},
		"nobody knows the CPUs":                  {share: map[string]float64{"none": 0.3, "otel": 0.55}, runs: 7},
		"one of them not known":                  {share: map[string]float64{"otel": 0.95}, cpus: 1, runs: 7},
		"in groups of two":                       {share: map[string]float64{"none": 0.2, "otel": 0.3, "third": 0.4}, cpus: 1, loop: third(1 << 30), runs: 14},
		"all three":                              {share: map[string]float64{"none": 0.2, "otel": 0.3, "third": 0.4}, cpus: 1, loop: third(0), want: true, runs: 5},
		"one of three is given up": {share: map[string]float64{"none": 0.3, "otel": 0.55}, cpus: 1, loop: func(l *Loop) {
			third(0)(l)
			l.Runner.(*blocks).fail = func(name string) bool { return strings.HasPrefix(name, "calibration-third") }
		}, want: true, runs: 5},
		"in windows":             {share: map[string]float64{"none": 0.6, "otel": 0.9}, cpus: 1, loop: func(l *Loop) { l.Experiment.Design.Order = config.Windows }, runs: 7},
		"and it goes on":         {share: map[string]float64{"none": 0.6, "otel": 0.9}, cpus: 1, loop: func(l *Loop) { l.GoOn = true }, runs: 7},
		"by pilots for the rate": {share: map[string]float64{"none": 1, "otel": 2.4}, cpus: 1, loop: relative, want: true, runs: 3},
		"by pilots, with room":   {share: map[string]float64{"none": 1, "otel": 1.2}, cpus: 1, loop: relative, runs: 9},
		"by pilots for the warm-up": {share: map[string]float64{"none": 0.4, "otel": 0.45}, cpus: 1, loop: func(l *Loop) {
			l.Experiment.Load.WarmupMost = 10 * time.Second
		}, want: true, runs: 3},
		"by pilots for the warm-up, with a database": {share: map[string]float64{"none": 0.4, "otel": 0.45}, cpus: 1, loop: func(l *Loop) {
			l.Experiment.Load.WarmupMost = 10 * time.Second
			l.Variants[1].Plan.Processes = append(l.Variants[1].Plan.Processes, program.Process{Name: "db", Role: "database"})
		}, want: true, runs: 5}, // whose CPU the slices hold: the first block tells
	} {
		runner := &blocks{script{does: capacities}}
		runner.change = func(q run.Request, r *record.Record) {
			used(c.share)(q, r)
			if r.Kind == record.Calibration {
				r.Memory = []record.Memory{{Process: "app", Role: "app", Peak: 1 << 28}} // twice that is needed: of a gigabyte two have room
			}
		}
		runner.warms = func(string, string) []record.Slice { return make([]record.Slice, 1) }
		l := newLoop(runner, &kept{})
		l.Experiment.Load.Rate, l.Experiment.Design.Order, l.CPUs = rate, config.Woven, c.cpus
		l.Variants[1].Variant.Tracer = &program.Tracer{Name: "otel"}
		l.Variants[1].Plan.Processes[0].Role = "app"
		if c.loop != nil {
			c.loop(l)
		}
		var m *MistakeError
		history, err := l.Run(t.Context(), nil)
		if got := errors.As(err, &m) && m.Mistake == TooDense; got != c.want || !c.want && err != nil || len(history) != c.runs {
			t.Errorf("%s: %v after %d runs; want refused: %t, after %d", name, err, len(history), c.want, c.runs)
		}
	}
}
