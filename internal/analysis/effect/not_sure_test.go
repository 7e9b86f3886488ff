package effect

import (
	"testing"

	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/estimate"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
)

// An interval that holds zero only because of the correction claims nothing.
func TestNotSureAmongClaims(t *testing.T) {
	c := &claim{metric: measure.CPU("")}
	c.Metric, c.Unit, c.Better = metric.CPUPerOperation, "s", metric.Lower
	for block, v := range []float64{1.02, 1.06, 1.03, 1.08, 1.05, 1.07, 1.01, 0.995} {
		c.Samples = append(c.Samples, finding.Sample{Block: block + 1, Baseline: 1e-3, Value: v * 1e-3})
	}
	c.Blocks = len(c.Samples)
	c.estimate(estimate.Confidence, false)
	if *c.Relative.Low <= 0 {
		t.Fatalf("the interval by itself holds zero: %s", finding.FormatInterval(*c.Relative, "1", true))
	}
	alone, among := *c, *c
	alone.judge(1, asGiven, false)
	if alone.Verdict.Kind != finding.Costs {
		t.Errorf("alone %+v", alone.Verdict)
	}
	among.judge(6, asGiven, false)
	v := among.Verdict
	if v.Kind != finding.CannotTell || v.Low == nil || *v.Low > 0 || v.Bound != nil || v.Claims != 6 {
		t.Errorf("among 6 claims %+v", v)
	}
	t.Log(v.Text)
}

// asGiven asks of an interval the confidence that it is to have.
func asGiven(confidence float64) float64 { return confidence }
