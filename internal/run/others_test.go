package run

import (
	"math"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/usage"
)

func TestOthers(t *testing.T) {
	used := []record.Usage{{Role: "app", CPUSeconds: 5}, {Role: "load", CPUSeconds: 2}, {Role: "sink", CPUSeconds: 1}}
	zero := time.Unix(0, 0)
	after := func(app, harness float64) busy {
		return busy{at: zero.Add(10 * time.Second), app: time.Duration(app * 1e9), harness: time.Duration(harness * 1e9), ok: true}
	}
	apart := process.Placement{App: []int{1}, Harness: []int{0}}
	shared := process.Placement{App: []int{0}, Harness: []int{0}, Shared: true}
	for name, test := range map[string]struct {
		placement process.Placement
		to        busy
		want      float64
	}{
		"nobody":                {apart, after(5, 4), 0},
		"on the app's CPU":      {apart, after(8, 4), 0.3},
		"on the harness's":      {apart, after(5, 6), 0.2},
		"on a shared one":       {shared, after(10, 10), 0.1},
		"less than was used":    {apart, after(4, 3), 0},
		"where nothing is read": {apart, busy{at: zero.Add(time.Second)}, 0},
	} {
		s := &stage{placement: test.placement}
		if got := s.others(busy{at: zero, ok: true}, test.to, usedOf(used), time.Second); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", name, got, test.want)
		}
	}
}

// working is a meter of programs that use so much at each reading.
type working struct {
	Meter
	uses []record.Usage
}

func (w working) Mark() (usage.Mark, error) { return usage.Mark{}, nil }

func (w working) Between(usage.Mark, usage.Mark) []record.Usage { return w.uses }

// What the other runs of a block use while they wait for their turn is no program outside the run.
func TestRunsBesideAreNoOthers(t *testing.T) {
	block := newTurns(3)
	for _, cpu := range []float64{9, 2, 1} {
		block.stages = append(block.stages, &stage{
			request: Request{Plan: &config.Plan{}}, meter: working{uses: []record.Usage{{Role: "app", CPUSeconds: cpu}, {Role: "sink", CPUSeconds: cpu / 2}}},
		})
	}
	me := turn{block, 0}
	from, err := me.marks()
	if err != nil || len(from) != 2 {
		t.Fatalf("%d readings of 2 others (%v)", len(from), err)
	}
	if got, err := me.usedSince(from); err != nil || got != (usedBy{app: 3, harness: 1.5}) {
		t.Errorf("they used %+v (%v)", got, err)
	}
	alone := turn{}
	if from, err = alone.marks(); err != nil || from != nil {
		t.Errorf("beside a run by itself: %v, %v", from, err)
	}
	if got, err := alone.usedSince(nil); err != nil || got != (usedBy{}) {
		t.Errorf("beside a run by itself: %+v, %v", got, err)
	}
}
