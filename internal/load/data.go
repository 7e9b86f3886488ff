// Request data: which row of its file each operation is made with, and the
// request that comes of it.

package load

import (
	"strconv"
)

// Orders of the rows of a data file.
const (
	InTurn = "in turn" // each operation takes the next row; after the last comes the first
	Random = "random"  // each takes one by chance, the same for the same seed
)

// turns counts the operations of each kind, where some use data; nil otherwise.
type turns []turn

type turn struct{ at, step uint64 }

// newTurns returns the turns of one thread: of n threads each takes every n-th row.
func newTurns(t Task, thread, threads int) turns {
	uses := false
	for _, r := range t.Operations {
		uses = uses || r.Data != ""
	}
	if !uses {
		return nil
	}
	ts := make(turns, len(t.Operations))
	for i := range ts {
		ts[i] = turn{at: uint64(thread), step: uint64(threads)}
	}
	return ts
}

// next returns which one of operation op comes now.
func (ts turns) next(op int) uint64 {
	if ts == nil {
		return 0
	}
	t := &ts[op]
	nth := t.at
	t.at += t.step
	return nth
}

// bytes returns the nth request as it goes over the wire; where requests differ
// it is written into room, which is returned, grown if need be, for the next one.
func (o *operation) bytes(nth uint64, room []byte) (wire, grown []byte) {
	if o.rows == nil {
		return o.wire, room
	}
	room = o.rows.append(room[:0], o.rows.row(nth))
	return room, room
}

// rows is an operation's use of a data file: its request as texts with gaps.
type rows struct {
	table  *table
	random bool
	seed   uint64

	head    text // request line and header lines but the Content-Length
	body    text
	hasBody bool // say its length
}

// row is the row that the nth operation is made with.
func (r *rows) row(nth uint64) int {
	if r.random {
		nth = scramble(nth + scramble(r.seed))
	}
	return int(nth % uint64(r.table.rows))
}

// scramble is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable
// pseudorandom number generators, 2014): a random number for each x.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// append appends the whole request for a row, as HTTP/1.1 has it; a gRPC call too.
func (r *rows) append(b []byte, row int) []byte {
	b = r.head.append(b, r.table, row)
	if r.hasBody {
		b = append(b, "Content-Length: "...)
		b = strconv.AppendInt(b, int64(r.body.length(r.table, row)), 10)
		b = append(b, "\r\n"...)
	}
	b = append(b, "\r\n"...)
	return r.body.append(b, r.table, row)
}

// text is a text with gaps that a row fills: literal, gap, literal, …, literal.
type text struct {
	literals []string // one more than gaps
	gaps     []int    // columns of the table
}

func (t text) append(b []byte, from *table, row int) []byte {
	for i, gap := range t.gaps {
		b = append(b, t.literals[i]...)
		b = append(b, from.value(row, gap)...)
	}
	if len(t.literals) > 0 {
		b = append(b, t.literals[len(t.gaps)]...)
	}
	return b
}

func (t text) length(from *table, row int) int {
	n := 0
	for _, s := range t.literals {
		n += len(s)
	}
	for _, gap := range t.gaps {
		n += len(from.value(row, gap))
	}
	return n
}
