// Reading one run.

package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

// Run is one good run.
type Run struct {
	*record.Record
	ByCell map[cell.At]*Phase
}

// Phase is one operation's part of a run with its decoded histograms. Load, Sink and Usage are without windows left out as
// disturbed.
type Phase struct {
	*record.Phase
	Whole        *record.Phase           // as recorded: the ledger covers all of it
	Idle         map[string]record.Usage // by process; nil where it cannot be taken off
	Restless     bool                    // it did other work while others had the load: how much of its CPU is its operations' is unknown
	Latency, Lag distribution            // of operations that were made in turn, where some were for that
	queued       distribution            // the latency of Load, where that is another one
	Timings      map[string]distribution // times that answers report, by name
}

func newRun(r *record.Record) *Run {
	idle := idleBy(r)
	out := &Run{Record: r, ByCell: map[cell.At]*Phase{}}
	for i := range r.Phases {
		p := &r.Phases[i]
		out.ByCell[cell.AtOf(p.Operation, p.Parameter)] = &Phase{Phase: undisturbed(p), Whole: p, Idle: idle}
	}
	return out
}

// undisturbed returns a phase without the windows left out, if usage was recorded by window.
func undisturbed(p *record.Phase) *record.Phase {
	u := p.Undisturbed
	if u == nil || u.Usage == nil {
		return p
	}
	rest := *p
	rest.Load, rest.Sink, rest.Usage, rest.PausedSeconds, rest.DrainSeconds = u.Load, u.Sink, u.Usage, u.PausedSeconds, u.DrainSeconds
	return &rest
}

// Disturbed returns the number of disturbed windows of a phase.
func (p *Phase) Disturbed() int {
	n := 0
	for _, w := range p.Turns() {
		if w.Disturbed {
			n++
		}
	}
	return n
}

func (r *Run) readHistograms() error {
	for at, p := range r.ByCell {
		load := p.Clocked()
		var err error
		if p.Latency, err = distributionOf(load.Latency, load.TimedOut); err == nil && p.Timed != nil {
			p.queued, err = distributionOf(p.Load.Latency, p.Load.TimedOut)
		}
		if err == nil && load.Driven == nil { // otherwise the lateness is the program's own, and nothing of the harness
			p.Lag, err = distributionOf(load.Lag, 0)
		}
		p.Timings = make(map[string]distribution, len(load.Timings))
		for name, h := range load.Timings {
			if err == nil {
				p.Timings[name], err = distributionOf(h, 0)
			}
		}
		if err != nil {
			return fmt.Errorf("block %d, variant %s, operation %s: %w", r.Block, r.Variant, at, err)
		}
	}
	return nil
}

// Clocked returns the operations with reported times: those timed apart, if any, in undisturbed windows.
func (p *Phase) Clocked() *record.Load {
	switch {
	case p.Timed == nil && p.Undisturbed != nil:
		return &p.Undisturbed.Load
	case p.Timed == nil:
		return &p.Load
	case p.Timed.Undisturbed != nil:
		return p.Timed.Undisturbed
	}
	return &p.Timed.Load
}

// Loads are the operations that a figure of the phase is of: of its window, and those that were timed apart.
func (p *Phase) Loads() []*record.Load {
	if p.Timed == nil {
		return []*record.Load{&p.Load}
	}
	return []*record.Load{&p.Load, p.Clocked()}
}

// LeftOut reports whether windows of a phase are left out, since they were disturbed.
func (p *Phase) LeftOut() bool {
	if p.Timed != nil && len(p.Windows) == 0 {
		return p.Timed.Undisturbed != nil
	}
	return p.Undisturbed != nil
}

// Turns are the windows in which a phase had the load while the others waited.
func (p *Phase) Turns() []record.Window {
	if p.Timed != nil && len(p.Windows) == 0 {
		return p.Timed.Windows
	}
	return p.Windows
}

// Runs by variant and block.

// BlocksOf returns the blocks in which both variants have a run, in order. Every
// pair needs the baseline too: a block without it does not count.
func (s *Set) BlocksOf(a, b string) []int {
	var blocks []int
	for block := range s.Runs[a] {
		if s.Runs[b][block] != nil && s.Runs[s.Baseline][block] != nil {
			blocks = append(blocks, block)
		}
	}
	slices.Sort(blocks)
	return blocks
}

// Both are the two runs of a pair in a block that has them. Where a block was made in groups the baseline has a run in each:
// a variant is compared with the one that lived beside it.
func (s *Set) Both(p Pair, block int) (base, value *Run) {
	base, value = s.Runs[p.Against][block], s.Runs[p.Variant][block]
	if one := s.beside[beside{block, p.Against, p.Variant}]; one != nil && s.beside[beside{block, p.Variant, p.Against}] == value {
		base = one
	}
	return base, value
}

// Grouped are the blocks that were made in groups, and how many variants lived at the same time in the largest of them;
// none where memory sufficed for all.
func (s *Set) Grouped() (blocks, most int) {
	for block, r := range s.All[s.Baseline] {
		size, groups := 1+len(r.Harness.With), s.Experiment.Design.Order.Together() && len(s.Variants) > 1 && len(r.Harness.With) == 0
		for _, with := range s.Variants[1:] {
			if one := s.beside[beside{block, s.Baseline, with.Name}]; one != nil {
				size, groups = max(size, 1+len(one.Harness.With)), groups || one != r
			}
		}
		if groups {
			blocks, most = blocks+1, max(most, size)
		}
	}
	return blocks, most
}

// FailedThemselves are the failed runs but those that failed because another one of their block did.
func (s *Set) FailedThemselves() []*record.Record {
	return slices.DeleteFunc(slices.Clone(s.Failed), func(r *record.Record) bool { return r.Failure.Stage == record.StageBlock })
}

// Failures returns in how many of its measured runs a variant's program broke down once it was ready, and how many were made.
func (s *Set) Failures(variant string) (broke, of int) {
	of = len(s.All[variant])
	for _, r := range s.FailedThemselves() {
		f := r.Failure
		if r.Variant != variant || r.Kind != record.Measured || f.Process == "" || role.Role(f.Process).Harness() || slices.Contains(beforeReady, f.Stage) {
			continue
		}
		of++
		if f.Code != record.PortTaken {
			broke++
		}
	}
	return broke, of
}

// beforeReady are the stages of a run without operations: a program that breaks down in one was under no load.
var beforeReady = []string{"prepare", "sink", "start", "ready", "connect", "cleanup"}

// RunsOf returns a variant's runs in the order of their blocks.
func (s *Set) RunsOf(variant string) []*Run {
	var out []*Run
	for _, block := range slices.Sorted(maps.Keys(s.Runs[variant])) {
		out = append(out, s.Runs[variant][block])
	}
	return out
}

// PhasesOf returns a variant's phases of one cell in the order of blocks.
func (s *Set) PhasesOf(variant string, at cell.At) []*Phase {
	var out []*Phase
	for _, r := range s.RunsOf(variant) {
		if p := r.ByCell[at]; p != nil {
			out = append(out, p)
		}
	}
	return out
}

// WholeBlocks is the number of blocks with a good run of every variant.
func (s *Set) WholeBlocks() int {
	n := 0
	for block := range s.Runs[s.Baseline] {
		whole := true
		for _, v := range s.Variants {
			whole = whole && s.Runs[v.Name][block] != nil
		}
		if whole {
			n++
		}
	}
	return n
}

// BlocksIn are the blocks of a map, in order.
func BlocksIn[V any](m map[int]V) []int {
	keys := make([]int, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Any reports whether something is true of any good run.
func (s *Set) Any(is func(*Run) bool) bool {
	for _, byBlock := range s.All {
		for _, r := range byBlock {
			if is(r) {
				return true
			}
		}
	}
	return false
}

// Interrupted or done: the runs that were tried.

// A variant is given up that fails in so many blocks in a row, or before the first
// block in so many tries of the same.
const givenUp = 2

// Attempted are the blocks in which a variant was run, and whether that went well.
func (s *Set) Attempted(variant string) map[int]bool {
	out := map[int]bool{}
	for _, r := range s.Failed {
		if r.Variant == variant && r.Block > 0 {
			out[r.Block] = false
		}
	}
	for block := range s.All[variant] {
		out[block] = true
	}
	return out
}

// LastBlock is the last block that was begun; 0 where none was.
func (s *Set) LastBlock() int {
	last := 0
	for _, v := range s.Variants {
		for block := range s.Attempted(v.Name) {
			last = max(last, block)
		}
	}
	return last
}

// NothingLeft reports whether every variant but the baseline was given up.
func (s *Set) NothingLeft() bool {
	others := 0
	for _, v := range s.Variants {
		if v.Name == s.Baseline {
			continue
		}
		if others++; !s.Abandoned(v.Name) {
			return false
		}
	}
	return others > 0
}

// Abandoned reports whether a variant failed so often that it was given up.
func (s *Set) Abandoned(variant string) bool {
	type kind struct {
		record.Kind
		record.Purpose
	}
	before := map[kind]int{}
	for _, r := range s.Failed {
		if r.Variant == variant && r.Block == 0 {
			if before[kind{r.Kind, r.Purpose}]++; before[kind{r.Kind, r.Purpose}] >= givenUp {
				return true
			}
		}
	}
	attempted := s.Attempted(variant)
	row := 0
	for block := 1; block <= s.LastBlock(); block++ {
		if good, made := attempted[block]; !made || good {
			row = 0
			continue
		}
		if row++; row >= givenUp {
			return true
		}
	}
	return false
}

// The runs of a variant, about themselves.

// Runtime returns the runtime of the processes of a variant in all of its runs; "" if unknown.
func (s *Set) Runtime(variant string) string {
	told := map[string]bool{}
	for _, r := range s.All[variant] {
		for _, text := range r.Start.Runtimes {
			told[text] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(told)), ", ")
}

// Instrumented are the libraries that the tracer of a variant named in any of its runs; nil
// where it names none.
func (s *Set) Instrumented(variant string) []string {
	named := map[string]bool{}
	for _, r := range s.All[variant] {
		for _, names := range r.Tracer.Instrumented {
			for _, name := range names {
				named[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(named))
}

// Missed returns the libraries of a variant's program that its tracer reported as not instrumented, each with a line of a
// log; nil: none.
func (s *Set) Missed(variant string) map[string]string {
	var missed map[string]string
	for _, r := range s.All[variant] {
		for _, names := range r.Tracer.Missed {
			if missed == nil {
				missed = map[string]string{}
			}
			maps.Copy(missed, names)
		}
	}
	return missed
}

// Calibrations returns a variant's calibration runs. They sample every span. A phase
// without a level has the depth that its workload reports.
func (s *Set) Calibrations(variant string) []record.Record {
	var out []record.Record
	for _, r := range s.Records {
		if r.Kind != record.Calibration || r.Variant != variant {
			continue
		}
		r.Phases = slices.Clone(r.Phases)
		for i := range r.Phases {
			if d := r.Phases[i].Load.Driven; d != nil && d.Depth > 0 && len(r.Phases[i].Parameter) == 0 {
				r.Phases[i].Parameter = map[string]string{cell.Depth: strconv.Itoa(d.Depth)}
			}
		}
		out = append(out, r)
	}
	return out
}
