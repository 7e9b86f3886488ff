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
	"github.com/tracetax/tracetax/internal/excerpt"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/process/inside"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/record"
)

// Order is a profile that is to be taken of one process of a workload.
type Order struct {
	Of       string        // what it is of (record.ForCPU and others)
	Name     string        // of what is started for it, unique in the run: names the log
	PIDs     []int         // that the process consists of
	Interval time.Duration // between two samples of a thread, about
	Folder   string        // for files, of its own
	CPUs     []int         // that profilers may run on
	Log      *process.Log  // of the process
	Packages Packages
	Self     []string // command of this tracetax
	Start    func(context.Context, process.Command) (*process.Process, error)
}

// Packages are the folders of pinned profilers, by name.
type Packages map[string]Package

// Package is where a profiler is, or why it is not there.
type Package struct {
	Folder  string
	Missing error
}

// Recording is a profiler at work.
type Recording struct {
	Profiler string        // with how it works, where that is not as usual
	Interval time.Duration // as it is really taken
	Partial  bool          // some of the CPU that the process uses is in no sample
	stop     func(context.Context) (*profile.Profile, error)
}

// Stop ends the profiler, and reads what it has.
func (r *Recording) Stop(ctx context.Context) (*profile.Profile, error) {
	p, err := r.stop(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Profiler, err)
	}
	return p, nil
}

// starters are the profilers by what runs a program.
var starters = map[inside.Kind]struct {
	profiler string
	start    func(context.Context, Order, target) (*Recording, error)
	sees     []string // besides CPU time
}{
	inside.Go:     {perf, startPerf, nil},
	inside.Native: {perf, startPerf, nil},
	inside.Python: {pySpy, startPySpy, []string{record.ForWall}},
	inside.Node:   {nodeProfiler, startNode, nil},
	inside.Java:   {asyncProfiler, startAsync, []string{record.ForWall, record.ForAlloc}},
}

// ErrNotSeen is why there is no profile of how long threads wait, or of what they allocate.
var ErrNotSeen = errors.New("this profiler does not see it")

// offBeat is the longest time not above d that is a prime number of microseconds: no multiple of it is near a period that people
// choose, such as that of a load. A profiler in step with the load sees the same functions again and again.
func offBeat(d time.Duration) time.Duration {
	return time.Duration(prime(d.Microseconds())) * time.Microsecond
}

// prime is the largest prime number not above n, or 2.
func prime(n int64) int64 {
	for ; n > 2; n-- {
		if big.NewInt(n).ProbablyPrime(0) {
			return n
		}
	}
	return 2
}

// target is what is profiled of a process: the programs of one kind.
type target struct {
	kind inside.Kind
	pids []int
}

// Start starts the profiler that suits the programs of a process, and returns when it takes samples.
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

// targetOf are the programs to profile: shells that wait for others are none, and of several kinds it is the one with an
// interpreter of its own.
func targetOf(pids []int) (target, error) {
	of := map[inside.Kind][]int{}
	for _, pid := range pids {
		if kind := inside.KindOf(pid); kind != inside.Shell && kind != inside.Unseen {
			of[kind] = append(of[kind], pid)
		}
	}
	for _, kind := range []inside.Kind{inside.Python, inside.Java, inside.Node, inside.DotNet, inside.Go, inside.Native} {
		if len(of[kind]) > 0 {
			return target{kind, of[kind]}, nil
		}
	}
	return target{}, errors.New("none of its programs can be looked into")
}

// Bounds of what a profiler may take; variables for tests.
var (
	startPatience = 20 * time.Second // until it takes samples
	stopPatience  = 30 * time.Second // until it has written what it has
)

// ended is how a profiler ended that should have been at work, with the last line that it wrote.
func ended(p *process.Process) error {
	return fmt.Errorf("it ended (%s)%s", p.Exit(), said(p))
}

// said is the last line that a profiler wrote.
func said(p *process.Process) string {
	for _, line := range slices.Backward(p.Log().Tail(10)) {
		if line = strings.TrimSpace(excerpt.WithoutEscapes(line)); line != "" {
			return "; its last line: " + excerpt.Line(line)
		}
	}
	return "; it wrote nothing"
}

// finish asks a profiler to end by doing something, and waits until it has; one that does not is killed.
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

// interrupt asks a program to end, as its user would.
func interrupt(p *process.Process) func() error {
	return func() error { return syscall.Kill(p.PID(), syscall.SIGINT) }
}

// Pin is a profiler that is fetched, for programs in a language.
type Pin struct {
	Name, Language string
	Artifact       program.Artifact // in the folder of its name
}

// Pins are all of them. Others are of the machine.
var Pins = []Pin{
	{Name: pySpy, Language: "python", Artifact: program.Artifact{Python: "requirements.txt"}},
	{Name: asyncProfiler, Language: "java", Artifact: program.Artifact{Maven: "maven.lock"}},
}

// folder is where a pinned profiler is.
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
