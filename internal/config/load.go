// The load of an experiment: how operations are made to happen.

package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/metric"
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
	if w.Driver.Row().Free == metric.Unthrottled {
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

// This file reads the keys of a load that may be one value or a list of them to sweep.

// loadRate reads 400/s, [100/s, 200/s] or 50% of slowest.
func (s *source) loadRate(n *node, l *Load) {
	if ofSlowest(n) {
		l.Relative = s.sharesIn(n)
		return
	}
	if n.kind == list {
		l.Rates = levels(s, n, "rates", s.rate)
		return
	}
	text := s.text(n)
	share, of, relative := strings.Cut(text, " of ")
	if !relative && strings.HasSuffix(text, "slowest") {
		s.fail(n.at, "%q is not a rate; write 50%% of slowest", printable(text))
		return
	}
	if !relative {
		l.Rate = s.rate(n)
		return
	}
	if of = strings.TrimSpace(of); of != "slowest" {
		s.fail(n.at, "%s (a rate is a share of what the slowest variant can do: 50%% of slowest)", unknown("reference", printable(of), []string{"slowest"}))
		return
	}
	l.Relative = s.shares(n, strings.TrimSpace(share))
}

// connections reads 4, or [1, 2, 4].
func (s *source) connections(n *node, l *Load) {
	read := func(v *node) int { return s.whole(v, 1, maxConnections) }
	if n.kind == list {
		l.Levels = levels(s, n, "numbers of connections", read)
		return
	}
	l.Connections = read(n)
}

// oneOrMore reads a whole number from 1, or a list of them.
func (s *source) oneOrMore(n *node, what string, most int) (one int, several []int) {
	read := func(v *node) int { return s.whole(v, 1, most) }
	if n.kind == list {
		return 0, levels(s, n, what, read)
	}
	return read(n), nil
}

// levels reads the list of what is swept; each is there once.
func levels[T comparable](s *source, n *node, what string, read func(*node) T) []T {
	if len(n.items) == 0 || len(n.items) > maxLevels {
		s.fail(n.at, "a list of %s has 1 to %d of them, not %d", what, maxLevels, len(n.items))
		return nil
	}
	out := make([]T, 0, len(n.items))
	for _, item := range n.items {
		before := len(s.problems)
		v := read(item)
		if len(s.problems) > before {
			continue
		}
		if slices.Contains(out, v) {
			s.fail(item.at, "%s is here a second time", printable(item.text))
		}
		out = append(out, v)
	}
	return out
}

// swept are the keys of which the load has several values.
func (l *Load) swept() []string {
	var out []string
	shares := 0
	if l.Relative != nil {
		shares = len(l.Relative.Shares)
	}
	for _, one := range []struct {
		key string
		n   int
	}{{"rate", len(l.Rates) + shares}, {"connections", len(l.Levels)}, {"depth", len(l.Depths)}, {"threads", len(l.Crowds)}} {
		if one.n > 0 {
			out = append(out, one.key)
		}
	}
	return out
}

// The levels of a load that is swept: one phase of each operation for each.

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

// The warm-up of a load: given, or found by pilots.

// DefaultWarmupMost is how long a warm-up that a pilot finds may be, where nobody says.
const DefaultWarmupMost = 30 * time.Second

// What a warm-up that is found may be.
const (
	leastWarmupMost = 5 * time.Second
	mostWarmupMost  = 10 * time.Minute
	leastInWarmup   = 100 // operations that the longest one holds
)

// warmup reads 5s, auto or auto..60s.
func (s *source) warmup(n *node, l *Load) {
	text := strings.TrimSpace(s.text(n))
	most, given := strings.CutPrefix(text, "auto..")
	switch {
	case text == "auto":
		l.Warmup, l.WarmupMost = 0, DefaultWarmupMost
	case given:
		l.Warmup, l.WarmupMost = 0, s.duration(&node{kind: scalar, at: n.at, text: strings.TrimSpace(most)}, leastWarmupMost, mostWarmupMost)
	case strings.HasPrefix(text, "auto"):
		s.fail(n.at, "%q is not a warm-up; write auto, or auto..60s where it may be up to 60s long", printable(text))
	default:
		l.Warmup, l.WarmupMost = s.duration(n, 0, 24*time.Hour), 0
	}
}

// warmupText is the warm-up as it is written.
func (l Load) warmupText() string {
	if l.WarmupMost > 0 {
		return "auto.." + formatDuration(l.WarmupMost)
	}
	return formatDuration(l.Warmup)
}

// warmupSummary says how long the warm-up is: "3s of warm-up".
func (l Load) warmupSummary() string {
	if l.WarmupMost > 0 {
		return fmt.Sprintf("a warm-up that a pilot finds, at most %s", formatDuration(l.WarmupMost))
	}
	text := formatDuration(l.Warmup) + " of warm-up"
	if l.WarmupAll > 0 {
		text += fmt.Sprintf(" (and %s of all operations before)", formatDuration(l.WarmupAll))
	}
	return text
}

// warmups finds warm-ups that no pilot can find.
func (e *Experiment) warmups() []misfit {
	l := e.Load
	if l.WarmupMost == 0 {
		return nil
	}
	at := []string{"load", "warmup"}
	for _, o := range e.Operations {
		for _, level := range l.Steps() {
			if rate := cmp.Or(o.Rate, level.Load.Rate); rate > 0 && rate*l.WarmupMost.Seconds() < leastInWarmup {
				return []misfit{{at: at, text: fmt.Sprintf("operation %q: %s for %s is under %d operations, too few to see when they get steady; write how long the warm-up is, or allow more (warmup: auto..%s)",
					printable(o.Name), formatRate(rate), formatDuration(l.WarmupMost), leastInWarmup, formatDuration(min(mostWarmupMost, 2*l.WarmupMost)))}}
			}
		}
	}
	return nil
}
