package design

import (
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// replaced is a plan of whose planned blocks so many are spoiled; asked collects after how many runs it was asked.
func replaced(spoiled int, asked *[]int) Plan {
	p := plan
	p.Spoiled = func(history []record.Record) int {
		*asked = append(*asked, len(history))
		return spoiled
	}
	return p
}

// Blocks in the place of those that were spoiled follow the planned ones, in the order that a longer experiment has; and
// an experiment that is interrupted anywhere goes on as if nothing had happened.
func TestSpoiledBlocksAreMadeAgain(t *testing.T) {
	for _, spoiled := range []int{0, 1, 2} {
		var asked []int
		p := replaced(spoiled, &asked)
		if left := p.Left(nil); left != 13 {
			t.Errorf("at the beginning %d runs are left, want 13: nobody knows yet what will be spoiled", left)
		}
		runs := play(t, p, never)
		longer := plan
		longer.Most = plan.Most + spoiled
		want := play(t, longer, never)
		if !slices.EqualFunc(runs, want, func(a, b Run) bool { return a.Block == b.Block && a.Variant == b.Variant && a.Seed == b.Seed }) {
			t.Errorf("%d spoiled: %d runs, not the %d of an experiment with so many more blocks", spoiled, len(runs), len(want))
		}
		if least := slices.Min(asked); least < 13 {
			t.Errorf("asked after %d runs, before all that were planned had been made", least)
		}
	}
}

// Where a variant is given up in the end, blocks that follow do not bring it back, nor is there an end without one.
func TestSpoiledBesideAVariantThatIsGivenUp(t *testing.T) {
	var asked []int
	runs := play(t, replaced(2, &asked), func(r Run) bool { return r.Variant == "other" && r.Block >= 3 })
	for _, r := range runs {
		if r.Block > plan.Most && r.Variant == "other" {
			t.Errorf("%s is tried in block %d, after it failed in blocks 3 and 4", r.Variant, r.Block)
		}
	}
	if last := runs[len(runs)-1]; last.Block != plan.Most+2 {
		t.Errorf("the last block is %d", last.Block)
	}
}

// An experiment that stops at a precision makes blocks until it has them anyway.
func TestSpoiledIsNotAskedBesideAPrecision(t *testing.T) {
	var asked, precise []int
	p := open(3, 6, 99, &precise)
	p.Spoiled = replaced(2, &asked).Spoiled
	if runs := play(t, p, never); len(runs) != 1+6*3 || len(asked) > 0 {
		t.Errorf("%d runs, asked %v", len(runs), asked)
	}
}
