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
	"github.com/tracetax/tracetax/internal/config/program"
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

const maxConnections = 40_960

// DefaultLongest is how long calls may take, where the load counts them and says
// no duration: a bound, not what is aimed at.
const DefaultLongest = 5 * time.Minute

// Of Rate, Connections, Depth and Threads each is 0 where several are given; Rate also where Relative or Capacity has
// to find it, and in a closed loop, which is Connections alone. The last keys are of self-driving workloads; see
// docs/self-driving.md.

// Load describes the load: its rate or concurrency, its length, its warm-up.
type Load struct {
	_           struct{}      `called:"load"`
	Rate        float64       `yaml:"rate" as:"own" shape:"OneOrMoreRates"`          // open loop: a fixed rate, whether or not the program keeps up; default: the workload's, or 100/s without connections or capacity. Choose one that every variant can hold
	Capacity    *RateSearch   `yaml:"capacity" as:"own"`                             // every run searches for the rate that reaches a goal
	Connections int           `yaml:"connections" as:"own" shape:"OneOrMoreNumbers"` // closed loop: each connection makes one operation at a time. With a rate or a search: the most that may be open, default 256
	Streams     int           `yaml:"streams" range:"1..1000"`                       // gRPC: calls at a time on a connection; default: 1
	Arrivals    string        `yaml:"arrivals" one:"even poisson constant"`          // even: each at a random moment of its period; poisson: random gaps, as of independent users; constant: evenly spaced, which keeps step with timers; default: even
	Timeout     time.Duration `yaml:"timeout" range:"1ms..1h"`                       // longest time of an operation; default: 5s
	Calls       uint64        `yaml:"calls" range:"1..1000000000000"`                // self-driving: most operations of the window; what comes first, calls or duration, ends it
	Depth       int           `yaml:"depth" as:"own" shape:"OneOrMoreNumbers"`       // self-driving: call depth; default: the workload's
	Threads     int           `yaml:"threads" as:"own" shape:"OneOrMoreNumbers"`     // self-driving: threads that call; default: 1
	WarmupAll   time.Duration `yaml:"warmup_all" range:"0s..1h" always:"true"`       // load of all operations in turn before the first warm-up; default: the workload's, or 0s
	Warmup      time.Duration `yaml:"warmup" as:"own" shape:"Text"`                  // load before the window: 3s; 60s at 1000/s, faster than the load's rate, as far as 4 connections can; auto (at most 30 s) or auto..60s: pilots find it; default: 3s, and longer for languages whose runtimes compile a program while it runs
	Duration    time.Duration `yaml:"duration" range:"100ms..24h" always:"true"`     // the measured window of a phase, or a search's probe; default: 10s. Make it five times as long as a tracer holds spans, or longer
	Idle        time.Duration `yaml:"idle" range:"0s..1h" always:"true"`             // time without load at first, to measure idle CPU; default: 1s

	Rates      []float64     // several rates: a phase for each
	Relative   *Relative     // a rate relative to what the variants can do, until a pilot has found it
	Levels     []int         // several numbers of connections: a closed loop, and a phase for each
	Depths     []int         // several depths: a phase for each
	Crowds     []int         // several numbers of threads: a phase for each
	WarmupMost time.Duration // a pilot finds the warm-up, at most so long, and Warmup is 0 until then; 0: it is given
	WarmupRate float64       // the warm-up's, where the load's own is lower; 0: that is the warm-up's, too
}

func (l *Load) Begin(*program.Source, *program.Node) { *l = defaultLoad() }

func (l *Load) ReadKey(s *program.Source, n *program.Node, key string) {
	switch key {
	case "rate":
		readRate(s, n, l)
	case "capacity":
		l.Capacity = &RateSearch{}
		s.Decode(n, l.Capacity)
	case "connections":
		l.Connections, l.Levels = readOneOrMore(s, n, "numbers of connections", maxConnections)
	case "depth":
		l.Depth, l.Depths = readOneOrMore(s, n, "depths", program.MaxDeep)
	case "threads":
		l.Threads, l.Crowds = readOneOrMore(s, n, "numbers of threads", program.MaxThreads)
	case "warmup":
		readWarmup(s, n, l)
	}
}

func (l Load) WriteKey(w program.Writer, key string) any {
	switch c := l.search(); {
	case key == "rate" && len(l.Rates) > 0:
		return program.Inline[string](rateTexts(l.Rates))
	case key == "rate" && l.Relative != nil:
		return l.Relative.written()
	case key == "rate" && l.Rate > 0:
		return program.FormatRate(l.Rate)
	case key == "capacity" && c != nil:
		return w.Written(c, program.InExperiment)
	case key == "connections":
		return oneOrList(l.Connections, l.Levels)
	case key == "depth":
		return oneOrList(l.Depth, l.Depths)
	case key == "threads":
		return oneOrList(l.Threads, l.Crowds)
	case key == "warmup":
		return l.warmupText()
	}
	return nil
}

// oneOrList is a number, or the list of those that are swept; nil where there is none.
func oneOrList(one int, list []int) any {
	switch {
	case len(list) > 0:
		return program.Inline[int](list)
	case one > 0:
		return one
	}
	return nil
}

func (l *Load) Finish(s *program.Source, n *program.Node) {
	if l.Calls > 0 && n.Get("duration") == nil {
		l.Duration = DefaultLongest
	}
	checkOneKind(s, n, l)
	checkAtLeastOne(s, n, *l)
}

func defaultLoad() Load {
	return Load{
		Arrivals: "even", Warmup: DefaultWarmup, WarmupAll: unsaid, Duration: DefaultDuration,
		Timeout: DefaultTimeout, Idle: DefaultIdle,
	}
}

// unsaid is a duration that the experiment leaves to the workload.
const unsaid = time.Duration(-1)

// complete fills in what depends on the rest: the warm-up that the workload needs, and
// whether it is asked at a rate or in a closed loop. What is self-driving needs
// neither: without a rate it goes as fast as it can.
func (l *Load) complete(w *program.Workload) {
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

// checkOneKind complains of a load that is of two kinds at once. A capacity beside a
// relative rate says how the pilots search.
func checkOneKind(s *program.Source, n *program.Node, l *Load) {
	rate, connections, capacity := n.Get("rate"), n.Get("connections"), n.Get("capacity")
	if l.Relative != nil && l.Capacity != nil {
		l.Relative.Search, l.Capacity = *l.Capacity, nil
	}
	switch {
	case capacity != nil && rate != nil && l.Relative == nil:
		s.Fail(capacity.At, "the search for a capacity chooses the rates itself: leave out either rate or capacity")
	case capacity != nil && len(l.Levels) > 0:
		s.Fail(connections.At, "the search for a capacity is made at a rate: leave out either capacity or the list of connections")
	case len(l.Rates) > 0 && len(l.Levels) > 0:
		s.Fail(connections.At, "one thing is swept at a time: give several rates or several numbers of connections")
	case len(l.swept()) > 1:
		s.Fail(n.Get(l.swept()[1]).At, "one thing is swept at a time: %s is a list already", l.swept()[0])
	case rate != nil && len(l.Levels) > 0:
		s.Fail(connections.At, "several numbers of connections are closed loops, without a rate: leave out either of them")
	}
}

// This file reads the keys of a load that may be one value or a list of them to sweep.

// readRate reads 400/s, [100/s, 200/s] or 50% of slowest.
func readRate(s *program.Source, n *program.Node, l *Load) {
	if ofSlowest(n) {
		l.Relative = readSharesIn(s, n)
		return
	}
	if n.Kind == program.List {
		l.Rates = program.Levels(s, n, "rates", s.Rate)
		return
	}
	text := s.Text(n)
	share, of, relative := strings.Cut(text, " of ")
	if !relative && strings.HasSuffix(text, "slowest") {
		s.Fail(n.At, "%q is not a rate; write 50%% of slowest", program.Printable(text))
		return
	}
	if !relative {
		l.Rate = s.Rate(n)
		return
	}
	if of = strings.TrimSpace(of); of != "slowest" {
		s.Fail(n.At, "%s (a rate is a share of what the slowest variant can do: 50%% of slowest)", program.Unknown("reference", program.Printable(of), []string{"slowest"}))
		return
	}
	l.Relative = readShares(s, n, strings.TrimSpace(share))
}

// readOneOrMore reads a whole number from 1, or a list of them.
func readOneOrMore(s *program.Source, n *program.Node, what string, most int) (one int, several []int) {
	read := func(v *program.Node) int { return s.Whole(v, 1, most) }
	if n.Kind == program.List {
		return 0, program.Levels(s, n, what, read)
	}
	return read(n), nil
}

// swept lists the keys with several values.
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
		out = append(out, Level{one, map[string]string{ParameterRate: program.FormatRate(rate)}})
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

// driver returns the driver of the experiment's operations.
func (e *Experiment) driver() program.DriverRow {
	if e.Workload == nil {
		return program.Requests.Row()
	}
	return e.Workload.Driver.Row()
}

// Regime returns the regime of the load, by which metrics differ.
func (e *Experiment) Regime() metric.Regimes {
	switch {
	case e.Load.Capacity != nil:
		return metric.Search
	case e.Load.Closed():
		return e.driver().Free
	}
	return e.driver().AtRate
}

// RegimeAt returns the regime at an offered rate; 0: no rate is given.
func (e *Experiment) RegimeAt(rate float64) metric.Regimes {
	if rate > 0 {
		return e.driver().AtRate
	}
	return e.driver().Free
}

// wayText says why a key of a load, which another driver alone has, does not go with a workload; "" where it does.
func wayText(key string, w *program.Workload) string {
	own := w.Driver.Row()
	for _, other := range program.Drivers {
		if other.Name != own.Name && slices.Contains(other.Load, key) {
			return fmt.Sprintf("%s is for %s, and %s is %s", key, other.Are, w.Name, own.Is)
		}
	}
	return ""
}

// checkGoesWith complains of what does not go with the way in which the operations of w
// are made. Load is nil where the experiment has none; n is the whole file.
func checkGoesWith(s *program.Source, n, load *program.Node, w *program.Workload, e *Experiment) {
	if w == nil {
		return
	}
	if load != nil {
		for _, entry := range load.Entries {
			if why := wayText(entry.Key, w); why != "" {
				s.Fail(entry.At, "%s", why)
				continue
			}
			checkAtMost(s, entry, w)
		}
	}
	if e.Samples {
		s.Refuses(n.Place([]string{"samples"}), "samples", w)
	}
	if e.Faults.GeneratorLate > 0 {
		s.Refuses(n.Place([]string{"faults", "generator-late"}), "generator-late", w)
	}
}

// checkAtMost complains of more than the workload can do.
func checkAtMost(s *program.Source, e program.Entry, w *program.Workload) {
	most, limited := w.Max[e.Key]
	if !limited {
		return
	}
	values := []*program.Node{e.Value}
	if e.Value.Kind == program.List {
		values = e.Value.Items
	}
	for _, v := range values {
		if n, err := strconv.Atoi(v.Text); err == nil && n > most {
			s.Fail(v.At, "%s: %d is more than workload %s can do, which is %d", e.Key, n, w.Name, most)
		}
	}
}

// checkOneWay complains of workloads that cannot have one load together.
func checkOneWay(s *program.Source, at *program.Node, all []*Experiment) {
	if at == nil || len(s.Problems) > 0 {
		return
	}
	for _, e := range all {
		if e.driver().Name != all[0].driver().Name {
			s.Fail(at.At, "one load cannot be both: %s is %s, and %s is %s", all[0].Workload.Name, all[0].driver().Is, e.Workload.Name, e.driver().Is)
			return
		}
	}
}
