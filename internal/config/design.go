// The design of an experiment: how many runs are made, and how.

package config

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/suggest"
)

// The defaults of a design; docs/experiment-file.md repeats them.
const (
	DefaultBlocks = 10
	DefaultLeast  = 8  // blocks before it may be stopped at a precision: the fewest that the widened interval is good for
	DefaultMost   = 30 // blocks at most, where a precision is asked for
)

const maxBlocks = 1000

// Design is the number of runs and their order.
type Design struct {
	_         struct{}      `called:"design"`
	_         struct{}      `refuse:"max" text:"unknown key \"max\": write the least and the most blocks as blocks: 8..30"`
	Blocks    int           `yaml:"blocks" as:"own" shape:"Text"` // a block is a run of each variant, in random order; an interval needs 6. 8..30: least and most with a precision; default: 10, or 8..30
	Most      int           // stop at the precision, or after so many; 0: exactly Blocks
	Precision float64       `yaml:"precision" as:"own" shape:"Text"` // stop when the interval is that narrow: 2%, or 2% of latency_p99; default: all blocks
	Metric    string        // of which metric
	Order     Order         `yaml:"order" one:"paired windows woven apart"` // paired: all variants of a block live at once, have their full rate at once for CPU, memory and bytes, and in turn for latency; windows: in turn for all; woven: at once for all, without verdicts on time; apart: one run after the other; default: paired; windows without a rate; apart where variants cannot live beside each other
	Window    time.Duration `yaml:"window" range:"100ms..5m"`               // of the orders windows and paired, at least; default: 100ms, 20 operations, and twice the longest delay of the tracers; 500ms for calls as fast as they go
	Sittings  int           `yaml:"sittings" range:"1..100"`                // parts of the blocks, apart in time; from 6 on each counts as one block; default: 1
	Pause     time.Duration `yaml:"pause" range:"1s..24h"`                  // between two sittings; default: 10m
	Within    time.Duration `yaml:"within" range:"1m..168h"`                // ends before a block that would take the runs over this time, once verdicts are possible; default: all blocks
	Seed      uint64        `yaml:"seed" as:"own" shape:"Text"`             // of the random orders; default: drawn, and kept in the results
	Quick     bool          `yaml:"quick"`                                  // true: what 'run --quick' writes, of a load and blocks that it has cut down; default: false
	Unpiloted string        `yaml:"unpiloted"`                              // what 'run --quick' writes, with quick: the relative rate, as 50% of slowest, that the declared rates stand in for
}

// Comparisons is how many verdicts on a metric of all operations an experiment has.
func (e *Experiment) Comparisons() int {
	return max(1, len(e.Variants)-1) * max(1, len(e.Operations)) * max(1, len(e.Load.Steps()))
}

func (d *Design) ReadKey(s *program.Source, n *program.Node, key string) {
	switch key {
	case "blocks":
		d.Blocks, d.Most = readBlocks(s, n)
	case "precision":
		d.Precision, d.Metric = readPrecision(s, n)
	case "seed":
		d.Seed = readSeed(s, n)
	}
}

func (d Design) WriteKey(_ program.Writer, key string) any {
	switch {
	case key == "blocks" && d.Most > 0:
		return fmt.Sprintf("%d..%d", d.Blocks, d.Most)
	case key == "blocks":
		return d.Blocks
	case key == "precision" && d.Most > 0:
		return program.FormatShare(d.Precision) + " of " + d.Metric
	case key == "seed":
		return d.Seed
	}
	return nil
}

func (d *Design) Finish(s *program.Source, n *program.Node) {
	blocks, precision := n.Get("blocks"), n.Get("precision")
	switch {
	case precision == nil && d.Most > 0:
		s.Fail(blocks.At, "%s blocks need a precision to stop at, such as precision: 2%%", program.Printable(blocks.Text))
	case precision != nil && blocks == nil:
		d.Blocks, d.Most = DefaultLeast, DefaultMost
	case precision != nil && d.Most == 0:
		s.Fail(precision.At, "a precision needs the least and the most blocks, such as blocks: %d..%d, not one number", DefaultLeast, DefaultMost)
	}
	if d.Unpiloted != "" && !d.Quick {
		s.Fail(n.Get("unpiloted").At, "unpiloted is what a quick run writes of a rate that no pilot has found: leave it out")
	}
	d.Blocks = cmp.Or(d.Blocks, DefaultBlocks)
	if d.Sittings > 1 {
		d.Pause = cmp.Or(d.Pause, DefaultPause)
	}
}

// readBlocks reads 12, or 8..30: the most is then above 0.
func readBlocks(s *program.Source, n *program.Node) (least, most int) {
	low, high, open := strings.Cut(s.Text(n), "..")
	if !open {
		return s.Whole(n, 1, maxBlocks), 0
	}
	least, err1 := strconv.Atoi(strings.TrimSpace(low))
	most, err2 := strconv.Atoi(strings.TrimSpace(high))
	switch {
	case err1 != nil || err2 != nil:
		s.Fail(n.At, "%q is not a number of blocks such as 12, or 8..30", program.Printable(n.Text))
	case least < DefaultLeast:
		s.Fail(n.At, "%s: at least %d blocks are made before an interval can be trusted to stop at; write %d..%d",
			program.Printable(n.Text), DefaultLeast, DefaultLeast, max(most, DefaultLeast+1))
	case most <= least:
		s.Fail(n.At, "%s: the most must be above the least; where they are the same, write blocks: %d without a precision", program.Printable(n.Text), least)
	case most > maxBlocks:
		s.Fail(n.At, "%d is out of range: 1 to %d", most, maxBlocks)
	default:
		return least, most
	}
	return DefaultLeast, DefaultMost
}

// readPrecision reads 2%, or 2% of cpu_per_operation; the metric is then "" or its name.
func readPrecision(s *program.Source, n *program.Node) (float64, string) {
	share, word, of := strings.Cut(s.Text(n), " of ")
	half := s.ShareBetween(&program.Node{At: n.At, Kind: n.Kind, Text: strings.TrimSpace(share)}, 0.0001, 0.5)
	if !of {
		return half, ""
	}
	metric, err := precisionMetric(strings.TrimSpace(word))
	if err != nil {
		s.Fail(n.At, "%v", err)
	}
	return half, metric
}

// precisionMetric is the metric that a word of a precision means.
func precisionMetric(word string) (string, error) {
	short := metric.Limits()
	name := cmp.Or(short[word], word)
	row, _ := metric.Of(name)
	if row.Limited && (row.PointOnly || row.Nature == metric.Loss) {
		return "", fmt.Errorf("%s has no interval that could become narrow enough; name another metric, such as %s", word, metric.CPUPerOperation)
	}
	if !row.Limited && !row.Stops {
		precise := metric.Where(func(r metric.Row) bool { return r.Stops || r.Limited && !r.PointOnly && r.Nature != metric.Loss })
		words := slices.DeleteFunc(slices.Collect(maps.Keys(short)), func(w string) bool { return !slices.Contains(precise, short[w]) })
		return "", fmt.Errorf("%s", program.Unknown("metric of a precision", program.Printable(word), append(words, precise...)))
	}
	return name, nil
}

func readSeed(s *program.Source, n *program.Node) uint64 {
	v, err := strconv.ParseUint(s.Text(n), 10, 64)
	if err != nil {
		s.Fail(n.At, "%q is not a seed: a whole number from 1, or 0 to have one drawn", program.Printable(n.Text))
	}
	return v
}

// complete fills in the metric of a precision, which depends on the load.
func (d *Design) complete(l Load) {
	if d.Most == 0 || d.Metric != "" {
		return
	}
	d.Metric = metric.CPUPerOperation
	if l.Capacity != nil {
		d.Metric = metric.Capacity
	}
}

// ChooseOrder chooses the order and draws a seed where the experiment names none: what is written of
// it then repeats the same runs.
func (e *Experiment) ChooseOrder() {
	if e.Design.Order == "" {
		e.Design.Order = e.ownOrder()
	}
	for e.Design.Seed == 0 {
		e.Design.Seed = rand.Uint64()
	}
}

// Keep drops all variants that are not named. The baseline stays, and so does
// what a kept variant is compared with. No names keep all.
func (e *Experiment) Keep(names []string) error {
	if len(names) == 0 {
		return nil
	}
	var known []string
	for _, v := range e.Variants {
		known = append(known, v.Name)
	}
	keep := map[string]bool{known[0]: true}
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			return &program.UnknownError{What: "variant", Name: program.Printable(name), Nearest: suggest.Word(name, known), Known: known}
		}
		keep[name] = true
		if against := e.Variants[i].Against; against != "" {
			keep[against] = true
		}
	}
	// What is kept only to be compared with is compared with the baseline alone.
	var kept []Variant
	for _, v := range e.Variants {
		if !keep[v.Name] {
			continue
		}
		if !keep[v.Against] {
			v.Against = ""
		}
		kept = append(kept, v)
	}
	if len(kept) < 2 {
		return fmt.Errorf("only the baseline %q is left; name another variant", known[0])
	}
	e.Variants = kept
	return nil
}

// isLatency reports whether a metric is one that a closed loop does not have.
func isLatency(name string) bool {
	row, _ := metric.Of(name)
	return row.Nature == metric.Latency
}

// The order of a block: whether its variants live at the same time, and how the load goes through them.

// What a window of an order has at least.
const (
	shortestWindow = 100 * time.Millisecond
	leastInWindow  = 20 // operations, where there is a rate
	delaysInWindow = 2  // times the longest delay of a tracer: each window ends with an export of a part of a batch, so half more exports
	mostWindows    = 1000
	leastOfCalls   = 1000 // operations, where a number of them ends a window

	// Of operations as fast as a program makes them. At the end of a window a tracer's queue is full: the fewer there are, the
	// less is sent beyond what is sent under steady load.
	shortestUnthrottled = 500 * time.Millisecond
	mostUnthrottled     = 20
)

// AtOnce returns for how long so many variants have their load at once in the order paired, where one has it for a duration in
// its windows: as long as all windows together take. CPU is as sharp as it becomes in that time, whatever their number.
func AtOnce(variants int, duration time.Duration) time.Duration {
	return time.Duration(variants) * duration
}

// ownOrder is the order of an experiment whose file names none: paired, unless its variants cannot have their load at the same
// time, or cannot live beside each other.
func (e *Experiment) ownOrder() Order {
	switch l := e.Load; {
	case len(e.Variants) < 2 || e.Beside() != "":
		return Apart
	case l.Capacity != nil || l.Closed() || l.Calls > 0 || e.Samples:
		return Windows
	}
	return Paired
}

// Beside is why the variants of a block cannot live beside each other; "" where they can.
func (e *Experiment) Beside() string {
	w := e.Workload
	switch {
	case w == nil:
		return ""
	case len(w.Prepare)+len(w.Cleanup) > 0:
		return fmt.Sprintf("what %s has as prepare and cleanup for one variant would disturb the others", w.Name)
	}
	for _, p := range w.Processes {
		if at, fixed := fixedPort(p.Ready); fixed {
			return fmt.Sprintf("process %s is always at %s, which two variants cannot share; write {port} instead", p.Name, at)
		}
	}
	for _, o := range e.Operations {
		if at, fixed := fixedPort(o.URL); fixed {
			return fmt.Sprintf("operation %s always asks %s, which two variants cannot share; write {port} instead", program.Printable(o.Name), at)
		}
	}
	return ""
}

// fixedPort is the address on this machine in a text, where its port is written as a number.
func fixedPort(text string) (string, bool) {
	if strings.HasPrefix(text, "log:") {
		return "", false
	}
	u, err := url.Parse(text)
	if err != nil {
		return "", false // it holds a placeholder
	}
	ip := net.ParseIP(u.Hostname())
	if u.Port() == "" || u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", false
	}
	return u.Host, true
}

// orders finds what does not go with the order that the file names.
func (e *Experiment) orders() []misfit {
	d, at := e.Design, []string{"design", "order"}
	order := cmp.Or(d.Order, e.ownOrder())
	if d.Window > 0 && (order != Windows && order != Paired || e.Load.Capacity != nil) {
		return []misfit{{at: []string{"design", "window"}, text: "only the orders windows and paired have windows, and a search has none; leave the window out"}}
	}
	if why := e.Beside(); d.Order.Together() && why != "" {
		return []misfit{{at: at, text: fmt.Sprintf("order %s: %s; or leave the order out", d.Order, why)}}
	}
	if d.Order != Woven && d.Order != Paired {
		return nil
	}
	switch l := e.Load; {
	case l.Capacity != nil:
		return []misfit{{at: at, text: fmt.Sprintf("in the order %s each variant would search for its capacity while the others are in its way; write order: windows", d.Order)}}
	case d.Order == Paired && e.Samples:
		return []misfit{{at: at, text: "samples: of the order paired they would be of calls that are made while other variants work; write order: windows"}}
	case l.Closed(), l.Calls > 0:
		return []misfit{{at: at, text: fmt.Sprintf("the order %s needs a rate: without one each variant takes what the others leave; name a rate, or write order: windows", d.Order)}}
	}
	return nil
}

// Windows is how many windows an operation has in a run, and how long each is, where the load goes through the variants
// in turn, in the orders windows and paired: as many as make up the duration. Each has 20 operations, and is as long as the design says, or twice as long as
// delay, the longest of the variants' tracers: in a shorter one fixed costs of an export would be shared by too few spans,
// in longer ones the variants would live in different seconds. docs/statistics.md has what either costs. Operations as fast as
// programs make them fill every batch: the delay does not matter.
func (e *Experiment) Windows(l Load, o program.Operation, delay time.Duration) (int, time.Duration) {
	rate, lasts := cmp.Or(o.Rate, l.Rate), l.Duration
	least, most := max(shortestWindow, delaysInWindow*delay), mostWindows
	if e.driver().Unthrottled(rate) {
		least, most = shortestUnthrottled, mostUnthrottled
	}
	least = cmp.Or(e.Design.Window, least)
	if rate > 0 {
		least = max(least, seconds(leastInWindow/rate))
	}
	if all := float64(l.Calls) / rate; rate > 0 && l.Calls > 0 && all < lasts.Seconds() {
		lasts = seconds(all)
	}
	n := min(int(lasts/least), most)
	if l.Calls > 0 {
		n = min(n, int(l.Calls/leastOfCalls))
	}
	if n < 2 {
		return 1, l.Duration
	}
	n -= n % 2 // each order and its reverse
	if lasts < l.Duration {
		return n, l.Duration // the longest: its calls end a window
	}
	return n, l.Duration / time.Duration(n)
}

// Slicing returns how long the load has to be for latency to be taken in windows of two delays of the tracers, where it is too
// short for them in the order paired and latency is taken in slices; 0 where it is in windows, or no tracer exports.
func (e *Experiment) Slicing() time.Duration {
	delay := time.Duration(0)
	for _, v := range e.Variants {
		if plan, err := e.Plan(v); err == nil && !plan.Silent {
			delay = max(delay, plan.Passed())
		}
	}
	if e.Design.Order != Paired || !e.driver().Generator || delay == 0 {
		return 0
	}
	for _, o := range e.Operations {
		for _, level := range e.Load.Steps() {
			if n, _ := e.Windows(level.Load.For(o), o, delay); n < 2 {
				return 2 * delaysInWindow * delay
			}
		}
	}
	return 0
}

// seconds rounds up to the nanosecond.
func seconds(s float64) time.Duration { return time.Duration(math.Ceil(s * float64(time.Second))) }
