package analysis

import (
	"fmt"
	"math"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/delivery"
	"github.com/tracetax/tracetax/internal/analysis/effect"
)

// Precise reports whether the records so far are enough for the precision that
// the design asks for, of the one metric that it names (CPU per operation where it
// names none): the interval of every operation and variant against the baseline,
// over all roles, must reach no further than that. width is the widest half-width
// among them, on the scale of the logarithm of the ratio (0.02 is about ±2 %);
// it is infinite where one of them has no interval yet. Blocks that the harness
// spoiled are left out, as they are at the end.
//
// It fails where the metric is not one that runs have, or where a record cannot
// be read. Without a precision to reach enough is never true.
func Precise(in Input) (enough bool, width float64, err error) {
	if in.Experiment == nil || len(in.Experiment.Variants) == 0 {
		return false, math.Inf(1), fmt.Errorf("looking at the precision so far: the experiment has no variants")
	}
	set, err := dataset.New(in.Experiment, in.Plans, in.Environment, in.Records)
	if err != nil {
		return false, math.Inf(1), fmt.Errorf("looking at the precision so far: %w", err)
	}
	width, err = effect.New(delivery.Blank(set)).Widest(in.Experiment.Design.Metric)
	precision := in.Experiment.Design.Precision
	return err == nil && precision > 0 && width <= precision, width, err
}
