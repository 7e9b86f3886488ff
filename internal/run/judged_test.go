package run_test

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
)

// judging notes what it is asked to judge.
type judging struct {
	given
	judged *[]record.Probe
}

func (j judging) Judge(p record.Probe) record.Probe {
	*j.judged = append(*j.judged, p)
	return j.given.Judge(p)
}

// A probe is judged once, when all that came of it is known: its durations and its spans too.
func TestProbesAreJudgedOnce(t *testing.T) {
	t.Parallel()
	conductor, q := drivenRequest(t, record.Measured, "")
	q.Phases = q.Phases[:1]
	q.Phases[0].Load.Duration = 300 * time.Millisecond
	var judged []record.Probe
	q.Phases[0].Search = judging{given{goal(config.RateSearch{Goal: config.GoalLossless}), []float64{500, 1000}}, &judged}
	probes := made(t, conductor, q).Phases[0].Capacity.Probes
	if len(judged) != len(probes) {
		t.Fatalf("%d probes were judged %d times", len(probes), len(judged))
	}
	for i, p := range judged {
		latencies, err := p.Load.Latency.Decode()
		if err != nil || uint64(latencies.TotalCount()) != p.Load.Started || p.Expected == 0 || p.Sink.Spans == 0 {
			t.Errorf("probe %d was judged of %d durations (%v) and %d of %g spans", i+1, latencies.TotalCount(), err, p.Sink.Spans, p.Expected)
		}
	}
}
