// The load of an experiment: how operations are made to happen.

package config

import (
	"cmp"
	"time"
)

// The defaults of a load; docs/experiment-file.md repeats them.
const (
	DefaultRate        = 100.0 // operations/s
	DefaultConnections = 256   // the most that may be open at a rate
	DefaultDuration    = 10 * time.Second
	DefaultWarmup      = 3 * time.Second
	DefaultTimeout     = 5 * time.Second
	DefaultIdle        = time.Second
)

// Bounds of a load.
const (
	maxConnections = 40_960
	maxStreams     = 1_000
	maxLevels      = 50 // of a sweep
)

// DefaultLongest is how long calls may take, where the load counts them and says
// no duration: a bound, not what is aimed at.
const DefaultLongest = 5 * time.Minute

func defaultLoad() Load {
	return Load{
		Arrivals: "constant", Warmup: DefaultWarmup, WarmupAll: unsaid, Duration: DefaultDuration,
		Timeout: DefaultTimeout, Idle: DefaultIdle,
	}
}

// unsaid is a duration that the experiment leaves to the workload.
const unsaid = time.Duration(-1)

// complete fills in what depends on the rest: the warm-up that the workload needs, and
// whether it is asked at a rate or in a closed loop. What is self-driving needs
// neither: without a rate it goes as fast as it can.
func (l *Load) complete(w *Workload) {
	if l.WarmupAll == unsaid {
		l.WarmupAll = w.WarmupAll
	}
	if w.Manner().Unthrottled {
		return
	}
	if l.Closed() && l.Connections == 0 && len(l.Levels) == 0 {
		l.Rate = cmp.Or(w.Rate, DefaultRate)
	}
	if l.Connections == 0 && len(l.Levels) == 0 {
		l.Connections = DefaultConnections
	}
}

func (s *source) load(n *node) Load {
	l := defaultLoad()
	s.mapping(n, "load", fields{
		"rate":        func(v *node) { s.loadRate(v, &l) },
		"connections": func(v *node) { s.connections(v, &l) },
		"capacity":    func(v *node) { l.Capacity = s.capacity(v) },
		"arrivals":    func(v *node) { l.Arrivals = s.oneOf(v, "arrivals", "constant", "poisson") },
		"warmup":      func(v *node) { s.warmup(v, &l) },
		"warmup_all":  func(v *node) { l.WarmupAll = s.duration(v, 0, time.Hour) },
		"duration":    func(v *node) { l.Duration = s.duration(v, 100*time.Millisecond, 24*time.Hour) },
		"timeout":     func(v *node) { l.Timeout = s.duration(v, time.Millisecond, time.Hour) },
		"idle":        func(v *node) { l.Idle = s.duration(v, 0, time.Hour) },
		"streams":     func(v *node) { l.Streams = s.whole(v, 1, maxStreams) },
		"calls":       func(v *node) { l.Calls = uint64(s.whole(v, 1, maxCalls)) },
		"depth":       func(v *node) { l.Depth, l.Depths = s.oneOrMore(v, "depths", maxDeep) },
		"threads":     func(v *node) { l.Threads, l.Crowds = s.oneOrMore(v, "numbers of threads", maxThreads) },
		"busy":        func(v *node) { l.Busy = s.duration(v, 0, maxBusy) },
		"invocations": s.refuse("loads of functions"),
	})
	if l.Calls > 0 && n.get("duration") == nil {
		l.Duration = DefaultLongest
	}
	s.oneKind(n, &l)
	s.atLeastOne(n, l)
	return l
}

// oneKind complains of a load that is of two kinds at once. A capacity beside a
// relative rate says how the pilots search.
func (s *source) oneKind(n *node, l *Load) {
	rate, connections, capacity := n.get("rate"), n.get("connections"), n.get("capacity")
	if l.Relative != nil && l.Capacity != nil {
		l.Relative.Search, l.Capacity = *l.Capacity, nil
	}
	switch {
	case capacity != nil && rate != nil && l.Relative == nil:
		s.fail(capacity.at, "the search for a capacity chooses the rates itself: leave out either rate or capacity")
	case capacity != nil && len(l.Levels) > 0:
		s.fail(connections.at, "the search for a capacity is made at a rate: leave out either capacity or the list of connections")
	case len(l.Rates) > 0 && len(l.Levels) > 0:
		s.fail(connections.at, "one thing is swept at a time: give several rates or several numbers of connections")
	case len(l.swept()) > 1:
		s.fail(n.get(l.swept()[1]).at, "one thing is swept at a time: %s is a list already", l.swept()[0])
	case rate != nil && len(l.Levels) > 0:
		s.fail(connections.at, "several numbers of connections are closed loops, without a rate: leave out either of them")
	}
}
