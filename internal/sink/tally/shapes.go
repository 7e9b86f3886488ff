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
	shapeNames      = 62             // names with shapes of their own
	otherRoot  root = shapeNames + 1 // all other names
	roots           = shapeNames + 2
)

// rootAt returns the root whose name is at a position of a batch's names.
func rootAt(places []int, name int) root {
	if name == elsewhere || places[name] == elsewhere || places[name] >= shapeNames {
		return otherRoot
	}
	return root(places[name] + 1)
}

// shape is what is held of a trace: the root that came first, above sizeBits bits of how many
// spans it has. 0 is a trace of which nothing has come.
type shape uint32

const sizeBits = 24

// size is how many spans a trace has, record.MostShape where they are as many or more.
func (h shape) size() uint32 { return uint32(h) & (1<<sizeBits - 1) }

func (h shape) root() root { return root(h >> sizeBits) }

// with returns the shape of a trace that spans more belong to.
func (h shape) with(r root, spans uint64) shape {
	if h.root() != noRoot {
		r = h.root()
	}
	size := min(uint64(h.size())+min(spans, record.MostShape), record.MostShape)
	return shape(uint32(r)<<sizeBits | uint32(size))
}

// shapes counts traces by shape.
type shapes struct{ traces [roots][]int64 }

func (s *shapes) change(was, is shape) {
	if was != 0 {
		s.traces[was.root()][was.size()]--
	}
	sizes := &s.traces[is.root()]
	if n := int(is.size()); n >= len(*sizes) {
		*sizes = append(*sizes, make([]int64, n+1-len(*sizes))...)
	}
	(*sizes)[is.size()]++
}

// counts returns a copy, with the roots' names; nil where there is no trace.
func (s *shapes) counts(of *names) record.Shapes {
	var m record.Shapes
	for r, sizes := range s.traces {
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
			if m == nil {
				m = record.Shapes{}
			}
			if m[name] == nil {
				m[name] = map[int]int64{}
			}
			m[name][size] = n
		}
	}
	return m
}
