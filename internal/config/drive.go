// The drivers: in which ways operations are made to happen, and what goes with each of them.

package config

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/tracetax/tracetax/internal/metric"
)

// Driver names a way in which operations are made to happen; "" is Requests.
type Driver string

// The drivers.
const (
	Requests    Driver = "requests"
	SelfDriving Driver = "self-driving"
)

// DriverRow is what others must know of a driver without making operations by it. Package run/drive has what makes them: a
// new driver is a row of Drivers, a constructor there, and a line of docs/workloads.md.
type DriverRow struct {
	Name            Driver
	Are, Is         string            // what its workloads are, and what one of them is, in errors
	Load            []string          // the keys of a load that it alone has
	Refuses         map[string]string // by key of a file: why it does not go with the driver
	AtRate, Free    metric.Regimes    // how operations are made: where the load names a rate, and where it names none
	Generator       bool              // the load generator makes them, by requests; else each is an order to its process, in words
	EndsItself      bool              // its processes end by an order, which is a part of their stop
	Leaves          bool              // spans that come only when the processes end are of operations
	CalibrationRate float64           // operations/s in a calibration, of an operation at a time; 0: each as soon as the one before has been answered

	QuickWindow, QuickWarmup time.Duration // of a quick experiment; the warm-up where nothing warms up all operations before
}

// calibrationRate is slow enough that no tracer's queue runs over even where an
// operation is a hundred calls deep.
const calibrationRate = 20

// Drivers is the table of them. A workload's file names one (driver:), the first one where it does not.
var Drivers = []DriverRow{
	{
		Name: Requests, Are: "workloads that are asked by requests", Is: "asked by requests",
		Load: []string{"connections", "streams", "arrivals", "timeout"}, AtRate: metric.Open, Free: metric.Closed,
		Refuses:   map[string]string{"samples": "samples is for self-driving workloads (self: true), and {workload} is asked by requests"},
		Generator: true, QuickWindow: 2500 * time.Millisecond, QuickWarmup: 500 * time.Millisecond,
	},
	{
		Name: SelfDriving, Are: "self-driving workloads (self: true)", Is: "self-driving (calls, depth, threads, busy, rate and duration are its words)",
		Load: []string{"calls", "depth", "threads", "busy"}, AtRate: metric.FixedRate, Free: metric.Unthrottled,
		Refuses: map[string]string{
			"mix":            "workload {workload} is self-driving, one operation at a time: it has no mix; name its operations",
			"rate":           "a self-driving workload goes as fast as it can where the experiment names no rate; leave rate out",
			"warmup_all":     "warmup_all is for programs that are asked by requests; a self-driving workload has the warmup of its load",
			"generator-late": "workload {workload} is self-driving, so that there is no generator to be late",
			"front":          "workload {workload} is self-driving: there are none",
		},
		EndsItself: true, Leaves: true, CalibrationRate: calibrationRate, QuickWindow: time.Second, QuickWarmup: 3 * time.Second, // as long, since agents of Java are not compiled earlier
	},
}

// Row is the row of a driver.
func (d Driver) Row() DriverRow {
	i := slices.IndexFunc(Drivers, func(r DriverRow) bool { return r.Name == d })
	return Drivers[max(0, i)] // a file names no other
}

// driver reads the name of a driver.
func (s *source) driver(n *node) Driver {
	return Driver(s.oneOf(n, "driver", driverNames(s.in)...))
}

func driverNames(fileKind) []string {
	var names []string
	for _, r := range Drivers {
		names = append(names, string(r.Name))
	}
	return names
}

// writeDriver leaves out self-driving, which is written as self: true.
func writeDriver(_ writer, v any) any {
	if v == SelfDriving {
		return nil
	}
	return string(v.(Driver))
}

// driver is how the experiment's operations are made.
func (e *Experiment) driver() DriverRow {
	if e.Workload == nil {
		return Requests.Row()
	}
	return e.Workload.Driver.Row()
}

// Regime is how the experiment's operations are made, as metrics are told apart by it.
func (e *Experiment) Regime() metric.Regimes {
	switch {
	case e.Load.Capacity != nil:
		return metric.Search
	case e.Load.Closed():
		return e.driver().Free
	}
	return e.driver().AtRate
}

// RegimeAt is how operations were made that were offered so many a second; 0: nobody said how many.
func (e *Experiment) RegimeAt(rate float64) metric.Regimes {
	if rate > 0 {
		return e.driver().AtRate
	}
	return e.driver().Free
}

// refusal says why a key does not go with the driver of the workload; "" where it does.
func (w *Workload) refusal(key string) string {
	return strings.ReplaceAll(w.Driver.Row().Refuses[key], "{workload}", printable(w.Name))
}

// refuses complains of a key that does not go with the driver of a workload, and reports whether it did.
func (s *source) refuses(at place, key string, w *Workload) bool {
	why := w.refusal(key)
	if why != "" {
		s.fail(at, "%s", why)
	}
	return why != ""
}

// wayText says why a key of a load, which another driver alone has, does not go with a workload; "" where it does.
func wayText(key string, w *Workload) string {
	own := w.Driver.Row()
	for _, other := range Drivers {
		if other.Name != own.Name && slices.Contains(other.Load, key) {
			return fmt.Sprintf("%s is for %s, and %s is %s", key, other.Are, w.Name, own.Is)
		}
	}
	return ""
}

// Bounds of an order.
const (
	maxDeep    = 100_000
	maxThreads = 1_024
	maxBusy    = time.Minute
)

// orderWords are the words of an order that the load gives, never the operation.
var orderWords = map[string]string{
	"calls": "load: {calls: …}", "duration_ns": "load: {duration: …}", "rate": "load: {rate: …}", "threads": "load: {threads: …}",
	"busy": "load: {busy: …}, or the word busy_ns here", "seed": "design: {seed: …}", "samples": "samples: true in the experiment", "batches": "samples: true in the experiment",
}

var orderWord = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// Operations of self-driving workloads: words of an order in the place of a request. docs/self-driving.md has the orders.

// driven reads an operation of a self-driving workload.
func (s *source) driven(e entry, o *Operation) {
	n := e.value
	switch n.kind {
	case null: // call: (with nothing to say)
		n = &node{at: n.at, kind: mapping}
	case scalar:
		s.fail(n.at, "operation %q belongs to a self-driving workload (self: true), which gets no requests; write {drive: {…}}, or nothing", printable(e.key))
		return
	}
	if s.decode(n, o) {
		s.listens(o, e.at, s.subject.Processes)
	}
}

// drive reads the words of the operation's own that an order holds.
func (s *source) drive(n *node) map[string]string {
	out := map[string]string{}
	for _, e := range s.entries(n, "drive") {
		instead, taken := orderWords[e.key]
		text := s.line(e.value)
		switch {
		case taken:
			s.fail(e.at, "%s is a word of the load; write %s", e.key, instead)
		case !orderWord.MatchString(e.key):
			s.fail(e.at, "%q: a word of an order has lower-case letters, digits and _, and begins with a letter", printable(e.key))
		case text == "" || strings.ContainsFunc(text, unicode.IsSpace):
			s.fail(e.value.at, "%q: the value of a word is one word, without blanks", printable(text))
		case e.key == "depth":
			out[e.key] = strconv.Itoa(s.whole(e.value, 1, maxDeep))
		case e.key == "busy_ns":
			out[e.key] = strconv.Itoa(s.whole(e.value, 0, int(maxBusy)))
		default:
			out[e.key] = text
		}
	}
	return out
}

// listens checks that the process of a driven operation has a port to take orders at.
func (s *source) listens(o *Operation, at place, processes []Process) {
	if len(processes) == 0 {
		return
	}
	p := o.Owner(processes)
	if p.Name != "" && p.Run != nil && !usesPort(p, processes) {
		s.fail(at, "operation %q is ordered over TCP, but nothing says where process %q listens: put {port} into its run or env", printable(o.Name), p.Name)
	}
}

// goesWith complains of what does not go with the way in which the operations of w
// are made. Load is nil where the experiment has none; n is the whole file.
func (s *source) goesWith(n, load *node, w *Workload, e *Experiment) {
	if w == nil {
		return
	}
	if load != nil {
		for _, entry := range load.entries {
			if why := wayText(entry.key, w); why != "" {
				s.fail(entry.at, "%s", why)
				continue
			}
			s.atMost(entry, w)
		}
	}
	if e.Samples {
		s.refuses(n.place([]string{"samples"}), "samples", w)
	}
	if e.Faults.GeneratorLate > 0 {
		s.refuses(n.place([]string{"faults", "generator-late"}), "generator-late", w)
	}
}

// atMost complains of more than the workload can do.
func (s *source) atMost(e entry, w *Workload) {
	most, limited := w.Max[e.key]
	if !limited {
		return
	}
	values := []*node{e.value}
	if e.value.kind == list {
		values = e.value.items
	}
	for _, v := range values {
		if n, err := strconv.Atoi(v.text); err == nil && n > most {
			s.fail(v.at, "%s: %d is more than workload %s can do, which is %d", e.key, n, w.Name, most)
		}
	}
}

// oneWay complains of workloads that cannot have one load together.
func (s *source) oneWay(at *node, all []*Experiment) {
	if at == nil || len(s.problems) > 0 {
		return
	}
	for _, e := range all {
		if e.driver().Name != all[0].driver().Name {
			s.fail(at.at, "one load cannot be both: %s is %s, and %s is %s", all[0].Workload.Name, all[0].driver().Is, e.Workload.Name, e.driver().Is)
			return
		}
	}
}
