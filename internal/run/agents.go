package run

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/sink"
)

// agents are the harness's own processes: they are started like the app's, on
// the harness's CPUs, and what they use is charged to their own roles.
type agents struct {
	sinkProcess, loadProcess *process.Process
	sink                     *sink.Remote
	load                     *load.Remote
}

// startAgents starts the sink and the load generator.
func (s *stage) startAgents(ctx context.Context) error {
	s.record.Harness.Placement = s.launcher.Placement()
	if s.placement.Shared {
		s.record.Harness.Placement = "none"
	}
	if s.duet != nil {
		s.record.Harness.Placement = placementDuet
	}
	var err error
	if s.agents.sinkProcess, err = s.agent(ctx, "sink", append([]string{"agent", "sink"}, s.sinkFlags()...)...); err != nil {
		return err
	}
	if s.agents.sink, err = sink.NewRemote(s.agents.sinkProcess.Stdin(), s.agents.sinkProcess.Stdout()); err != nil {
		return fmt.Errorf("starting the sink: %w%s", err, said(s.agents.sinkProcess))
	}
	if s.agents.loadProcess, err = s.agent(ctx, "load", "agent", "load"); err != nil {
		return err
	}
	if s.agents.load, err = load.NewRemote(s.agents.loadProcess.Stdin(), s.agents.loadProcess.Stdout()); err != nil {
		return fmt.Errorf("starting the load generator: %w%s", err, said(s.agents.loadProcess))
	}
	return nil
}

// sinkFlags are what the sink is told, the faults that are asked of it included.
func (s *stage) sinkFlags() []string {
	flags := []string{fmt.Sprintf("--checking=%t", s.request.Checking)}
	if lose := s.request.Faults.SinkLoses; lose > 0 {
		flags = append(flags, "--lose", strconv.FormatFloat(lose, 'g', -1, 64))
	}
	if late := s.request.Faults.SinkLate; late > 0 {
		flags = append(flags, "--late", late.String())
	}
	return flags
}

func (s *stage) agent(ctx context.Context, role string, args ...string) (*process.Process, error) {
	p, err := s.launcher.Start(ctx, process.Command{
		Name: "tracetax-" + role, Role: role, Args: append(s.launcher.Self(), args...), CPUs: s.placement.Harness, Env: agentEnvironment(), Piped: true,
	})
	if err != nil {
		return nil, fmt.Errorf("starting the %s: %w", role, err)
	}
	return p, nil
}

// stopLoad ends the load generator, and with it its connections.
func (s *stage) stopLoad(ctx context.Context) error {
	err := s.agents.load.Close()
	_, stopErr := s.agents.loadProcess.Stop(ctx, grace)
	return errors.Join(err, stopErr)
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
	return "; its last words: " + strings.Join(tail, " | ")
}
