// Whose a sample is, and what it serves.

package profile

import (
	"cmp"
	"slices"
	"strings"
)

// Owner is the owner of a sample.
type Owner int

// The owners.
const (
	Program Owner = iota // also code that a tracer weaves into the program's methods: it has no frame of its own
	Tracer
	Runtime // collector of garbage, compiler, scheduler
	owners
)

func (o Owner) String() string { return [owners]string{"program", "tracer", "runtime"}[o] }

// Cause identifies the work that a sample was taken in. Stage and task are "" where the owner is not the tracer, NoRule where no rule knows
// them.
type Cause struct {
	Owner Owner
	Does
	Own bool // on a thread of the tracer's own: no caller waits for it
	At  int  // index in the stack of the outermost frame of the owner's last stretch
}

// Causes are the samples of a profile by cause. All amounts are in the profile's unit but for the counts.
type Causes struct {
	Unit     string
	All      Amounts      // of all threads
	Caller   Amounts      // of threads that are neither the tracer's nor the runtime's
	Count    int64        // samples as they were taken
	Tracing  int64        // those that are the tracer's
	Callers  int64        // of these, in threads that are neither the tracer's nor the runtime's
	NoRule   int64        // those of them without a task
	Unruled  []FrameCount // frames that would need a rule for it, the largest first
	Handlers int64        // samples that a wrapper of the tracer handed over to the program
}

// Amounts are sums of values. Stage and Task have each name of their lists and NoRule, and each sums to Owner[Tracer].
type Amounts struct {
	Total int64
	Owner [owners]int64
	Stage map[string]int64
	Task  map[string]int64
}

// FrameCount is the amount in a frame.
type FrameCount struct {
	Frame string // as rules name it
	Value int64
}

// maxUnruled bounds the listed frames without a rule.
const maxUnruled = 200

// Causes of each sample of a profile, in their order.
func (r *Rules) Causes(p *Profile) []Cause {
	s := r.sorter(p)
	out := make([]Cause, len(p.Samples))
	for i, sample := range p.Samples {
		out[i] = s.cause(sample).Cause
	}
	return out
}

// Sort sums up the causes of a profile's samples.
func (r *Rules) Sort(p *Profile) *Causes {
	s := r.sorter(p)
	c := &Causes{Unit: p.Unit}
	var all, caller sums
	unruled := map[int32]int64{}
	for _, sample := range p.Samples {
		of := s.cause(sample)
		all.add(of, sample.Value)
		if c.Count += sample.Count; of.handed {
			c.Handlers += sample.Count
		}
		if !of.Own && !s.runtimeThread(sample.Thread) {
			if caller.add(of, sample.Value); of.Owner == Tracer {
				c.Callers += sample.Count
			}
		}
		if of.Owner != Tracer {
			continue
		}
		if c.Tracing += sample.Count; of.task == none {
			c.NoRule += sample.Count
			unruled[s.unruled(sample.Stack, of.At)] += sample.Value
		}
	}
	c.All, c.Caller = all.amounts(), caller.amounts()
	for f, value := range unruled {
		name := "(no frame)"
		if f >= 0 {
			name = p.Frames[f].String()
		}
		c.Unruled = append(c.Unruled, FrameCount{name, value})
	}
	slices.SortFunc(c.Unruled, func(a, b FrameCount) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), strings.Compare(a.Frame, b.Frame))
	})
	c.Unruled = c.Unruled[:min(len(c.Unruled), maxUnruled)]
	return c
}

// none is the number of a stage or task that no rule knows; others are one more than their index in Stages or Tasks.
const none = 0

func numberOf(word string, list []string) uint8 { return uint8(1 + slices.Index(list, word)) }

// sums are amounts of samples: in all, by owner, and of the tracer's by the number of a stage or a task.
type sums struct {
	total  int64
	owners [owners]int64
	stages [16]int64
	tasks  [16]int64
}

func (s *sums) add(of found, value int64) {
	s.total += value
	if s.owners[of.Owner] += value; of.Owner == Tracer {
		s.stages[of.stage] += value
		s.tasks[of.task] += value
	}
}

func (s *sums) amounts() Amounts {
	named := func(list []string, values [16]int64) map[string]int64 {
		out := map[string]int64{NoRule: values[none]}
		for i, name := range list {
			out[name] = values[i+1]
		}
		return out
	}
	return Amounts{s.total, s.owners, named(Stages, s.stages), named(Tasks, s.tasks)}
}

// class is the answer of the rules for a frame.
type class struct {
	tracer, runtime bool
	between, loads  bool
	calls, called   handed // hands-over frames by their index: those that it calls, and those that it is
	stage, task     uint8
	thread          int16 // one more than the index of the tracer's thread that the frame shows
}

// handed is a set of hands-over frames, by their index.
type handed [MostHandsOver / 64]uint64

func (h handed) meets(other handed) bool {
	for i := range h {
		if h[i]&other[i] != 0 {
			return true
		}
	}
	return false
}

// sorter knows the classes of a profile's frames and of its threads.
type sorter struct {
	rules         *Rules
	frames        []class
	threads       map[string]int16 // one more than the index of the tracer's thread, or runtimeThread
	stages, tasks []uint8          // of threads, and of what no rule knows behind them
	otherwise     int
	owned         []int64 // frames of the last stack that are its owner's: from, to, and from again; the last ones go to its end
}

// ofRuntime marks threads of the runtime.
const ofRuntime = -1

func (r *Rules) sorter(p *Profile) *sorter {
	s := &sorter{rules: r, frames: make([]class, len(p.Frames)), threads: map[string]int16{}, otherwise: len(r.threads)}
	for i, f := range p.Frames {
		s.frames[i] = r.class(f)
	}
	for _, t := range r.threads {
		s.stages, s.tasks = append(s.stages, numberOf(t.Stage, Stages)), append(s.tasks, numberOf(t.Task, Tasks))
	}
	s.stages, s.tasks = append(s.stages, numberOf(r.otherwise.Stage, Stages)), append(s.tasks, numberOf(r.otherwise.Task, Tasks))
	return s
}

func (r *Rules) class(f Frame) class {
	c := class{tracer: anyMatches(r.tracer, f), runtime: anyMatches(r.runtime, f), between: anyMatches(r.between, f), loads: anyMatches(r.loaders, f)}
	for i, h := range r.handsOver {
		if h.caller == nil || h.caller.matches(f) {
			c.calls[i/64] |= 1 << (i % 64)
		}
		if !c.tracer && !c.between && (h.frame == nil || h.frame.matches(f)) {
			c.called[i/64] |= 1 << (i % 64)
		}
	}
	for i, t := range r.threads {
		if c.thread == 0 && anyMatches(t.frames, f) {
			c.thread = int16(i + 1)
		}
	}
	for _, one := range r.rules {
		if c.stage != none && c.task != none {
			break
		}
		if !anyMatches(one.frames, f) {
			continue
		}
		if c.stage == none {
			c.stage = numberOf(one.Stage, Stages)
		}
		if c.task == none {
			c.task = numberOf(one.Task, Tasks)
		}
	}
	return c
}

// thread returns the owner of a thread by its name: one more than the index of a tracer's, ofRuntime, or 0.
func (s *sorter) thread(name string) int16 {
	if name == "" {
		return 0
	}
	of, known := s.threads[name]
	if !known {
		for i, t := range s.rules.threads {
			if of == 0 && t.name != nil && t.name.name.matches(name) {
				of = int16(i + 1)
			}
		}
		if of == 0 && anyMatches(s.rules.runtimeThreads, Frame{Name: name}) {
			of = ofRuntime
		}
		s.threads[name] = of
	}
	return of
}

func (s *sorter) runtimeThread(name string) bool { return s.thread(name) == ofRuntime }

// found is a cause by the numbers of its stage and its task.
type found struct {
	Cause
	stage, task uint8
	handed      bool
}

// cause goes through a stack, from the outermost frame inwards: a frame of the tracer makes the tracer its owner, one that
// hands over the program again, one of the runtime the runtime where the tracer is not the owner, and any other stays with
// its caller. On a thread of the tracer all is the tracer's.
func (s *sorter) cause(sample Sample) found {
	var of found
	own := s.thread(sample.Thread)
	s.owned = append(s.owned[:0], 0) // the program's, as long as it may be the owner in the end
	if own == ofRuntime {
		of.Owner, own, s.owned = Runtime, 0, s.owned[:0]
	}
	if own > 0 {
		of.Owner = Tracer
	}
	var caller class
	for i, f := range sample.Stack {
		if own > 0 {
			break
		}
		c := s.frames[f]
		before := of.Owner
		switch {
		case c.thread > 0 && of.Owner != Tracer:
			own, of.Owner, of.At = c.thread, Tracer, i
		case c.tracer && of.Owner != Tracer:
			of.Owner, of.At = Tracer, i
		case of.Owner == Tracer && caller.calls.meets(c.called):
			of.Owner, of.At, of.handed = Program, i, true
		case c.runtime && of.Owner == Program:
			of.Owner, of.At = Runtime, i
		}
		if of.Owner != before && (of.Owner == Program || before == Program) {
			s.owned = append(s.owned, int64(i))
		}
		if !c.between || c.tracer {
			caller = c
		}
	}
	if of.Owner != Program {
		s.owned = append(s.owned[:0], int64(of.At))
	}
	if of.Owner != Tracer {
		return of
	}
	for i := len(sample.Stack) - 1; i >= of.At && (of.stage == none || of.task == none); i-- {
		c := s.frames[sample.Stack[i]]
		of.stage, of.task = cmp.Or(of.stage, c.stage), cmp.Or(of.task, c.task)
	}
	of.Own = own > 0
	rest := s.otherwise
	if of.Own {
		rest = int(own) - 1
	}
	of.stage, of.task = cmp.Or(of.stage, s.stages[rest]), cmp.Or(of.task, s.tasks[rest])
	of.Stage, of.Task = NoRule, NoRule
	if of.stage != none {
		of.Stage = Stages[of.stage-1]
	}
	if of.task != none {
		of.Task = Tasks[of.task-1]
	}
	return of
}

// unruled is the frame that would need a rule: the innermost one of the tracer, or else the innermost; -1 where there is none.
func (s *sorter) unruled(stack []int32, from int) int32 {
	for i := len(stack) - 1; i >= from; i-- {
		if s.frames[stack[i]].tracer {
			return stack[i]
		}
	}
	if len(stack) > 0 {
		return stack[len(stack)-1]
	}
	return -1
}
