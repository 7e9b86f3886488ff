// The levels of a load that is swept: one phase of each operation for each.

package config

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/tracetax/tracetax/internal/cell"
)

// The parameters that a sweep varies, as a record's phases name them.
const (
	ParameterRate        = "rate"
	ParameterConnections = "connections"
	ParameterDepth       = cell.Depth
	ParameterThreads     = "threads"
)

// Level is a load at one level of what is swept.
type Level struct {
	Load      Load              // with one rate, or one number of connections, one depth, one number of threads
	Parameter map[string]string // e.g. {"connections": "4"}; nil where nothing is swept
}

// Steps are the levels of the load, in the order of the file: at least one.
func (l Load) Steps() []Level {
	var out []Level
	for _, rate := range l.Rates {
		one := l
		one.Rate, one.Rates = rate, nil
		out = append(out, Level{one, map[string]string{ParameterRate: formatRate(rate)}})
	}
	out = append(out, l.Relative.levels(l)...)
	for _, connections := range l.Levels {
		one := l
		one.Connections, one.Levels = connections, nil
		out = append(out, Level{one, map[string]string{ParameterConnections: strconv.Itoa(connections)}})
	}
	for _, depth := range l.Depths {
		one := l
		one.Depth, one.Depths = depth, nil
		out = append(out, Level{one, map[string]string{ParameterDepth: strconv.Itoa(depth)}})
	}
	for _, threads := range l.Crowds {
		one := l
		one.Threads, one.Crowds = threads, nil
		out = append(out, Level{one, map[string]string{ParameterThreads: strconv.Itoa(threads)}})
	}
	if out == nil {
		out = []Level{{Load: l}}
	}
	return out
}

// Lowest is the level of the load at which the least is done: the first of them by rate,
// connections, depth or threads.
func (l Load) Lowest() Level {
	return slices.MinFunc(l.Steps(), func(a, b Level) int {
		return cmp.Or(cmp.Compare(a.Load.Rate, b.Load.Rate), cmp.Compare(a.Load.share(), b.Load.share()), cmp.Compare(a.Load.Connections, b.Load.Connections),
			cmp.Compare(a.Load.Depth, b.Load.Depth), cmp.Compare(a.Load.Threads, b.Load.Threads))
	})
}

// share is that of a relative rate, 0 for others.
func (l Load) share() float64 {
	if l.Relative == nil {
		return 0
	}
	return l.Relative.Share
}

// Closed reports whether the load is a closed loop: connections or threads that are
// kept busy, without a rate.
func (l Load) Closed() bool {
	return l.Rate == 0 && len(l.Rates) == 0 && l.Relative == nil && l.Capacity == nil
}
