// The load and the design in the tree that is made of flags.

package config

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/nearest"
)

func (b *flagBuilder) loadTree() *program.Node {
	out := tree("")
	b.list(out, "rate", b.Flags.Rate)
	b.list(out, "connections", b.Connections)
	if b.Capacity != "" {
		out.Set("capacity", b.keys("capacity", b.Capacity, "KEY=VALUE, such as cpu=75%"))
	}
	b.word(out, "duration", b.Flags.Duration)
	b.word(out, "warmup", b.Warmup)
	return out
}

func (b *flagBuilder) designTree() *program.Node {
	out := tree("")
	b.word(out, "blocks", b.Blocks)
	b.word(out, "precision", b.Precision)
	if b.Seed != 0 {
		out.Set("seed", word(fmt.Sprintf("--seed %d", b.Seed), strconv.FormatUint(b.Seed, 10)))
	}
	return out
}

// keys reads "cpu=3%,p99=5%", a mapping in one word.
func (b *flagBuilder) keys(flag, text, form string) *program.Node {
	out := tree("--" + flag + " " + quote(text))
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case !ok:
			b.Fail(out.At, "%q is not %s", program.Printable(part), form)
		case out.Get(name) != nil:
			b.Fail(out.At, "%q is here a second time", program.Printable(name))
		default:
			out.Set(name, word(out.At.Flag, value))
		}
	}
	return out
}

func (b *flagBuilder) word(n *program.Node, key, value string) {
	if value != "" {
		n.Set(key, word("--"+key+" "+quote(value), value))
	}
}

// list is a word, or a list of them where there is a comma.
func (b *flagBuilder) list(n *program.Node, key, value string) {
	if !strings.Contains(value, ",") {
		b.word(n, key, value)
		return
	}
	flag := "--" + key + " " + quote(value)
	items := &program.Node{Kind: program.List, At: program.Place{Flag: flag}}
	for part := range strings.SplitSeq(value, ",") {
		items.Items = append(items.Items, word(flag, strings.TrimSpace(part)))
	}
	n.Set(key, items)
}

// What the command line changes in an experiment.

// Override is what flags replace in the load of an experiment; "" leaves it as it is.
type Override struct {
	Rate        string // "400/s", "100/s,200/s" or "50% of slowest"
	Connections string // "4" or "1,2,4"
	Capacity    string // "cpu=75%" or "p99=50ms,from=100/s"
	Duration    string
	Warmup      string
	Calls       string // "2000000"; self-driving workloads only, and so the next two
	Depth       string // "8" or "2,4,8"
	Threads     string // "2" or "1,2,4"
	Samples     bool   // every duration is kept; likewise
}

// OverrideLoad replaces what the load of an experiment says by flags. One that
// says what kind of load it is takes the place of whatever kind it was; with
// --rate, one number of connections is the most that may be open. A list takes the
// place of what was swept. Errors name the flag.
func (e *Experiment) OverrideLoad(o Override) error {
	if o.Samples && e.Workload.Refusal("samples") != "" {
		return fmt.Errorf("--samples: %s", e.Workload.Refusal("samples"))
	}
	e.Samples = e.Samples || o.Samples
	b := flagBuilder{Source: &program.Source{}, Flags: Flags{
		Rate: o.Rate, Connections: o.Connections, Capacity: o.Capacity, Duration: o.Duration, Warmup: o.Warmup,
	}}
	root := b.loadTree()
	b.word(root, "calls", o.Calls)
	b.list(root, "depth", o.Depth)
	b.list(root, "threads", o.Threads)
	checkGoesWith(b.Source, tree(""), root, e.Workload, &Experiment{})
	if o.Duration == "" {
		// A rate is held against the window that it is for.
		root.Set("duration", word("", program.FormatDuration(e.Load.Duration)))
	}
	var l Load
	b.Decode(root, &l)
	if err := b.Err(); err != nil {
		return err
	}
	to := &e.Load
	if o.Rate != "" || o.Connections != "" || o.Capacity != "" {
		most := to.Connections
		to.Rate, to.Rates, to.Relative, to.Capacity = l.Rate, l.Rates, l.Relative, l.Capacity
		to.Connections, to.Levels = l.Connections, l.Levels
		if o.Connections == "" {
			to.Connections = most
		}
		if to.Connections == 0 && len(to.Levels) == 0 && e.driver().Generator {
			to.Connections = DefaultConnections
		}
		if o.Capacity == "" && l.Relative == nil {
			e.yieldRates()
		}
	}
	to.overrideDriven(o, l)
	if o.Duration != "" {
		to.Duration = l.Duration
		e.yieldDurations()
	}
	if o.Warmup != "" {
		to.Warmup, to.WarmupMost = l.Warmup, l.WarmupMost
	}
	return nil
}

// overrideDriven replaces what only self-driving workloads have. One
// thing is swept at a time, so that a new list ends an old one.
func (l *Load) overrideDriven(o Override, by Load) {
	if o.Calls != "" {
		l.Calls = by.Calls
	}
	if o.Depth != "" {
		l.Depth, l.Depths = by.Depth, by.Depths
	}
	if o.Threads != "" {
		l.Threads, l.Crowds = by.Threads, by.Crowds
	}
	if len(by.swept()) == 0 {
		return
	}
	for _, key := range l.swept() {
		if slices.Contains(by.swept(), key) {
			continue
		}
		switch key { // what was swept is at its default again
		case "rate":
			l.Rates, l.Relative = nil, nil
		case "depth":
			l.Depths = nil
		case "threads":
			l.Crowds = nil
		}
	}
}

// OverrideDesign replaces the numbers of blocks and the precision by flags that
// are not empty: "12" or "8..30", "2%" or "2% of latency_p99". Errors name the flag.
func (e *Experiment) OverrideDesign(blocks, precision string) error {
	if blocks == "" && precision == "" {
		return nil
	}
	b := flagBuilder{Source: &program.Source{}}
	root := tree("")
	b.word(root, "blocks", blocks)
	b.word(root, "precision", precision)
	old := e.Design
	if precision == "" && strings.Contains(blocks, "..") && old.Most > 0 {
		// The range is new, the precision stays the experiment's.
		root.Set("precision", word("--blocks "+blocks, program.FormatShare(old.Precision)+" of "+old.Metric))
	}
	if precision != "" && blocks == "" && old.Most > 0 {
		root.Set("blocks", word("--precision "+quote(precision), fmt.Sprintf("%d..%d", old.Blocks, old.Most)))
	}
	var d Design
	b.Decode(root, &d)
	if err := b.Err(); err != nil {
		return err
	}
	e.Design.Blocks, e.Design.Most, e.Design.Precision, e.Design.Metric = d.Blocks, d.Most, d.Precision, d.Metric
	e.Design.complete(e.Load)
	return nil
}

// This file chooses among the workloads of an experiment over several.

// KeepWorkloads returns the experiments on the named workloads, in their own order. A
// name is whole (requests/flask) or its last part (flask). All are kept where none is
// named. A name that no workload has, or several, is an error.
func KeepWorkloads(all []*Experiment, names []string) ([]*Experiment, error) {
	if len(names) == 0 {
		return all, nil
	}
	keep := map[*Experiment]bool{}
	for _, name := range names {
		one, err := onWorkload(all, name)
		if err != nil {
			return nil, err
		}
		keep[one] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(e *Experiment) bool { return !keep[e] }), nil
}

func onWorkload(all []*Experiment, name string) (*Experiment, error) {
	var known, last []string
	var found []*Experiment
	for _, e := range all {
		whole := e.Workload.Name
		if whole == name {
			return e, nil
		}
		if path.Base(whole) == name {
			found = append(found, e)
		}
		known, last = append(known, whole), append(last, path.Base(whole))
	}
	switch len(found) {
	case 0:
		hint := nearest.DidYouMean(nearest.Word(name, last)) // which is how most are called
		if hint == "" {
			hint = nearest.Hint(name, known)
		}
		return nil, fmt.Errorf("the experiment has no workload %q%s", program.Printable(name), hint)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("%q may be %s or %s: give the whole name", name, found[0].Workload.Name, found[1].Workload.Name)
}
