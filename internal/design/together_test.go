package design

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

var block = Plan{
	Seed: 7, Least: 40, Most: 40, Variants: []string{"none", "otel", "other"},
	Calibrated: []string{"otel"}, Operations: []string{"a", "b", "c"}, Together: true,
}

// made are the records of the runs of a block; those of the named variants failed themselves.
func made(run Run, failed ...string) []record.Record {
	var out []record.Record
	all := run.All()
	for i, one := range all {
		r := result(one)
		for j := range all {
			if j != i {
				r.Harness.With = append(r.Harness.With, all[j].Variant)
			}
		}
		if slices.Contains(failed, one.Variant) {
			r.Failure = &record.Failure{Stage: "start"}
		} else if len(failed) > 0 {
			r.Failure = &record.Failure{Stage: record.StageBlock}
		}
		out = append(out, r)
	}
	return out
}

func TestBlocksAreMadeTogether(t *testing.T) {
	first, history := map[string]int{}, []record.Record{{Kind: record.Calibration, Variant: "otel"}}
	for number := 1; number <= block.Most; number++ {
		run, more := block.Next(history)
		all := run.All()
		if !more || run.Block != number || len(all) != 3 {
			t.Fatalf("after %d blocks: %+v", number-1, run)
		}
		if left := block.Left(history); left != 3*(block.Most-number+1) {
			t.Errorf("block %d: %d runs left", number, left)
		}
		for i, one := range all {
			if one.Position != i || one.Seed != run.Seed || one.With != nil || !slices.Equal(one.Phases, run.Phases) {
				t.Errorf("block %d: runs %+v, %+v; want the same seed and phases", number, run, one)
			}
		}
		first[run.Variant]++
		history = append(history, made(run)...)
	}
	if _, more := block.Next(history); more {
		t.Error("it goes on after all blocks")
	}
	if first["none"] < 8 || first["otel"] < 8 || first["other"] < 8 {
		t.Errorf("who starts first: %v of 40; want each often", first)
	}
}

// tried is how the blocks of an experiment go in which variants fail: attempt and variants of each step.
func tried(t *testing.T, p Plan, fails func(run Run) []string) []string {
	t.Helper()
	p.Calibrated = nil
	var history []record.Record
	var steps []string
	for len(steps) < 20 {
		run, more := p.Next(history)
		if !more {
			return steps
		}
		text := fmt.Sprintf("%d.%d", run.Block, run.Attempt)
		for _, variant := range p.Variants {
			if slices.ContainsFunc(run.All(), func(r Run) bool { return r.Variant == variant }) {
				text += " " + variant
			}
		}
		steps = append(steps, text)
		history = append(history, made(run, fails(run)...)...)
	}
	t.Fatalf("it does not end: %q", steps)
	return nil
}

// A variant that fails in each attempt is left out of the block, and given up after two such blocks; nothing stands
// against the others.
func TestAVariantOfABlockFails(t *testing.T) {
	p := block
	p.Least, p.Most = 4, 4
	got := tried(t, p, func(run Run) []string {
		if slices.ContainsFunc(run.All(), func(r Run) bool { return r.Variant == "otel" }) {
			return []string{"otel"}
		}
		return nil
	})
	want := []string{"1.1 none otel other", "1.2 none otel other", "1.3 none other", "2.1 none otel other", "2.2 none otel other", "2.3 none other", "3.1 none other", "4.1 none other"}
	if !slices.Equal(got, want) {
		t.Errorf("steps %q, want %q", got, want)
	}
}

// Without its baseline a block is not made; a baseline that fails and fails ends the experiment.
func TestTheBaselineOfABlockFails(t *testing.T) {
	got := tried(t, block, func(Run) []string { return []string{"none"} })
	if want := []string{"1.1 none otel other", "1.2 none otel other", "2.1 none otel other", "2.2 none otel other"}; !slices.Equal(got, want) {
		t.Errorf("steps %q, want %q", got, want)
	}
}

// A part of a block, whose other records were lost when the program was killed, does not count: the block is made again
// under a new number, and a failure of that one is its first.
func TestAPartOfABlock(t *testing.T) {
	p := block
	p.Calibrated = nil
	all, _ := p.Next(nil)
	history := made(all)[:2]
	again, more := p.Next(history)
	if !more || again.Block != 1 || again.Attempt != 2 || again.With[1].Attempt != 2 || again.Variant != all.Variant || again.Seed != all.Seed {
		t.Fatalf("after a part of a block: %+v", again)
	}
	history = append(history, made(again, "otel")...)
	third, more := p.Next(history)
	if !more || third.Block != 1 || third.Attempt != 3 || len(third.All()) != 3 {
		t.Fatalf("after a part of a block and a failed one: %+v", third)
	}
	if next, _ := p.Next(append(history, made(third)...)); next.Block != 2 || next.Attempt != 1 {
		t.Errorf("after a good block: %+v", next)
	}
}

// fitting is a plan of six variants of which so many can live at once.
func fitting(fit int) Plan {
	p := block
	p.Least, p.Most, p.Calibrated = 2, 2, nil
	p.Variants = []string{"none", "a", "b", "c", "d", "e"}
	p.Fit = func([]record.Record) int { return fit }
	return p
}

// Where memory does not suffice for all variants they are made in groups, each with the baseline; each other one is in one.
func TestGroups(t *testing.T) {
	for fit, sizes := range map[int][]int{0: {6}, 6: {6}, 5: {5, 2}, 4: {4, 3}, 3: {3, 3, 2}, 2: {2, 2, 2, 2, 2}, 1: {1, 1, 1, 1, 1, 1}} {
		p := fitting(fit)
		var history []record.Record
		together := map[string]bool{}
		for number := 1; number <= p.Most; number++ {
			seen := map[string]int{}
			for i, size := range sizes {
				run, more := p.Next(history)
				all := run.All()
				if !more || run.Block != number || run.Attempt != 1 || len(all) != size {
					t.Fatalf("fit %d, block %d, group %d: %+v", fit, number, i, run)
				}
				names := ""
				for _, one := range all {
					seen[one.Variant]++
					names += one.Variant
				}
				together[names] = true
				if fit != 1 && !slices.ContainsFunc(all, func(r Run) bool { return r.Variant == "none" }) {
					t.Errorf("fit %d, block %d: a group without the baseline: %+v", fit, number, run)
				}
				history = append(history, made(run)...)
			}
			for _, variant := range p.Variants {
				if want := map[bool]int{true: max(1, len(sizes)), false: 1}[variant == "none" && fit != 1]; seen[variant] != want {
					t.Errorf("fit %d, block %d: %s runs %d times, want %d", fit, number, variant, seen[variant], want)
				}
			}
		}
		if next, more := p.Next(history); more {
			t.Errorf("fit %d: it goes on with %+v", fit, next)
		}
		if runs := p.Left(nil); runs != p.Most*sum(sizes) {
			t.Errorf("fit %d: %d runs are left at first, want %d", fit, runs, p.Most*sum(sizes))
		}
		if 1 < fit && fit < 5 && len(together) < len(sizes)+1 {
			t.Errorf("fit %d: the groups of all blocks are %v", fit, together)
		}
	}
}

func sum(sizes []int) int {
	n := 0
	for _, size := range sizes {
		n += size
	}
	return n
}

// A group that failed, or was cut off, is made again by itself; what the other groups of its block left counts. A baseline
// that fails in a later group is not tried for ever.
func TestAGroupFails(t *testing.T) {
	p := fitting(3)
	first, _ := p.Next(nil)
	history := made(first)
	second, _ := p.Next(history)
	history = append(history, made(second, second.All()[1].Variant)...)
	again, _ := p.Next(history)
	if again.Attempt != 2 || again.Block != 1 || !slices.Equal(variants(again), variants(second)) {
		t.Fatalf("after a group that failed: %+v, want %v again", again, variants(second))
	}
	history = append(history, made(again)[:2]...)
	third, _ := p.Next(history)
	if third.Attempt != 3 || !slices.Equal(variants(third), variants(second)) {
		t.Fatalf("after a part of a group: %+v", third)
	}
	history = append(history, made(third)...)
	if last, _ := p.Next(history); last.Block != 1 || len(last.All()) != 2 || last.Attempt != 3 {
		t.Errorf("the last group: %+v", last)
	}

	history = made(first)
	for range attempts {
		run, _ := p.Next(history)
		if run.Block != 1 {
			t.Fatalf("after a good group: %+v", run)
		}
		history = append(history, made(run, "none")...)
	}
	if run, more := p.Next(history); !more || run.Block != 2 {
		t.Errorf("after a baseline that fails in its second group: %+v", run)
	}
}

func variants(run Run) []string {
	var names []string
	for _, one := range run.All() {
		names = append(names, one.Variant)
	}
	return names
}

// Each run has each place of a round, the rounds come in pairs of an order and its reverse, and orders differ.
func TestTurns(t *testing.T) {
	seen := map[string]bool{}
	for phase := range 30 {
		turns := block.Turns(1, phase, 3, 6)
		taken := map[int]int{}
		for run, places := range turns {
			if len(places) != 6 || !slices.IsSorted(places) {
				t.Fatalf("turns %v", turns)
			}
			for round := 0; round < 6; round += 2 {
				if mean := places[round] + places[round+1]; mean != 2*3*round+5 {
					t.Errorf("run %d: places %d and %d of a pair; want them to mirror each other", run, places[round], places[round+1])
				}
			}
			for _, place := range places {
				taken[place]++
			}
		}
		if len(taken) != 18 {
			t.Errorf("%d places are taken, want each of 18 once: %v", len(taken), turns)
		}
		seen[fmt.Sprint(turns)] = true
		if again := block.Turns(1, phase, 3, 6); fmt.Sprint(again) != fmt.Sprint(turns) {
			t.Errorf("phase %d: the turns differ when they are asked for again", phase)
		}
	}
	if len(seen) < 25 {
		t.Errorf("%d different orders in 30 phases", len(seen))
	}
}
