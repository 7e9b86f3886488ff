// The drivers: in which ways operations are made to happen, and what goes with each of them.

package program

import (
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
// new driver is a row of Drivers, a constructor there, and a line of docs/experiment-file.md.
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
		Name: SelfDriving, Are: "self-driving workloads (self: true)", Is: "self-driving (calls, depth, threads, rate and duration are its words)",
		Load: []string{"calls", "depth", "threads"}, AtRate: metric.FixedRate, Free: metric.Unthrottled,
		Refuses: map[string]string{
			"mix":            "workload {workload} is self-driving, one operation at a time: it has no mix; name its operations",
			"rate":           "a self-driving workload goes as fast as it can where the experiment names no rate; leave rate out",
			"warmup_all":     "warmup_all is for programs that are asked by requests; a self-driving workload has the warmup of its load",
			"setup":          "a setup is requests, and self-driving workload {workload} gets none; leave setup out",
			"generator-late": "workload {workload} is self-driving, so that there is no generator to be late",
			"front":          "workload {workload} is self-driving: there are none",
		},
		EndsItself: true, Leaves: true, CalibrationRate: calibrationRate, QuickWindow: 2 * time.Second, QuickWarmup: 3 * time.Second, // as long, since agents of Java are not compiled earlier
	},
}

// Row is the row of a driver.
func (d Driver) Row() DriverRow {
	i := slices.IndexFunc(Drivers, func(r DriverRow) bool { return r.Name == d })
	return Drivers[max(0, i)] // a file names no other
}

// Unthrottled reports whether programs make operations by themselves, as fast as they go: at no rate.
func (r DriverRow) Unthrottled(rate float64) bool { return !r.Generator && rate == 0 }

// driver reads the name of a driver.
func (s *Source) driver(n *Node) Driver {
	return Driver(s.oneOf(n, "driver", driverNames(s.In)...))
}

func driverNames(fileKind) []string {
	var names []string
	for _, r := range Drivers {
		names = append(names, string(r.Name))
	}
	return names
}

// writeDriver leaves out self-driving, which is written as self: true.
func writeDriver(_ Writer, v any) any {
	if v == SelfDriving {
		return nil
	}
	return string(v.(Driver))
}

// Refusal says why a key does not go with the driver of the workload; "" where it does.
func (w *Workload) Refusal(key string) string {
	return strings.ReplaceAll(w.Driver.Row().Refuses[key], "{workload}", Printable(w.Name))
}

// Refuses complains of a key that does not go with the driver of a workload, and reports whether it did.
func (s *Source) Refuses(at Place, key string, w *Workload) bool {
	why := w.Refusal(key)
	if why != "" {
		s.Fail(at, "%s", why)
	}
	return why != ""
}

// Bounds of an order.
const (
	MaxDeep    = 100_000
	MaxThreads = 1_024
	maxBusy    = time.Minute
)

// orderWords are the words of an order that the load gives, never the operation.
var orderWords = map[string]string{
	"calls": "load: {calls: …}", "duration_ns": "load: {duration: …}", "rate": "load: {rate: …}", "threads": "load: {threads: …}",
	"seed": "design: {seed: …}", "moments": "load: {rate: …}", "samples": "samples: true in the experiment", "batches": "samples: true in the experiment",
}

var orderWord = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// Operations of self-driving workloads: words of an order in the place of a request. docs/self-driving.md has the orders.

// driven reads an operation of a self-driving workload.
func (s *Source) driven(e Entry, o *Operation) {
	n := e.Value
	switch n.Kind {
	case Null: // call: (with nothing to say)
		n = &Node{At: n.At, Kind: Mapping}
	case Scalar:
		s.Fail(n.At, "operation %q belongs to a self-driving workload (self: true), which gets no requests; write {drive: {…}}, or nothing", Printable(e.Key))
		return
	}
	if s.Decode(n, o) {
		s.listens(o, e.At, s.Subject.Processes)
	}
}

// drive reads the words of the operation's own that an order holds.
func (s *Source) drive(n *Node) map[string]string {
	out := map[string]string{}
	for _, e := range s.Entries(n, "drive") {
		instead, taken := orderWords[e.Key]
		text := s.Line(e.Value)
		switch {
		case taken:
			s.Fail(e.At, "%s is a word of the load; write %s", e.Key, instead)
		case !orderWord.MatchString(e.Key):
			s.Fail(e.At, "%q: a word of an order has lower-case letters, digits and _, and begins with a letter", Printable(e.Key))
		case text == "" || strings.ContainsFunc(text, unicode.IsSpace):
			s.Fail(e.Value.At, "%q: the value of a word is one word, without blanks", Printable(text))
		case e.Key == "depth":
			out[e.Key] = strconv.Itoa(s.Whole(e.Value, 1, MaxDeep))
		case e.Key == "busy_ns":
			out[e.Key] = strconv.Itoa(s.Whole(e.Value, 0, int(maxBusy)))
		default:
			out[e.Key] = text
		}
	}
	return out
}

// listens checks that the process of a driven operation has a port to take orders at.
func (s *Source) listens(o *Operation, at Place, processes []Process) {
	if len(processes) == 0 {
		return
	}
	p := o.Owner(processes)
	if p.Name != "" && !p.InImage() && p.Run != nil && !UsesPort(p, processes) {
		s.Fail(at, "operation %q is ordered over TCP, but nothing says where process %q listens: put {port} into its run or env", Printable(o.Name), p.Name)
	}
}
