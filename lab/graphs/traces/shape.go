package traces

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// shapes tells the calls of a method apart by the calls that they make. First it learns the times of all.
type shapes struct {
	methods  numbers[method]
	children numbers[child]
	late     []int               // by child: how many more of its calls ended behind their caller than before
	orders   map[[2]uint32]uint8 // of two children, the lower number first
	keys     numbers[string]
	all      []*shape        // by key
	tangled  map[uint32]bool // methods whose calls are neither in turn nor at once
}

// child is one of the calls that a method makes. The second call of cart.Get is another child than the first.
type child struct {
	by, of uint32 // methods
	nth    int
}

// Orders of two children of a method, as traces have them.
const (
	inOrder   = 1 << iota // the one with the lower number ended before the other began
	inReverse             // the other way round
	overlap
)

// furthest bounds how many calls behind a call are compared with it.
const furthest = 200

// childrenOf are the numbers of a call's children, in their order.
func (s *shapes) childrenOf(c *call) []uint32 {
	nth, out := map[uint32]int{}, make([]uint32, len(c.calls))
	for i := range c.calls {
		of := c.calls[i].method
		nth[of]++
		out[i] = s.children.of(child{c.method, of, nth[of]})
	}
	s.late = append(s.late, make([]int, len(s.children.all)-len(s.late))...)
	return out
}

// learn reads the times of a call's children, and of theirs.
func (s *shapes) learn(c *call) {
	ids := s.childrenOf(c)
	for i := range c.calls {
		a := &c.calls[i]
		if a.late {
			s.late[ids[i]]++
		} else {
			s.late[ids[i]]--
		}
		for j := i + 1; j < len(c.calls) && j <= i+furthest && a.start >= thisCentury; j++ {
			s.note(ids[i], ids[j], a, &c.calls[j])
		}
		s.learn(a)
	}
}

// note notes the order of two calls. The first one began first.
func (s *shapes) note(x, y uint32, a, b *call) {
	pair, is := [2]uint32{x, y}, uint8(inOrder)
	if x > y {
		pair, is = [2]uint32{y, x}, inReverse
	}
	switch {
	case a.start < b.end && b.start < a.end:
		is = overlap
	case a.start == b.start: // one of no length: nothing tells the order
		return
	}
	s.orders[pair] |= is
}

// isLate reports whether a child ends behind its caller in most traces.
func (s *shapes) isLate(id uint32) bool { return s.late[id] > 0 }

// atOnce reports whether two children are made at the same time: they overlap in any trace, or come in either order.
func (s *shapes) atOnce(x, y uint32) bool {
	if s.isLate(x) || s.isLate(y) { // nobody awaits it: what matters is when it begins
		return false
	}
	seen := s.orders[[2]uint32{min(x, y), max(x, y)}]
	return seen&overlap != 0 || seen == inOrder|inReverse
}

// always reports whether x ended before y began in all traces that have both.
func (s *shapes) always(x, y uint32) bool {
	if x < y {
		return s.orders[[2]uint32{x, y}] == inOrder
	}
	return s.orders[[2]uint32{y, x}] == inReverse
}

// shape is a method that does one thing: all its calls make the same calls in the same order.
type shape struct {
	id             int
	method         method
	steps          []step
	called, failed int
	traces         int    // those that begin with it
	own            sample // ns
	bytes          [2]sample

	node *node  // nil before it is a part of a topology
	name string // of the method there
}

// call is NODE.METHOD.
func (s *shape) call() string { return s.node.name + "." + s.name }

// step is a call of a shape, or several steps, which have no shape.
type step struct {
	*shape
	child          uint32
	late           bool
	atOnce, inTurn []step
	times          int
	key            string // steps with one key do the same
}

// joined is the key of a list of steps.
func joined(steps []step) string {
	var out strings.Builder
	for i := range steps {
		out.WriteString(steps[i].key)
		out.WriteByte(' ')
	}
	return out.String()
}

// of returns the shape of a call, and counts it.
func (s *shapes) of(c *call) *shape {
	steps := make([]step, len(c.calls))
	for i, id := range s.childrenOf(c) {
		of := s.of(&c.calls[i])
		steps[i] = step{shape: of, child: id, late: s.isLate(id), times: 1, key: strconv.Itoa(of.id)}
		if steps[i].late {
			steps[i].key += "!"
		}
	}
	steps = s.inTurn(c.method, s.settled(steps))
	id := int(s.keys.of(strconv.Itoa(int(c.method)) + ": " + joined(steps)))
	if id == len(s.all) {
		s.all = append(s.all, &shape{id: id, method: s.methods.all[c.method], steps: steps})
	}
	one := s.all[id]
	one.called++
	one.own.add(c.own)
	for i := range c.bytes {
		one.bytes[i].add(int64(c.bytes[i]))
	}
	if c.failed && !slices.ContainsFunc(c.calls, func(k call) bool { return k.failed }) { // an error that came from a call is that call's
		one.failed++
	}
	return one
}

// settled puts each call in the background right behind the last one that always ended before it began. Where it began among the
// next ones is chance: nobody waits for it.
func (s *shapes) settled(calls []step) []step {
	late := slices.DeleteFunc(slices.Clone(calls), func(c step) bool { return !c.late })
	slices.SortStableFunc(late, func(a, b step) int { return cmp.Compare(a.child, b.child) })
	out := slices.DeleteFunc(calls, func(c step) bool { return c.late })
	for _, one := range late {
		at := 0
		for i := range out {
			if !out[i].late && s.always(out[i].child, one.child) {
				at = i + 1
			}
		}
		for at < len(out) && out[at].late {
			at++
		}
		out = slices.Insert(out, at, one)
	}
	return out
}

// inTurn returns the steps of calls that are sorted by their start: parts that are at once with no call outside them follow each
// other.
func (s *shapes) inTurn(by uint32, calls []step) []step {
	var out []step
	for _, part := range parts(calls, s.atOnce) {
		if len(part) == 1 {
			out = append(out, part[0])
		} else {
			out = append(out, s.together(by, part))
		}
	}
	return looped(out)
}

// together is the step of calls that are at once, as a whole.
func (s *shapes) together(by uint32, calls []step) step {
	branches := parts(calls, func(x, y uint32) bool { return !s.atOnce(x, y) })
	if len(branches) == 1 { // neither: a begins before b, and c overlaps with a part of both
		s.tangled[by] = true
		branches = slices.Collect(slices.Chunk(calls, 1))
	}
	out := step{times: 1}
	for _, branch := range branches {
		steps := s.inTurn(by, branch)
		if len(steps) > 1 {
			steps = []step{{inTurn: steps, times: 1, key: "[" + joined(steps) + "]"}}
		}
		out.atOnce = append(out.atOnce, steps...)
	}
	slices.SortStableFunc(out.atOnce, func(a, b step) int { return cmp.Compare(a.key, b.key) })
	out.key = "(" + joined(out.atOnce) + ")"
	return out
}

// parts divides calls into those that are joined, by themselves or by others, each in the order of the calls.
func parts(calls []step, joined func(x, y uint32) bool) [][]step {
	part := make([]int, len(calls)) // counted from 1
	var out [][]step
	for i := range calls {
		if part[i] > 0 {
			continue
		}
		out = append(out, nil)
		part[i] = len(out)
		for next := []int{i}; len(next) > 0; next = next[1:] {
			for j := range calls {
				if part[j] == 0 && joined(calls[next[0]].child, calls[j].child) {
					part[j], next = len(out), append(next, j)
				}
			}
		}
	}
	for i, p := range part {
		out[p-1] = append(out[p-1], calls[i])
	}
	return out
}

// longestRound bounds the steps of a loop.
const longestRound = 8

// looped puts the rounds of loops together: a, b, a, b is twice a, b.
func looped(steps []step) []step {
	var out []step
	for i := 0; i < len(steps); {
		round, times := 1, 1
		for length := 1; length <= longestRound && i+2*length <= len(steps); length++ {
			n := 1
			for at := i + length; at+length <= len(steps) && slices.EqualFunc(steps[i:i+length], steps[at:at+length], same); at += length {
				n++
			}
			if n > 1 && n*length > round*times {
				round, times = length, n
			}
		}
		one := steps[i]
		if round > 1 || times > 1 && one.times > 1 {
			one = step{inTurn: steps[i : i+round], key: "[" + joined(steps[i:i+round]) + "]"}
		}
		if times > 1 {
			one.times, one.key = times, strconv.Itoa(times)+"x"+one.key
		}
		out = append(out, one)
		i += round * times
	}
	return out
}

func same(a, b step) bool { return a.key == b.key }

// sample keeps some of many numbers, evenly: every one, every second, every fourth. Those below 0 are not known.
type sample struct {
	values     []int64
	seen, each int
}

const mostValues = 512

func (s *sample) add(v int64) {
	if v < 0 {
		return
	}
	if s.each = max(1, s.each); s.seen%s.each == 0 {
		s.values = append(s.values, v)
	}
	s.seen++
	if len(s.values) == mostValues {
		for i := range mostValues / 2 {
			s.values[i] = s.values[2*i]
		}
		s.values, s.each = s.values[:mostValues/2], s.each*2
	}
}

// median is that of the numbers, -1 without any.
func (s *sample) median() int64 {
	if len(s.values) == 0 {
		return -1
	}
	sorted := slices.Sorted(slices.Values(s.values))
	return sorted[len(sorted)/2]
}
