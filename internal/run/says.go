// The tracer's own counts of its spans: on pages of counters, while its processes run, and in their logs.

package run

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/process/output"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/hop"
	"github.com/tracetax/tracetax/internal/run/logs"
)

// theTracer names a tracer in the place of a hop.
const theTracer = "the tracer"

// askTracer reads the pages of counters of the traced processes, and of those that the tracer brought, after everything has
// been measured and before they stop. Counts of several processes add up.
func (s *stage) askTracer(ctx context.Context) error {
	s.paged = map[string]*record.Hop{}
	for _, one := range s.request.Plan.Speakers() {
		var err error
		if s.paged[one.Brought], err = s.pagesOf(ctx, one.Brought, hop.Counted(one.Says)); err != nil {
			return err
		}
	}
	return nil
}

// tracedSince returns the number of traces that the tracer chose, by chance, since the last call; nil if it does not report it,
// or did not the last time. Several processes may count the same traces; and while all operations are warmed together, traces
// cannot be assigned to them.
func (s *stage) tracedSince(ctx context.Context) (*uint64, error) {
	for _, one := range s.request.Plan.Speakers() {
		says := slices.DeleteFunc(hop.Counted(one.Says), func(s program.Saying) bool { return s.What != program.SaysTraced })
		pages := 0
		for _, p := range s.request.Plan.Processes {
			if p.Page != "" && p.Placed.Name == one.Brought {
				pages++
			}
		}
		if len(says) == 0 || pages != 1 || len(s.warmed) > 0 {
			continue
		}
		page, err := s.pagesOf(ctx, one.Brought, says)
		before := s.traced
		if s.traced = nil; page != nil {
			s.traced = page.Traced
		}
		return since(before, s.traced), err
	}
	return nil, nil
}

// since returns the growth of a count; nil if either is unknown, or it shrank: its process has restarted.
func since(before, now *uint64) *uint64 {
	if before == nil || now == nil || *now < *before {
		return nil
	}
	grown := *now - *before
	return &grown
}

// pagesOf reads the pages of counters of all traced processes, or of those that a tracer brought under a name; nil if there is
// none.
func (s *stage) pagesOf(ctx context.Context, brought string, says []program.Saying) (*record.Hop, error) {
	var all *record.Hop
	for _, p := range s.request.Plan.Processes {
		if p.Page == "" || p.Placed.Name != brought {
			continue
		}
		page, err := program.Expand(p.Page, s.valuesFor(p))
		if err != nil {
			return nil, of(p.Name, fmt.Errorf("the tracer's page of counters of process %s: %w", p.Name, err))
		}
		counter := &hop.Page{Hop: theTracer, URL: page, Says: says}
		said, err := counter.Read(ctx)
		if err != nil {
			return nil, of(p.Name, fmt.Errorf("asking the tracer of process %s for its spans: %w", p.Name, err))
		}
		if said.Unreported == "" && !counter.Seen() {
			said = record.Hop{Name: said.Name, Source: said.Source} // drops counters that default to none, too
			said.Unreported = "the page of counters of process " + p.Name + " has none of those that tracer.yaml names"
		}
		if all != nil {
			said = all.Plus(said)
		}
		all = &said
	}
	return all, nil
}

// admissions records the counts of the tracer, and of the processes that it brought: from the pages before the stop, and from
// the logs, which are whole when all processes have ended. A figure that one of several lacks is unknown.
func (s *stage) admissions(ctx context.Context) error {
	plan, words, untold := s.request.Plan, []record.Hop{}, map[string]bool{}
	for _, one := range plan.Speakers() {
		if len(one.Says) == 0 {
			continue
		}
		word, err := s.wordOf(ctx, one)
		if err != nil {
			return err
		}
		figures := word.Figures()
		for _, says := range one.Says {
			untold[says.What] = untold[says.What] || *figures[says.What] == nil
		}
		words = append(words, word)
	}
	all, to := hop.Together(theTracer, nil, words), &s.record.Tracer
	for what, figure := range all.Figures() {
		if untold[what] {
			*figure = nil
		}
	}
	to.Sampled, to.Dropped, to.Failed, to.Sent, to.Calls, to.Source, to.Unreported = all.Sampled, all.Dropped, all.Failed, all.Sent, all.Calls, all.Source, all.Unreported
	if s.record.Life.Protocols[string(protocol.Ring)] > 0 { // the rings say what was left out
		to.Dropped, to.Source = &s.record.Life.LeftOut, record.ByRings
	}
	if to.Sent != nil {
		to.SentBy = record.ByMetrics
		for _, one := range plan.Speakers() {
			if slices.ContainsFunc(hop.Logged(one.Says), func(s program.Saying) bool { return s.What == program.SaysSent }) {
				to.SentBy = record.ByLog
			}
		}
	}
	return nil
}

// wordOf returns all counts of a tracer, or of the processes that it brought under a name.
func (s *stage) wordOf(ctx context.Context, one config.Speaker) (record.Hop, error) {
	var said []record.Hop
	if page := s.paged[one.Brought]; page != nil {
		said = append(said, *page)
	}
	if logged := hop.Logged(one.Says); len(logged) > 0 {
		var logs []hop.Lines
		for _, p := range s.apps {
			planned, _ := s.planned(p.Name())
			if slices.Contains(s.request.Plan.Route(), p.Name()) || one.Brought != "" && planned.Placed.Name != one.Brought {
				continue
			}
			speaks := planned.Traced || one.Brought != ""
			logs = append(logs, hop.Lines{Process: p.Name(), Speaks: speaks, Each: p.Log().Lines, Rest: p.Log().AfterCut})
		}
		word, err := hop.Log{Hop: theTracer, Says: logged, Logs: logs}.Read(ctx)
		if err != nil {
			return record.Hop{}, err
		}
		said = append(said, word)
	}
	return hop.Together(theTracer, one.Says, said), nil
}

// askPackets records the captured packets, by the logs of the capturing processes, which have ended.
func (s *stage) askPackets(ctx context.Context) error {
	says := s.request.Plan.Packets
	if says == (program.Packets{}) {
		return nil
	}
	of := hop.Log{Hop: theTracer, Says: []program.Saying{
		{What: program.SaysReceived, Log: says.Captured, Take: "last", Absent: program.AbsentUnknown},
		{What: program.SaysDropped, Log: says.Dropped, Take: "last", Absent: program.AbsentUnknown},
	}}
	for i, p := range s.apps {
		if s.request.Plan.Processes[i].Brought() {
			of.Logs = append(of.Logs, hop.Lines{Process: p.Name(), Speaks: true, Each: p.Log().Lines, Rest: p.Log().AfterCut})
		}
	}
	said, err := of.Read(ctx)
	if err != nil {
		return err
	}
	to := record.Packets{Captured: said.Received, Dropped: said.Dropped, Unreported: said.Unreported}
	if to.Unreported == "" && (to.Captured == nil || to.Dropped == nil) {
		to.Unreported = "a process that captures them ended without its word"
	}
	pattern, err := program.Expand(says.Files, s.values)
	if err != nil {
		return fmt.Errorf("the files of captured packets: %w", err)
	}
	files, err := filepath.Glob(pattern)
	if err != nil {
		return fmt.Errorf("the files of captured packets: %w", err)
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return fmt.Errorf("the files of captured packets: %w", err)
		}
		to.Bytes += info.Size()
	}
	s.record.Packets = &to
	return s.keepCapture(files)
}

// Signs of the tracer in the processes: the libraries that it instruments, and, if no span came, the likely cause, where a user
// would look next. They are read after everything has been measured, at no cost for the run.

// lookInside notes the programs of the processes, while they run, if no span has come so far.
func (s *stage) lookInside(context.Context) error {
	if err := s.lookElsewhere(); err != nil {
		return err
	}
	if err := s.lookAtLoaded(); err != nil {
		return err
	}
	if s.request.Plan.Silent || s.counted().Sum() > 0 || !s.exporting && s.request.Folders.Tracer == "" {
		return nil
	}
	s.record.Signs = &record.Signs{}
	for i, app := range s.apps {
		planned := s.request.Plan.Processes[i]
		if !planned.Traced {
			continue
		}
		one := record.ProcessSigns{Process: app.Name()} // of one that is not visible its log tells
		if seen, ok := app.(visible); ok {
			inside, err := seen.Inside(sinkVariables(planned), s.request.Folders.Tracer)
			if err != nil {
				return fmt.Errorf("looking at what process %s consists of: %w", app.Name(), err)
			}
			consists(&one, inside)
		}
		s.record.Signs.Processes = append(s.record.Signs.Processes, one)
	}
	return nil
}

// consists notes what a process consists of.
func consists(one *record.ProcessSigns, inside []process.Inside) {
	for _, program := range inside {
		one.Programs = append(one.Programs, program.Program)
		if program.Lacks {
			one.Lacking++
		}
		if program.Holds {
			one.Loaded++
		}
	}
}

// lookAtLoaded notes the programs that loaded the tracer, for a process of several: a launcher, such as npm or Maven, is traced
// like the program that it starts.
func (s *stage) lookAtLoaded() error {
	folder, begins := s.request.Folders.Tracer, program.Programs[s.request.Plan.Language]
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
		starts, told := map[string]bool{}, map[string]bool{}
		var commands []string
		for _, one := range inside {
			// Code that was read and closed again shows only in the words of its command.
			speaks := slices.ContainsFunc(begins, func(b string) bool { return strings.HasPrefix(one.Program, b) })
			if one.Start != "" && !starts[one.Start] && !one.Worker && !told[one.Whole] && (one.Holds || one.Names && speaks) {
				starts[one.Start], told[one.Whole] = true, true // a program with the same command line is a worker, too, as in a cluster of Node
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

// sinkVariables returns the names of a process's variables with the sink's address.
func sinkVariables(p program.Process) []string {
	var names []string
	for name, value := range p.Env {
		if strings.Contains(value, "{"+protocol.Prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// readSigns adds the signs in the logs and at the sink, when all processes have ended. If spans came after all, it drops all
// signs; if they reached a hop, it keeps only those of its log.
func (s *stage) readSigns(ctx context.Context, connections uint64) error {
	signs := s.record.Signs
	if signs == nil {
		return nil
	}
	if s.record.Life.Sum()+s.record.Life.Thrown > 0 {
		s.record.Signs = nil
		return nil
	}
	for _, name := range s.request.Plan.Via {
		hop := record.ProcessSigns{Process: name}
		if err := s.readSignsOf(ctx, &hop); err != nil {
			return err
		}
		if hop.Log != nil {
			signs.Hops = append(signs.Hops, hop)
		}
	}
	if slices.ContainsFunc(s.record.Hops, func(h record.Hop) bool { return h.Received != nil && *h.Received > 0 }) {
		if signs.Processes = nil; signs.Hops == nil {
			s.record.Signs = nil
		}
		return nil
	}
	signs.Connections = connections
	for i := range signs.Processes {
		if err := s.readSignsOf(ctx, &signs.Processes[i]); err != nil {
			return err
		}
	}
	return nil
}

// readSignsOf adds the signs in the log of a process.
func (s *stage) readSignsOf(ctx context.Context, one *record.ProcessSigns) error {
	found, err := logs.Signs(ctx, s.app(one.Process).Log().Lines)
	if err != nil {
		return fmt.Errorf("looking for signs of the tracer in the log of process %s: %w", one.Process, err)
	}
	for i := range found {
		found[i].Last = s.kept(found[i].Last)
	}
	one.Log = found
	return nil
}

// lookAtInstrumented notes the libraries that the tracer named in the logs of the processes, which have ended, since some are
// loaded late: those that it instruments, and those that are there but that it does not.
func (s *stage) lookAtInstrumented(ctx context.Context) error {
	var patterns [2]*output.Pattern
	for i, text := range []string{s.request.Plan.Tells, s.request.Plan.Misses} {
		if text == "" {
			continue
		}
		var err error
		if patterns[i], err = output.Compile(text); err != nil {
			return fmt.Errorf("the tracer's pattern for what it instruments: %w", err)
		}
	}
	if patterns[0] == nil && patterns[1] == nil {
		return nil
	}
	tracer := &s.record.Tracer
	for _, app := range s.apps {
		names, err := logs.Named(ctx, app.Log().Lines, patterns[:]...)
		if err != nil {
			return fmt.Errorf("reading what is instrumented in process %s: %w", app.Name(), err)
		}
		told, missed := names[0], names[1]
		if len(told) > 0 {
			if tracer.Instrumented == nil {
				tracer.Instrumented = map[string][]string{}
			}
			tracer.Instrumented[app.Name()] = slices.Sorted(maps.Keys(told))
		}
		for name, line := range missed {
			if _, both := told[name]; both { // by another of the tracer's parts
				delete(missed, name)
				continue
			}
			missed[name] = s.kept(line)
		}
		if len(missed) > 0 {
			if tracer.Missed == nil {
				tracer.Missed = map[string]map[string]string{}
			}
			tracer.Missed[app.Name()] = missed
		}
	}
	return nil
}
