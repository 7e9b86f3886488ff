// The processes of the harness itself, the sink and the load generator, and the maker of the operations: the generator, or a
// self-driving workload.

package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/quote"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run/drive"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/sink"
	"github.com/tracetax/tracetax/internal/traceparent"
)

// agents are the harness's own processes: started like the app's, on the harness's CPUs, with their use charged to their own
// roles.
type agents struct {
	sinkProcess, loadProcess *process.Process
	sink                     *sink.Remote
}

// processes lists the started agents.
func (a agents) processes() []Process {
	out := []Process{local{a.sinkProcess}}
	if a.loadProcess != nil {
		out = append(out, local{a.loadProcess})
	}
	return out
}

// startAgents starts the sink and the load generator, or connects with those on other machines.
func (s *stage) startAgents(ctx context.Context) error {
	s.record.Harness.Placement = s.launcher.Placement()
	if s.placement.Shared {
		s.record.Harness.Placement = "none"
	}
	flags := append([]string{"agent", "sink"}, s.sinkFlags()...)
	if s.keptName() != "" {
		file, err := s.keptFile()
		if err != nil {
			return err
		}
		flags = append(flags, "--keep", file)
	}
	var err error
	if s.agents.sinkProcess, err = s.agent(ctx, role.Sink, flags...); err != nil {
		return err
	}
	if s.agents.sink, err = sink.NewRemote(s.agents.sinkProcess.Stdin(), s.agents.sinkProcess.Stdout()); err != nil {
		return fmt.Errorf("starting the sink: %w%s", err, said(s.agents.sinkProcess))
	}
	s.receiver = theSink{s.agents}
	if !s.by().Generator {
		return s.drive(nil)
	}
	if s.generators != nil {
		all, err := s.generators(ctx)
		if err != nil {
			return err
		}
		s.record.Harness.Generators = len(all)
		return s.drive(all)
	}
	if s.agents.loadProcess, err = s.agent(ctx, role.Load, "agent", "load"); err != nil {
		return err
	}
	remote, err := load.NewRemote(s.agents.loadProcess.Stdin(), s.agents.loadProcess.Stdout())
	if err != nil {
		return fmt.Errorf("starting the load generator: %w%s", err, said(s.agents.loadProcess))
	}
	return s.drive(remote)
}

// sinkFlags returns the sink's arguments: the protocols to serve, those that the plan's texts name and OTLP, and the faults to
// inject.
func (s *stage) sinkFlags() []string {
	flags := []string{fmt.Sprintf("--checking=%t", s.request.Checking)}
	if ids := s.traces(); ids != nil {
		flags = append(flags, "--chosen", strconv.FormatUint(uint64(ids.Key), 10))
	}
	named := prepare.Protocols(s.request.Plan)
	for _, r := range protocol.Table {
		if r.Folder && slices.Contains(named, r.Name) {
			flags = append(flags, "--"+string(r.Name), filepath.Join(s.memory, string(r.Name)))
			continue
		}
		if r.Always || slices.Contains(named, r.Name) {
			flags = append(flags, "--"+string(r.Name), s.target.Reach(net.JoinHostPort(loopback, "0")))
		}
	}
	if lose := s.request.Faults.SinkLoses; lose > 0 {
		flags = append(flags, "--lose", strconv.FormatFloat(lose, 'g', -1, 64))
	}
	if late := s.request.Faults.SinkLate; late > 0 {
		flags = append(flags, "--late", late.String())
	}
	if gone := s.request.Faults.SinkGone; gone != "" {
		flags = append(flags, "--gone", gone)
	}
	return flags
}

// keptName is the name of the file of the run's spans within the results folder; "" if they are not kept.
func (s *stage) keptName() string {
	if s.request.KeepTraces == 0 {
		return ""
	}
	return path.Join(record.TracesFolder, fmt.Sprintf("%s-%d.jsonl", s.record.Variant, s.request.KeepTraces))
}

// keptFile makes room for the file of the run's spans, and returns its path. What an earlier attempt left there goes.
func (s *stage) keptFile() (string, error) {
	file := filepath.Join(s.results, filepath.FromSlash(s.keptName()))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", fmt.Errorf("keeping traces: %w", err)
	}
	if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("keeping traces: %w", err)
	}
	return file, nil
}

func (s *stage) agent(ctx context.Context, of role.Role, args ...string) (*process.Process, error) {
	p, err := s.launcher.Start(ctx, process.Command{
		Name: "tracetax-" + string(of), Role: of, Args: append(s.launcher.Self(), args...), CPUs: s.placement.Harness, Env: agentEnvironment(), Piped: true,
	})
	if err != nil {
		return nil, fmt.Errorf("starting the %s: %w", of, err)
	}
	return p, nil
}

// stopSink ends the sink.
func (s *stage) stopSink(ctx context.Context) error {
	err := s.agents.sink.Close()
	_, stopErr := s.agents.sinkProcess.Stop(ctx, grace)
	return errors.Join(err, stopErr)
}

func said(p *process.Process) string {
	tail := p.Log().Tail(5)
	if len(tail) == 0 {
		return ""
	}
	return "; its last words: " + quote.Lines(tail, " | ")
}

// agentEnvironment returns the environment of the harness's own processes: one thread of Go code at a time is enough for them,
// and they must not depend on the user's settings of the Go runtime.
func agentEnvironment() []string {
	var env []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if name != "GOMAXPROCS" && name != "GODEBUG" && name != "GOGC" && name != "GOMEMLIMIT" {
			env = append(env, pair)
		}
	}
	return env
}

// drive makes the driver that the workload asks for; its load generator, if it has one, has been started.
func (s *stage) drive(remote drive.Remote) (err error) {
	r := drive.Run{
		Processes: s.request.Plan.Processes, Values: s.asking, Address: s.address, Front: s.front,
		Ended: func(process string) <-chan struct{} { return s.app(process).Done() },
		Grace: grace, Source: s.request.Folders.Source, Scratch: s.scratch, Results: s.results,
		Traces: s.traces(), Late: s.request.Faults.GeneratorLate, Setup: s.request.Plan.Setup, Remote: remote,
		Said: func() string { return "" },
	}
	if generator := s.agents.loadProcess; generator != nil {
		r.Generator, r.Said = generator, func() string { return said(generator) }
	}
	s.driver, err = drive.Of(s.request.Plan.Driver, r)
	return err
}

// traces returns the ids that the load generator gives to operations, in every variant: all get the same requests. nil without
// a generator.
func (s *stage) traces() *load.Traces {
	if !s.by().Generator {
		return nil
	}
	t := load.Traces{Key: traceparent.NewKey(s.request.Seed), Sampled: s.request.Plan.Sampling}
	if s.request.Plan.Draws {
		t.Sampled = 1
	}
	return &t
}
