package record

import "maps"

// Minus returns what was counted after before was taken. Orphans and Checking
// are states, not counts: they are kept as they are in c.
func (c Counts) Minus(before Counts) Counts {
	return Counts{
		Requests:   c.Requests - before.Requests,
		Bytes:      c.Bytes - before.Bytes,
		Spans:      c.Spans - before.Spans,
		Roots:      c.Roots - before.Roots,
		Metrics:    c.Metrics - before.Metrics,
		Logs:       c.Logs - before.Logs,
		Rejected:   c.Rejected - before.Rejected,
		Malformed:  c.Malformed - before.Malformed,
		Thrown:     c.Thrown - before.Thrown,
		Merged:     c.Merged - before.Merged,
		Suppressed: c.Suppressed - before.Suppressed,
		Forwarded:  c.Forwarded - before.Forwarded,
		Refused:    c.Refused - before.Refused,
		Unchecked:  c.Unchecked - before.Unchecked,
		Absent:     c.Absent - before.Absent,
		Shapes:     c.Shapes.minus(before.Shapes),
		Own:        c.Own.minus(before.Own),
		Foreign:    c.Foreign - before.Foreign,
		Duplicate:  c.Duplicate - before.Duplicate,
		Orphans:    c.Orphans,
		Traces:     c.Traces - before.Traces,
		Evicted:    c.Evicted - before.Evicted,
		Services:   minus(c.Services, before.Services),
		RootNames:  minus(c.RootNames, before.RootNames),
		Kinds:      minus(c.Kinds, before.Kinds),
		Protocols:  minus(c.Protocols, before.Protocols),
		Checking:   c.Checking,
	}
}

// Unique is the number of spans received, each counted once. It is exact in
// checking mode only.
func (c Counts) Unique() uint64 { return c.Spans - c.Duplicate }

// Told is the number of spans that were made, as far as the sink was told of them: those
// that came, those that their tracer merged into these, and those that it says it did not
// send.
func (c Counts) Told() uint64 { return c.Unique() + c.Merged + c.Suppressed }

func minus(after, before map[string]uint64) map[string]uint64 {
	d := maps.Clone(after)
	for name, n := range before {
		if d[name] -= n; d[name] == 0 {
			delete(d, name)
		}
	}
	return d
}

// Plus returns what was counted in two stretches of time, one after the other.
func (c Counts) Plus(next Counts) Counts {
	return Counts{
		Requests:   c.Requests + next.Requests,
		Bytes:      c.Bytes + next.Bytes,
		Spans:      c.Spans + next.Spans,
		Roots:      c.Roots + next.Roots,
		Metrics:    c.Metrics + next.Metrics,
		Logs:       c.Logs + next.Logs,
		Rejected:   c.Rejected + next.Rejected,
		Malformed:  c.Malformed + next.Malformed,
		Thrown:     c.Thrown + next.Thrown,
		Merged:     c.Merged + next.Merged,
		Suppressed: c.Suppressed + next.Suppressed,
		Forwarded:  c.Forwarded + next.Forwarded,
		Refused:    c.Refused + next.Refused,
		Unchecked:  c.Unchecked + next.Unchecked,
		Absent:     c.Absent + next.Absent,
		Shapes:     c.Shapes.plus(next.Shapes),
		Own:        c.Own.plus(next.Own),
		Foreign:    c.Foreign + next.Foreign,
		Duplicate:  c.Duplicate + next.Duplicate,
		Orphans:    next.Orphans,
		Traces:     c.Traces + next.Traces,
		Evicted:    c.Evicted + next.Evicted,
		Services:   plus(c.Services, next.Services),
		RootNames:  plus(c.RootNames, next.RootNames),
		Kinds:      plus(c.Kinds, next.Kinds),
		Protocols:  plus(c.Protocols, next.Protocols),
		Checking:   next.Checking,
	}
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
