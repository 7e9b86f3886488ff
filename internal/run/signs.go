// What the processes tell of the tracer: what it instruments, and signs of one of which no span came, which are what a
// user would look at next. They are looked for when everything has been measured, so that they cost no run anything.

package run

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run/logs"
	"github.com/tracetax/tracetax/internal/spec"
)

// longestSign is how much of a line is kept, in bytes.
const longestSign = 300

// lookInside notes what the processes consist of, while they are there and where no span has
// come so far.
func (s *stage) lookInside() error {
	if err := s.lookElsewhere(); err != nil {
		return err
	}
	if s.request.Plan.Silent || s.counted().Told() > 0 || !s.exporting && s.request.Folders.Tracer == "" {
		return nil
	}
	s.record.Signs = &record.Signs{}
	for i, app := range s.apps {
		planned := s.request.Plan.Processes[i]
		seen, ok := app.(visible)
		if !planned.Traced || !ok {
			continue
		}
		inside, err := seen.Inside(sinkVariables(planned), s.request.Folders.Tracer)
		if err != nil {
			return fmt.Errorf("looking at what process %s consists of: %w", app.Name(), err)
		}
		one := record.ProcessSigns{Process: app.Name()}
		for _, program := range inside {
			one.Programs = append(one.Programs, program.Program)
			if program.Lacks {
				one.Lacking++
			}
			if program.Holds {
				one.Loaded++
			}
		}
		s.record.Signs.Processes = append(s.record.Signs.Processes, one)
	}
	return nil
}

// lookElsewhere notes the known receivers, none of this run's own, that processes of the workload are connected to at the
// moment. It is asked again and again: a connection may be short.
func (s *stage) lookElsewhere() error {
	all := s.agents.processes()
	all = append(all, s.apps...)
	if s.listened == nil {
		s.listened = map[uint16]bool{}
	}
	var seen []process.Sockets
	for _, p := range all {
		var sockets process.Sockets
		if one, ok := p.(visible); ok {
			var err error
			if sockets, err = one.Sockets(); err != nil {
				return fmt.Errorf("looking at the connections of process %s: %w", p.Name(), err)
			}
		}
		for _, at := range sockets.Listening {
			s.listened[at.Port()] = true
		}
		seen = append(seen, sockets)
	}
	for i, app := range s.apps {
		if !s.mayTrace(s.request.Plan.Processes[i]) {
			continue
		}
		for _, to := range seen[len(all)-len(s.apps)+i].Connected {
			if protocol.Receivers[to.Port()] != "" && !s.listened[to.Port()] {
				one := s.elsewhere(app.Name())
				one.To = append(one.To, to.String())
				slices.Sort(one.To)
				one.To = slices.Compact(one.To)
			}
		}
	}
	return nil
}

// glance is how often connections are looked for while processes end.
const glance = time.Millisecond

// watchEnd does what ends processes, and looks meanwhile where they connect to: what a tracer held back it sends then, and
// then alone where a run is shorter than its delay. Of a variant that exports nobody looks, for nothing is to slow that down.
func (s *stage) watchEnd(do func() error) error {
	if s.exporting {
		return do()
	}
	ended, watched := make(chan struct{}), make(chan error, 1)
	go func() {
		ticker := time.NewTicker(glance)
		defer ticker.Stop()
		for {
			select {
			case <-ended:
				watched <- nil
				return
			case <-ticker.C:
				if err := s.lookElsewhere(); err != nil {
					watched <- err
					return
				}
			}
		}
	}()
	err := do()
	close(ended)
	return errors.Join(err, <-watched)
}

// mayTrace reports whether a process may have a tracer in its own code: it is the workload's, and no hop or backend.
func (s *stage) mayTrace(p spec.Process) bool {
	return p.Role == role.App && !p.Brought() && !slices.Contains(s.request.Plan.Route(), p.Name)
}

// elsewhere is what the record says of spans of a process that went elsewhere.
func (s *stage) elsewhere(process string) *record.Elsewhere {
	i := slices.IndexFunc(s.record.Elsewhere, func(e record.Elsewhere) bool { return e.Process == process })
	if i < 0 {
		i = len(s.record.Elsewhere)
		s.record.Elsewhere = append(s.record.Elsewhere, record.Elsewhere{Process: process})
	}
	return &s.record.Elsewhere[i]
}

// readElsewhere adds what the logs tell of exports that failed, when all processes have ended. Of exports that were to
// come to the sink the ledger and the signs tell.
func (s *stage) readElsewhere() error {
	if s.exporting {
		return nil
	}
	for i, app := range s.apps {
		if !s.mayTrace(s.request.Plan.Processes[i]) {
			continue
		}
		sign, err := logs.FailedExports(app.Log().Lines)
		if err != nil {
			return fmt.Errorf("looking for failed exports in the log of process %s: %w", app.Name(), err)
		}
		if sign != nil {
			sign.Last = s.kept(sign.Last)
			s.elsewhere(app.Name()).Log = sign
		}
	}
	return nil
}

// kept is a line of a log as a record keeps it.
func (s *stage) kept(line string) string {
	line = logs.Replacer(s.request.Plan.Secrets).Replace(line)
	if len(line) > longestSign {
		line = line[:longestSign] + "…"
	}
	return strings.ToValidUTF8(line, "�")
}

// sinkVariables are the names of the variables that tell a process where the sink is.
func sinkVariables(p spec.Process) []string {
	var names []string
	for name, value := range p.Env {
		if strings.Contains(value, "{"+protocol.Prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// readSigns adds what the logs and the sink tell, when all processes have ended. Where spans
// came after all, or reached a hop, nothing is kept.
func (s *stage) readSigns(connections uint64) error {
	signs := s.record.Signs
	if signs == nil {
		return nil
	}
	reached := slices.ContainsFunc(s.record.Hops, func(h record.Hop) bool { return h.Received != nil && *h.Received > 0 })
	if reached || s.record.Life.Told()+s.record.Life.Thrown > 0 {
		s.record.Signs = nil
		return nil
	}
	signs.Connections = connections
	for i := range signs.Processes {
		one := &signs.Processes[i]
		found, err := logs.Signs(s.app(one.Process).Log().Lines)
		if err != nil {
			return fmt.Errorf("looking for signs of the tracer in the log of process %s: %w", one.Process, err)
		}
		for j := range found {
			found[j].Last = s.kept(found[j].Last)
		}
		one.Log = found
	}
	return nil
}

// lookAtInstrumented notes the libraries that the tracer has named in the logs of the
// processes, which have ended: some are loaded late.
func (s *stage) lookAtInstrumented() error {
	if s.request.Plan.Tells == "" {
		return nil
	}
	pattern, err := regexp.Compile(s.request.Plan.Tells)
	if err != nil {
		return fmt.Errorf("the tracer's pattern for what it instruments: %w", err)
	}
	for _, app := range s.apps {
		names, err := logs.Instrumented(pattern, app.Log().Lines)
		if err != nil {
			return fmt.Errorf("reading what is instrumented in process %s: %w", app.Name(), err)
		}
		if len(names) == 0 {
			continue
		}
		if s.record.Tracer.Instrumented == nil {
			s.record.Tracer.Instrumented = map[string][]string{}
		}
		s.record.Tracer.Instrumented[app.Name()] = names
	}
	return nil
}
