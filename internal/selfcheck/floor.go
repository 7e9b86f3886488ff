// This file reads off the same program measured twice how small a difference can
// be seen on this machine, by metric, and by the order of a block.

package selfcheck

import (
	"fmt"
	"math"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/model"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/wording"
)

// NoiseFloor is the experiment that measures nothing but noise.
const NoiseFloor = "noise-floor"

// Floor is how small a relative difference in a metric can be seen: half the width
// of the 95 % interval that so many blocks would give.
type Floor struct {
	Metric  string  `json:"metric"`
	Unit    string  `json:"unit"`
	Typical float64 `json:"typical"` // the program's own value
	Blocks  int     `json:"blocks"`  // that it was measured with
	Here    float64 `json:"here"`    // with those blocks; 0.02 is 2 %
	Few     float64 `json:"few"`     // with FewBlocks
	Many    float64 `json:"many"`    // with ManyBlocks
}

// What a floor is foretold for: the default of an experiment, and a patient one.
const (
	FewBlocks  = 10
	ManyBlocks = 30
)

// floorMetrics are the metrics with a reported floor.
var floorMetrics = []string{"cpu_per_operation", "latency_mean", "latency_p50", "latency_p95", "latency_p99", "memory_mean", "startup_time"}

// Floors reads the floors from the variant Again of a document. Metrics without an
// interval are left out.
func Floors(doc *finding.Document) []Floor {
	out := []Floor{}
	if doc == nil {
		return out
	}
	for _, metric := range floorMetrics {
		for i := range doc.Findings {
			f := &doc.Findings[i]
			if f.Variant != Again || f.Metric != metric || f.Role != "" {
				continue
			}
			if one, ok := floorOf(f); ok {
				out = append(out, one)
			}
			break
		}
	}
	return out
}

// floorOf scales the interval that was measured to other numbers of blocks.
func floorOf(f *finding.Finding) (Floor, bool) {
	var base, value []float64
	for _, s := range f.Samples {
		base, value = append(base, s.Baseline), append(value, s.Value)
	}
	logs, err := stats.LogRatios(base, value)
	if err != nil {
		return Floor{}, false // a value that is not above zero has no ratio
	}
	e := stats.SignedRank(logs, 0.95)
	if !e.Bounded {
		return Floor{}, false
	}
	reach := (e.High - e.Low) / 2
	in := func(blocks int) float64 {
		return math.Expm1(reach * stats.HalfWidth(blocks, 1) / stats.HalfWidth(e.N, 1))
	}
	return Floor{
		Metric: f.Metric, Unit: f.Unit, Typical: stats.Center(append(base, value...)), Blocks: e.N,
		Here: math.Expm1(reach), Few: in(FewBlocks), Many: in(ManyBlocks),
	}, true
}

// Noise is how much CPU per operation of the same program twice differs from block to block, in an order.
type Noise struct {
	Order     config.Order     `json:"order"`
	Seconds   float64          `json:"seconds"`           // of load in each run
	Blocks    int              `json:"blocks"`            // that it was measured with
	Deviation float64          `json:"deviation"`         // standard deviation of their log-ratios: 0.02 is 2 %
	Scatter   *finding.Scatter `json:"scatter,omitempty"` // where the load went in windows
	Tells     []Tells          `json:"tells"`             // for numbers of blocks
}

// Tells is what a number of blocks can tell of CPU per operation.
type Tells struct {
	Blocks    int     `json:"blocks"`
	HalfWidth float64 `json:"half_width"` // about, of the 95 % interval
	Findable  float64 `json:"findable"`   // the smallest difference that is found in 8 of 10 cases
}

// tellBlocks are the numbers of blocks that it is shown for.
var tellBlocks = []int{6, 8, 12}

// usual is the deviation by order that is taken where none was measured, as docs/statistics.md has it, and for how long each
// run had load.
var usual = map[config.Order]float64{config.Paired: 0.015, config.Windows: 0.02, config.Woven: 0.015, config.Apart: 0.1}

const usualSeconds = 5

// UsualNoise is what a small service's noise was elsewhere.
func UsualNoise(order config.Order) Noise {
	return Noise{Order: order, Seconds: usualSeconds, Deviation: usual[order]}
}

// Over returns the noise of runs that have load for so long. Less load at once is noisier by the root of its length, as single
// requests are; more is not taken to be sharper, since processes and hours differ too. In windows noise is the machine's.
func (n Noise) Over(seconds float64) Noise {
	if n.Order != config.Paired && n.Order != config.Woven || n.Seconds <= 0 || seconds <= 0 {
		return n
	}
	n.Deviation *= math.Sqrt(max(1, n.Seconds/seconds))
	n.Seconds = seconds
	return n
}

// Tell is what so many blocks can tell; false where they have no interval.
func (n Noise) Tell(blocks int) (Tells, bool) {
	width := stats.HalfWidth(blocks, n.Deviation/math.Sqrt2)
	if math.IsInf(width, 1) {
		return Tells{}, false
	}
	return Tells{blocks, math.Expm1(width), math.Expm1(stats.Findable(blocks, n.Deviation))}, true
}

// NoiseOf reads the noise off the variant Again of a document that was made in an order, with so much load in each run; false
// where it has no two blocks.
func NoiseOf(doc *finding.Document, order config.Order, load time.Duration) (Noise, bool) {
	for i := range doc.Findings {
		f := &doc.Findings[i]
		if f.Variant != Again || f.Metric != metric.CPUPerOperation || f.Role != "" || len(f.Samples) < 2 {
			continue
		}
		var base, value []float64
		for _, s := range f.Samples {
			base, value = append(base, s.Baseline), append(value, s.Value)
		}
		logs, err := stats.LogRatios(base, value)
		if err != nil {
			return Noise{}, false
		}
		n := Noise{Order: order, Seconds: load.Seconds(), Blocks: len(logs), Deviation: stats.Deviation(logs), Scatter: f.Scatter}
		for _, blocks := range tellBlocks {
			if one, ok := n.Tell(blocks); ok {
				n.Tells = append(n.Tells, one)
			}
		}
		return n, true
	}
	return Noise{}, false
}

// NoiseSections lays out the floors, and the noise of each order, each where there are some.
func NoiseSections(floors []Floor, orders []Noise) (sections []model.Section) {
	if len(floors) > 0 {
		g := model.Grid{Columns: figures("", "is", fmt.Sprintf("in %d blocks", FewBlocks), fmt.Sprintf("in %d blocks", ManyBlocks))}
		for _, f := range floors {
			g.Add(model.Cell{Text: finding.MetricName(f.Metric)}, model.Cell{Text: finding.FormatValue(f.Typical, f.Unit)},
				model.Cell{Text: finding.FormatBound(f.Few, "1", true)}, model.Cell{Text: finding.FormatBound(f.Many, "1", true)})
		}
		sections = append(sections, model.Section{
			Title: fmt.Sprintf("Noise: the same program twice in each of %d blocks", floors[0].Blocks),
			Grids: []model.Grid{g}, Notes: []model.Note{{Text: "Smaller differences cannot be seen here.", Tone: model.Faint}},
		})
	}
	if len(orders) > 0 {
		sections = append(sections, ofOrders(orders))
	}
	return sections
}

// figures returns columns of figures; the first is of names.
func figures(heads ...string) []model.Column {
	var out []model.Column
	for i, head := range heads {
		out = append(out, model.Column{Head: head, Right: i > 0})
	}
	return out
}

func ofOrders(all []Noise) model.Section {
	heads := []string{"", "blocks", "windows"}
	for _, n := range tellBlocks {
		heads = append(heads, fmt.Sprintf("in %d blocks", n))
	}
	s := model.Section{
		Title: "Noise by the order of a block",
		Grids: []model.Grid{{Columns: figures(heads...)}},
		Notes: []model.Note{{
			Text: "CPU per operation: how much blocks and windows differ, and the difference that is found in 8 of 10 cases.", Tone: model.Faint,
		}},
	}
	for _, n := range all {
		within := finding.Missing
		if n.Scatter != nil {
			within = finding.FormatBound(n.Scatter.Rounds, "1", true)
			s.Notes = append(s.Notes, model.Note{Text: "In the order " + string(n.Order) + " " + wording.Scatter(*n.Scatter), Tone: model.Faint})
		}
		row := make([]model.Cell, len(heads))
		row[0].Text, row[1].Text, row[2].Text = string(n.Order), finding.FormatBound(n.Deviation, "1", true), within
		for i, one := range n.Tells {
			row[3+i].Text = finding.FormatBound(one.Findable, "1", true)
		}
		s.Grids[0].Add(row...)
	}
	return s
}
