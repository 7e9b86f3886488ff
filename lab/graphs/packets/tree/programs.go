package tree

import (
	"maps"
	"math"
	"slices"
)

// Programs hold the calls that methods make when they are called, their order, and the gaps between their steps.
type Programs struct {
	numbers map[methodName]int32
	names   []methodName
	of      []program // by the number of a method
}

// methodName is a method of a service.
type methodName struct{ service, protocol, method string }

// program holds the states of a method, none where nothing was learnt of it. A state counts the calls that it has made, whatever
// their order; the first has none.
type program struct {
	states []stage
	by     map[uint64]int32 // states by their keys
	fixed  bool             // no new ways are learnt
}

// stage is a state of a program, and what came next.
type stage struct {
	key  uint64 // of the calls that were made
	next []turn
}

// turn is a call that comes next, or the answer.
type turn struct {
	method int32 // nobody of the answer
	busy   bool  // while an earlier call is under way
	to     int32 // the state then
	often  float32
	gaps   gaps // those that are known

	chance  float32  // logarithm of its share
	density *density // of its gaps; nil where it never came
}

// mostStages bounds the states of a program; what goes beyond is not learnt.
const mostStages = 4096

// number is the number of a method; a new one gets the next.
func (p *Programs) number(name methodName) int32 {
	n, has := p.numbers[name]
	if !has {
		n = int32(len(p.names))
		p.numbers[name] = n
		p.names = append(p.names, name)
		p.of = append(p.of, program{})
	}
	return n
}

// clone is a copy that shares nothing which learning changes; that of nil is empty.
func (p *Programs) clone() *Programs {
	if p == nil {
		return &Programs{numbers: map[methodName]int32{}}
	}
	out := &Programs{maps.Clone(p.numbers), slices.Clone(p.names), slices.Clone(p.of)}
	for i := range out.of {
		of := &out.of[i]
		of.states, of.by = slices.Clone(of.states), maps.Clone(of.by)
		for j := range of.states {
			of.states[j].next = slices.Clone(of.states[j].next)
		}
	}
	return out
}

// stages calls each for all states.
func (p *Programs) stages(each func(s *stage)) {
	for i := range p.of {
		for j := range p.of[i].states {
			each(&p.of[i].states[j])
		}
	}
}

// fade leaves of all counts a part.
func (p *Programs) fade(part float32) {
	p.stages(func(s *stage) {
		for i := range s.next {
			t := &s.next[i]
			t.often *= part
			t.gaps.fade(part)
		}
	})
}

// rarest is the logarithm of the smallest share that anything has which was seen.
const rarest = -8

// settle computes what choosing needs of all that was learnt.
func (p *Programs) settle() {
	p.stages(func(s *stage) {
		reached := float32(0)
		for i := range s.next {
			reached += s.next[i].often
		}
		for i := range s.next {
			t := &s.next[i]
			t.density = nil
			if t.often > 0 {
				t.chance, t.density = max(rarest, float32(math.Log(float64(t.often/reached)))), t.gaps.density()
			}
		}
	})
}

// known reports whether it is known what a method does.
func (p *Programs) known(method int32) bool { return len(p.of[method].states) > 0 }

// reach is a state of a program, which gets it where there is room; nobody where there is none.
func (p *program) reach(key uint64) int32 {
	if at, has := p.by[key]; has {
		return at
	}
	if len(p.states) == mostStages {
		return nobody
	}
	if p.by == nil {
		p.by = map[uint64]int32{}
	}
	at := int32(len(p.states))
	p.by[key] = at
	p.states = append(p.states, stage{key: key})
	return at
}

// after is the key of a state, once a method is called too.
func after(key uint64, method int32) uint64 { return key + scatter(uint64(method)+1) }

// scatter makes numbers whose sums tell the parts.
func scatter(n uint64) uint64 {
	n *= 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// look is the place of a call among what comes next; nobody where it never did.
func (s *stage) look(method int32, busy bool) int {
	for i := range s.next {
		if t := &s.next[i]; t.method == method && t.busy == busy {
			return i
		}
	}
	return nobody
}

// walk is a call of a method while its program is learnt.
type walk struct {
	of     *program
	at     int32 // nobody where it cannot be learnt
	weight float32
	pace
}

// pace is when a call made its last step.
type pace struct {
	asked int64 // its last call
	free  int64 // when the last of its calls was answered; at first when its request was there
}

// gap is the time since its last step in ns, and whether a call is under way.
func (p pace) gap(at int64) (gap int64, busy bool) {
	if at < p.free {
		return max(0, at-p.asked), true
	}
	return at - p.free, false
}

// walk begins to learn what a call of a method does.
func (p *Programs) walk(method int32, weight float32, ready int64) walk {
	of := &p.of[method]
	return walk{of: of, at: of.reach(0), weight: weight, pace: pace{asked: ready, free: ready}}
}

// unknownGap is a gap that says nothing.
const unknownGap = -1

// step notes what comes next: a call, or the answer of the walk as a call of nobody.
func (w *walk) step(method int32, busy bool, gap int64) {
	if w.at == nobody {
		return
	}
	s := &w.of.states[w.at]
	i := s.look(method, busy)
	if i == nobody {
		to := int32(nobody)
		if !w.of.fixed && method != nobody {
			to = w.of.reach(after(s.key, method))
		}
		if to == nobody && (w.of.fixed || method != nobody) {
			w.at = nobody
			return
		}
		s = &w.of.states[w.at] // it may have moved
		i = len(s.next)
		s.next = append(s.next, turn{method: method, busy: busy, to: to})
	}
	t := &s.next[i]
	t.often += w.weight
	if gap != unknownGap {
		t.gaps.add(gap, w.weight)
	}
	w.at = t.to
}
