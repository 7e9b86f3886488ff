//go:build linux

package cli

// This file is 'run --dry-run --json': the plan of an experiment for programs, a document a workload.

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/session"
	"github.com/tracetax/tracetax/internal/wording"
)

// dryPlan describes the runs of an experiment on one workload.
type dryPlan struct {
	Experiment string         `json:"experiment"`
	Workload   string         `json:"workload"`
	Quick      bool           `json:"quick"`
	Runs       bool           `json:"runs_here"` // false: nothing of it can run on this machine
	LeftOut    []dryLack      `json:"left_out"`  // what cannot run on this machine, and is in nothing that follows unless nothing can
	Operations []dryOperation `json:"operations"`
	Variants   []dryVariant   `json:"variants"` // the first is the baseline
	Load       dryLoad        `json:"load"`
	Blocks     dryBlocks      `json:"blocks"`
	Tells      *dryTells      `json:"tells,omitempty"`   // of CPU per operation; absent: there are no intervals, or it searches for rates
	Latency    *dryTail       `json:"latency,omitempty"` // which percentiles it can tell; absent where it compares none, or its rate is not known
	Seed       uint64         `json:"seed"`
	Drawn      bool           `json:"seed_drawn"` // the seed was drawn for this plan: a run draws another one, unless --set design.seed names it
	Planned    []plannedRun   `json:"runs"`       // in their order, if none fails
	Seconds    drySeconds     `json:"seconds"`    // expected of all runs; fetching and building not counted
	Artifacts  []dryArtifact  `json:"artifacts"`  // what is fetched and built before the first run, where the cache does not have it
}

// dryLack is something that cannot run on this machine, and why.
type dryLack struct {
	Variant string   `json:"variant,omitempty"` // absent: all of the workload
	Missing []string `json:"missing"`           // what is missing, and how to get it
}

// dryOperation is an operation that would be measured.
type dryOperation struct {
	Name string  `json:"name"`
	Rate float64 `json:"rate,omitempty"` // operations/s, where one rate is known beforehand
}

// dryVariant is a variant that would be measured. Values of its variables and arguments may be secret: the names are told.
type dryVariant struct {
	Name     string            `json:"name"`
	Tracer   string            `json:"tracer"`
	Settings map[string]string `json:"settings,omitempty"` // of the tracer, defaults filled in
	Env      []string          `json:"env,omitempty"`      // names of the variables that the variant sets
	On       []string          `json:"on,omitempty"`       // the processes that are traced, where the variant chooses some
	Via      []string          `json:"via,omitempty"`      // hops of its spans, in their order
	To       string            `json:"to,omitempty"`       // the backend of its spans; absent: the sink
	Against  string            `json:"against,omitempty"`  // the variant that it is compared with besides the baseline

	Annotations []string `json:"annotations,omitempty"` // names of those of its pods
	Labels      []string `json:"labels,omitempty"`      // likewise
}

// dryLoad describes the load.
type dryLoad struct {
	Text        string    `json:"text"`                         // in words
	Rates       []float64 `json:"rates,omitempty"`              // operations/s of a sweep
	Connections []int     `json:"connections,omitempty"`        // of a closed loop, one or those of a sweep; with a rate the most that may be open
	Relative    string    `json:"relative,omitempty"`           // a share of what the slowest variant can do, which pilots find: "50% of slowest"
	Unpiloted   string    `json:"unpiloted,omitempty"`          // the same, where a quick run takes the workload's declared rates instead
	Capacity    string    `json:"capacity,omitempty"`           // what a search is for, in words
	WarmupAll   float64   `json:"warmup_all_seconds,omitempty"` // load of all operations in turn, before the first of them
	Warmup      *float64  `json:"warmup_seconds,omitempty"`     // before each window; absent where pilots find it
	WarmupMost  float64   `json:"warmup_max_seconds,omitempty"`
	Window      float64   `json:"window_seconds"`    // of a measured window, or of a probe of a search
	Windows     int       `json:"windows"`           // of a measured run: operations × levels of the sweep
	Calls       uint64    `json:"calls,omitempty"`   // self-driving: the most operations of a window
	Depths      []int     `json:"depths,omitempty"`  // self-driving: calls in one another that make an operation
	Threads     []int     `json:"threads,omitempty"` // self-driving: threads that call
	Order       string    `json:"order"`             // of a block: paired, windows, woven or apart
}

// dryBlocks describes the number of blocks.
type dryBlocks struct {
	Least     int     `json:"min"`
	Most      int     `json:"max"`                 // the same, unless the experiment may stop at a precision
	Precision float64 `json:"precision,omitempty"` // half-width of the interval to stop at: 0.02 is ±2 %
	Metric    string  `json:"metric,omitempty"`    // the metric
}

// plannedRun is a run that would be made.
type plannedRun struct {
	Kind    record.Kind    `json:"kind"`              // calibration, pilot or measured
	Purpose record.Purpose `json:"purpose,omitempty"` // of a pilot: warm-up; absent: it finds a rate
	Block   int            `json:"block,omitempty"`   // from 1; absent before the first block
	Variant string         `json:"variant"`
	Seconds drySeconds     `json:"seconds"` // expected
}

// drySeconds are about how short and how long something takes: they differ where a search or a precision decides.
type drySeconds struct {
	Least float64 `json:"min"`
	Most  float64 `json:"max"`
}

// dryArtifact is something that is fetched or built before the first run.
type dryArtifact struct {
	Kind string `json:"kind"` // python, maven, npm, nuget: pinned packages; build: a program
	Of   string `json:"of"`   // whose it is: "tracer otel-python"
	From string `json:"from"` // the file that pins the packages; of a build its commands
}

// dryRunJSON prints the plans.
func dryRunJSON(s console.Streams, experiments []*config.Experiment, drawn bool) error {
	for _, asked := range experiments {
		foreseen, err := session.Foresee(asked)
		if err != nil {
			return err
		}
		plan, err := dryPlanOf(foreseen, drawn)
		if err != nil {
			return err
		}
		if err := printAny(s.Out, plan); err != nil {
			return err
		}
	}
	return nil
}

func dryPlanOf(f session.Foreseen, drawn bool) (dryPlan, error) {
	e, schedule := f.Experiment, f.Schedule
	p := dryPlan{
		Experiment: e.Name, Workload: e.Workload.Name, Quick: e.Design.Quick, Runs: !f.None, LeftOut: []dryLack{},
		Load: dryLoadOf(e, schedule.Phases), Seed: e.Design.Seed, Drawn: drawn,
		Blocks:  dryBlocks{Least: schedule.Least, Most: len(schedule.Blocks), Precision: e.Design.Precision, Metric: e.Design.Metric},
		Seconds: secondsOf(schedule.Shortest, schedule.Length), Artifacts: []dryArtifact{},
		Operations: []dryOperation{}, Variants: []dryVariant{}, Planned: []plannedRun{},
	}
	if e.Design.Most == 0 { // it stops at no precision
		p.Blocks.Precision, p.Blocks.Metric = 0, ""
	}
	var err error
	if p.Tells, err = tellsOf(e, schedule); err != nil {
		return p, err
	}
	p.Latency = tailOf(e)
	for _, l := range f.Lacking {
		p.LeftOut = append(p.LeftOut, dryLack{l.Variant, l.Missing})
	}
	for _, o := range e.Operations {
		one := dryOperation{Name: o.Name}
		if e.Load.Relative == nil && e.Load.Capacity == nil && e.Load.Rate > 0 {
			one.Rate = cmp.Or(o.Rate, e.Load.Rate)
		}
		p.Operations = append(p.Operations, one)
	}
	for _, v := range e.Variants {
		p.Variants = append(p.Variants, dryVariantOf(v))
		made, err := prepare.Makes(e, v)
		if err != nil {
			return p, err
		}
		for _, m := range made {
			if one := (dryArtifact{m.Kind, m.Of, m.From}); !slices.Contains(p.Artifacts, one) {
				p.Artifacts = append(p.Artifacts, one)
			}
		}
	}
	for _, r := range schedule.Runs {
		p.Planned = append(p.Planned, plannedRun{r.Kind, r.Purpose, r.Block, r.Variant, secondsOf(r.Shortest, r.Length)})
	}
	return p, nil
}

func secondsOf(least, most time.Duration) drySeconds {
	return drySeconds{least.Seconds(), most.Seconds()}
}

func dryLoadOf(e *config.Experiment, windows int) dryLoad {
	l := e.Load
	out := dryLoad{
		Text: wording.Load(e), Rates: l.Rates, Connections: l.Levels, Unpiloted: e.Design.Unpiloted,
		WarmupAll: l.WarmupAll.Seconds(), WarmupMost: l.WarmupMost.Seconds(),
		Window: l.Duration.Seconds(), Windows: windows, Calls: l.Calls, Depths: l.Depths, Threads: l.Crowds, Order: string(e.Design.Order),
	}
	if given := l.Warmup.Seconds(); given > 0 || l.WarmupMost == 0 {
		out.Warmup = &given
	}
	if l.Connections > 0 {
		out.Connections = []int{l.Connections}
	}
	if l.Depth > 0 {
		out.Depths = []int{l.Depth}
	}
	if l.Threads > 0 {
		out.Threads = []int{l.Threads}
	}
	if l.Relative != nil {
		out.Relative, out.Capacity = l.Relative.Text(), l.Relative.Search.Summary()
	}
	if l.Capacity != nil {
		out.Capacity = l.Capacity.Summary()
	}
	return out
}

func dryVariantOf(v config.Variant) dryVariant {
	out := dryVariant{
		Name: v.Name, Tracer: v.TracerName(), Settings: map[string]string{}, Env: slices.Sorted(maps.Keys(v.Env)), On: v.On, Against: v.Against,
		Annotations: slices.Sorted(maps.Keys(v.Annotations)), Labels: slices.Sorted(maps.Keys(v.Labels)),
	}
	for name, value := range v.Settings {
		if program.IsSecret(name, value) {
			value = "(redacted)"
		}
		out.Settings[name] = value
	}
	for _, hop := range v.Via {
		out.Via = append(out.Via, hop.Name)
	}
	if v.To != nil {
		out.To = v.To.Name
	}
	return out
}
