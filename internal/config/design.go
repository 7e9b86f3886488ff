// The design of an experiment: how many runs are made, and how.

package config

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/nearest"
)

// The defaults of a design; docs/experiment-file.md repeats them.
const (
	DefaultBlocks = 10
	DefaultLeast  = 8  // blocks before it may be stopped at a precision: the fewest that the widened interval is good for
	DefaultMost   = 30 // blocks at most, where a precision is asked for
)

const maxBlocks = 1000

func (s *source) design(n *node) Design {
	var d Design
	s.mapping(n, "design", fields{
		"blocks":    func(v *node) { d.Blocks, d.Most = s.blocks(v) },
		"precision": func(v *node) { d.Precision, d.Metric = s.precision(v) },
		"order":     func(v *node) { d.Order = s.blockOrder(v) },
		"seed":      func(v *node) { d.Seed = s.seed(v) },
		"quick":     func(v *node) { d.Quick = s.flag(v) },
		"unpiloted": func(v *node) { d.Unpiloted = s.line(v) },
		"max": func(v *node) {
			s.fail(v.at, "unknown key \"max\": write the least and the most blocks as blocks: 8..30")
		},
	})
	blocks, precision := n.get("blocks"), n.get("precision")
	switch {
	case precision == nil && d.Most > 0:
		s.fail(blocks.at, "%s blocks need a precision to stop at, such as precision: 2%%", printable(blocks.text))
	case precision != nil && blocks == nil:
		d.Blocks, d.Most = DefaultLeast, DefaultMost
	case precision != nil && d.Most == 0:
		s.fail(precision.at, "a precision needs the least and the most blocks, such as blocks: %d..%d, not one number", DefaultLeast, DefaultMost)
	}
	if d.Unpiloted != "" && !d.Quick {
		s.fail(n.get("unpiloted").at, "unpiloted is what a quick run writes of a rate that no pilot has found: leave it out")
	}
	d.Blocks = cmp.Or(d.Blocks, DefaultBlocks)
	return d
}

// blocks reads 12, or 8..30: the most is then above 0.
func (s *source) blocks(n *node) (least, most int) {
	low, high, open := strings.Cut(s.text(n), "..")
	if !open {
		return s.whole(n, 1, maxBlocks), 0
	}
	least, err1 := strconv.Atoi(strings.TrimSpace(low))
	most, err2 := strconv.Atoi(strings.TrimSpace(high))
	switch {
	case err1 != nil || err2 != nil:
		s.fail(n.at, "%q is not a number of blocks such as 12, or 8..30", printable(n.text))
	case least < DefaultLeast:
		s.fail(n.at, "%s: at least %d blocks are made before an interval can be trusted to stop at; write %d..%d",
			printable(n.text), DefaultLeast, DefaultLeast, max(most, DefaultLeast+1))
	case most <= least:
		s.fail(n.at, "%s: the most must be above the least; where they are the same, write blocks: %d without a precision", printable(n.text), least)
	case most > maxBlocks:
		s.fail(n.at, "%d is out of range: 1 to %d", most, maxBlocks)
	default:
		return least, most
	}
	return DefaultLeast, DefaultMost
}

// precision reads 2%, or 2% of cpu_per_operation; the metric is then "" or its name.
func (s *source) precision(n *node) (float64, string) {
	share, word, of := strings.Cut(s.text(n), " of ")
	half := s.shareBetween(&node{at: n.at, kind: n.kind, text: strings.TrimSpace(share)}, 0.0001, 0.5)
	if !of {
		return half, ""
	}
	metric, err := precisionMetric(strings.TrimSpace(word))
	if err != nil {
		s.fail(n.at, "%v", err)
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
		return "", fmt.Errorf("%s", unknown("metric of a precision", printable(word), append(words, precise...)))
	}
	return name, nil
}

func (s *source) blockOrder(n *node) Order {
	var known []string
	for _, o := range Orders {
		if s.text(n) == string(o) {
			return o
		}
		known = append(known, string(o))
	}
	s.fail(n.at, "%s", unknown("order", printable(n.text), known))
	return ""
}

func (s *source) seed(n *node) uint64 {
	v, err := strconv.ParseUint(s.text(n), 10, 64)
	if err != nil {
		s.fail(n.at, "%q is not a seed: a whole number from 1, or 0 to have one drawn", printable(n.text))
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

// Settle chooses the order and draws a seed where the experiment names none: what is written of
// it then repeats the same runs.
func (e *Experiment) Settle() {
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
			return &UnknownError{What: "variant", Name: printable(name), Nearest: nearest.Word(name, known), Known: known}
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
