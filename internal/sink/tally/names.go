// This file counts by name with bounded memory: so many different names, each
// of bounded length, and no allocation for a name that is known already.

package tally

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tracetax/tracetax/internal/record"
)

const (
	maxNames   = 1000 // different names kept in a Total
	batchNames = 4096 // different names kept in one request's Batch
	maxName    = 256  // bytes kept of a name

	maxRefusals = 16 // different reasons kept for which requests were refused

	other = "(other)" // where names beyond the limit go
	none  = "(none)"  // stands for an empty name
)

// names counts by name. The zero value counts nothing; limit must be set.
type names struct {
	limit int
	index map[string]int // position in count
	name  []string
	count []uint64
	other uint64
	last  int // position that was counted last: spans of one kind come in runs
}

// elsewhere is the position of a name that is not kept.
const elsewhere = -1

// add counts n under a name as it came over the wire, and returns the name's position, or
// elsewhere. The name is not kept.
func (ns *names) add(name []byte, n uint64) int {
	if ns.last < len(ns.name) && ns.name[ns.last] == string(name) {
		ns.count[ns.last] += n
		return ns.last
	}
	if i, ok := ns.index[string(name)]; ok {
		ns.count[i] += n
		ns.last = i
		return i
	}
	return ns.addClean(clean(name), n)
}

// addClean counts n under a name that clean has made, and returns the name's position, or
// elsewhere.
func (ns *names) addClean(name string, n uint64) int {
	i, ok := ns.index[name]
	switch {
	case ok:
		ns.count[i] += n
		ns.last = i
	case len(ns.name) >= ns.limit:
		ns.other += n
		return elsewhere
	default:
		if ns.index == nil {
			ns.index = make(map[string]int)
		}
		ns.last = len(ns.name)
		ns.index[name] = ns.last
		ns.name = append(ns.name, name)
		ns.count = append(ns.count, n)
	}
	return ns.last
}

// mergeInto adds everything counted here to total. It returns where the names are there, by
// their position here, in the room of places.
func (ns *names) mergeInto(total *names, places []int) []int {
	places = places[:0]
	for i, n := range ns.count {
		place := elsewhere
		if n > 0 {
			place = total.addClean(ns.name[i], n)
		}
		places = append(places, place)
	}
	total.other += ns.other
	return places
}

// reset sets all counts to zero. The names stay, so the next request of the
// same sender allocates nothing, unless they are more than a Total would keep.
func (ns *names) reset() {
	if len(ns.name) > maxNames {
		*ns = names{limit: ns.limit}
		return
	}
	clear(ns.count)
	ns.other = 0
}

// counts returns a copy; nil if nothing was counted.
func (ns *names) counts() map[string]uint64 {
	if len(ns.name) == 0 && ns.other == 0 {
		return nil
	}
	m := make(map[string]uint64, len(ns.name)+1)
	for i, name := range ns.name {
		m[name] = ns.count[i]
	}
	if ns.other > 0 {
		m[other] += ns.other
	}
	return m
}

// clean returns a name of bounded length that is valid UTF-8.
func clean(name []byte) string {
	if len(name) == 0 {
		return none
	}
	if len(name) <= maxName {
		return strings.ToValidUTF8(string(name), "\uFFFD")
	}
	cut := maxName
	for cut > maxName-utf8.UTFMax && !utf8.RuneStart(name[cut]) {
		cut--
	}
	return strings.ToValidUTF8(string(name[:cut]), "\uFFFD") + "…"
}

// A root's name may have an id in it, so there is a name for every trace. folded returns the name with a mark in the place of
// each of these: of whole numbers, of UUIDs, and of words with digits in them that are too long for a version or a unit. Where it
// has none it is the name itself, and else in room that the next call takes.
func (b *Batch) folded(name []byte) []byte {
	if !slices.ContainsFunc(name, isDigit) {
		return name
	}
	b.name = b.name[:0]
	for i := 0; i < len(name); {
		if i+uuid <= len(name) && isUUID(name[i:i+uuid]) && (i+uuid == len(name) || !isWord(name[i+uuid])) {
			b.name = append(b.name, idMark...)
			i += uuid
			continue
		}
		end, digits := i, 0
		for ; end < len(name) && isWord(name[end]); end++ {
			if isDigit(name[end]) {
				digits++
			}
		}
		switch word := name[i:end]; {
		case len(word) == 0:
			end++
			b.name = append(b.name, name[i])
		case digits == len(word) && (i == 0 || name[i-1] != '$'), digits > 0 && len(word) >= longWord: // Outer$1 is a name in Java
			b.name = append(b.name, idMark...)
		default:
			b.name = append(b.name, word...)
		}
		i = end
	}
	return b.name
}

const (
	idMark   = "{id}"
	uuid     = 36 // its characters
	longWord = 16 // characters from which on a word with digits is an id
)

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWord(c byte) bool {
	return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80
}

func isUUID(text []byte) bool {
	for i, c := range text {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (c == '-') || !dash && !isDigit(c) && !(c|0x20 >= 'a' && c|0x20 <= 'f') {
			return false
		}
	}
	return true
}

// This file counts traces by their shape: the name of the root and the number of spans. It is
// how anybody knows whether all operations made the same. Memory is bounded, and a span costs
// two additions.

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
// sizeBits bits of how many spans it has. 0 is a trace without a span so far.
type shape uint32

const (
	sizeBits       = 13
	ownShape shape = 1 << sizeBits
)

// size is the number of spans of a trace, at most record.MostShape.
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
