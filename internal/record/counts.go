package record

import "maps"

// Minus returns what was counted after before was taken. Orphans and Checking
// are states, not counts: they are kept as they are in c.
func (c Counts) Minus(before Counts) Counts {
	return Counts{
		Requests:  c.Requests - before.Requests,
		Bytes:     c.Bytes - before.Bytes,
		Spans:     c.Spans - before.Spans,
		Roots:     c.Roots - before.Roots,
		Metrics:   c.Metrics - before.Metrics,
		Logs:      c.Logs - before.Logs,
		Rejected:  c.Rejected - before.Rejected,
		Malformed: c.Malformed - before.Malformed,
		Duplicate: c.Duplicate - before.Duplicate,
		Orphans:   c.Orphans,
		Traces:    c.Traces - before.Traces,
		Evicted:   c.Evicted - before.Evicted,
		Services:  minus(c.Services, before.Services),
		RootNames: minus(c.RootNames, before.RootNames),
		Kinds:     minus(c.Kinds, before.Kinds),
		Protocols: minus(c.Protocols, before.Protocols),
		Checking:  c.Checking,
	}
}

// Unique is the number of spans received, each counted once. It is exact in
// checking mode only.
func (c Counts) Unique() uint64 { return c.Spans - c.Duplicate }

func minus(after, before map[string]uint64) map[string]uint64 {
	d := maps.Clone(after)
	for name, n := range before {
		if d[name] -= n; d[name] == 0 {
			delete(d, name)
		}
	}
	return d
}
