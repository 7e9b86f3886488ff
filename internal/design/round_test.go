package design

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// rounds plays a plan whose blocks are made so many at the same time, and returns what each round has, as "block.attempt".
func rounds(t *testing.T, p Plan, places int, fails func(Run) bool) (out []string) {
	t.Helper()
	var history []record.Record
	for len(out) < 100 {
		round := p.Round(history, places)
		if len(round) == 0 {
			return out
		}
		var names []string
		for _, first := range round {
			names = append(names, fmt.Sprintf("%d.%d", first.Block, first.Attempt))
			var with []string
			for _, r := range first.All() {
				with = append(with, r.Variant)
			}
			failed := fails(first)
			for _, r := range first.All() {
				one := result(r)
				for _, v := range with {
					if v != r.Variant {
						one.Harness.With = append(one.Harness.With, v)
					}
				}
				if failed {
					one.Failure = &record.Failure{}
				}
				history = append(history, one)
			}
		}
		out = append(out, fmt.Sprint(names))
	}
	t.Fatal("the plan does not end")
	return nil
}

// What is before the first block is made one after the other, then as many blocks as there are places; one that failed is made again
// among the next, and the last round is as small as it has to be.
func TestRounds(t *testing.T) {
	for name, row := range map[string]struct {
		places int
		fails  func(Run) bool
		want   []string
	}{
		"one":         {1, never, []string{"[0.1]", "[1.1]", "[2.1]", "[3.1]", "[4.1]", "[5.1]", "[6.1]", "[7.1]"}},
		"three":       {3, never, []string{"[0.1]", "[1.1 2.1 3.1]", "[4.1 5.1 6.1]", "[7.1]"}},
		"more":        {50, never, []string{"[0.1]", "[1.1 2.1 3.1 4.1 5.1 6.1 7.1]"}},
		"one fails":   {3, func(r Run) bool { return r.Block == 2 && r.Attempt == 1 }, []string{"[0.1]", "[1.1 2.1 3.1]", "[2.2 4.1 5.1]", "[6.1 7.1]"}},
		"calibration": {3, func(r Run) bool { return r.Block == 0 && r.Attempt == 1 }, []string{"[0.1]", "[0.2]", "[1.1 2.1 3.1]", "[4.1 5.1 6.1]", "[7.1]"}},
	} {
		p := plan
		p.Together, p.Least, p.Most = true, 7, 7
		if got := rounds(t, p, row.places, row.fails); !slices.Equal(got, row.want) {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}

// Whether it is precise enough is asked after whole rounds, from the least number of blocks on; a round that was begun is made whole,
// and the last one has no more blocks than there may be.
func TestStopsAfterWholeRounds(t *testing.T) {
	for enough, want := range map[int][]string{
		4:  {"[0.1]", "[1.1 2.1 3.1]", "[4.1 5.1 6.1]"},
		7:  {"[0.1]", "[1.1 2.1 3.1]", "[4.1 5.1 6.1]", "[7.1 8.1 9.1]"},
		99: {"[0.1]", "[1.1 2.1 3.1]", "[4.1 5.1 6.1]", "[7.1 8.1 9.1]", "[10.1]"},
	} {
		var asked []int
		p := open(4, 10, enough, &asked)
		p.Together = true
		if got := rounds(t, p, 3, never); !slices.Equal(got, want) {
			t.Errorf("enough after %d blocks: %v, want %v", enough, got, want)
		}
		for _, blocks := range asked {
			if blocks%3 != 0 && blocks != 10 {
				t.Errorf("asked after %d blocks, within a round", blocks)
			}
		}
	}
}

// Blocks that an interruption left out are made first, beside the next.
func TestRoundsAfterAnInterruption(t *testing.T) {
	p := plan
	p.Together, p.Least, p.Most = true, 7, 7
	history := []record.Record{{Kind: record.Calibration, Variant: "otel"}}
	for _, block := range []int{1, 3, 5} {
		for _, v := range p.Variants {
			history = append(history, record.Record{Kind: record.Measured, Block: block, Variant: v, Attempt: 1, Harness: record.Harness{
				With: slices.DeleteFunc(slices.Clone(p.Variants), func(o string) bool { return o == v }),
			}})
		}
	}
	var got []int
	for _, r := range p.Round(history, 3) {
		got = append(got, r.Block)
	}
	if !slices.Equal(got, []int{2, 4, 6}) {
		t.Errorf("blocks %v are next", got)
	}
}
