package traces

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/wording"
)

// Result has the figures of an import, and the topology that it made.
type Result struct {
	Traces     int         `json:"traces"` // all that were read
	Spans      int         `json:"spans"`
	Services   int         `json:"services"`
	Stores     int         `json:"stores"`
	Operations []Operation `json:"operations"`
	PerSecond  float64     `json:"per_second"` // kept traces, from the first's begin to the last's; 0: the times do not tell
	LeftOut    LeftOut     `json:"left_out"`
	Guessed    []string    `json:"guessed"`
	Text       []byte      `json:"-"` // the topology as YAML
}

// Operation is an operation, its shapes put together.
type Operation struct {
	Name   string `json:"name"`
	Node   string `json:"node"`
	Traces int    `json:"traces"`
	Shapes int    `json:"shapes"`
}

// LeftOut counts what is not in the topology, by reason.
type LeftOut struct {
	Traces map[string]int `json:"traces"`
	Spans  map[string]int `json:"spans"`
}

// reading has the methods, the shapes and the counts of all traces.
type reading struct {
	*Import
	branches    []branch          // of the trace that is read
	systems     map[string]string // of stores, by their names
	shapes      shapes
	left        LeftOut
	loose       loose
	fates       fates
	first, last int64 // begins of traces
}

// loose counts spans that lack something.
type loose struct {
	backwards int // that end before they begin
	untimed   int // with a time before this century
	unnamed   int // of clients that name no other side
}

// read reads all traces twice. The first time it learns which calls are at once, and which are in the background.
func (im *Import) read() *reading {
	r := &reading{Import: im, systems: map[string]string{}, first: math.MaxInt64, fates: newFates()}
	r.shapes.orders, r.shapes.tangled = map[[2]uint32]uint8{}, map[uint32]bool{}
	for _, do := range []func(root *call){r.shapes.learn, r.count} {
		r.left = LeftOut{Traces: map[string]int{}, Spans: map[string]int{"no id": im.found.Without, "beyond 50,000 of a trace": im.found.Beyond}}
		r.loose = loose{}
		for _, of := range im.traces {
			if root, why := r.root(of); why == "" {
				do(&root)
			} else {
				r.left.Traces[why]++
			}
		}
		r.fates.known = true
	}
	maps.DeleteFunc(r.left.Spans, func(_ string, n int) bool { return n == 0 })
	return r
}

func (r *reading) count(root *call) {
	r.shapes.of(root).traces++
	if root.start >= thisCentury {
		r.first, r.last = min(r.first, root.start), max(r.last, root.start)
	}
}

// Topology makes a topology of all spans.
func (im *Import) Topology() (*Result, error) {
	r := im.read()
	roots := r.roots()
	if len(roots) == 0 {
		return nil, fmt.Errorf("making a topology of %s: all of them are left out: %s", wording.Counted(im.found.Spans, "span"), r.left)
	}
	comments := strings.Repeat("-", 4<<10) // as long as any that come before the text
	most := sort.Search(len(roots), func(i int) bool {
		return !im.options.Fits(fmt.Appendf(nil, "# %s\n%s", comments, r.draft(roots[:i+1]).Text))
	})
	if most == 0 {
		return nil, errors.New("making a topology: the most frequent operation alone is too large for one: " +
			"fewer of its calls have to be traced")
	}
	for _, root := range roots[most:] {
		r.left.Traces["no room in a topology"] += root.traces
	}
	d := r.draft(roots[:most])
	out := &d.Result
	out.Traces, out.Spans, out.LeftOut, out.Guessed = len(im.traces), im.found.Spans, r.left, d.guessed()
	if seconds := float64(r.last-r.first) / 1e9; seconds >= 1 {
		for _, root := range roots[:most] {
			out.PerSecond += float64(root.traces) / seconds
		}
	}
	head := "# " + strings.ReplaceAll(out.Summary(), "\n", "\n# ") +
		"Wait is the median of a method's own time; with --work 30% a part of it would be CPU work.\n"
	out.Text = append([]byte(head), out.Text...)
	return out, nil
}

// roots returns the shapes that begin the kept traces, the most frequent first. It leaves out the rarest shapes of an operation.
func (r *reading) roots() []*shape {
	all := slices.DeleteFunc(slices.Clone(r.shapes.all), func(s *shape) bool { return s.traces == 0 })
	slices.SortStableFunc(all, func(x, y *shape) int { return cmp.Compare(y.traces, x.traces) })
	of := map[method]int{}
	return slices.DeleteFunc(all, func(s *shape) bool {
		of[s.method]++
		rare := of[s.method] > r.options.Shapes
		if rare {
			r.left.Traces["rare shapes"] += s.traces
		}
		return rare
	})
}

// guessed lists the guesses, each with its reason.
func (d *draft) guessed() []string {
	out := []string{}
	switch {
	case d.guesses == d.messages:
		out = append(out, "bytes of all messages (nothing tells them)")
	case d.guesses > 0:
		out = append(out, fmt.Sprintf("bytes of %s of %s messages (nothing tells them)", grouped(d.guesses), grouped(d.messages)))
	}
	unknown := 0
	for _, s := range d.shapes.all {
		if s.method.protocol == "" && !s.method.store {
			unknown += s.called
		}
	}
	for _, of := range []struct {
		n         int
		one, rest string
	}{
		{unknown, "call", "taken for HTTP (nothing tells the protocol)"},
		{d.loose.unnamed, "call", "to \"elsewhere\" (nothing names the other side)"},
		{d.loose.untimed, "span", "without a time (in the order of the file)"},
		{d.loose.backwards, "span", "of negative length (taken for none long)"},
		{len(d.shapes.tangled), "method", "with calls neither in turn nor at once (taken for at once)"},
	} {
		if of.n > 0 {
			out = append(out, wording.Counted(of.n, of.one)+" "+of.rest)
		}
	}
	for _, file := range d.cutOff {
		out = append(out, plain(file)+" ends in the middle of a value (read up to there)")
	}
	return out
}

// Summary returns the figures as lines of text.
func (r *Result) Summary() string {
	shapes, names := 0, []string{}
	for _, o := range r.Operations {
		shapes += o.Shapes
		names = append(names, o.Name+" "+grouped(o.Traces))
	}
	const shown = 12
	if len(names) > shown {
		names = append(names[:shown], fmt.Sprintf("%d more", len(names)-shown))
	}
	out := fmt.Sprintf("%s, %s: %s, %s, %s (%s) of %s", wording.Counted(r.Traces, "trace"), wording.Counted(r.Spans, "span"),
		wording.Counted(r.Services, "service"), wording.Counted(r.Stores, "store"),
		wording.Counted(len(r.Operations), "operation"), strings.Join(names, ", "), wording.Counted(shapes, "shape"))
	switch {
	case r.PerSecond >= 1000:
		out += fmt.Sprintf(", %s operations/s", grouped(int(r.PerSecond)))
	case r.PerSecond > 0:
		out += fmt.Sprintf(", %s operations/s", strconv.FormatFloat(r.PerSecond, 'g', 3, 64))
	}
	if left := r.LeftOut.String(); left != "" {
		out += "\nleft out: " + left
	}
	if len(r.Guessed) > 0 {
		out += "\nguessed: " + strings.Join(r.Guessed, "; ")
	}
	return out + "\n"
}

// String lists the reasons: "4 traces (parent missing), 2 spans (no service)". The most frequent come first.
func (l LeftOut) String() string {
	var out []string
	for _, of := range []struct {
		one string
		why map[string]int
	}{{"trace", l.Traces}, {"span", l.Spans}} {
		byNumber := func(a, b string) int { return cmp.Or(cmp.Compare(of.why[b], of.why[a]), cmp.Compare(a, b)) }
		for _, reason := range slices.SortedFunc(maps.Keys(of.why), byNumber) {
			out = append(out, fmt.Sprintf("%s (%s)", wording.Counted(of.why[reason], of.one), reason))
		}
	}
	return strings.Join(out, ", ")
}

func grouped(n int) string { return finding.FormatCount(int64(n)) }
