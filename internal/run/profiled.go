// Each operation once more under a profiler, after everything has been measured: its overhead is in no window.

package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run/drive"
	"github.com/tracetax/tracetax/internal/run/profiler"
)

// The wanted samples of a segment, and the bounds of their interval.
const (
	wantedSamples  = 10_000
	leastInterval  = 100 * time.Microsecond
	widestInterval = 10 * time.Millisecond
)

// profileAll makes each operation again, one run of the block after the other.
func (s *stage) profileAll(ctx context.Context) error {
	for _, kind := range []struct {
		of     string
		length time.Duration
	}{{record.ForCPU, s.request.Profile.CPU}, {record.ForWall, s.request.Profile.Wall}, {record.ForAlloc, s.request.Profile.Alloc}} {
		if kind.length == 0 || s.request.Kind != record.Measured {
			continue
		}
		for i, request := range s.request.Phases {
			if !s.request.Profile.Profiles(request.Operation.Name) {
				continue
			}
			if err := s.turn.awaitAll(ctx); err != nil { // others are still measured, or read their idle use
				return err
			}
			err := s.turn.inTurn(ctx, func() error { return s.profileOne(ctx, &s.record.Phases[i], request, kind.of, kind.length) })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// profileOne makes one operation under profilers, one for each process of the workload. Their failures are recorded; the window
// counts all the same.
func (s *stage) profileOne(ctx context.Context, phase *record.Phase, request PhaseRequest, of string, length time.Duration) error {
	j, err := s.job(request.Asked(), request.Load, request.Parameter)
	if err != nil {
		return err
	}
	j.Purpose, j.Duration, j.Count = drive.Warm, length, 0
	j.Seed += 2 // another schedule than that of the window
	out := record.Profiled{Of: of}
	at, err := s.startProfilers(ctx, phase, of, length)
	if err != nil || at == nil { // no profiler for this
		return err
	}
	before, err := s.meter.Mark()
	if err != nil {
		return err
	}
	begun := time.Now()
	if out.Load, err = s.attempt(ctx, j); err != nil {
		return err
	}
	if bad := s.wellDone(j, out.Load); bad != nil {
		out.Failure = bad.Error()
	}
	end, err := s.drain(ctx, s.reached, s.awaited(j.work, out.Load)) // under a profiler processes are never calm
	if err != nil {
		return err
	}
	after, err := s.meter.Mark()
	if err != nil {
		return err
	}
	out.Seconds, out.DrainSeconds = time.Since(begun).Seconds(), end.took.Seconds()
	out.Usage, out.Sink = s.between(before, after), end.counts.Minus(s.reached)
	s.reached = end.counts
	for _, one := range at {
		if err := s.stopProfiler(ctx, &one, of, s.profileFile(phase, one.record.Process, of)); err != nil {
			return err
		}
		if one.recording != nil && one.recording.Partial && of == record.ForCPU {
			one.record.Unseen = unseenBy(&one.record, &out, phase)
		}
		out.Profiles = append(out.Profiles, one.record)
	}
	phase.Profiled = append(phase.Profiled, out)
	phase.Quiet = phase.Quiet && end.quiet
	hops, err := s.hopsSince(ctx, end.counts.Spans)
	if err != nil {
		return err
	}
	phase.Hops = record.HopsPlus(phase.Hops, hops)
	traced, err := s.tracedSince(ctx)
	if phase.Traced != nil && traced != nil {
		sum := *phase.Traced + *traced
		traced = &sum
	}
	if phase.Traced == nil {
		traced = nil
	}
	phase.Traced = traced
	return err
}

// watchStart prepares the profilers of the start of the programs under test.
func (s *stage) watchStart() error {
	if s.request.Cold == "" {
		return nil
	}
	s.record.Cold, s.beginnings = &record.Cold{}, map[string]*profiler.Beginning{}
	for _, p := range s.request.Plan.Processes {
		if p.Role != role.App || p.Brought() {
			continue
		}
		folder := filepath.Join(s.scratch, "start-"+fileName(p.Name))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("making a folder for what watches the start: %w", err)
		}
		b, err := profiler.Watch(s.request.Cold, folder, s.packages)
		if err != nil {
			s.record.Cold.Failure = err.Error()
			continue
		}
		s.beginnings[p.Name] = b
	}
	return nil
}

// readStart reads the profiles of the start, after the first answer. Failures are recorded.
func (s *stage) readStart(ctx context.Context) error {
	out := s.record.Cold
	if out == nil {
		return nil
	}
	out.Seconds = s.record.Start.ReadySeconds + s.record.Start.FirstOperationSeconds
	for _, app := range s.apps {
		b := s.beginnings[app.Name()]
		if b == nil || out.Failure != "" {
			continue
		}
		var pids []int
		var err error
		if seen, is := app.(interface{ Pids() ([]int, error) }); is {
			pids, err = seen.Pids()
		} else {
			err = errors.New("its programs are not on this machine")
		}
		var parts map[string]int64
		if err == nil {
			parts, err = b.Read(ctx, pids, app.Log(), s.request.Causes)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			out.Failure = app.Name() + ": " + err.Error()
			continue
		}
		if !slices.Contains(out.Profilers, b.Profiler) {
			out.Profilers = append(out.Profilers, b.Profiler)
		}
		if out.Parts == nil {
			out.Parts = map[string]float64{}
		}
		for part, ns := range parts {
			out.Parts[part] += time.Duration(ns).Seconds()
		}
	}
	return nil
}

// profiling is a profiler at work, or its failure.
type profiling struct {
	record    record.Profile
	recording *profiler.Recording // nil: none
}

// startProfilers starts one for each process of the program under test; none if no profiler of that kind exists for any of
// them.
func (s *stage) startProfilers(ctx context.Context, phase *record.Phase, of string, length time.Duration) ([]profiling, error) {
	var out []profiling
	any := false
	for _, app := range s.apps {
		p, _ := s.planned(app.Name())
		if app.Role() != role.App || p.Brought() {
			continue
		}
		one := profiling{record: record.Profile{Process: app.Name()}}
		seen, is := app.(interface{ Pids() ([]int, error) })
		if !is {
			one.record.Failure = "its programs are not on this machine"
			out = append(out, one)
			continue
		}
		pids, err := seen.Pids()
		if err == nil {
			s.profilers++
			name := "profiler-" + strconv.Itoa(s.profilers) + "-" + fileName(app.Name())
			one.recording, err = profiler.Start(ctx, profiler.Order{
				Of: of, Name: name, PIDs: pids, Interval: intervalOf(phase, app.Name(), length), Folder: filepath.Join(s.scratch, name),
				CPUs: s.placement.Harness, Log: app.Log(), Packages: s.packages, Self: s.launcher.Self(), Start: s.launcher.Start,
			})
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if any = any || !errors.Is(err, profiler.ErrNotSeen); err != nil {
			one.record.Failure = err.Error()
		}
		out = append(out, one)
	}
	if !any {
		return nil, nil
	}
	return out, nil
}

// intervalOf returns the interval between the samples of a process, by its CPU time in the window.
func intervalOf(phase *record.Phase, process string, length time.Duration) time.Duration {
	load, usage := undisturbed(phase)
	if load.WallSeconds <= 0 {
		return widestInterval
	}
	expected := cpuOf(usage, process) / load.WallSeconds * length.Seconds()
	return min(max(time.Duration(expected/wantedSamples*float64(time.Second)), leastInterval), widestInterval)
}

// stopProfiler ends a profiler, and sorts its samples.
func (s *stage) stopProfiler(ctx context.Context, one *profiling, of, file string) error {
	if one.recording == nil {
		return nil
	}
	to := &one.record
	to.Profiler, to.IntervalSeconds = one.recording.Profiler, one.recording.Interval.Seconds()
	samples, err := one.recording.Stop(ctx)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		to.Failure = err.Error()
		return nil
	}
	if samples.Apart > 0 {
		to.IntervalSeconds = samples.Apart.Seconds()
	}
	causes := s.request.Causes.Sort(samples)
	found, tracing := causes.All, causes.Tracing
	if of == record.ForWall {
		found, tracing = causes.Caller, causes.Callers
	}
	to.Samples, to.Tracing, to.Unit = causes.Count, tracing, causes.Unit
	to.Program, to.Tracer, to.Runtime = found.Owner[profile.Program], found.Owner[profile.Tracer], found.Owner[profile.Runtime]
	to.Caller = causes.Caller.Owner[profile.Tracer]
	to.Stages, to.Tasks = ruled(found.Stage), ruled(found.Task)
	for _, f := range causes.Unruled[:min(len(causes.Unruled), unruledFrames)] {
		to.Unruled = append(to.Unruled, record.Frame{Name: f.Frame, Amount: f.Value})
	}
	to.File = file
	return s.keepProfile(file, samples)
}

// unseenBy returns the CPU time of a process beyond its samples: no more than as many operations used in the window, as the
// profiler itself used some, in the process.
func unseenBy(p *record.Profile, again *record.Profiled, phase *record.Phase) int64 {
	unit := 1e9 // nanoseconds a second
	if p.Unit == profile.Samples {
		unit = 1 / p.IntervalSeconds
	}
	seen := p.Program + p.Tracer + p.Runtime
	used := cpuOf(again.Usage, p.Process)
	if load, window := undisturbed(phase); load.Started > 0 {
		used = min(used, cpuOf(window, p.Process)*float64(again.Load.Started)/float64(load.Started))
	}
	return max(0, int64(used*unit)-seen)
}

// undisturbed returns the load of a phase's window, and the usage meanwhile.
func undisturbed(phase *record.Phase) (record.Load, []record.Usage) {
	if phase.Undisturbed != nil && phase.Undisturbed.Usage != nil {
		return phase.Undisturbed.Load, phase.Undisturbed.Usage
	}
	return phase.Load, phase.Usage
}

// cpuOf returns the CPU seconds of a process.
func cpuOf(usage []record.Usage, process string) (seconds float64) {
	for _, u := range usage {
		if u.Process == process {
			seconds += u.CPUSeconds
		}
	}
	return seconds
}

// unruledFrames is the number of kept frames without a rule.
const unruledFrames = 20

// ruled returns the amounts that have a rule, without zeros.
func ruled(amounts map[string]int64) map[string]int64 {
	out := maps.Clone(amounts)
	maps.DeleteFunc(out, func(name string, amount int64) bool { return name == profile.NoRule || amount == 0 })
	return out
}

// keepProfile writes a profile with its causes to a file of the results folder.
func (s *stage) keepProfile(name string, samples *profile.Profile) error {
	path := filepath.Join(s.results, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("keeping a profile: %w", err)
	}
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("keeping a profile: %w", err)
	}
	if err := errors.Join(profile.WritePprof(file, samples, s.request.Causes), file.Close()); err != nil {
		return fmt.Errorf("keeping a profile in %s: %w", name, err)
	}
	return nil
}

// profileFile names the file of a process's profile within the results folder.
func (s *stage) profileFile(phase *record.Phase, process, of string) string {
	name := s.request.Name + "-" + fileName(phase.Operation)
	for _, parameter := range slices.Sorted(maps.Keys(phase.Parameter)) {
		name += "-" + fileName(parameter) + "-" + fileName(phase.Parameter[parameter])
	}
	return path.Join(record.ProfilesFolder, name+"-"+fileName(process)+"-"+of+".pb.gz")
}
