// Package profiler owns the profilers of a run: which one takes the samples of a program, how it is started beside it and
// told to end, and how what it leaves is read. It must not know phases, nor what a sample is of.
package profiler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/process/inspect"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/quote"
	"github.com/tracetax/tracetax/internal/record"
)

// Order describes a profile to take of one process of a workload.
type Order struct {
	Of       string        // record.ForCPU and others
	Name     string        // of the profiler's process, unique in the run: names the log
	PIDs     []int         // of the process
	Interval time.Duration // between two samples of a thread, roughly
	Folder   string        // for files, of its own
	CPUs     []int         // that profilers may run on
	Log      *process.Log  // of the process
	Packages Packages
	Self     []string // command of this tracetax
	Start    func(context.Context, process.Command) (*process.Process, error)
}

// Packages are the folders of pinned profilers, by name.
type Packages map[string]Package

// Package is the place of a profiler, or the reason why it is missing.
type Package struct {
	Folder  string
	Missing error
}

// Recording is a profiler at work.
type Recording struct {
	Profiler string        // with its mode, if that is unusual
	Interval time.Duration // the real one
	Partial  bool          // some CPU time of the process is in no sample
	stop     func(context.Context) (*profile.Profile, error)
}

// Stop ends the profiler, and returns its samples.
func (r *Recording) Stop(ctx context.Context) (*profile.Profile, error) {
	p, err := r.stop(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Profiler, err)
	}
	return p, nil
}

// starters are the profilers by the kind of a program.
var starters = map[inspect.Kind]struct {
	profiler string
	start    func(context.Context, Order, target) (*Recording, error)
	sees     []string // besides CPU time
}{
	inspect.Go:     {perf, startPerf, nil},
	inspect.Native: {perf, startPerf, nil},
	inspect.Python: {pySpy, startPySpy, []string{record.ForWall}},
	inspect.Node:   {nodeProfiler, startNode, nil},
	inspect.Java:   {asyncProfiler, startAsync, []string{record.ForWall, record.ForAlloc}},
}

// ErrNotSeen is the error of a profiler that does not see waiting threads, or allocations.
var ErrNotSeen = errors.New("this profiler does not see it")

// offBeat returns the longest time not above d that is a prime number of microseconds: no multiple of it is near a period that
// people choose, such as that of a load. A profiler in step with the load sees the same functions again and again.
func offBeat(d time.Duration) time.Duration {
	return time.Duration(prime(d.Microseconds())) * time.Microsecond
}

// prime returns the largest prime number not above n, or 2.
func prime(n int64) int64 {
	for ; n > 2; n-- {
		if big.NewInt(n).ProbablyPrime(0) {
			return n
		}
	}
	return 2
}

// target is the profiled part of a process: its programs of one kind.
type target struct {
	kind inspect.Kind
	pids []int
}

// Start starts the profiler for the programs of a process, and returns when it takes samples.
func Start(ctx context.Context, o Order) (*Recording, error) {
	t, err := targetOf(o.PIDs)
	if err != nil {
		return nil, err
	}
	by, known := starters[t.kind]
	if !known {
		return nil, fmt.Errorf("no profiler for %s yet", t.kind)
	}
	if o.Of != record.ForCPU && !slices.Contains(by.sees, o.Of) {
		return nil, fmt.Errorf("%s, of %s: %w", by.profiler, o.Of, ErrNotSeen)
	}
	if err := os.MkdirAll(o.Folder, 0o755); err != nil {
		return nil, fmt.Errorf("making a folder for %s: %w", by.profiler, err)
	}
	r, err := by.start(ctx, o, t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", by.profiler, err)
	}
	r.Profiler = cmp.Or(r.Profiler, by.profiler)
	return r, nil
}

// targetOf returns the programs to profile: no shells that wait for others, and of several kinds the one with an interpreter of
// its own.
func targetOf(pids []int) (target, error) {
	of := map[inspect.Kind][]int{}
	for _, pid := range pids {
		if kind := inspect.KindOf(pid); kind != inspect.Shell && kind != inspect.Unseen {
			of[kind] = append(of[kind], pid)
		}
	}
	for _, kind := range []inspect.Kind{inspect.Python, inspect.Java, inspect.Node, inspect.DotNet, inspect.Go, inspect.Native} {
		if len(of[kind]) > 0 {
			return target{kind, of[kind]}, nil
		}
	}
	return target{}, errors.New("none of its programs can be looked into")
}

// Time limits of a profiler; variables for tests.
var (
	startPatience = 20 * time.Second // until it takes samples
	stopPatience  = 30 * time.Second // until it has written its samples
)

// ended returns the error of a profiler that ended too early, with the last line that it wrote.
func ended(p *process.Process) error {
	return fmt.Errorf("it ended (%s)%s", p.Exit(), said(p))
}

// said returns the last line that a profiler wrote.
func said(p *process.Process) string {
	for _, line := range slices.Backward(p.Log().Tail(10)) {
		if line = strings.TrimSpace(quote.WithoutEscapes(line)); line != "" {
			return "; its last line: " + quote.Line(line)
		}
	}
	return "; it wrote nothing"
}

// finish asks a profiler to end, by ask, and waits for its end; it kills one that does not end.
func finish(ctx context.Context, p *process.Process, ask func() error) error {
	select {
	case <-p.Done(): // it has died meanwhile
		return ended(p)
	default:
	}
	if err := ask(); err != nil {
		_, stopErr := p.Stop(ctx, 0)
		return errors.Join(fmt.Errorf("asking it to end: %w%s", err, said(p)), stopErr)
	}
	patience, cancel := context.WithTimeout(ctx, stopPatience)
	defer cancel()
	select {
	case <-p.Done():
	case <-patience.Done():
		_, err := p.Stop(ctx, 0)
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), err)
		}
		return errors.Join(fmt.Errorf("it had not ended %v after it was asked to%s", stopPatience, said(p)), err)
	}
	if e := p.Exit(); e.Code != 0 || e.Signal != 0 || e.Lost {
		return ended(p)
	}
	return nil
}

// interrupt returns a function that asks a program to end, as its user would.
func interrupt(p *process.Process) func() error {
	return func() error { return syscall.Kill(p.PID(), syscall.SIGINT) }
}

// Pin is a profiler to fetch, for programs in a language.
type Pin struct {
	Name, Language string
	Artifact       program.Artifact // in the folder of its name
}

// Pins lists the fetched profilers. Others come with the machine.
var Pins = []Pin{
	{Name: pySpy, Language: "python", Artifact: program.Artifact{Python: "requirements.txt"}},
	{Name: asyncProfiler, Language: "java", Artifact: program.Artifact{Maven: "maven.lock"}},
}

// folder returns the folder of a pinned profiler.
func (p Packages) folder(name string) (string, error) {
	switch at := p[name]; {
	case at.Missing != nil:
		return "", at.Missing
	case at.Folder == "":
		return "", errors.New("it was not fetched, as no tracer of the experiment is of its language")
	default:
		return at.Folder, nil
	}
}
