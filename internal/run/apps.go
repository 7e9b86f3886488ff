package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/traceparent"
)

// Time for a process to end when asked to; variables for tests.
var (
	grace = 15 * time.Second
	deaf  = time.Second // for one that did not end in an earlier run: it can still flush at once
)

// startApps starts the workload's processes, level by level (prepare.Levels), and the readings of their use. The death of any
// of them cancels the run.
func (s *stage) startApps(ctx context.Context) error {
	if err := prepare.FreePorts(s.request.Plan); err != nil {
		return err
	}
	if err := s.fillIn(); err != nil {
		return err
	}
	if err := s.makeSpanFolders(); err != nil {
		return err
	}
	s.record.Start.Beside = s.turn.beside()
	all := s.agents.processes()
	for _, agent := range all {
		go s.endWith(ctx, agent)
	}
	if err := s.watchStart(); err != nil {
		return err
	}
	s.levels, s.readyAt = prepare.Levels(s.request.Plan), map[string]time.Time{}
	for _, level := range s.levels {
		if err := s.startLevel(ctx, level); err != nil {
			return err
		}
	}
	s.record.Start.ReadySeconds = s.startup().Seconds()
	if err := s.lookWhoAnswers(); err != nil {
		s.name = "ready"
		return err
	}
	s.sampled = time.Now()
	var err error
	s.meter, err = s.target.Meter(ctx, append(all, s.apps...))
	return err
}

// startLevel starts processes at the same time, and returns when all are ready. The first failure ends the start of the others,
// and is the one returned.
func (s *stage) startLevel(ctx context.Context, level []program.Process) error {
	starts := make([]started, len(level))
	within, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	var all sync.WaitGroup
	for i, p := range level {
		all.Go(func() {
			if starts[i] = s.start(within, p); starts[i].err != nil {
				fail(starts[i].err)
				return
			}
			go s.endWith(ctx, starts[i].process)
		})
	}
	all.Wait()
	var failed error
	for i, one := range starts {
		if one.process != nil {
			s.apps, s.readyAt[level[i].Name] = append(s.apps, one.process), one.ready
			s.record.Harness.Unmet = append(s.record.Harness.Unmet, one.process.Unmet()...)
		}
		if !level[i].Brought() && !slices.Contains(s.request.Plan.Route(), level[i].Name) {
			s.record.Start.Probes += one.asked.All
			s.record.Start.FailedProbes += one.asked.Failed
		}
		if one.err != nil && (failed == nil || one.err == context.Cause(within)) {
			failed, s.name = one.err, one.doing
		}
	}
	place := func(p Process) int {
		return slices.IndexFunc(s.request.Plan.Processes, func(one program.Process) bool { return one.Name == p.Name() })
	}
	slices.SortFunc(s.apps, func(a, b Process) int { return place(a) - place(b) }) // as in the plan
	if died := (*process.DiedError)(nil); errors.As(failed, &died) {               // others may end because of it, and be reported first
		first := s.diedFirst(died)
		return of(first.Process, first)
	}
	return failed
}

// started is a started process, or the error of its start.
type started struct {
	process Process         // nil: it never ran
	asked   process.Answers // its readiness requests
	doing   string          // the failed step, in words
	ready   time.Time
	err     error
}

// start starts a process, and waits until it is ready.
func (s *stage) start(ctx context.Context, p program.Process) started {
	out := started{doing: "start"}
	values := s.valuesFor(p)
	err := s.ports.WritePeers(p, values)
	if err == nil {
		err = prepare.Templates(p.Templates, values, values["templates"])
	}
	if err != nil {
		out.err = of(p.Name, fmt.Errorf("process %s: %w", p.Name, err))
		return out
	}
	if out.process, err = s.startApp(ctx, p, values); err == nil {
		out.doing = "ready"
		out.asked, err = s.ready(ctx, p, out.process, values)
		out.ready = time.Now()
	}
	if err != nil {
		out.err = of(p.Name, err)
	}
	return out
}

// startup returns how long the app, with its sidecars, took from the first start until all were ready; a database is not
// included.
func (s *stage) startup() time.Duration {
	var first, last, firstOfAll, lastOfAll time.Time
	span := func(first, last *time.Time, p Process) {
		if began := p.Started(); first.IsZero() || began.Before(*first) {
			*first = began
		}
		if ready := s.readyAt[p.Name()]; ready.After(*last) {
			*last = ready
		}
	}
	for i, p := range s.apps {
		span(&firstOfAll, &lastOfAll, p)
		if planned := s.request.Plan.Processes[i]; planned.Role == role.App || planned.Placed.Of != "" {
			span(&first, &last, p)
		}
	}
	if first.IsZero() {
		first, last = firstOfAll, lastOfAll
	}
	return last.Sub(first)
}

// endWith ends the run if a process ends without an order.
func (s *stage) endWith(ctx context.Context, p Process) {
	select {
	case <-p.Done():
		if !s.ending.Load() {
			s.end(p.Died())
		}
	case <-ctx.Done():
	}
}

func (s *stage) startApp(ctx context.Context, p program.Process, values map[string]string) (Process, error) {
	in := enclosure{folders: s.request.Folders, scratch: s.scratch, memory: s.memory}
	if s.request.Profile.Any() || s.request.Cold != "" {
		in.profilers = s.packages
	}
	args, err := expandAll(in.command(p), values)
	if err != nil {
		return nil, fmt.Errorf("process %s: %w", p.Name, err)
	}
	env, err := prepare.Environment(in.shell(p, s.shell), p, values)
	if err != nil {
		return nil, fmt.Errorf("process %s: %w", p.Name, err)
	}
	if b := s.beginnings[p.Name]; b != nil {
		env = b.Environment(env)
	}
	dir, err := program.Expand(p.Dir, values)
	if err != nil {
		return nil, fmt.Errorf("process %s: %w", p.Name, err)
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.request.Folders.Source, dir)
	}
	cpus, quota := s.cpusFor(p)
	return s.target.Start(ctx, in.contain(p, process.Command{
		Name: p.Name, Role: p.Role, Args: args, Env: env, Dir: dir, CPUs: cpus, Quota: quota, Memory: p.Memory,
	}, values))
}

// ready waits until a process is ready.
func (s *stage) ready(ctx context.Context, p program.Process, that Process, values map[string]string) (process.Answers, error) {
	check, err := s.checkOf(p, that, values)
	if err != nil {
		return process.Answers{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.Patience)
	defer cancel()
	check.Header = s.besideOperations()
	return that.Ready(ctx, check)
}

// besideOperations returns what gives a header to a request that is no operation, by which its spans are not taken for other work; nil
// where programs choose the ids of traces.
func (s *stage) besideOperations() func() (name, value string) {
	ids := s.traces()
	if ids == nil {
		return nil
	}
	return func() (name, value string) {
		asked := s.asked.Add(1)
		return traceparent.Header, ids.Key.Value(traceparent.Readiness+asked, 0, ids.IsSampled(asked))
	}
}

// checkOf returns the readiness check of a process.
func (s *stage) checkOf(p program.Process, that Process, values map[string]string) (process.Check, error) {
	text, err := program.Expand(p.Ready, values)
	if err != nil {
		return process.Check{}, fmt.Errorf("process %s: ready: %w", p.Name, err)
	}
	if text == "" {
		if p.Brought() && !slices.Contains(p.Words(), "port") {
			return process.Check{}, nil
		}
		if text = s.askedAt(p); text == "" {
			text = "tcp://" + net.JoinHostPort(s.host(that), values["port"])
		}
	}
	check, err := process.ParseCheck(process.Reached(text, that.Address()))
	if err != nil {
		return check, fmt.Errorf("process %s: ready: %w", p.Name, err)
	}
	return check, nil
}

// askedAt returns a check of the address in a process's operations, if no text gives its port; "" otherwise.
func (s *stage) askedAt(p program.Process) string {
	plan := s.request.Plan
	if p.Role != role.App || slices.ContainsFunc(plan.Processes, func(other program.Process) bool { return slices.Contains(other.Words(), p.Name+".port") }) || slices.Contains(p.Words(), "port") {
		return ""
	}
	for _, o := range plan.Operations {
		if at, err := url.Parse(o.URL); err == nil && at.Port() != "" && o.Owner(plan.Processes).Name == p.Name {
			return "tcp://" + at.Host
		}
	}
	return ""
}

// fillIn chooses the ports and gathers the values of placeholders.
func (s *stage) fillIn() error {
	f := s.request.Folders
	s.values = s.agents.sink.Addresses().Values()
	maps.Copy(s.values, map[string]string{
		"dir": f.Source, "build": f.Build, "workload": f.Workload, "tracer": f.Tracer,
		"tmp": s.scratch, "memory": s.memory,
		"templates": filepath.Join(s.scratch, "templates"), "tracetax": strings.Join(s.launcher.Self(), " "),
	})
	var err error
	if s.ports, err = prepare.GivePorts(s.request.Plan.Processes); err != nil {
		return err
	}
	s.ports.Seen(s.values)
	s.values["packets"] = s.ports.Filter()
	s.exporting = prepare.Exports(s.request.Plan)
	return s.layRoute()
}

func expandAll(texts []string, values map[string]string) ([]string, error) {
	out := make([]string, len(texts))
	for i, text := range texts {
		expanded, err := program.Expand(text, values)
		if err != nil {
			return nil, err
		}
		out[i] = expanded
	}
	return out, nil
}

// cpusFor returns the CPUs that a process is bound to, and its quota; 0 is none.
func (s *stage) cpusFor(p program.Process) (cpus []int, quota float64) {
	cpus = s.placement.Harness
	if p.Role.OnApp() {
		cpus = s.placement.App
	}
	if len(cpus) > 0 && float64(len(cpus)) <= p.CPUs {
		return cpus, 0 // pinned to no more than it may use: a quota would only add throttling
	}
	return cpus, p.CPUs
}

// limitOf returns the number of CPUs that a process may use: its quota, or those it is bound to.
func (s *stage) limitOf(p program.Process) float64 {
	cpus, quota := s.cpusFor(p)
	if quota > 0 {
		return quota
	}
	return count(cpus)
}

// count returns the number of these CPUs; if processes are not bound, that of the machine.
func count(cpus []int) float64 {
	if len(cpus) == 0 {
		return float64(runtime.NumCPU())
	}
	return float64(len(cpus))
}

// appLimit returns the number of CPUs that all app processes may use together, without those of sidecars. These are charged to
// the app's CPUs: a tracer gains nothing by moving its cost to a sidecar, with or without a quota.
func (s *stage) appLimit() float64 {
	sum := 0.0
	for _, p := range s.request.Plan.Processes {
		if p.Role == role.App {
			sum += s.limitOf(p)
		}
	}
	return min(sum, count(s.placement.App))
}

// AppCPUs returns the number of CPUs that the processes under test may use together, once they have been placed.
func (c *Conductor) AppCPUs() float64 { return count(c.placement.App) }

// planned returns the planned process of a name; the harness's own are not planned.
func (s *stage) planned(name string) (p program.Process, known bool) {
	for _, p := range s.request.Plan.Processes {
		if p.Name == name {
			return p, true
		}
	}
	return program.Process{}, false
}

// utilisation returns the CPU time of the processes on the app's CPUs in this many seconds, as a share of the CPU that the app
// may use.
func (s *stage) utilisation(used []record.Usage, seconds float64) float64 {
	cpu := 0.0
	for _, u := range used {
		if u.Role.OnApp() {
			cpu += u.CPUSeconds
		}
	}
	if limit := s.appLimit(); limit > 0 && seconds > 0 {
		return cpu / seconds / limit
	}
	return 0
}

// secondsOf returns the time that a usage covers: the longest of all, as they are read at nearly the same moments.
func secondsOf(used []record.Usage) float64 {
	seconds := 0.0
	for _, u := range used {
		seconds = max(seconds, u.Seconds)
	}
	return seconds
}

// The values of placeholders in the texts of processes and in requests to them, and the addresses of the workload's processes.

// valuesFor returns the values of placeholders in the texts of a process.
func (s *stage) valuesFor(p program.Process) map[string]string {
	values := maps.Clone(s.values)
	s.ports.Inside(p, values)
	values["templates"] = filepath.Join(values["templates"], p.Name)
	s.hopValues(p, values)
	return s.withFolders(values, p)
}

// asking returns the values of placeholders in a request to a process.
func (s *stage) asking(p program.Process) map[string]string {
	values := maps.Clone(s.values)
	s.ports.Asking(p, values)
	return s.withFolders(values, p)
}

// withFolders adds the folders that differ between processes.
func (s *stage) withFolders(values map[string]string, p program.Process) map[string]string {
	folders := s.request.Folders
	if p.Service != nil {
		values["service"] = folders.Service[p.Name]
	}
	if folders.Plain != "" && !p.Traced {
		values["build"] = folders.Plain
	}
	if built, own := folders.Built[p.Name]; own {
		values["build"] = built
	}
	return values
}

// hopValues fills in the configuration of a process that is a hop, and the addresses to which it passes spans on.
func (s *stage) hopValues(p program.Process, values map[string]string) {
	if config, own := s.values[p.Name+".config"]; own {
		values["config"] = config
	}
	if slices.Contains(s.request.Plan.Via, p.Name) {
		s.direct(values, s.received[s.request.Plan.Next(p.Name)])
		values[protocol.CopiesGRPC], values[protocol.CopiesHTTP] = s.received[""][protocol.OTLPGRPC], s.received[""][protocol.OTLPHTTP]
	}
}

// direct replaces the sink's addresses by others, except for protocols that the receiver of spans does not speak: other signals
// may use them.
func (s *stage) direct(values map[string]string, to protocol.Addresses) {
	maps.Copy(values, s.received[""].Values())
	maps.Copy(values, to.Values())
}

// app returns the process of a name; nil if the workload has started none.
func (s *stage) app(name string) Process {
	for _, app := range s.apps {
		if app.Name() == name {
			return app
		}
	}
	return nil
}

// address returns the HOST:PORT at which a process of the workload listens.
func (s *stage) address(name string) string {
	return net.JoinHostPort(s.host(s.app(name)), s.ports.Of(name))
}

// front returns the HOST:PORT at which a process of the workload is asked: its own, or that of a proxy before it.
func (s *stage) front(name string) string {
	return net.JoinHostPort(s.host(s.app(name)), s.ports.Asked(name))
}

// host returns the address of this machine at which a process listens.
func (s *stage) host(p Process) string {
	planned, _ := s.planned(p.Name())
	return cmp.Or(planned.Host, p.Address())
}
