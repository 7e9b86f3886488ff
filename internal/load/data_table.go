// The rows of a data file in memory: only the values that requests use, each
// already written in the form in which it is used.

package load

import (
	"fmt"
	"math"
)

// mostData bounds what the values used of the data files of one task may take in
// memory, in bytes. Offsets into it must fit 32 bits.
const mostData = 256 << 20

// table holds rows × gaps values.
type table struct {
	gaps  []*gap
	index map[string]int // of a gap by its key
	rows  int
	bytes []byte
	ends  []uint32 // of value row*len(gaps)+gap in bytes
	most  int      // bytes that it may take
}

func newTable(most int) *table {
	return &table{index: map[string]int{}, most: min(most, math.MaxUint32)}
}

// want makes sure of a column for g and returns its place. Not after the first row.
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

// add takes over a row; value looks up one of its columns.
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

// size is what t takes in memory, in bytes.
func (t *table) size() int { return len(t.bytes) + 4*len(t.ends) }

func (t *table) value(row, gap int) []byte {
	k := row*len(t.gaps) + gap
	start := uint32(0)
	if k > 0 {
		start = t.ends[k-1]
	}
	return t.bytes[start:t.ends[k]]
}
