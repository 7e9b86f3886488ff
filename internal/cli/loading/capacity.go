package loading

// This file is load --capacity: the generator and a little server of its own as
// processes, on different CPUs where there are enough.

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/excerpt"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/role"
	"golang.org/x/term"
)

// capacityStretch is how long each stretch of load is by default.
const capacityStretch = time.Second

// capacityConnections are tried, unless --connections says which.
var capacityConnections = []int{1, 8, 64, 512}

// graceOfAgents is how long the processes may take to end.
const graceOfAgents = 5 * time.Second

// NewAnswer is the little server as a process that load --capacity starts.
func NewAnswer(s console.Streams) *cobra.Command {
	threads := 1
	c := &cobra.Command{
		Use:  "answer",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			unshareThreads(threads)
			return load.Answer(c.Context(), threads, s.In, s.Out)
		},
	}
	c.Flags().IntVar(&threads, "threads", 1, "event loops")
	return c
}

func runCapacity(c *cobra.Command, s console.Streams, o options, args []string) error {
	plan, places, err := o.capacityPlan(c, args)
	if err != nil {
		return console.UsageError(err)
	}
	bench := capacityBench{places: places, plan: plan}
	result, err := bench.run(c.Context(), s.Err)
	if err != nil && len(result.Closed) == 0 {
		return err
	}
	return errors.Join(err, showCapacity(s.Out, result, bench.server == nil, o.asJSON))
}

// capacityPlan is what the flags ask for.
func (o *options) capacityPlan(c *cobra.Command, args []string) (load.CapacityPlan, process.Placement, error) {
	given := c.Flags().Changed
	for _, name := range []string{"rate", "count", "warmup"} {
		if given(name) {
			return load.CapacityPlan{}, process.Placement{}, fmt.Errorf("--%s has no use with --capacity, which tries rates and connections itself", name)
		}
	}
	own := len(args) == 0
	target := "http://127.0.0.1:1/" // the little server's address comes when it is started
	if !own {
		target = args[0]
	}
	task, err := o.task(c.Context(), target)
	if err != nil {
		return load.CapacityPlan{}, process.Placement{}, err
	}
	places := process.Places(float64(runtime.NumCPU() / 2))
	p := load.CapacityPlan{
		Task: task, Connections: capacityConnections, Stretch: capacityStretch,
		GeneratorCPUs: max(len(places.Harness), 1), ServerCPUs: max(len(places.App), 1), Shared: places.Shared,
	}
	if !own {
		p.GeneratorCPUs, p.ServerCPUs, p.Shared, places = runtime.NumCPU(), 0, false, process.Placement{}
	}
	most := p.GeneratorCPUs
	if given("threads") {
		most = o.threads
	}
	for n := 1; n < most; n *= 2 {
		p.Threads = append(p.Threads, n)
	}
	p.Threads = append(p.Threads, most)
	if given("connections") {
		p.Connections = []int{o.connections}
	}
	if given("duration") {
		p.Stretch = o.duration
	}
	return p, places, nil
}

// capacityBench holds the processes of a measurement.
type capacityBench struct {
	plan      load.CapacityPlan
	places    process.Placement
	launcher  *process.Launcher
	generator *process.Process
	remote    *load.Remote
	server    *process.Process // nil: the server is somebody else's
}

func (b *capacityBench) run(ctx context.Context, progress io.Writer) (result load.Capacity, err error) {
	logs, err := os.MkdirTemp("", "tracetax-capacity-")
	if err != nil {
		return result, fmt.Errorf("making a folder for logs: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(logs)) }()
	b.launcher, err = process.NewLauncher(process.Options{Name: "capacity", LogDir: logs, Accounting: process.AccountingClock})
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, b.launcher.Close()) }()
	if err := b.start(ctx); err != nil {
		return result, err
	}
	with := load.Instruments{
		Do:        b.remote.Do,
		Generator: func() (load.Threads, error) { return load.ReadCPU(b.generator.PID()) },
		Progress:  capacityProgress(progress),
	}
	if b.server != nil {
		with.Server = func() (load.Threads, error) { return load.ReadCPU(b.server.PID()) }
	}
	result, err = load.MeasureCapacity(ctx, b.plan, with)
	with.Progress("")
	return result, errors.Join(err, b.stop(ctx))
}

// start starts the little server, unless there is a URL, and the generator.
func (b *capacityBench) start(ctx context.Context) error {
	var err error
	if b.plan.ServerCPUs > 0 {
		if b.server, err = b.agent(ctx, "answer", b.places.App, "--threads", fmt.Sprint(b.plan.ServerCPUs)); err != nil {
			return err
		}
		var at load.Answering
		line, err := bufio.NewReader(b.server.Stdout()).ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, &at)
		}
		if err != nil {
			return fmt.Errorf("starting the little server: %w%s", err, lastWords(b.server))
		}
		b.plan.Task.Operations[0].Address, b.plan.Task.Operations[0].Host = at.Address, at.Address
	}
	if b.generator, err = b.agent(ctx, "load", b.places.Harness); err != nil {
		return err
	}
	if b.remote, err = load.NewRemote(b.generator.Stdin(), b.generator.Stdout()); err != nil {
		return fmt.Errorf("starting the load generator: %w%s", err, lastWords(b.generator))
	}
	return nil
}

func (b *capacityBench) agent(ctx context.Context, name string, cpus []int, flags ...string) (*process.Process, error) {
	p, err := b.launcher.Start(ctx, process.Command{
		Name: "tracetax-" + name, Role: role.Role(name), CPUs: cpus, Piped: true,
		Args: slices.Concat(b.launcher.Self(), []string{"agent", name}, flags),
	})
	if err != nil {
		return nil, fmt.Errorf("starting 'tracetax agent %s': %w", name, err)
	}
	return p, nil
}

// stop ends the processes; the launcher ends what does not.
func (b *capacityBench) stop(ctx context.Context) error {
	err := b.remote.Close()
	for _, p := range []*process.Process{b.generator, b.server} {
		if p == nil {
			continue
		}
		_, stopErr := p.Stop(context.WithoutCancel(ctx), graceOfAgents)
		err = errors.Join(err, stopErr)
	}
	return err
}

func lastWords(p *process.Process) string {
	tail := p.Log().Tail(5)
	if len(tail) == 0 {
		return ""
	}
	return "; its last words: " + excerpt.Lines(tail, " | ")
}

// capacityProgress shows on a terminal what is being done; elsewhere nothing.
func capacityProgress(w io.Writer) func(string) {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return func(string) {}
	}
	return func(what string) { fmt.Fprintf(w, "\r\033[K%s", what) }
}
