// This file reads off the same program measured twice how small a difference can
// be seen on this machine.

package selfcheck

import (
	"fmt"
	"io"
	"math"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/stats"
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

// floorMetrics are those that are told of.
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

// WriteFloor writes the floors for a person.
func WriteFloor(w io.Writer, floors []Floor, o Options) error {
	p := page{options: o}
	p.floors(floors)
	if _, err := io.WriteString(w, p.text.String()); err != nil {
		return fmt.Errorf("writing how noisy the machine is: %w", err)
	}
	return nil
}

func (p *page) floors(floors []Floor) {
	if len(floors) == 0 {
		return
	}
	p.line("")
	p.paragraph("", fmt.Sprintf("Noise: the same program, measured twice in each of %d blocks. What differs by less cannot be seen here:", floors[0].Blocks), bold)
	rows := [][]cell{{{"", ""}, {"is", dim}, {fmt.Sprintf("in %d blocks", FewBlocks), dim}, {fmt.Sprintf("in %d blocks", ManyBlocks), dim}}}
	for _, f := range floors {
		rows = append(rows, []cell{
			{finding.MetricName(f.Metric), ""}, {finding.FormatValue(f.Typical, f.Unit), ""},
			{finding.FormatBound(f.Few, "1", true), ""}, {finding.FormatBound(f.Many, "1", true), ""},
		})
	}
	p.grid(rows, map[int]bool{1: true, 2: true, 3: true}, nil)
}
