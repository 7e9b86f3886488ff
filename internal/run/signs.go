// What the processes tell of the tracer: what it instruments, and signs of one of which no span came, which are what a
// user would look at next. They are looked for when everything has been measured, so that they cost no run anything.

package run

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/logs"
)

// lookInside notes what the processes consist of, while they are there and where no span has
// come so far.
func (s *stage) lookInside() error {
	if err := s.lookElsewhere(); err != nil {
		return err
	}
	if err := s.lookAtLoaded(); err != nil {
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

// lookAtLoaded notes the programs that loaded the tracer, where a process consists of several: a launcher, such as npm or
// Maven, is traced like the program that it starts.
func (s *stage) lookAtLoaded() error {
	folder, begins := s.request.Folders.Tracer, config.Programs[s.request.Plan.Language]
	if folder == "" {
		return nil
	}
	for i, app := range s.apps {
		seen, ok := app.(visible)
		if !s.request.Plan.Processes[i].Traced || !ok {
			continue
		}
		inside, err := seen.Inside(nil, folder)
		if err != nil {
			return fmt.Errorf("looking for the tracer in process %s: %w", app.Name(), err)
		}
		starts := map[string]bool{}
		var commands []string
		for _, one := range inside {
			// Code that is read and closed again leaves no trace but the words that had it read.
			speaks := slices.ContainsFunc(begins, func(b string) bool { return strings.HasPrefix(one.Program, b) })
			if one.Start != "" && !starts[one.Start] && (one.Holds || one.Names && speaks) {
				starts[one.Start] = true
				commands = append(commands, s.kept(one.Command))
			}
		}
		if len(commands) > 1 {
			if s.record.Loaded == nil {
				s.record.Loaded = map[string][]string{}
			}
			s.record.Loaded[app.Name()] = commands
		}
	}
	return nil
}

// sinkVariables are the names of the variables that tell a process where the sink is.
func sinkVariables(p config.Process) []string {
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
