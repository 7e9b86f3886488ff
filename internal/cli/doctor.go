//go:build linux

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/machine"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/report/terminal"
	"github.com/tracetax/tracetax/internal/selfcheck"
	"github.com/tracetax/tracetax/internal/session"
)

// check is one line of doctor's answer.
type check struct {
	Name   string `json:"name"`
	Status string `json:"status"` // ok, note or bad
	Says   string `json:"says"`
	Advice string `json:"advice,omitempty"`
}

func newDoctor(s console.Streams) *cobra.Command {
	var asJSON, noisy bool
	var target string
	var in config.Kubernetes
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Report what this machine can measure, and how noisy it is",
		Long: `Check everything that an experiment depends on, and measure for a few seconds how
much work on another CPU slows the program under test.

--noise also measures a small program against itself, in each order of a block, for
two to three minutes. A run cannot show a difference smaller than that noise.
With --target kubernetes it looks at a namespace instead: rights, and how CPU is read.
'run --dry-run' then predicts what a run can find.`,
		Args: console.UsageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := checkTarget(target, in.Namespace, in.Context); err != nil {
				return console.UsageError(err)
			}
			if in.Is() && noisy {
				return console.UsageError(errors.New("--noise measures on this machine; leave it out, or --target"))
			}
			examined := func() ([]check, error) { return examine(c.Context()) }
			if in.Is() {
				examined = func() ([]check, error) { return examineCluster(c.Context(), in) }
			}
			checks, err := examined()
			if err != nil {
				return err
			}
			all := doctorResult{Checks: checks}
			if noisy {
				if err := measureNoise(c.Context(), s.Err, &all); err != nil {
					return err
				}
			}
			if asJSON {
				return encode(s.Out, all)
			}
			return printDoctor(s.Out, all)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the checks as JSON")
	c.Flags().StringVar(&target, "target", "", "`kubernetes`: what can be measured in the pods of a cluster (default: on this machine)")
	c.Flags().StringVar(&in.Namespace, "namespace", "", "`NAMESPACE` of the cluster")
	c.Flags().StringVar(&in.Context, "context", "", "`CONTEXT` of kubectl's configuration (default: the current one)")
	c.Flags().BoolVar(&noisy, "noise", false, "also measure the noise of each metric, in each order of a block (two to three minutes)")
	return c
}

// doctorResult is the output of --json.
type doctorResult struct {
	Checks []check           `json:"checks"`
	Noise  []selfcheck.Floor `json:"noise,omitempty"`          // with --noise: by metric, in the order windows
	Orders []selfcheck.Noise `json:"noise_by_order,omitempty"` // with --noise
}

// printDoctor writes what was found for a person.
func printDoctor(w io.Writer, all doctorResult) error {
	g := model.Grid{Bare: true, Columns: []model.Column{{}, {}, {Wrap: true}}}
	for _, one := range all.Checks {
		g.Add(model.Cell{Text: one.Status}, model.Cell{Text: one.Name}, model.Cell{Text: one.Says})
		if one.Advice != "" {
			g.Add(model.Cell{}, model.Cell{}, model.Cell{Text: "→ " + one.Advice})
		}
	}
	p := &model.Page{Sections: append([]model.Section{{Grids: []model.Grid{g}}}, selfcheck.NoiseSections(all.Noise, all.Orders)...)}
	return terminal.Write(w, p, TerminalOptions(w, false))
}

// examine looks at everything that an experiment will depend on.
func examine(ctx context.Context) ([]check, error) {
	facts := machine.Read()
	checks := []check{
		{Name: "machine", Status: "ok", Says: strings.TrimSpace(fmt.Sprintf("%s %s %s, kernel %s", facts.OS, facts.Arch, facts.CPUModel, facts.Kernel))},
		checkCPUs(facts), checkAccounting(), checkLoad(facts), checkGovernor(facts), checkCache(),
	}
	between, err := checkInterference(ctx)
	if err != nil {
		return nil, err
	}
	checks = append(checks, between...)
	names, err := BuiltIn().Tracers()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		t, err := BuiltIn().Tracer(name)
		if err != nil {
			return nil, err
		}
		one := check{Name: "tracer " + name, Status: "ok", Says: "can run here"}
		if missing := artifact.Missing(t.Needs); len(missing) > 0 {
			one = check{Name: one.Name, Status: "note", Says: "cannot run here", Advice: strings.Join(missing, "; ")}
		}
		checks = append(checks, one)
	}
	return checks, nil
}

// The checks of doctor that only look.

func checkCPUs(f machine.Facts) check {
	c := check{Name: "CPUs", Status: "ok", Says: fmt.Sprintf("%d", f.CPUs)}
	switch place := process.Places(1); {
	case place.Shared:
		c.Status, c.Says = "bad", c.Says+": the program under test shares it with the load generator and the sink"
		c.Advice = "use a machine with at least 2 CPUs; on this one only large differences can be seen"
	default:
		c.Says += fmt.Sprintf(": %v for the program under test, %v for everything else", place.App, place.Harness)
	}
	if f.Hypervisor {
		c.Says += "; virtual: the host may take time away, which is watched and reported"
	}
	return c
}

func checkAccounting() check {
	how := process.Detect()
	c := check{Name: "CPU accounting", Status: "ok", Says: how}
	if how == "clock" {
		c.Status, c.Says = "note", "by the CPU clocks of processes; no right to make cgroups"
		c.Advice = "run as root, or with a delegated cgroup, for exact charges of short-lived children and for quotas"
	}
	return c
}

func checkLoad(f machine.Facts) check {
	c := check{Name: "load", Status: "ok", Says: fmt.Sprintf("%.2f over the last minute", f.LoadAverage)}
	if f.LoadAverage > 0.5*float64(f.CPUs) {
		c.Status, c.Advice = "note", "other programs are at work: end them, or expect wide intervals"
	}
	return c
}

func checkGovernor(f machine.Facts) check {
	c := check{Name: "CPU frequency", Status: "ok", Says: f.Governor}
	switch f.Governor {
	case "":
		c.Says = "not told by the kernel, as on most virtual machines"
	case "performance":
	default:
		c.Status, c.Advice = "note", "set the governor to performance: the same work then takes the same time"
	}
	return c
}

func checkCache() check {
	store, err := artifact.Open("")
	if err != nil {
		return check{Name: "cache", Status: "bad", Says: err.Error()}
	}
	probe, err := os.CreateTemp(store.Dir(), "doctor-*")
	if err != nil {
		return check{Name: "cache", Status: "bad", Says: "cannot be written to: " + err.Error(), Advice: "set " + artifact.Variable + " to a folder"}
	}
	probe.Close()
	os.Remove(probe.Name())
	if err := store.Sweep(); err != nil {
		return check{Name: "cache", Status: "note", Says: store.Dir() + ": " + err.Error(), Advice: "remove it by hand"}
	}
	return check{Name: "cache", Status: "ok", Says: store.Dir()}
}

// The checks of doctor that measure: what CPUs do to each other, and how far a
// program lies from itself.

// The slowdowns above which something is said.
const (
	slowedNote = 0.05
	slowedBad  = 0.30
)

// checkInterference measures how much work on a CPU of the harness slows work on
// that of the program under test.
func checkInterference(ctx context.Context) ([]check, error) {
	place := process.Places(1)
	if place.Shared || len(place.App) == 0 || len(place.Harness) == 0 {
		return nil, nil // there is nothing to keep apart
	}
	all, err := machine.MeasureNoise(ctx, machine.NoiseOptions{CPU: place.App[0], Other: place.Harness[len(place.Harness)-1]})
	if err != nil {
		return nil, err
	}
	var checks []check
	for _, s := range all {
		checks = append(checks, interference(s, place))
	}
	return checks, nil
}

// interference puts a slowdown into words.
func interference(s machine.Slowdown, place process.Placement) check {
	c := check{Name: "CPU " + fmt.Sprint(place.App[0]) + ", " + s.Work, Status: "ok"}
	c.Says = fmt.Sprintf("beside work on CPU %d it costs %s CPU time and takes %s as long",
		place.Harness[len(place.Harness)-1], changeText(s.CPU), timesText(s.Wall))
	switch {
	case s.CPU.Low > slowedBad:
		c.Status = "bad"
		c.Advice = "a tracer that works on another CPU will seem to slow the program itself: use a machine where each CPU is a whole core"
	case s.CPU.Low > slowedNote:
		c.Status = "note"
		c.Advice = "the two share a core, a cache or the memory: load generator, sink and a tracer's own threads make the program's work dearer by up to as much"
	case s.Wall.Low > slowedNote:
		c.Status = "note"
		c.Advice = "other programs, or the host, take the CPU while it is wanted: stop what else runs, or expect wide intervals"
	case s.CPU.High > slowedNote || s.Wall.High > slowedNote:
		c.Status, c.Advice = "note", "too noisy to tell: ask again when the machine does nothing else"
	}
	return c
}

// changeText is a relative change in words: "+1.2 % (0.8 to 1.9)".
func changeText(c machine.Change) string {
	return finding.FormatInterval(finding.Interval{Estimate: c.Estimate, Low: &c.Low, High: &c.High}, "1", true)
}

// timesText is a change as a factor: "1.02 times (1.00 to 1.05)".
func timesText(c machine.Change) string {
	return fmt.Sprintf("%.2f times (%.2f to %.2f)", 1+c.Estimate, 1+c.Low, 1+c.High)
}

// measureNoise measures a small program against itself in each order, says how small a difference could be seen, and keeps
// that for the plans of runs.
func measureNoise(ctx context.Context, progress io.Writer, to *doctorResult) error {
	for _, order := range config.Orders {
		e, err := noiseExperiment()
		if err != nil {
			return err
		}
		e.Design.Order = order
		doc, err := noiseIn(ctx, progress, e)
		if err != nil {
			return fmt.Errorf("measuring the noise in the order %s: %w", order, err)
		}
		if order == config.Windows {
			to.Noise = selfcheck.Floors(doc)
		}
		if n, ok := selfcheck.NoiseOf(doc, order, atOnce(e, order)); ok {
			to.Orders = append(to.Orders, n)
		}
	}
	return keepNoise(to.Orders)
}

// noiseIn runs an experiment and throws its results away.
func noiseIn(ctx context.Context, progress io.Writer, e *config.Experiment) (_ *finding.Document, err error) {
	dir, err := os.MkdirTemp("", "tracetax-doctor-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the measurement of noise: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	e.ChooseOrder()
	b, err := session.Prepare(ctx, e, filepath.Join(dir, "noise"), sessionOptions(progress, "auto"))
	if err != nil {
		return nil, err
	}
	if err := b.Create(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	history, err := b.Run(ctx)
	if err != nil {
		return nil, err
	}
	return b.Finish(history)
}

// keptNoise is the noise of this machine, as it was last measured.
type keptNoise struct {
	Measured time.Time         `json:"measured"`
	Machine  string            `json:"machine"` // on which; the cache may be another's
	Orders   []selfcheck.Noise `json:"orders"`
}

// noiseFile returns the file of the cache that keeps it.
const noiseFile = "noise.json"

// keepNoise keeps it.
func keepNoise(orders []selfcheck.Noise) error {
	store, err := artifact.Open("")
	if err != nil {
		return err
	}
	text, err := json.Marshal(keptNoise{time.Now().UTC(), thisMachine(), orders})
	if err != nil {
		return fmt.Errorf("keeping the noise of this machine: %w", err)
	}
	whole := filepath.Join(store.Dir(), noiseFile)
	made := fmt.Sprintf("%s.%d", whole, os.Getpid()) // it takes its name when it is whole
	err = os.WriteFile(made, text, 0o644)
	if err == nil {
		err = os.Rename(made, whole)
	}
	if err != nil {
		return fmt.Errorf("keeping the noise of this machine: %w (set %s to another folder)", err, artifact.Variable)
	}
	return nil
}

// noiseHere is the noise of an order as it was measured on this machine, and when; without that, what is usual elsewhere, and
// no time.
func noiseHere(order config.Order) (selfcheck.Noise, time.Time, error) {
	usual := selfcheck.UsualNoise(order)
	text, err := os.ReadFile(filepath.Join(artifact.DefaultDir(), noiseFile))
	if errors.Is(err, fs.ErrNotExist) {
		return usual, time.Time{}, nil
	}
	var kept keptNoise
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil {
		return usual, time.Time{}, fmt.Errorf("reading the noise of this machine: %w; measure it again: tracetax doctor --noise", err)
	}
	for _, n := range kept.Orders {
		if n.Order == order && n.Deviation > 0 && kept.Machine == thisMachine() {
			return n, kept.Measured, nil
		}
	}
	return usual, time.Time{}, nil
}

// thisMachine identifies the machine by the properties that its noise depends on.
func thisMachine() string {
	f := machine.Read()
	return fmt.Sprintf("%s %s, %s, %d CPUs", f.OS, f.Arch, f.CPUModel, f.CPUs)
}

// noiseExperiment is the built-in one on hello/go; where there is no Go to build
// it, the same on the service that tracetax itself brings along.
func noiseExperiment() (*config.Experiment, error) {
	found, err := config.Find(selfcheck.NoiseFloor, BuiltIn())
	if err != nil {
		return nil, fmt.Errorf("finding the experiment %s: %w", selfcheck.NoiseFloor, err)
	}
	if len(artifact.Missing(found[0].Needs())) == 0 {
		return found[0], nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding the tracetax program for its own service: %w", err)
	}
	text := fmt.Sprintf(`workload:
  processes: [{name: hello, run: [%q, agent, hello, --listen, "127.0.0.1:{port}"], ready: "http://127.0.0.1:{port}/healthz", cpus: 1}]
  operations: {json: {request: GET /json, status: 200}}
variants: {none: , again: {tracer: none}}
load: {rate: 1000/s, idle: 100ms, warmup: 200ms, duration: 800ms}
design: {blocks: 12}
`, self)
	found, err = config.ParseExperiment(selfcheck.NoiseFloor+".yaml", ".", []byte(text), BuiltIn())
	if err != nil {
		return nil, err
	}
	return found[0], nil
}
