package design

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// blocksIn is the number of blocks of which a history has a record.
func blocksIn(history []record.Record) int {
	last := 0
	for i := range history {
		last = max(last, history[i].Block)
	}
	return last
}

// open is a plan that ends after enough blocks; asked collects what it was asked about.
func open(least, most, enough int, asked *[]int) Plan {
	p := plan
	p.Least, p.Most = least, most
	p.Precise = func(history []record.Record) bool {
		*asked = append(*asked, blocksIn(history))
		return blocksIn(history) >= enough
	}
	return p
}

func TestStopsAtThePrecision(t *testing.T) {
	for name, test := range map[string]struct{ least, most, enough, want int }{
		"at the least":                {3, 6, 1, 3},
		"on the way":                  {3, 6, 5, 5},
		"never, so at the most":       {3, 6, 99, 6},
		"the least and most the same": {4, 4, 1, 4},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []int
			p := open(test.least, test.most, test.enough, &asked)
			runs := play(t, p, never)
			if got := (len(runs) - 1) / 3; got != test.want || (len(runs)-1)%3 != 0 {
				t.Errorf("%d runs, want %d whole blocks", len(runs)-1, test.want)
			}
			for _, blocks := range asked {
				if blocks < test.least {
					t.Errorf("asked after %d blocks, before the least", blocks)
				}
			}
		})
	}
}

// It is asked after whole blocks only, and not again about what was decided: a
// block that was begun is finished.
func TestAskedAfterWholeBlocks(t *testing.T) {
	var asked []int
	p := open(2, 6, 3, &asked)
	var history []record.Record
	for {
		before := len(asked)
		run, more := p.Next(history)
		if left := p.Left(history); more != (left > 0) {
			t.Errorf("after %d runs: %d left, more %t", len(history), left, more)
		}
		whole := len(history)%3 == 1 // the calibration, and three runs a block
		if len(asked) > before && !whole {
			t.Errorf("asked after %d runs, within a block", len(history))
		}
		if !more {
			if !whole {
				t.Errorf("ended after %d runs, within a block", len(history))
			}
			break
		}
		history = append(history, result(run))
	}
	if got := blocksIn(history); got != 3 || !slices.Equal(asked, []int{2, 2, 3, 3}) {
		t.Errorf("%d blocks, asked after %v; want 3, asked after 2 and 3, for what is next and for what is left", got, asked)
	}
	// A history that goes on beyond what was enough, as of another precision.
	if run, more := p.Next(append(history, record.Record{Kind: record.Measured, Block: 4, Variant: ordersOf(p, p.Seed, 4)[3][0]})); !more || run.Block != 4 {
		t.Errorf("a block that was begun is not finished: %+v", run)
	}
}

// result is a good record of a run.
func result(run Run) record.Record {
	return record.Record{Kind: run.Kind, Block: run.Block, Variant: run.Variant, Attempt: run.Attempt}
}

// A failed run does not keep a block from being whole once it is out of attempts.
func TestStopsBesidesAVariantThatIsGivenUp(t *testing.T) {
	var asked []int
	p := open(4, 9, 5, &asked)
	runs := play(t, p, func(r Run) bool { return r.Variant == "other" })
	if last := runs[len(runs)-1].Block; last != 5 {
		t.Errorf("ended in block %d, want 5", last)
	}
}

func TestLeftWhileOpen(t *testing.T) {
	var asked []int
	p := open(2, 6, 3, &asked)
	if left := p.Left(nil); left != 1+6*3 || !p.Open() {
		t.Errorf("%d runs left, open %t; want those of all blocks", left, p.Open())
	}
	if p := plan; p.Open() {
		t.Error("a fixed number of blocks is said to be open")
	}
}

func TestResumeWhileOpen(t *testing.T) {
	var asked []int
	p := open(2, 6, 4, &asked)
	whole := play(t, p, never)
	var history []record.Record
	for i, want := range whole {
		fresh := open(2, 6, 4, &asked)
		got, more := fresh.Next(slices.Clone(history))
		if !more || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("after %d runs: %+v, want %+v", i, got, want)
		}
		history = append(history, result(got))
	}
}

func TestPilots(t *testing.T) {
	p := plan
	p.Piloted = p.Variants
	runs := play(t, p, never)
	var first []string
	for _, r := range runs[:4] {
		first = append(first, fmt.Sprintf("%s %s %d", r.Kind, r.Variant, len(r.Phases)))
	}
	if want := []string{"calibration otel 3", "pilot none 3", "pilot otel 3", "pilot other 3"}; !slices.Equal(first, want) {
		t.Errorf("first %v, want %v", first, want)
	}
	if len(runs) != 4+12 {
		t.Errorf("%d runs, want 16", len(runs))
	}

	// One that fails twice is given up: there is no rate for it.
	runs = play(t, p, func(r Run) bool { return r.Kind == record.Pilot && r.Variant == "other" })
	if len(runs) != 5+8 || slices.ContainsFunc(runs, func(r Run) bool { return r.Kind == record.Measured && r.Variant == "other" }) {
		t.Errorf("%d runs, want 13, none of them measured of the variant without a pilot", len(runs))
	}
	// Without the baseline's nothing can be measured.
	runs = play(t, p, func(r Run) bool { return r.Kind == record.Pilot && r.Variant == "none" })
	if len(runs) != 3 {
		t.Errorf("%d runs, want 3: a calibration and the baseline's pilot, twice", len(runs))
	}
}

// A sweep has a phase of each operation at each level, all in random order; a
// calibration and a pilot have each operation once.
func TestLevels(t *testing.T) {
	p := plan
	p.Levels, p.Piloted = 4, []string{"none"}
	orders := map[string]bool{}
	for _, run := range play(t, p, never) {
		if run.Kind != record.Measured {
			if want := []Phase{{"a", 0}, {"b", 0}, {"c", 0}}; !slices.Equal(run.Phases, want) {
				t.Errorf("%s has phases %v", run.Kind, run.Phases)
			}
			continue
		}
		seen := map[Phase]bool{}
		for _, phase := range run.Phases {
			seen[phase] = true
		}
		if len(run.Phases) != 12 || len(seen) != 12 {
			t.Errorf("phases %v, want 12 different ones", run.Phases)
		}
		orders[fmt.Sprint(run.Phases)] = true
	}
	if len(orders) != 12 {
		t.Errorf("%d different orders of 12 runs", len(orders))
	}
}

// An experiment that has to keep to a time makes the few blocks that it needs in any case, and ends before one that would be late.
func TestEndsInTime(t *testing.T) {
	for late, want := range map[int]int{1: 4, 5: 5, 99: 8} {
		p := Plan{Seed: 1, Least: 8, Most: 8, Few: 4, Variants: []string{"none", "a"}, Operations: []string{"x"}}
		p.Late = func(history []record.Record) bool { return blocksIn(history) >= late }
		runs := play(t, p, never)
		if got := runs[len(runs)-1].Block; got != want || !p.Open() {
			t.Errorf("late after %d blocks: it ends after %d, want %d", late, got, want)
		}
	}
}
