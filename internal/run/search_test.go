package run_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/design/capacity"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// given probes given rates, and judges as the search for a goal does.
type given struct {
	*capacity.Search
	rates []float64
}

func (g given) Next(probes []record.Probe) (record.Probe, bool) {
	if len(probes) == len(g.rates) {
		return record.Probe{}, false
	}
	return record.Probe{Purpose: "probe", Rate: g.rates[len(probes)]}, true
}

// Result is that of a search that went as far as it could.
func (g given) Result(probes []record.Probe) record.Search {
	c := g.Search.Result(probes)
	c.Outcome, c.Note = record.Saturated, "given rates"
	return c
}

const probeLength = 1200 * time.Millisecond

func goal(c config.RateSearch) *capacity.Search {
	return capacity.New(c, capacity.Options{Duration: probeLength})
}

// searching is a run that searches; cpus is the app's quota.
func searching(t *testing.T, kind record.Kind, path string, cpus float64, by run.Searcher) record.Record {
	t.Helper()
	conductor, q := request(t, kind, path)
	q.Plan.Processes[0].CPUs = cpus
	l := work
	l.Rate, l.Duration, l.Timeout = 0, probeLength, time.Second
	if path == "/lossy" {
		q.Spans = map[string]program.Number{"work": {Low: 2, High: 2}}
	} else {
		q.Plan.Silent = true // these make no spans, so nothing is to be waited for
	}
	q.Phases = []run.PhaseRequest{{Operation: q.First, Load: l, Search: by}}
	r, err := conductor.Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if r.Failed() {
		t.Fatalf("failed at %s: %s %q", r.Failure.Stage, r.Failure.Message, r.Failure.Log)
	}
	if len(r.Phases) != 1 || r.Phases[0].Capacity == nil {
		t.Fatalf("phases: %+v", r.Phases)
	}
	for i, p := range r.Phases[0].Capacity.Probes {
		t.Logf("probe %d: %s at %.1f/s: U %.3f, hottest %.3f of %s, %d of %d completed, %d timed out, lost %.0f, held %t, passed %t: %s",
			i, p.Purpose, p.Rate, p.Utilisation, p.Hottest, p.HottestOf, p.Load.Completed, p.Load.Started, p.Load.TimedOut, p.Lost, p.Held, p.Passed, p.Why)
	}
	return r
}

// addsUp checks that nothing of the run's life is missing in its phases.
func addsUp(t *testing.T, r record.Record) {
	t.Helper()
	phase := r.Phases[0]
	sum := r.Start.Sink.Plus(phase.WarmupSink).Plus(phase.Sink).Plus(r.Stop.Sink)
	if sum.Spans != r.Life.Spans || sum.Requests != r.Life.Requests {
		t.Errorf("%d spans in %d requests are in the phases, %d in %d came", sum.Spans, sum.Requests, r.Life.Spans, r.Life.Requests)
	}
	least := uint64(0)
	for _, p := range phase.Capacity.Probes {
		least += p.Load.Started
	}
	if made := phase.Warmup.Started + phase.Load.Started; made <= least {
		t.Errorf("%d operations in the warm-up and the window; the probes alone made %d", made, least)
	}
}

// A search reads from the kernel what the app uses of its half a CPU, probe by probe. Which rate it comes to depends on the
// machine's mood, which design/capacity simulates; at that rate what an operation uses comes to 75 % of the quota.
func TestSearchForCPU(t *testing.T) {
	t.Parallel()
	const burnt, quota = 0.002, 0.5 // CPU seconds an operation; CPUs
	r := searching(t, record.Pilot, "/burn/2000", quota, goal(config.RateSearch{Goal: config.GoalCPU, CPU: 0.75, From: 40}))
	c := r.Phases[0].Capacity
	t.Logf("%s: %.1f/s, U = %.3f + %.6f X, %s, %s", c.Outcome, c.Rate, c.Base, c.Demand, c.Binding, c.Note)
	for _, p := range c.Probes {
		used := 0.0
		for _, u := range p.Usage {
			if u.Role == "app" {
				used += u.CPUSeconds
			}
		}
		if least := burnt * float64(p.Load.Completed); used < least {
			t.Errorf("at %.1f/s the app used %g CPU seconds; its operations burnt %g", p.Rate, used, least)
		}
		if want := used / quota / max(p.Seconds, p.Load.WallSeconds); math.Abs(p.Utilisation-want) > 1e-9 {
			t.Errorf("at %.1f/s utilisation is %g, want %g", p.Rate, p.Utilisation, want)
		}
		if p.Passed && (!p.Held || math.Abs(p.Utilisation-0.75) > 0.02) {
			t.Errorf("at %.1f/s with %.3f of the CPU a probe passed for 0.75", p.Rate, p.Utilisation)
		}
	}
	if c.Probes[0].Rate != 40 {
		t.Errorf("the search began at %g/s, want 40", c.Probes[0].Rate)
	}
	phase := r.Phases[0]
	window := slices.IndexFunc(c.Probes, func(p record.Probe) bool {
		return p.Rate == phase.OfferedRate && p.Load.Started == phase.Load.Started
	})
	if window < 0 {
		t.Errorf("the window is at %.1f/s with %d operations, which no probe had", phase.OfferedRate, phase.Load.Started)
	}
	if c.Outcome == record.Found { // within the two points that a search verifies, and one for what is used between the probes
		each := byApp(t, phase.Usage).CPUSeconds / float64(phase.Load.Started)
		if used := each * c.Rate / quota; math.Abs(used-0.75) > 0.03 {
			t.Errorf("at %.1f/s, with %.6f s an operation, %.3f of the quota is used; want 0.75", c.Rate, each, used)
		}
	} else if c.Rate != 0 {
		t.Errorf("%s, and a rate of %g/s", c.Outcome, c.Rate)
	}
	if r.Start.IdleSeconds != 0 {
		t.Errorf("a pilot was idle for %g s", r.Start.IdleSeconds)
	}
	addsUp(t, r)
}

// What is too much for the service fails the probe, not the run, and does not
// disturb the next one.
func TestProbeThatIsTooMuch(t *testing.T) {
	t.Parallel()
	r := searching(t, record.Measured, "/burn/5000", 0.5, given{goal(config.RateSearch{Goal: config.GoalCPU, CPU: 0.75}), []float64{300, 5}})
	probes := r.Phases[0].Capacity.Probes
	if much := probes[0]; much.Held || much.Passed || much.Load.TimedOut == 0 || much.Why == "" {
		t.Errorf("too much: %+v", much)
	}
	if little := probes[1]; little.Load.TimedOut > 0 || little.Load.Completed != little.Load.Started || little.Utilisation > 0.5 {
		t.Errorf("little: %d of %d completed with %.3f of the CPU", little.Load.Completed, little.Load.Started, little.Utilisation)
	}
	if phase := r.Phases[0]; phase.OfferedRate != 5 || phase.Warmup.TimedOut == 0 {
		t.Errorf("the window is at %g/s, the warm-up with %d timed out", phase.OfferedRate, phase.Warmup.TimedOut)
	}
	addsUp(t, r)
}

// What a sidecar burns is charged to the app's CPUs.
func TestSidecarIsCharged(t *testing.T) {
	t.Parallel()
	const burnt, rate = 0.002, 100.0 // CPU seconds an operation; operations/s
	conductor, q := request(t, record.Pilot, "/burn/2000")
	sidecar := q.Plan.Processes[0]
	sidecar.Name, sidecar.Role, sidecar.Traced = "proxy", "sidecar", false
	q.Plan.Processes = append(q.Plan.Processes, sidecar)
	q.Plan.Processes[0].CPUs = 0.5
	q.Plan.Silent = true
	q.First.Process = "proxy" // it does all the work: the app's is next to nothing
	l := work
	l.Rate, l.Duration = 0, probeLength
	q.Phases = []run.PhaseRequest{{Operation: q.First, Load: l, Search: given{goal(config.RateSearch{Goal: config.GoalCPU, CPU: 0.75}), []float64{rate}}}}
	r, err := conductor.Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if r.Failed() {
		t.Fatalf("failed at %s: %s %q", r.Failure.Stage, r.Failure.Message, r.Failure.Log)
	}
	p := r.Phases[0].Capacity.Probes[0]
	app, onCPUs := 0.0, 0.0
	for _, u := range p.Usage {
		switch u.Role {
		case "app":
			app += u.CPUSeconds
		case "sidecar":
			onCPUs += u.CPUSeconds
		}
		if u.Seconds < p.Load.WallSeconds {
			t.Errorf("%s: its use was read over %g s of a load of %g s", u.Process, u.Seconds, p.Load.WallSeconds)
		}
	}
	onCPUs += app
	t.Logf("app %.3f CPU seconds, with the sidecar %.3f, read over %.3f s of %.3f s: U %.3f", app, onCPUs, p.Usage[0].Seconds, p.Seconds, p.Utilisation)
	if least := burnt * float64(p.Load.Completed); onCPUs-app < least {
		t.Fatalf("the sidecar used %g CPU seconds, and burns %g", onCPUs-app, least)
	}
	if want := onCPUs / 0.5 / max(p.Seconds, p.Load.WallSeconds); math.Abs(p.Utilisation-want) > 1e-9 {
		t.Errorf("utilisation %g, want %g: of app and sidecar, over the load", p.Utilisation, want)
	}
	if p.HottestOf != "proxy" {
		t.Errorf("the hottest thread is one of %s", p.HottestOf)
	}
}

// One thread does all the work, and is seen to.
func TestBusyThread(t *testing.T) {
	t.Parallel()
	r := searching(t, record.Pilot, "/single/2000", 0, given{goal(config.RateSearch{Goal: config.GoalCPU, CPU: 0.75}), []float64{200}})
	p := r.Phases[0].Capacity.Probes[0]
	var burnt float64
	for _, u := range p.Usage {
		if u.Role == "app" {
			burnt = u.CPUSeconds / u.Seconds
			if u.CPUs < 1 {
				t.Errorf("the app may use %g CPUs", u.CPUs)
			}
		}
	}
	if p.HottestOf != "app" || p.Hottest < 0.6*burnt || p.Hottest > 1.1*burnt {
		t.Errorf("the hottest thread, of %q, used %.3f of a CPU; all of the app %.3f", p.HottestOf, p.Hottest, burnt)
	}
}

// Above 150/s spans are lost.
func TestSearchForLossless(t *testing.T) {
	t.Parallel()
	r := searching(t, record.Measured, "/lossy", 0, goal(config.RateSearch{Goal: config.GoalLossless, From: 100, Resolution: 0.5}))
	c := r.Phases[0].Capacity
	t.Logf("%s: %.1f/s, passing %.1f, failing %.1f, %s, %s", c.Outcome, c.Rate, c.Passing, c.Failing, c.Binding, c.Note)
	if c.Outcome == record.Found && (c.Rate > 170 || c.Failing < c.Rate) {
		t.Errorf("found %.1f/s, failing %.1f/s; above 150/s spans are lost", c.Rate, c.Failing)
	}
	lost := 0.0
	for _, p := range c.Probes {
		if p.Passed != (p.Lost == 0 && p.Held) {
			t.Errorf("at %.1f/s %.0f spans were lost; passed is %t", p.Rate, p.Lost, p.Passed)
		}
		lost += p.Lost
	}
	addsUp(t, r)
	if r.Stop.Sink.Spans != 0 {
		t.Errorf("%d spans are in no phase, though the sink was quiet after each probe", r.Stop.Sink.Spans)
	}
	entries := map[string]int64{}
	for _, l := range ledger.Account("otel", ledger.AppToSink, []string{"work"}, ledger.Tracing{
		Sampling: 1, Spans: map[string]ledger.PerOperation{"work": {Low: 2, High: 2, How: ledger.Inferred}},
	}, []ledger.Run{ledger.FromRecord(&r)}) {
		if l.Operation == "work" {
			for _, e := range l.Entries {
				entries[e.Name] = e.Spans
			}
		}
	}
	phase := r.Phases[0]
	if want := int64(2 * (phase.Warmup.Started + phase.Load.Started)); entries[ledger.Expected.String()] != want {
		t.Errorf("the ledger expects %d spans, want %d", entries[ledger.Expected.String()], want)
	}
	if missing := float64(entries[ledger.Expected.String()] - entries[ledger.Delivered.String()]); missing < lost {
		t.Errorf("the ledger misses %g spans, the probes alone %g: %v", missing, lost, entries)
	}
}

// Without a warm-up a search begins with its first probe.
func TestSearchWithoutWarmup(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	l := work
	l.Rate, l.Warmup, l.Duration = 0, 0, 200*time.Millisecond
	q.Plan.Silent = true
	q.Phases = []run.PhaseRequest{{Operation: q.First, Load: l, Search: given{goal(config.RateSearch{Goal: config.GoalCPU, CPU: 0.75}), []float64{50, 100}}}}
	r, err := conductor.Run(t.Context(), q)
	if err != nil || r.Failed() {
		t.Fatalf("%v, %+v", err, r.Failure)
	}
	if p := r.Phases[0]; len(p.Capacity.Probes) != 2 || p.Warmup.Started+p.Load.Started != 30 {
		t.Errorf("%d probes, %d operations besides the window's %d; want 30 in two probes", len(p.Capacity.Probes), p.Warmup.Started, p.Load.Started)
	}
}

// unsure probes one rate a search, and is unsteady the first so many times.
type unsure struct {
	*capacity.Search
	unsteady int
	searches *int
}

func (u unsure) Next(probes []record.Probe) (record.Probe, bool) {
	return record.Probe{Purpose: "probe", Rate: float64(50 * (1 + *u.searches))}, len(probes) == 0
}

func (u unsure) Result(probes []record.Probe) record.Search {
	*u.searches++
	c := u.Search.Result(probes)
	c.Outcome, c.Note = record.Found, "sure"
	if *u.searches <= u.unsteady {
		c.Outcome, c.Note = record.Unsteady, "unsure"
	}
	return c
}

// An unsteady search is made once more, and nothing of the first is lost.
func TestUnsteadySearchIsRepeated(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		unsteady      int
		probes        []float64 // rates of the search that counts
		before        []float64
		outcome       record.Outcome
		warm, counted uint64 // operations
	}{
		"steady at once":    {0, []float64{50}, nil, record.Found, 0, 10},
		"steady thereafter": {1, []float64{100}, []float64{50}, record.Found, 10, 20},
		"never steady":      {9, []float64{100}, []float64{50}, record.Unsteady, 10, 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conductor, q := request(t, record.Measured, "/work")
			l := work
			l.Rate, l.Warmup, l.Duration = 0, 0, 200*time.Millisecond
			q.Plan.Silent = true
			by := unsure{goal(config.RateSearch{Goal: config.GoalCPU, CPU: 0.75}), test.unsteady, new(int)}
			q.Phases = []run.PhaseRequest{{Operation: q.First, Load: l, Search: by}}
			r, err := conductor.Run(t.Context(), q)
			if err != nil || r.Failed() {
				t.Fatalf("%v, %+v", err, r.Failure)
			}
			p := r.Phases[0]
			if got := ratesOf(p.Capacity.Probes); !slices.Equal(got, test.probes) {
				t.Errorf("the search that counts probed %v, want %v", got, test.probes)
			}
			if got := ratesOf(p.Capacity.Before); !slices.Equal(got, test.before) {
				t.Errorf("before, %v were probed, want %v", got, test.before)
			}
			if p.Capacity.Outcome != test.outcome || p.Warmup.Started != test.warm || p.Load.Started != test.counted || p.OfferedRate != test.probes[0] {
				t.Errorf("%s, %d operations before and %d in the window, at %g/s; want %+v",
					p.Capacity.Outcome, p.Warmup.Started, p.Load.Started, p.OfferedRate, test)
			}
		})
	}
}

func ratesOf(probes []record.Probe) []float64 {
	var out []float64
	for _, p := range probes {
		out = append(out, p.Rate)
	}
	return out
}
