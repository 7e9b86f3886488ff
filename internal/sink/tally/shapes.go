// This file counts traces by their shape: the name of the root and the number of spans. It is
// how anybody knows whether all operations made the same. Memory is bounded, and a span costs
// two additions.

package tally

import "github.com/tracetax/tracetax/internal/record"

// root says under which name the traces of a root are counted: 0 where none has come, then by
// the place of the name among all roots' names.
type root uint32

const (
	noRoot     root = 0
	shapeNames      = maxNames       // names with shapes of their own
	otherRoot  root = shapeNames + 1 // all other names
)

// rootAt returns the root whose name is at a position of a batch's names.
func rootAt(places []int, name int) root {
	if name == elsewhere || places[name] == elsewhere || places[name] >= shapeNames {
		return otherRoot
	}
	return root(places[name] + 1)
}

// shape is what is held of a trace: the root that came first, above whether its id is one that the load generator chose, above
// sizeBits bits of how many spans it has. 0 is a trace of which nothing has come.
type shape uint32

const (
	sizeBits       = 13
	ownShape shape = 1 << sizeBits
)

// size is how many spans a trace has, record.MostShape where they are as many or more.
func (h shape) size() uint32 { return uint32(h) & (1<<sizeBits - 1) }

func (h shape) root() root { return root(h >> (sizeBits + 1)) }

// with returns the shape of a trace that spans more belong to.
func (h shape) with(r root, spans uint64) shape {
	if h.root() != noRoot {
		r = h.root()
	}
	size := min(uint64(h.size())+min(spans, record.MostShape), record.MostShape)
	return shape(uint32(r)<<(sizeBits+1)|uint32(size)) | h&ownShape
}

// shapes counts traces by shape.
type shapes struct{ own, others [][]int64 } // by root, and by size

func (s *shapes) change(was, is shape) {
	if was != 0 {
		s.of(was)[was.root()][was.size()]--
	}
	of := s.of(is)
	if n := int(is.root()); n >= len(of) {
		of = append(of, make([][]int64, n+1-len(of))...)
	}
	sizes := &of[is.root()]
	if n := int(is.size()); n >= len(*sizes) {
		*sizes = append(*sizes, make([]int64, n+1-len(*sizes))...)
	}
	(*sizes)[is.size()]++
	if is&ownShape != 0 {
		s.own = of
	} else {
		s.others = of
	}
}

func (s *shapes) of(h shape) [][]int64 {
	if h&ownShape != 0 {
		return s.own
	}
	return s.others
}

// counts returns a copy, with the roots' names, and what of it is of ids that the load generator chose; nil where there is no trace.
func (s *shapes) counts(of *names) (all, own record.Shapes) {
	all = add(add(nil, s.others, of), s.own, of)
	return all, add(nil, s.own, of)
}

func add(to record.Shapes, traces [][]int64, of *names) record.Shapes {
	for r, sizes := range traces {
		for size, n := range sizes {
			if n == 0 {
				continue
			}
			name := record.NoRoot
			switch {
			case root(r) == otherRoot:
				name = record.OtherRoot
			case root(r) != noRoot:
				name = of.name[r-1]
			}
			if to == nil {
				to = record.Shapes{}
			}
			if to[name] == nil {
				to[name] = map[int]int64{}
			}
			to[name][size] += n
		}
	}
	return to
}
