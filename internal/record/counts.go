package record

import (
	"maps"
	"slices"
)

// numbers are the counts that add up.
func (c *Counts) numbers() []*uint64 {
	return []*uint64{
		&c.Requests, &c.Bytes, &c.Spans, &c.Roots, &c.Metrics, &c.Logs, &c.Rejected, &c.Malformed, &c.Thrown, &c.Merged, &c.Suppressed, &c.LeftOut,
		&c.Unchecked, &c.Foreign, &c.Duplicate, &c.Traces, &c.Evicted,
	}
}

// tables are those by name.
func (c *Counts) tables() []*map[string]uint64 {
	return []*map[string]uint64{&c.Services, &c.RootNames, &c.Kinds, &c.Protocols, &c.Refusals}
}

// Minus returns what was counted after before was taken. Orphans and Checking
// are states, not counts: they are kept as they are in c.
func (c Counts) Minus(before Counts) Counts {
	numbers, tables := before.numbers(), before.tables()
	for i, n := range c.numbers() {
		*n -= *numbers[i]
	}
	for i, t := range c.tables() {
		*t = minus(*t, *tables[i])
	}
	c.Absent, c.Shapes, c.Own = c.Absent-before.Absent, c.Shapes.minus(before.Shapes), c.Own.minus(before.Own)
	return c
}

// Refusal is the reason why most of the whole refused requests were refused; "" if none was.
func (c Counts) Refusal() string {
	var most string
	for _, why := range slices.Sorted(maps.Keys(c.Refusals)) {
		if most == "" || c.Refusals[why] > c.Refusals[most] {
			most = why
		}
	}
	return most
}

// Unique is the number of spans received, each counted once. It is exact in
// checking mode only.
func (c Counts) Unique() uint64 { return c.Spans - c.Duplicate }

// Sum is the number of spans made, by what reached the sink: those
// that came, those that their tracer merged into these, and those that it says it did not
// send.
func (c Counts) Sum() uint64 { return c.Unique() + c.Merged + c.Suppressed }

func minus(after, before map[string]uint64) map[string]uint64 {
	d := maps.Clone(after)
	for name, n := range before {
		if d[name] -= n; d[name] == 0 {
			delete(d, name)
		}
	}
	return d
}

// Plus returns what was counted in two stretches of time, one after the other: the states are those of the later.
func (c Counts) Plus(next Counts) Counts {
	numbers, tables := c.numbers(), c.tables()
	for i, n := range next.numbers() {
		*n += *numbers[i]
	}
	for i, t := range next.tables() {
		*t = plus(*tables[i], *t)
	}
	next.Absent, next.Shapes, next.Own = c.Absent+next.Absent, c.Shapes.plus(next.Shapes), c.Own.plus(next.Own)
	return next
}

func plus[K comparable](a, b map[K]uint64) map[K]uint64 {
	if len(b) == 0 {
		return maps.Clone(a)
	}
	sum := maps.Clone(a)
	if sum == nil {
		sum = map[K]uint64{}
	}
	for name, n := range b {
		sum[name] += n
	}
	return sum
}

// Shapes counts traces by the name of their root and by how many spans they have, those
// included that their tracer says it merged or did not send. As a difference between two
// moments a number is below zero where traces that had begun before got more spans.
type Shapes map[string]map[int]int64

// Names of roots that are none, and the most spans that are told apart.
const (
	NoRoot    = ""        // the root has not come
	OtherRoot = "(other)" // roots of names beyond those that are told apart
	MostShape = 4096      // stands for as many spans, or more

	noRootName = "(no root)" // of spans of other work
)

// Traces returns how many traces there are of a root, and how many spans they have.
func (s Shapes) Traces(root string) (traces, spans int64) {
	for size, n := range s[root] {
		traces += n
		spans += int64(size) * n
	}
	return traces, spans
}

// Alike reports whether all traces of each root have as many spans.
func (s Shapes) Alike() bool {
	for _, sizes := range s {
		seen := 0
		for _, n := range sizes {
			if n > 0 {
				seen++
			}
		}
		if seen > 1 {
			return false
		}
	}
	return true
}

// Spans returns the number of spans of all traces.
func (s Shapes) Spans() int64 {
	var sum int64
	for root := range s {
		_, spans := s.Traces(root)
		sum += spans
	}
	return sum
}

// Whole reports whether the shapes say of every span that was told of to which trace it
// belongs: ids were looked at and none was forgotten, and no trace has too many spans.
func (c Counts) Whole() bool {
	for _, sizes := range c.Shapes {
		if sizes[MostShape] != 0 {
			return false
		}
	}
	return c.Checking && c.Evicted == 0 && c.Unchecked == 0 && c.Shapes.Spans() == int64(c.Sum())
}

func (s Shapes) plus(next Shapes) Shapes  { return s.with(next, 1) }
func (s Shapes) minus(next Shapes) Shapes { return s.with(next, -1) }

func (s Shapes) with(next Shapes, times int64) Shapes {
	var sum Shapes
	add := func(of Shapes, times int64) {
		for root, sizes := range of {
			for size, n := range sizes {
				if sum == nil {
					sum = Shapes{}
				}
				if sum[root] == nil {
					sum[root] = map[int]int64{}
				}
				if sum[root][size] += times * n; sum[root][size] == 0 {
					delete(sum[root], size)
				}
			}
		}
	}
	add(s, 1)
	add(next, times)
	for root, sizes := range sum {
		if len(sizes) == 0 {
			delete(sum, root)
		}
	}
	if len(sum) == 0 {
		return nil
	}
	return sum
}

// Begun identifies the traces that operations begin.
type Begun struct {
	ByID  bool           // by their ids, which the load generator chose
	Roots map[string]int // names of their roots, each with the most spans of such a trace; nil: not known
}

// OfOperations returns what was counted less the traces that no operation begins, and the spans of those by root: traces of other ids,
// or of other roots where the ids do not tell. Traces whose root has not come stay then. Nothing is taken off where neither
// is known, or the traces are not known of all spans.
func (c Counts) OfOperations(b Begun) (Counts, map[string]int64) {
	if !b.ByID && b.Roots == nil || !c.Whole() {
		return c, nil
	}
	var others map[string]int64
	rest, shapes := c.Shapes.minus(c.Own), c.Shapes
	for root := range rest {
		if _, own := b.Roots[root]; !b.ByID && (own || root == NoRoot || root == OtherRoot) {
			continue
		}
		traces, spans := rest.Traces(root)
		shapes = shapes.minus(Shapes{root: rest[root]})
		c.Foreign -= min(c.Foreign, uint64(max(0, traces)))
		if spans <= 0 {
			continue
		}
		if others == nil {
			others = map[string]int64{}
		}
		if root == NoRoot {
			root = noRootName
		}
		others[root] = spans
		cut(&c.Traces, uint64(max(0, traces)))
		cut(&c.Roots, uint64(max(0, traces)))
		left := uint64(spans)
		came := min(left, c.Unique())
		c.Spans -= came
		left -= came
		left -= cut(&c.Merged, left)
		cut(&c.Suppressed, left)
	}
	c.Shapes = shapes
	return c, others
}

// cut takes at most n off, and returns how many it took.
func cut(from *uint64, n uint64) uint64 {
	n = min(n, *from)
	*from -= n
	return n
}

// Larger returns how many traces of these roots have more spans than they are known to, how many
// more all of them have, and any of them at most. Those of sizes that are known besides are not among them.
func (s Shapes) Larger(roots map[string]int, besides map[string]map[int]bool) (traces, spans int64, most int) {
	for root, known := range roots {
		for size, n := range s[root] {
			if size > known && n > 0 && !besides[root][size] {
				traces += n
				spans += int64(size-known) * n
				most = max(most, size-known)
			}
		}
	}
	return traces, spans, most
}
