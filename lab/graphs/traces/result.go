package traces

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/lab/graphs/topology"
)

// Result is what an import found and made.
type Result struct {
	Traces     int            `json:"traces"` // read, those left out among them
	Spans      int            `json:"spans"`
	Services   int            `json:"services"`
	Stores     int            `json:"stores"`
	Operations []Operation    `json:"operations"`
	PerSecond  float64        `json:"per_second"` // kept traces, from the first's begin to the last's; 0: the times do not tell
	LeftOut    LeftOut        `json:"left_out"`
	Guessed    []string       `json:"guessed"`
	Graph      topology.Graph `json:"-"`
	Text       []byte         `json:"-"` // the topology as YAML
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

// reading is what all traces come to.
type reading struct {
	*tree
	shapes      *shapes
	why         map[string]int // traces left out
	first, last int64          // begins of traces
}

// Topology makes a topology of all spans.
func (im *Import) Topology() (*Result, error) {
	r := im.walk()
	roots := r.roots(im.options.Shapes)
	if len(roots) == 0 {
		return nil, fmt.Errorf("making a topology of %s: all of them are left out: %s", counted(len(im.sizes), "trace"), listed(r.why, "trace"))
	}
	made := im.fitting(r, roots)
	if made == nil {
		return nil, errors.New("making a topology: the most frequent operation alone is too large for one: fewer of its calls have to be traced")
	}
	for _, id := range roots[len(made.shapes):] {
		r.why[noRoom] += r.shapes.all[id].traces
	}
	out := &Result{
		Traces: len(im.sizes), Spans: im.found.Spans, Services: len(made.Nodes), Stores: len(made.Stores), Operations: made.bases,
		LeftOut: LeftOut{Traces: r.why, Spans: im.spansLeftOut(r.tree)}, Guessed: im.guesses(r, made), Graph: made.Graph,
	}
	kept := 0
	for _, o := range made.bases {
		kept += o.Traces
	}
	if seconds := float64(r.last-r.first) / 1e9; seconds >= 1 {
		out.PerSecond = float64(kept) / seconds
	}
	out.Text = made.text(out.head())
	return out, nil
}

// walk reads all traces twice: first what is at once and what is in the background, then what each does.
func (im *Import) walk() *reading {
	t := newTree(im)
	r := &reading{tree: t, shapes: newShapes(newOrders()), why: map[string]int{}, first: math.MaxInt64}
	places, begins := im.byTrace()
	each := func(do func(root *call)) {
		clear(r.why)
		t.loose = loose{}
		for i := range im.sizes {
			root, why := t.read(places[begins[i]:begins[i+1]])
			if why != "" {
				r.why[why]++
				continue
			}
			do(&root)
		}
	}
	each(r.shapes.orders.learn)
	t.fates.known = true
	each(func(root *call) {
		r.shapes.all[r.shapes.of(root)].traces++
		if root.start >= thisCentury {
			r.first, r.last = min(r.first, root.start), max(r.last, root.start)
		}
	})
	return r
}

// roots are the shapes of traces that are kept, the most frequent first; those of an operation beyond most are left out.
func (r *reading) roots(most int) []int32 {
	var all []int32
	for id := range r.shapes.all {
		if r.shapes.all[id].traces > 0 {
			all = append(all, int32(id))
		}
	}
	slices.SortStableFunc(all, func(x, y int32) int { return cmp.Compare(r.shapes.all[y].traces, r.shapes.all[x].traces) })
	of := map[uint32]int{}
	return slices.DeleteFunc(all, func(id int32) bool {
		s := &r.shapes.all[id]
		if of[s.method]++; of[s.method] > most {
			r.why[rareShape] += s.traces
			return true
		}
		return false
	})
}

// fitting is the topology of as many operations as it can have, the most frequent ones; nil where not even one fits.
func (im *Import) fitting(r *reading, roots []int32) *named {
	try := func(n int) *named {
		made := build(r.tree, r.shapes.all, roots[:n], im.options.Work)
		made.Description = "Made of " + counted(len(im.sizes), "recorded trace") + "."
		s := &program.Source{}
		head := []string{strings.Repeat("-", 4<<10)} // room for the comment before it
		if program.ParseYAML(s, made.text(head)) == nil || len(s.Problems) > 0 || len(made.Check()) > 0 {
			return nil
		}
		return &made
	}
	if all := try(len(roots)); all != nil {
		return all
	}
	var best *named
	for low, high := 1, len(roots)-1; low <= high; {
		n := (low + high) / 2
		if made := try(n); made != nil {
			best, low = made, n+1
		} else {
			high = n - 1
		}
	}
	return best
}

func (im *Import) spansLeftOut(t *tree) map[string]int {
	out := map[string]int{}
	for reason, n := range map[string]int{
		"no service": t.loose.services, "no id": im.found.Without, "an id that another span has": t.loose.doubles,
		"beyond 50,000 of a trace": im.found.Beyond,
	} {
		if n > 0 {
			out[reason] = n
		}
	}
	return out
}

// guesses says what nothing in the traces tells.
func (im *Import) guesses(r *reading, made *named) []string {
	out := []string{}
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			out = append(out, "1 "+one)
		case n > 1:
			out = append(out, thousands(n)+" "+many)
		}
	}
	if text := guessedBytes(made); text != "" {
		out = append(out, text)
	}
	unknown := 0
	for _, s := range r.shapes.all {
		if m := r.methods[s.method]; m.protocol == "" && !m.store {
			unknown += s.called
		}
	}
	add(unknown, "call is taken for HTTP (nothing tells its protocol)", "calls are taken for HTTP (nothing tells their protocol)")
	add(r.loose.unnamed, "call goes to \"elsewhere\" (nothing names whom it called)", "calls go to \"elsewhere\" (nothing names whom they called)")
	add(r.loose.untimed, "span has no time (it stands as in the file)", "spans have no time (they stand as in the file)")
	add(r.loose.backwards, "span ends before it begins (taken for none long)", "spans end before they begin (taken for none long)")
	add(len(r.shapes.tangled), "method makes calls neither in turn nor at once (taken for at once)",
		"methods make calls neither in turn nor at once (taken for at once)")
	for _, file := range im.cutOff {
		out = append(out, plain(file)+" ends in the middle of a value (read up to there)")
	}
	return out
}

// guessedBytes says how many messages have a size that nothing tells.
func guessedBytes(made *named) string {
	guesses, messages := 0, -2*made.gates // a request and an answer each
	for _, of := range slices.Concat(made.Nodes, made.Stores) {
		messages += 2 * len(of.Methods)
		for _, key := range []string{".request", ".answer"} {
			if made.guessed[of.Name+key] {
				guesses += len(of.Methods)
			}
			for _, m := range of.Methods {
				if made.guessed[of.Name+"."+m.Name+key] {
					guesses++
				}
			}
		}
	}
	switch {
	case guesses == 0:
		return ""
	case guesses == messages:
		return "bytes of all messages (nothing tells them)"
	}
	return fmt.Sprintf("bytes of %s of %s messages (nothing tells them)", thousands(guesses), thousands(messages))
}

// Summary is what a person reads of it, in lines.
func (r *Result) Summary() string { return strings.Join(r.lines(), "\n") + "\n" }

func (r *Result) lines() []string {
	shapes, names := 0, []string{}
	for _, o := range r.Operations {
		shapes += o.Shapes
		names = append(names, o.Name+" "+thousands(o.Traces))
	}
	const shown = 12
	if len(names) > shown {
		names = append(names[:shown], fmt.Sprintf("%d more", len(names)-shown))
	}
	line := fmt.Sprintf("%s, %s: %s, %s, %s (%s) of %s", counted(r.Traces, "trace"), counted(r.Spans, "span"), counted(r.Services, "service"),
		counted(r.Stores, "store"), counted(len(r.Operations), "operation"), strings.Join(names, ", "), counted(shapes, "shape"))
	if r.PerSecond > 0 {
		rate := strconv.FormatFloat(r.PerSecond, 'g', 3, 64)
		if r.PerSecond >= 1000 {
			rate = thousands(int(r.PerSecond))
		}
		line += fmt.Sprintf(", %s operations/s", rate)
	}
	out := []string{line}
	var left []string
	for _, part := range []string{listed(r.LeftOut.Traces, "trace"), listed(r.LeftOut.Spans, "span")} {
		if part != "" {
			left = append(left, part)
		}
	}
	if len(left) > 0 {
		out = append(out, "left out: "+strings.Join(left, ", "))
	}
	if len(r.Guessed) > 0 {
		out = append(out, "guessed: "+strings.Join(r.Guessed, "; "))
	}
	return out
}

// head is the comment at the top of the file.
func (r *Result) head() []string {
	return append(r.lines(), "Wait is the median of a method's own time; with --work 30% a part of it would be CPU work.")
}

// listed is "4 traces (parent missing), 2 traces (no service)", most first.
func listed(why map[string]int, one string) string {
	reasons := slices.SortedFunc(maps.Keys(why), func(a, b string) int {
		return cmp.Or(cmp.Compare(why[b], why[a]), cmp.Compare(a, b))
	})
	for i, reason := range reasons {
		reasons[i] = fmt.Sprintf("%s (%s)", counted(why[reason], one), reason)
	}
	return strings.Join(reasons, ", ")
}

func counted(n int, one string) string {
	if n != 1 {
		one += "s"
	}
	return thousands(n) + " " + one
}

// thousands writes a number as 11,024.
func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
