// The checks of doctor that measure: what CPUs do to each other, and how far a
// program lies from itself.

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
	"time"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/machine"
	"github.com/tracetax/tracetax/internal/noise"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/selfcheck"
	"github.com/tracetax/tracetax/internal/session"
)

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
	all, err := noise.Measure(ctx, noise.Options{CPU: place.App[0], Other: place.Harness[len(place.Harness)-1]})
	if errors.Is(err, noise.ErrUnsupported) {
		return nil, nil
	}
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
func interference(s noise.Slowdown, place process.Placement) check {
	c := check{Name: "CPU " + fmt.Sprint(place.App[0]) + ", " + s.Work, Status: "ok"}
	c.Says = fmt.Sprintf("beside work on CPU %d it costs %s CPU time and takes %s as long",
		place.Harness[len(place.Harness)-1], changeText(s.CPU), timesText(s.Wall))
	switch {
	case s.CPU.Low > slowedBad:
		c.Status = "bad"
		c.Advice = "a tracer that works on another CPU will seem to slow the program itself: use a machine where each CPU is a core of its own"
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
func changeText(c noise.Change) string {
	return finding.FormatInterval(finding.Interval{Estimate: c.Estimate, Low: &c.Low, High: &c.High}, "1", true)
}

// timesText is a change as a factor: "1.02 times (1.00 to 1.05)".
func timesText(c noise.Change) string {
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
		if n, ok := selfcheck.NoiseOf(doc, order, e.Load.Duration); ok {
			to.Orders = append(to.Orders, n)
		}
	}
	return keepNoise(to.Orders)
}

// noiseIn makes an experiment whose results nobody needs.
func noiseIn(ctx context.Context, progress io.Writer, e *config.Experiment) (_ *finding.Document, err error) {
	dir, err := os.MkdirTemp("", "tracetax-doctor-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the measurement of noise: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	e.Settle()
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

// noiseFile is where it is kept, in the cache.
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

// thisMachine is what its noise hangs on.
func thisMachine() string {
	f := machine.Read()
	return fmt.Sprintf("%s %s, %s, %d CPUs", f.OS, f.Arch, f.CPUModel, f.CPUs)
}

// noiseExperiment is the built-in one on hello/go; where there is no Go to build
// it, the same on the service that tracetax itself brings along.
func noiseExperiment() (*config.Experiment, error) {
	found, err := config.Find(selfcheck.NoiseFloor, builtIn())
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
	found, err = config.ParseExperiment(selfcheck.NoiseFloor+".yaml", ".", []byte(text), builtIn())
	if err != nil {
		return nil, err
	}
	return found[0], nil
}
