package run

import (
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// flow watches what arrives at the sink once operations have ended. A program's timers and health
// checks may never let it be quiet.
type flow struct {
	roots   map[string]int // of operations; nil: not known
	last    uint64         // spans of operations that the sink was told of
	others  bool           // whether spans of other work came
	changed time.Time      // when spans of operations last came
	mark    record.Counts  // what had come one while ago, or two
	next    record.Counts  // what had come since, at most one while ago
	marked  time.Time      // when that was
}

// see takes note of what has come, and keeps what had come a while ago.
func (f *flow) see(c record.Counts, while time.Duration) {
	own, others := c.Apart(f.roots)
	if told := own.Told() + own.Duplicate; told != f.last {
		f.last, f.changed = told, time.Now()
	}
	f.others = len(others) > 0
	if time.Since(f.marked) >= while {
		f.mark, f.next, f.marked = f.next, c, time.Now()
	}
}

// still is for how long no span of operations has come beside those of other work; 0 where none
// of these came, or it is not known which they are.
func (f *flow) still() time.Duration {
	if !f.others {
		return 0
	}
	return time.Since(f.changed)
}

// passing reports whether all that still comes are whole traces: operations that have ended long
// ago begin none.
func (f *flow) passing(c record.Counts) bool {
	more := c.Minus(f.mark)
	if !more.Whole() || len(more.Shapes) == 0 {
		return false
	}
	for root, sizes := range more.Shapes {
		for _, traces := range sizes {
			if root == record.NoRoot || traces < 0 {
				return false
			}
		}
	}
	return true
}
