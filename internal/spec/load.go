// The load of an experiment: how operations are made to happen.
package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
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
	maxSources     = 250 // 127.0.0.1 to 127.0.0.250
	maxLevels      = 50  // of a sweep
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
// whether it is asked at a rate or in a closed loop. What makes itself work needs
// neither: without a rate it goes as fast as it can.
func (l *Load) complete(w *Workload) {
	if l.WarmupAll == unsaid {
		l.WarmupAll = w.WarmupAll
	}
	if w.Self {
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
		"sources":     func(v *node) { l.Sources = s.whole(v, 1, maxSources) },
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

// swept are the keys of which the load has several values.
func (l *Load) swept() []string {
	var out []string
	for _, one := range []struct {
		key string
		n   int
	}{{"rate", len(l.Rates)}, {"connections", len(l.Levels)}, {"depth", len(l.Depths)}, {"threads", len(l.Crowds)}} {
		if one.n > 0 {
			out = append(out, one.key)
		}
	}
	return out
}

// atLeastOne complains of a rate at which nothing happens in the measured window.
func (s *source) atLeastOne(n *node, l Load) {
	rate := n.get("rate")
	if rate == nil {
		return
	}
	complain := func(at *node, perSecond float64) {
		if happens(perSecond, l.Duration) {
			return
		}
		text := printable(at.text)
		if !strings.Contains(text, "/") {
			text = formatRate(perSecond)
		}
		s.fail(at.at, "%s for %s is no operation; ask for more, or for longer", text, formatDuration(l.Duration))
	}
	complain(rate, l.Rate)
	if len(l.Rates) == len(rate.items) {
		for i, perSecond := range l.Rates {
			complain(rate.items[i], perSecond)
		}
	}
}

// happens reports whether at least one operation falls due at a rate per second; 0 is no rate.
func happens(rate float64, length time.Duration) bool {
	const rounding = 1e-9
	return rate <= 0 || rate*length.Seconds() >= 1-rounding
}

// CheckWindow says which operation is asked for less than once in the measured
// window, nil if none is. Whoever changes the load of an experiment asks it again.
func (e *Experiment) CheckWindow() error {
	for _, o := range e.Operations {
		for _, level := range e.Load.Steps() {
			if rate := cmp.Or(o.Rate, level.Load.Rate); !happens(rate, e.Load.Duration) {
				return fmt.Errorf("operation %q: %s for %s is no operation; ask for more, or for longer",
					printable(o.Name), formatRate(rate), formatDuration(e.Load.Duration))
			}
		}
	}
	if c := e.Load.search(); c != nil && !happens(c.From, e.Load.Duration) {
		return fmt.Errorf("a probe of %s at %s, from which the search sets out, is no operation; ask for more, or for longer",
			formatDuration(e.Load.Duration), formatRate(c.From))
	}
	return nil
}

// search is the search that the load makes, in its phases or in its pilots; nil
// where there is none.
func (l *Load) search() *Capacity {
	if l.Relative != nil {
		return &l.Relative.Search
	}
	return l.Capacity
}

// loadRate reads 400/s, [100/s, 200/s] or 50% of slowest.
func (s *source) loadRate(n *node, l *Load) {
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
	v, err := parseShare(share)
	switch {
	case err != nil:
		s.fail(n.at, "%v", err)
	case v == 0:
		s.fail(n.at, "the share of the slowest is more than 0%%, at most 100%%")
	}
	l.Relative = &Relative{Share: v, Search: defaultSearch()}
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

func wholeTexts(levels []int) []string {
	out := make([]string, len(levels))
	for i, n := range levels {
		out[i] = strconv.Itoa(n)
	}
	return out
}

func rateTexts(rates []float64) []string {
	out := make([]string, len(rates))
	for i, r := range rates {
		out[i] = formatRate(r)
	}
	return out
}
