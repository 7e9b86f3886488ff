package traces

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// child is a call among those that a method makes: the second of cart.Get is another one than the first.
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

// orders is what all traces say of the times of a method's calls.
type orders struct {
	children map[child]uint32
	seen     []struct{ all, late int } // by child
	pairs    map[[2]uint32]uint8       // the lower number first
}

// furthest bounds how many calls behind a call are compared with it.
const furthest = 200

func newOrders() *orders {
	return &orders{children: map[child]uint32{}, pairs: map[[2]uint32]uint8{}}
}

// ids are the numbers of a call's children, in their order.
func (o *orders) ids(c *call) []uint32 {
	nth, out := map[uint32]int{}, make([]uint32, len(c.calls))
	for i := range c.calls {
		of := c.calls[i].method
		nth[of]++
		key := child{c.method, of, nth[of]}
		id, known := o.children[key]
		if !known {
			id = uint32(len(o.seen))
			o.children[key], o.seen = id, append(o.seen, struct{ all, late int }{})
		}
		out[i] = id
	}
	return out
}

// learn reads the times of a call's children, and of theirs.
func (o *orders) learn(c *call) {
	ids := o.ids(c)
	for i := range c.calls {
		a := &c.calls[i]
		o.seen[ids[i]].all++
		if a.late {
			o.seen[ids[i]].late++
		}
		for j := i + 1; j < len(c.calls) && j <= i+furthest; j++ {
			if b := &c.calls[j]; a.start >= thisCentury {
				o.note(ids[i], ids[j], a, b)
			}
		}
		o.learn(a)
	}
}

// note notes two calls, the first of which began first.
func (o *orders) note(x, y uint32, a, b *call) {
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
	o.pairs[pair] |= is
}

// isLate reports whether a child ends behind its caller in most traces.
func (o *orders) isLate(id uint32) bool { return 2*o.seen[id].late > o.seen[id].all }

// atOnce reports whether two children are made at the same time: they overlap in any trace, or come in either order.
func (o *orders) atOnce(x, y uint32) bool {
	if o.isLate(x) || o.isLate(y) { // nobody awaits it: what matters is when it begins
		return false
	}
	seen := o.pairs[[2]uint32{min(x, y), max(x, y)}]
	return seen&overlap != 0 || seen == inOrder|inReverse
}

// shape is a method that does one thing: all its calls make the same calls in the same order.
type shape struct {
	method uint32
	steps  []step
	called, failed,
	traces int // of which it is the root
	own, request, answer sample
}

// step is a call of a shape, or several.
type step struct {
	shape  int32 // -1: several
	late   bool
	atOnce []step
	inTurn []step
	times  int
}

// shapes tells calls apart by what they do.
type shapes struct {
	*orders
	all     []shape
	ids     map[string]int32
	tangled map[uint32]bool // methods whose calls are neither in turn nor at once
}

func newShapes(o *orders) *shapes {
	return &shapes{orders: o, ids: map[string]int32{}, tangled: map[uint32]bool{}}
}

// of returns the shape of a call, and counts it.
func (s *shapes) of(c *call) int32 {
	ids := s.orders.ids(c)
	leaves := make([]leaf, len(c.calls))
	for i := range c.calls {
		leaves[i] = leaf{id: ids[i], step: step{shape: s.of(&c.calls[i]), late: s.isLate(ids[i]), times: 1}}
	}
	steps := s.inTurn(c.method, s.settled(leaves))
	var key strings.Builder
	key.WriteString(strconv.Itoa(int(c.method)))
	written(&key, steps)
	id, known := s.ids[key.String()]
	if !known {
		id = int32(len(s.all))
		s.ids[key.String()], s.all = id, append(s.all, shape{method: c.method, steps: steps})
	}
	one := &s.all[id]
	one.called++
	one.own.add(c.own)
	one.request.add(int64(c.request))
	one.answer.add(int64(c.answer))
	if c.failed && !slices.ContainsFunc(c.calls, func(k call) bool { return k.failed }) { // an error that came from a call is that call's
		one.failed++
	}
	return id
}

// leaf is a call that is to be put among others.
type leaf struct {
	id uint32
	step
}

// settled puts each call in the background right behind the last one that always ended before it began. Where it began among the
// next ones is chance: nobody waits for it.
func (s *shapes) settled(leaves []leaf) []leaf {
	var out []leaf
	late := map[int][]leaf{} // by the number of calls before them
	for i := range leaves {
		if !leaves[i].late {
			out = append(out, leaves[i])
		}
	}
	if len(out) == len(leaves) {
		return leaves
	}
	for i := range leaves {
		if leaves[i].late {
			before := 0
			for j := range out {
				if s.always(out[j].id, leaves[i].id) {
					before = j + 1
				}
			}
			late[before] = append(late[before], leaves[i])
		}
	}
	for before := len(out); before >= 0; before-- {
		slices.SortStableFunc(late[before], func(a, b leaf) int { return cmp.Compare(a.id, b.id) })
		out = slices.Insert(out, before, late[before]...)
	}
	return out
}

// always reports whether x ended before y began in all traces that have both.
func (s *shapes) always(x, y uint32) bool {
	if x < y {
		return s.pairs[[2]uint32{x, y}] == inOrder
	}
	return s.pairs[[2]uint32{y, x}] == inReverse
}

// inTurn returns the steps of calls that are sorted by their start: parts that are at once with no call outside them follow each
// other.
func (s *shapes) inTurn(by uint32, leaves []leaf) []step {
	var out []step
	for _, part := range parts(leaves, s.atOnce) {
		if len(part) == 1 {
			out = append(out, part[0].step)
			continue
		}
		out = append(out, s.together(by, part))
	}
	return repeated(out)
}

// together is the step of calls that are at once, as a whole.
func (s *shapes) together(by uint32, leaves []leaf) step {
	branches := parts(leaves, func(x, y uint32) bool { return !s.atOnce(x, y) })
	if len(branches) == 1 { // neither: a begins before b, and c overlaps with a part of both
		s.tangled[by] = true
		branches = branches[:0]
		for i := range leaves {
			branches = append(branches, leaves[i:i+1])
		}
	}
	var out step
	out.shape, out.times = -1, 1
	for _, branch := range branches {
		switch steps := s.inTurn(by, branch); {
		case len(steps) == 1:
			out.atOnce = append(out.atOnce, steps[0])
		default:
			out.atOnce = append(out.atOnce, step{shape: -1, inTurn: steps, times: 1})
		}
	}
	slices.SortStableFunc(out.atOnce, func(a, b step) int { return cmp.Compare(keyOf(a), keyOf(b)) })
	return out
}

// parts divides calls into those that are joined, by themselves or by others, each in the order of the calls.
func parts(leaves []leaf, joined func(x, y uint32) bool) [][]leaf {
	place := make([]int, len(leaves))
	for i := range place {
		place[i] = -1
	}
	var out [][]leaf
	for i := range leaves {
		if place[i] >= 0 {
			continue
		}
		place[i] = len(out)
		for next := []int{i}; len(next) > 0; {
			at := next[0]
			next = next[1:]
			for j := range leaves {
				if place[j] < 0 && joined(leaves[at].id, leaves[j].id) {
					place[j], next = len(out), append(next, j)
				}
			}
		}
		out = append(out, nil)
	}
	for i, p := range place {
		out[p] = append(out[p], leaves[i])
	}
	return out
}

// longestRound bounds the steps of a loop.
const longestRound = 8

// repeated puts the rounds of loops together: a, b, a, b is twice a, b.
func repeated(steps []step) []step {
	var out []step
	for i := 0; i < len(steps); {
		round, times := 1, 1
		for length := 1; length <= longestRound && i+2*length <= len(steps); length++ {
			n := 1
			for at := i + length; at+length <= len(steps) && same(steps[i:i+length], steps[at:at+length]); at += length {
				n++
			}
			if n > 1 && n*length > round*times {
				round, times = length, n
			}
		}
		one := steps[i]
		switch {
		case times == 1:
		case round == 1 && one.times == 1:
			one.times = times
		default:
			one = step{shape: -1, inTurn: steps[i : i+round], times: times}
		}
		out = append(out, one)
		i += round * times
	}
	return out
}

func same(a, b []step) bool {
	var x, y strings.Builder
	written(&x, a)
	written(&y, b)
	return x.String() == y.String()
}

// keyOf is the text of a step.
func keyOf(s step) string {
	var out strings.Builder
	written(&out, []step{s})
	return out.String()
}

// written writes steps so that the same ones have the same text.
func written(out *strings.Builder, steps []step) {
	for _, s := range steps {
		out.WriteByte(' ')
		if s.times > 1 {
			out.WriteString(strconv.Itoa(s.times) + "x")
		}
		switch {
		case s.shape >= 0:
			out.WriteString(strconv.Itoa(int(s.shape)))
			if s.late {
				out.WriteByte('!')
			}
		case len(s.atOnce) > 0:
			out.WriteByte('(')
			written(out, s.atOnce)
			out.WriteByte(')')
		default:
			out.WriteByte('[')
			written(out, s.inTurn)
			out.WriteByte(']')
		}
	}
}

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
