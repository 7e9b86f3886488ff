package run

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/traceparent"
)

// How long a process may take to end when it is asked to; variables for tests.
var (
	grace = 15 * time.Second
	deaf  = time.Second // one that did not in an earlier run: what it flushes at once still comes
)

// startApps starts the workload's processes in the order of the file, each when
// the one before is ready, and the readings of what they use. The death of any
// of them cancels the run.
func (s *stage) startApps(ctx context.Context, cancel context.CancelCauseFunc) error {
	if err := prepare.FreePorts(s.request.Plan); err != nil {
		return err
	}
	if err := s.fillIn(); err != nil {
		return err
	}
	if err := s.makeSpanFolders(); err != nil {
		return err
	}
	var first time.Time // of the app, or of what stands beside it: the start of a database is none of its own
	begun := false
	all := s.agents.processes()
	for _, agent := range all {
		go s.mourn(ctx, agent, cancel)
	}
	for _, p := range s.request.Plan.Processes {
		values := s.valuesFor(p)
		if err := prepare.Templates(p.Templates, values, values["templates"]); err != nil {
			return of(p.Name, fmt.Errorf("process %s: %w", p.Name, err))
		}
		started, err := s.startApp(ctx, p, values)
		if err != nil {
			return of(p.Name, err)
		}
		app := p.Role == role.App || p.Placed.Of != ""
		if first.IsZero() || app && !begun {
			first = started.Started()
		}
		begun = begun || app
		s.apps = append(s.apps, started)
		s.record.Harness.Unmet = append(s.record.Harness.Unmet, started.Unmet()...)
		all = append(all, started)
		if err := s.ready(ctx, p, started, values); err != nil {
			return of(p.Name, err)
		}
		go s.mourn(ctx, started, cancel)
	}
	s.record.Start.ReadySeconds = time.Since(first).Seconds()
	s.sampled = time.Now()
	var err error
	s.meter, err = s.target.Meter(ctx, all)
	return err
}

// mourn ends the run where a process ends before it is told to.
func (s *stage) mourn(ctx context.Context, p Process, cancel context.CancelCauseFunc) {
	select {
	case <-p.Done():
		if !s.ending.Load() {
			cancel(p.Died())
		}
	case <-ctx.Done():
	}
}

func (s *stage) startApp(ctx context.Context, p config.Process, values map[string]string) (Process, error) {
	args, err := expandAll(p.Run, values)
	if err != nil {
		return nil, fmt.Errorf("process %s: %w", p.Name, err)
	}
	env, err := prepare.Environment(s.shell, p, values)
	if err != nil {
		return nil, fmt.Errorf("process %s: %w", p.Name, err)
	}
	dir, err := config.Expand(p.Dir, values)
	if err != nil {
		return nil, fmt.Errorf("process %s: %w", p.Name, err)
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(s.request.Folders.Source, dir)
	}
	cpus, quota := s.cpusFor(p)
	return s.target.Start(ctx, process.Command{
		Name: p.Name, Role: p.Role, Args: args, Env: env, Dir: dir, CPUs: cpus, Quota: quota, Memory: p.Memory,
	})
}

func (s *stage) ready(ctx context.Context, p config.Process, started Process, values map[string]string) error {
	text, err := config.Expand(p.Ready, values)
	if err != nil {
		return fmt.Errorf("process %s: ready: %w", p.Name, err)
	}
	if text == "" {
		if p.Brought() && !slices.Contains(p.Words(), "port") {
			return nil
		}
		if text = s.askedAt(p); text == "" {
			text = "tcp://" + net.JoinHostPort(started.Address(), values["port"])
		}
	}
	check, err := process.ParseCheck(text)
	if err != nil {
		return fmt.Errorf("process %s: ready: %w", p.Name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, p.Patience)
	defer cancel()
	s.name = "ready"
	if ids := s.traces(); ids != nil { // so that their spans are none of other work
		check.Header = func() (name, value string) {
			s.asked++
			return traceparent.Header, ids.Key.Value(traceparent.Readiness+s.asked, 0, ids.IsSampled(s.asked))
		}
	}
	probes, err := started.Ready(ctx, check)
	if !p.Brought() && !slices.Contains(s.request.Plan.Route(), p.Name) {
		s.record.Start.Probes += probes
	}
	if err != nil {
		return err
	}
	s.name = "start"
	return nil
}

// askedAt is a check of where a process is asked by a whole address, if nothing is told that it listens anywhere else; "" otherwise.
func (s *stage) askedAt(p config.Process) string {
	plan := s.request.Plan
	if p.Role != role.App || slices.ContainsFunc(plan.Processes, func(other config.Process) bool { return slices.Contains(other.Words(), p.Name+".port") }) || slices.Contains(p.Words(), "port") {
		return ""
	}
	for _, o := range plan.Operations {
		if at, err := url.Parse(o.URL); err == nil && at.Port() != "" && o.Owner(plan.Processes).Name == p.Name {
			return "tcp://" + at.Host
		}
	}
	return ""
}

// fillIn chooses the ports and gathers what placeholders stand for.
func (s *stage) fillIn() error {
	f := s.request.Folders
	s.values = s.agents.sink.Addresses().Values()
	maps.Copy(s.values, map[string]string{
		"dir": f.Source, "build": f.Build, "workload": f.Workload, "tracer": f.Tracer, "tmp": s.scratch,
		"templates": filepath.Join(s.scratch, "templates"), "tracetax": strings.Join(s.launcher.Self(), " "),
	})
	var err error
	if s.ports, err = prepare.GivePorts(s.request.Plan.Processes); err != nil {
		return err
	}
	s.ports.Seen(s.values)
	s.exporting = prepare.Exports(s.request.Plan)
	return s.layRoute()
}

func expandAll(texts []string, values map[string]string) ([]string, error) {
	out := make([]string, len(texts))
	for i, text := range texts {
		expanded, err := config.Expand(text, values)
		if err != nil {
			return nil, err
		}
		out[i] = expanded
	}
	return out, nil
}
