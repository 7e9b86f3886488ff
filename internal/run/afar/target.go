package afar

// Pods as the target of a conductor.

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/process/output"
	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/usage"
	"github.com/tracetax/tracetax/internal/usage/node"
)

// target hosts the programs of one run in pods.
type target struct {
	harness  *harness
	launcher *process.Launcher
	plan     *config.Plan
	folders  prepare.Folders

	mu   sync.Mutex
	pods []*pod
}

var _ run.Target = (*target)(nil)

// logLimit is the number of bytes of a pod's output that are kept.
const logLimit = 64 << 20

// Start implements run.Target: it asks for a pod, and waits until its program has begun.
func (t *target) Start(ctx context.Context, c process.Command) (run.Process, error) {
	p, err := t.ask(c)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	t.pods = append(t.pods, p)
	t.mu.Unlock()
	select {
	case <-p.begun:
	case <-p.exited: // it may have begun before
	case <-ctx.Done():
		return nil, fmt.Errorf("starting the pod of process %s: %w", c.Name, context.Cause(ctx))
	case <-t.harness.gone:
		return nil, fmt.Errorf("starting the pod of process %s: %w", c.Name, errSilent)
	}
	if failed := p.failure(); failed != "" {
		return nil, fmt.Errorf("starting the pod of process %s: %s", c.Name, failed)
	}
	if t.harness.beside != "" {
		if p.meter, err = dial(ctx, net.JoinHostPort(p.Address(), t.harness.beside), t.harness.token); err != nil {
			return nil, fmt.Errorf("starting the pod of process %s: %w", c.Name, err)
		}
	}
	first, err := p.read(ctx)
	if err != nil {
		return nil, err
	}
	p.started = first.Since
	return p, nil
}

// ask asks for the pod of a command.
func (t *target) ask(c process.Command) (*pod, error) {
	wanted := Pod{Run: filepath.Base(t.launcher.Logs()), Name: c.Name, Role: c.Role, Args: c.Args, Env: c.Env, Dir: c.Dir, CPUs: c.Quota, Memory: c.Memory}
	if c.Container == nil {
		return nil, fmt.Errorf("starting process %s: it has no image, and pods run images", c.Name)
	}
	wanted.Image = c.Container.Image
	for _, m := range c.Container.Mounts {
		switch {
		case m.Dir == t.folders.Tracer:
			wanted.Fetch = t.harness.shelf.fetch(filepath.Base(m.Dir))
		case m.Write:
			wanted.Empty = append(wanted.Empty, m.Dir)
		}
	}
	planned := t.plan.Process(c.Name)
	if planned.Traced {
		wanted.InPods = t.plan.InPods
	}
	wanted.Deployment, wanted.Container = planned.Deployed, planned.Within
	if slices.Contains(c.Args, prepare.OwnCommand) {
		switch {
		case c.Args[0] == prepare.OwnCommand:
			wanted.Own, wanted.Args = true, c.Args[1:]
		case planned.Deployed == "": // the template of a Deployment may have it
			return nil, fmt.Errorf("starting process %s: its tracer goes around the image's own command, which only the node knows: "+
				"write that command behind --, or as run: of the process", c.Name)
		}
	}
	log, err := output.Create(filepath.Join(t.launcher.Logs(), c.Name+".log"), logLimit)
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("making the log of process %s: %w", c.Name, err), log.Close())
	}
	log.Follow(r)
	h := t.harness
	p := &pod{harness: h, meter: h.meter, command: c, log: log, feed: w, begun: make(chan struct{}), exited: make(chan struct{})}
	h.mu.Lock()
	h.last++
	p.id, wanted.ID = h.last, h.last
	h.pods[p.id] = p
	h.mu.Unlock()
	return p, h.talk.Tell(Said{Make: &wanted})
}

// Meter implements run.Target.
func (t *target) Meter(ctx context.Context, all []run.Process) (run.Meter, error) {
	return run.MeterOf(ctx, all)
}

// Accounting implements run.Target.
func (t *target) Accounting() string {
	if t.harness.meter == nil {
		return record.BySidecar
	}
	return t.harness.meter.Source
}

// Reach implements run.Target: pods reach this machine at its own address.
func (t *target) Reach(address string) string {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return net.JoinHostPort(t.harness.options.Address, port)
}

// Close implements run.Target.
func (t *target) Close() error {
	t.mu.Lock()
	pods := slices.Clone(t.pods)
	t.mu.Unlock()
	errs := make([]error, len(pods))
	var all sync.WaitGroup
	for i, p := range pods {
		all.Go(func() {
			_, errs[i] = p.Stop(context.Background(), 0)
			errs[i] = errors.Join(errs[i], p.close())
		})
	}
	all.Wait()
	return errors.Join(append(errs, t.launcher.Close())...)
}

// pod returns the pod of an ID; nil if its run has ended.
func (h *harness) pod(id uint64) *pod {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pods[id]
}

// pod is a program in a pod.
type pod struct {
	elsewhere
	harness *harness
	meter   *node.Client // of its node, or its own
	id      uint64
	command process.Command
	log     *process.Log
	feed    *os.File // what comes over the stream goes through a pipe to the log, which closes its other end
	started time.Time

	begun  chan struct{} // closed when the program has begun, or will not
	exited chan struct{} // closed when it has ended

	mu     sync.Mutex
	failed string
	unmet  []string
	runs   Runs
	exit   process.Exit
	last   node.Reading
}

var (
	_ run.Process = (*pod)(nil)
	_ usage.Afar  = (*pod)(nil)
)

// hear takes in what has become of the pod.
func (p *pod) hear(s State) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.exited:
		return
	default:
	}
	begun := p.runs.Container != "" || p.failed != ""
	switch {
	case s.Failed != "" && !begun:
		p.failed = s.Failed
		close(p.begun)
		close(p.exited) // nothing of it will run
	case s.Runs != nil && !begun:
		p.runs, p.unmet = *s.Runs, s.Unmet
		close(p.begun)
	case s.Ended != nil:
		p.exit = exitOf(*s.Ended)
		p.log.Drain()
		close(p.exited)
	}
}

func exitOf(e Ended) process.Exit {
	const signalled = 128
	exit := process.Exit{Code: e.Code, OutOfMemory: e.OutOfMemory, Why: e.Why, At: time.Now()}
	if e.Code > signalled && e.Code < signalled+65 {
		exit.Code, exit.Signal = -1, syscall.Signal(e.Code-signalled)
	}
	return exit
}

// wrote takes in what the program wrote.
func (p *pod) wrote(text []byte) {
	_, _ = p.feed.Write(text) // it fails when the run has ended, and nobody reads on
}

func (p *pod) failure() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed
}

// close frees what the pod has here.
func (p *pod) close() error {
	p.harness.mu.Lock()
	delete(p.harness.pods, p.id)
	p.harness.mu.Unlock()
	var err error
	if p.meter != nil && p.meter != p.harness.meter {
		err = p.meter.Close()
	}
	return errors.Join(err, p.feed.Close(), p.log.Close())
}

// Name implements run.Process.
func (p *pod) Name() string { return p.command.Name }

// Role implements run.Process.
func (p *pod) Role() role.Role { return p.command.Role }

// Address implements run.Process.
func (p *pod) Address() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.runs.IP
}

// Unmet implements run.Process.
func (p *pod) Unmet() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.unmet
}

// Started implements run.Process: its cgroup was made then.
func (p *pod) Started() time.Time { return p.started }

// Ready implements run.Process.
func (p *pod) Ready(ctx context.Context, c process.Check) (process.Answers, error) {
	begun := time.Now()
	asked, last, err := process.Await(ctx, c, p.log, p.exited)
	switch {
	case err == nil:
		return asked, nil
	case errors.Is(err, process.ErrDied):
		died := p.Died()
		died.While = "waiting for " + c.String()
		return asked, died
	}
	if errors.Is(last, syscall.ECONNREFUSED) {
		last = fmt.Errorf("%w; see that it listens there, and on 0.0.0.0: on loopback it is reached by its own pod alone", last)
	}
	died := p.Died() // for what its log tells
	return asked, &process.NotReadyError{
		Process: p.Name(), Check: c.String(), After: time.Since(begun), Last: last, Log: died.Log, Why: died.Why, Err: err,
	}
}

// endPatience is for a pod to be gone beyond the time that its program has.
const endPatience = 45 * time.Second

// Stop implements run.Process.
func (p *pod) Stop(ctx context.Context, grace time.Duration) (killed bool, err error) {
	select {
	case <-p.exited:
		if p.failure() == "" {
			return false, nil
		}
	default:
	}
	if err := p.harness.talk.Tell(Said{End: &End{p.id, grace}}); err != nil {
		return false, err
	}
	timer := time.NewTimer(grace + endPatience)
	defer timer.Stop()
	select {
	case <-p.exited:
		return p.Died().Exit.Signal == syscall.SIGKILL, nil
	case <-p.harness.gone:
		return false, nil // the Job takes the pod along
	case <-ctx.Done():
		return false, context.Cause(ctx)
	case <-timer.C:
		return false, fmt.Errorf("stopping the pod of process %s: the cluster has not ended it within %v", p.Name(), grace+endPatience)
	}
}

// Done implements run.Process.
func (p *pod) Done() <-chan struct{} { return p.exited }

// Died implements run.Process.
func (p *pod) Died() *process.DiedError {
	p.mu.Lock()
	exit := p.exit
	p.mu.Unlock()
	return process.Died(p.Name(), "", exit, p.log)
}

// Log implements run.Process.
func (p *pod) Log() *process.Log { return p.log }

// newsPatience is for the news of an end, after the program's cgroup is gone.
const newsPatience = 10 * time.Second

// read reads what the pod's program has used. Of one that has ended it is the last reading.
func (p *pod) read(ctx context.Context) (node.Reading, error) {
	p.mu.Lock()
	container, last := p.runs.Container, p.last
	p.mu.Unlock()
	r, err := p.meter.Read(ctx, container)
	if gone := (*node.GoneError)(nil); errors.As(err, &gone) {
		timer := time.NewTimer(newsPatience)
		defer timer.Stop()
		select {
		case <-p.exited:
			if !last.At.IsZero() {
				return last, nil
			}
			return r, p.Died()
		case <-p.harness.gone:
		case <-timer.C:
		}
	}
	if err != nil {
		return r, fmt.Errorf("process %s: %w", p.Name(), err)
	}
	p.mu.Lock()
	p.last = r
	p.mu.Unlock()
	return r, nil
}

// Read implements usage.Afar.
func (p *pod) Read() (readings.Counters, error) {
	r, err := p.read(context.Background())
	return r.Counters(), err
}

// Memory implements usage.Afar.
func (p *pod) Memory() (uint64, error) {
	r, err := p.read(context.Background())
	return r.Memory, err
}
