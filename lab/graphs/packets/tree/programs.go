package tree

import (
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

// program holds the states of a method. A state counts the calls that it has made, whatever their order; the first has none.
type program struct {
	states []stage
	by     map[uint64]int32
	asked  bool // something was learnt of it, if only that it calls nothing
}

// stage is a state of a program: how often it was reached, and what came next.
type stage struct {
	key     uint64 // of the calls that were made
	reached float32
	next    []turn
	ends    turn
}

// turn is a call that comes next, or the end.
type turn struct {
	method int32
	busy   bool // while an earlier call is under way
	to     int32
	often  float32
	gaps   gaps // those that are known

	chance  float32  // logarithm of its share
	density *density // of its gaps
}

// mostStages bounds the states of a program; what goes beyond is not learnt.
const mostStages = 4096

func newPrograms() *Programs { return &Programs{numbers: map[methodName]int32{}} }

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

// clone is a copy that shares nothing which learning changes.
func (p *Programs) clone() *Programs {
	out := newPrograms()
	if p == nil {
		return out
	}
	for _, name := range p.names {
		out.number(name)
	}
	for i := range p.of {
		from, to := &p.of[i], &out.of[i]
		to.asked = from.asked
		to.states = slices.Clone(from.states)
		for j := range to.states {
			to.states[j].next = slices.Clone(to.states[j].next)
		}
		if from.by != nil {
			to.by = make(map[uint64]int32, len(from.by))
			for key, at := range from.by {
				to.by[key] = at
			}
		}
	}
	return out
}

// fade leaves of all counts a part.
func (p *Programs) fade(part float32) {
	for i := range p.of {
		for j := range p.of[i].states {
			s := &p.of[i].states[j]
			s.reached *= part
			for k := range s.next {
				s.next[k].fade(part)
			}
			s.ends.fade(part)
		}
	}
}

func (t *turn) fade(part float32) {
	t.often *= part
	t.gaps.all *= part
	for i := range t.gaps.counts {
		t.gaps.counts[i] *= part
	}
}

// begin is the state of a call of a method that has made none; nobody where it is not known what the method does.
func (p *Programs) begin(method int32) int32 {
	if !p.of[method].asked {
		return nobody
	}
	return 0
}

// taught says of each method whether it has a program.
func (p *Programs) taught() []bool {
	out := make([]bool, len(p.of))
	for i := range p.of {
		out[i] = p.of[i].asked
	}
	return out
}

// reach is a state of a program, which gets it where there is room.
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
		if s.next[i].method == method && s.next[i].busy == busy {
			return i
		}
	}
	return nobody
}

// walk is a call of a method while its program is learnt.
type walk struct {
	of     *program
	at     int32
	weight float32
	fixed  bool // no new ways are learnt
	pace
}

// pace is when a call made its last step.
type pace struct {
	asked int64 // its last call
	free  int64 // when the last of its calls was answered; at first when its request was there
}

// gap is the time since its last step, and whether a call is under way.
func (p pace) gap(at int64) (gap int64, busy bool) {
	if at < p.free {
		return max(0, at-p.asked), true
	}
	return at - p.free, false
}

// call notes a call that a walk makes.
func (w *walk) call(method int32, at, end int64) {
	if w.at == nobody {
		return
	}
	gap, busy := w.gap(at)
	w.step(method, busy, gap)
	w.asked, w.free = at, max(w.free, end)
}

// step notes a call that comes next; a gap below 0 is not known.
func (w *walk) step(method int32, busy bool, gap int64) {
	s := &w.of.states[w.at]
	i := s.look(method, busy)
	if i == nobody {
		to := int32(nobody)
		if !w.fixed {
			to = w.of.reach(after(s.key, method))
		}
		if to == nobody {
			w.at = nobody
			return
		}
		s = &w.of.states[w.at] // it may have moved
		i = len(s.next)
		s.next = append(s.next, turn{method: method, busy: busy, to: to})
	}
	s.note(&s.next[i], gap, w.weight)
	w.at = s.next[i].to
}

// end notes that a walk answers.
func (w *walk) end(gap int64) {
	if w.at != nobody && !(w.fixed && w.of.states[w.at].ends.often == 0) {
		s := &w.of.states[w.at]
		s.note(&s.ends, gap, w.weight)
	}
}

func (s *stage) note(t *turn, gap int64, weight float32) {
	s.reached += weight
	t.often += weight
	if gap >= 0 {
		t.gaps.add(gap, weight)
	}
}

// walk begins to learn what a call of a method does.
func (p *Programs) walk(method int32, weight float32, ready int64) walk {
	of := &p.of[method]
	of.asked = true
	return walk{of: of, at: of.reach(0), weight: weight, pace: pace{asked: ready, free: ready}}
}

// rarest is the logarithm of the smallest share that anything has which was seen.
const rarest = -8

// settle computes what choosing needs of all that was learnt.
func (p *Programs) settle() {
	for i := range p.of {
		for j := range p.of[i].states {
			s := &p.of[i].states[j]
			for k := range s.next {
				s.next[k].settle(s.reached)
			}
			s.ends.settle(s.reached)
		}
	}
}

func (t *turn) settle(of float32) {
	t.density = nil
	if t.often == 0 {
		return
	}
	t.chance, t.density = max(rarest, float32(math.Log(float64(t.often/of)))), unknown
	if t.gaps.all > 0 {
		t.density = t.gaps.density()
	}
}
