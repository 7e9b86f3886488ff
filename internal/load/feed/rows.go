// Package feed owns what goes into requests: their bytes, rows of data files, values taken from answers, and messages in
// protobuf; and what is wrong with a task before any operation is made. It must not know sockets and time.
package feed

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/tracetax/tracetax/internal/load"
)

// Rows is an operation's use of a data file: its request as texts with gaps.
type Rows struct {
	table  *table
	random bool
	seed   uint64

	ByConnection bool // rows go by the number of the connection, in the place of the operation's

	head    text // request line and header lines, without the Content-Length
	body    text
	hasBody bool // send its length
}

// Bytes returns the nth request as sent, written into room, which grows if need be.
func (r *Rows) Bytes(nth uint64, room []byte) []byte { return r.append(room[:0], r.row(nth)) }

// row returns the row for the nth operation.
func (r *Rows) row(nth uint64) int {
	if r.random {
		nth = scramble(nth + scramble(r.seed))
	}
	return int(nth % uint64(r.table.rows))
}

// scramble is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): a random
// number for each x.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// append appends the whole request for a row, in HTTP/1.1, also for a gRPC call.
func (r *Rows) append(b []byte, row int) []byte {
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

// The requests of operations that use data: the places of their gaps.

// Rows returns the rows of each operation; nil if it uses no data. Each file is read once for all operations that use it, and
// not again if the call before has read it and it has not changed since.
func (d *Files) Rows(ctx context.Context, operations []load.Request, seed uint64) ([]*Rows, error) {
	users := make([]*gappy, len(operations))
	byFile := map[string][]*gappy{}
	for i, r := range operations {
		if r.Data == "" {
			continue
		}
		u, err := newGappy(r)
		if err != nil {
			return nil, fmt.Errorf("operation %q: %w", r.Name, err)
		}
		users[i] = u
		byFile[r.Data] = append(byFile[r.Data], u)
	}
	for name := range d.kept {
		if byFile[name] == nil {
			delete(d.kept, name)
		}
	}
	for name, of := range byFile {
		if err := d.read(ctx, name, of); err != nil {
			return nil, err
		}
	}
	out := make([]*Rows, len(operations))
	for i, u := range users {
		if u != nil {
			out[i] = u.rows(d.kept[u.request.Data].table, seed)
		}
	}
	return out, nil
}

// The data files of a generator: each is read once for all that use it.

// Files keeps the tables of the task before: a warm-up and the window after it read a file once. The zero value is empty.
type Files struct {
	kept map[string]*keptTable // by path
}

type keptTable struct {
	*table
	size     int64
	modified time.Time
}

// read makes sure of a table of the file with all columns that the operations use.
func (d *Files) read(ctx context.Context, name string, users []*gappy) error {
	info, err := os.Stat(name)
	if err != nil {
		return &DataError{File: name, Err: withoutPath(err)}
	}
	fresh := newTable(mostData - d.taken(name))
	for _, u := range users {
		for _, p := range slices.Concat(u.head, u.body) {
			if p.gap != nil {
				fresh.want(p.gap)
			}
		}
	}
	k := d.kept[name]
	if k != nil && k.size == info.Size() && k.modified.Equal(info.ModTime()) && k.covers(fresh) {
		return nil
	}
	delete(d.kept, name) // the new one needs the room
	if err := fresh.readFile(ctx, name); err != nil {
		return err
	}
	if d.kept == nil {
		d.kept = map[string]*keptTable{}
	}
	d.kept[name] = &keptTable{table: fresh, size: info.Size(), modified: info.ModTime()}
	return nil
}

// taken returns the memory that the tables of other files take, in bytes.
func (d *Files) taken(but string) int {
	n := 0
	for name, k := range d.kept {
		if name != but {
			n += k.table.size()
		}
	}
	return n
}

// covers reports whether t has all columns of other.
func (t *table) covers(other *table) bool {
	for key := range other.index {
		if _, ok := t.index[key]; !ok {
			return false
		}
	}
	return true
}

// The rows of a data file in memory: only the values that requests use, each in the form in which it is sent.

// mostData bounds the memory of the used values of one task's data files, in bytes. Offsets into it must fit 32 bits.
const mostData = 256 << 20

// table holds rows × gaps values.
type table struct {
	gaps  []*gap
	index map[string]int // of a gap by its key
	rows  int
	bytes []byte
	ends  []uint32 // of value row*len(gaps)+gap in bytes
	most  int      // bound of its size, bytes
}

func newTable(most int) *table {
	return &table{index: map[string]int{}, most: min(most, math.MaxUint32)}
}

// want returns the index of g's column, and adds the column if there is none. Do not call it after the first row.
func (t *table) want(g *gap) int {
	key := g.key()
	i, ok := t.index[key]
	if !ok {
		i = len(t.gaps)
		t.index[key] = i
		t.gaps = append(t.gaps, g)
	}
	return i
}

// add adds a row; value returns the value of one of its columns.
func (t *table) add(value func(column string) (cell, error)) error {
	for _, g := range t.gaps {
		b, err := g.append(t.bytes, value)
		if err != nil {
			return err
		}
		t.bytes = b
		if t.size() > t.most {
			return fmt.Errorf("the values that the requests use take more than %d MiB: take fewer rows, or fewer columns", mostData>>20)
		}
		t.ends = append(t.ends, uint32(len(t.bytes)))
	}
	t.rows++
	return nil
}

// size returns the memory that t takes, in bytes.
func (t *table) size() int { return len(t.bytes) + 4*len(t.ends) }

func (t *table) value(row, gap int) []byte {
	k := row*len(t.gaps) + gap
	start := uint32(0)
	if k > 0 {
		start = t.ends[k-1]
	}
	return t.bytes[start:t.ends[k]]
}

// A reader with a limit for each row.

// bounded reads no more than mostRow bytes for a row, give or take a buffer.
type bounded struct {
	in     io.Reader
	left   int
	buffer int
}

// renew begins a new row.
func (b *bounded) renew() { b.left = mostRow + b.buffer }

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errLongRow
	}
	n, err := b.in.Read(p)
	b.left -= n
	return n, err
}
