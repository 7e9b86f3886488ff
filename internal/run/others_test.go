package run

import (
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/derive"
	"github.com/tracetax/tracetax/internal/readings"
)

// working is a meter of programs that use so many CPU seconds from one reading to the next.
type working struct {
	Meter
	uses  []time.Duration
	marks *int
}

func (w working) Mark() (readings.Mark, error) {
	*w.marks++
	var mark readings.Mark
	for _, uses := range w.uses {
		mark = append(mark, readings.Counters{CPU: time.Duration(*w.marks) * uses})
	}
	return mark, nil
}

func (w working) Log() readings.Log {
	return readings.Log{Who: []readings.Who{{Role: "app"}, {Role: "sink"}}}
}

// What the other runs of a block use while they wait for their turn is no program outside the run.
func TestRunsBesideAreNoOthers(t *testing.T) {
	block := newTurns(3)
	for _, cpu := range []time.Duration{9 * time.Second, 2 * time.Second, time.Second} {
		block.stages = append(block.stages, &stage{request: Request{Plan: &config.Plan{}}, meter: working{uses: []time.Duration{cpu, cpu / 2}, marks: new(int)}})
	}
	me := turn{block, 0}
	from, err := me.marks()
	if err != nil || len(from) != 2 {
		t.Fatalf("%d readings of 2 others (%v)", len(from), err)
	}
	if got, err := me.usedSince(from); err != nil || got != (derive.Used{App: 3, Harness: 1.5}) {
		t.Errorf("they used %+v (%v)", got, err)
	}
	alone := turn{}
	if from, err = alone.marks(); err != nil || from != nil {
		t.Errorf("beside a run by itself: %v, %v", from, err)
	}
	if got, err := alone.usedSince(nil); err != nil || got != (derive.Used{}) {
		t.Errorf("beside a run by itself: %+v, %v", got, err)
	}
}
