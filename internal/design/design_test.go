package design

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

var plan = Plan{
	Seed: 7, Least: 4, Most: 4, Variants: []string{"none", "otel", "other"},
	Calibrated: []string{"otel"}, Operations: []string{"a", "b", "c"},
}

// play runs the plan to its end; fails tells which attempts go wrong.
func play(t *testing.T, p Plan, fails func(Run) bool) []Run {
	t.Helper()
	var history []record.Record
	var runs []Run
	for {
		run, more := p.Next(history)
		if !more {
			if left := p.Left(history); left != 0 {
				t.Errorf("at the end %d runs are said to be left", left)
			}
			return runs
		}
		if len(runs) > 1000 {
			t.Fatal("the plan does not end")
		}
		r := record.Record{Kind: run.Kind, Block: run.Block, Variant: run.Variant, Attempt: run.Attempt}
		if fails(run) {
			r.Failure = &record.Failure{}
		}
		history = append(history, r)
		runs = append(runs, run)
	}
}

func never(Run) bool { return false }

func TestEveryBlockHoldsEveryVariantOnce(t *testing.T) {
	runs := play(t, plan, never)
	if runs[0].Kind != record.Calibration || runs[0].Variant != "otel" || runs[0].Block != 0 {
		t.Errorf("first run %+v, want the calibration of otel", runs[0])
	}
	runs = runs[1:]
	if len(runs) != 12 {
		t.Fatalf("%d runs, want 12", len(runs))
	}
	orders := map[string]bool{}
	for b := range 4 {
		var names []string
		for i, run := range runs[3*b : 3*b+3] {
			if run.Block != b+1 || run.Position != i || run.Attempt != 1 {
				t.Errorf("run %+v at place %d of block %d", run, i, b+1)
			}
			names = append(names, run.Variant)
			var operations []string
			for _, phase := range run.Phases {
				operations = append(operations, phase.Operation)
			}
			slices.Sort(operations)
			if !slices.Equal(operations, plan.Operations) {
				t.Errorf("operations %v", operations)
			}
			if run.Seed != runs[3*b].Seed {
				t.Errorf("block %d: variants have different load seeds", b+1)
			}
		}
		orders[fmt.Sprint(names)] = true
		slices.Sort(names)
		if !slices.Equal(names, []string{"none", "other", "otel"}) && !slices.Equal(names, []string{"none", "otel", "other"}) {
			t.Errorf("block %d holds %v", b+1, names)
		}
	}
	if len(orders) < 2 {
		t.Errorf("all blocks have the same order: %v", orders)
	}
}

// ordersOf are the orders of the first blocks with a seed.
func ordersOf(p Plan, seed uint64, blocks int) [][]string {
	p.Seed, p.Most = seed, blocks
	var out [][]string
	for _, order := range p.Orders() {
		out = append(out, order)
	}
	return out
}

// Every order of three variants must come up about equally often, in whatever block.
func TestOrderIsUniform(t *testing.T) {
	const seeds, upTo = 6000, 4
	seen := make([]map[string]int, upTo)
	for i := range seen {
		seen[i] = map[string]int{}
	}
	for seed := range uint64(seeds) {
		for i, order := range ordersOf(plan, seed, upTo) {
			seen[i][fmt.Sprint(order)]++
		}
	}
	for i := range seen {
		for order, n := range seen[i] {
			if n < 850 || n > 1150 { // 1000 expected, standard deviation 29
				t.Errorf("block %d: order %s came %d times of %d", i+1, order, n, seeds)
			}
		}
		if len(seen[i]) != 6 {
			t.Errorf("block %d: %d orders, want 6", i+1, len(seen[i]))
		}
	}
}

// Each variant follows each, itself included, about equally often, across the ends of blocks too.
func TestOrderIsBalanced(t *testing.T) {
	for _, k := range []int{2, 3, 4, 5, 8} {
		p := plan
		p.Variants = nil
		for i := range k {
			p.Variants = append(p.Variants, fmt.Sprint("v", i))
		}
		for seed := range uint64(20) {
			blocks := ordersOf(p, seed, 4*k)
			followed := map[[2]string]int{}
			before := ""
			for _, order := range blocks {
				if before != "" && order[0] != before {
					t.Fatalf("%d variants, seed %d: a block begins with %s after one that ends with %s", k, seed, order[0], before)
				}
				for _, v := range order {
					if before != "" {
						followed[[2]string{before, v}]++
					}
					before = v
				}
			}
			for _, a := range p.Variants {
				for _, b := range p.Variants {
					if n := followed[[2]string{a, b}]; n < 2 || n > 6 { // 4 are due
						t.Errorf("%d variants, seed %d: %s came after %s %d times in %d blocks, want 4 or so", k, seed, b, a, n, len(blocks))
					}
				}
			}
		}
	}
}

// How many blocks there are to be does not change the orders of the first ones.
func TestOrderDoesNotDependOnTheMost(t *testing.T) {
	for seed := range uint64(20) {
		few, many := ordersOf(plan, seed, 5), ordersOf(plan, seed, 30)
		if fmt.Sprint(few) != fmt.Sprint(many[:5]) {
			t.Errorf("%v and %v", few, many[:5])
		}
	}
}

func TestResumeGoesOnAsIfNothingHadHappened(t *testing.T) {
	whole := play(t, plan, never)
	var history []record.Record
	for i, want := range whole {
		got, more := plan.Next(slices.Clone(history))
		if !more || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("after %d runs: %+v, want %+v", i, got, want)
		}
		history = append(history, record.Record{Kind: got.Kind, Block: got.Block, Variant: got.Variant})
	}
}

func TestFailedRunIsTriedOnceMore(t *testing.T) {
	runs := play(t, plan, func(r Run) bool { return r.Block == 2 && r.Variant == "otel" })
	tries := 0
	for _, r := range runs {
		if r.Block == 2 && r.Variant == "otel" {
			tries++
			if r.Attempt != tries {
				t.Errorf("try %d is said to be attempt %d", tries, r.Attempt)
			}
		}
	}
	if tries != 2 || len(runs) != 14 {
		t.Errorf("%d tries, %d runs; want 2, 14", tries, len(runs))
	}
}

// A variant that cannot be calibrated is not measured: what it lost could not be told.
func TestFailedCalibration(t *testing.T) {
	calibration := func(of ...string) func(Run) bool {
		return func(r Run) bool { return r.Kind == record.Calibration && slices.Contains(of, r.Variant) }
	}
	p := plan
	p.Calibrated = []string{"none", "otel", "other"}
	for name, test := range map[string]struct {
		fails    []string
		measured []string // variants
		runs     int      // all of them
	}{
		"no variant does": {nil, []string{"none", "otel", "other"}, 3 + 4*3},
		"one":             {[]string{"otel"}, []string{"none", "other"}, 4 + 4*2},
		"all but the baseline: there is nothing to compare": {[]string{"otel", "other"}, nil, 5},
		"the baseline": {[]string{"none"}, nil, 2},
	} {
		t.Run(name, func(t *testing.T) {
			runs := play(t, p, calibration(test.fails...))
			var measured []string
			for _, r := range runs {
				if r.Kind == record.Measured {
					measured = append(measured, r.Variant)
				}
			}
			slices.Sort(measured)
			if measured = slices.Compact(measured); !slices.Equal(measured, test.measured) || len(runs) != test.runs {
				t.Errorf("%v in %d runs, want %v in %d", measured, len(runs), test.measured, test.runs)
			}
		})
	}
}

// Where all but the baseline are given up, the baseline is not measured for itself.
func TestNothingLeftToCompare(t *testing.T) {
	runs := play(t, plan, func(r Run) bool { return r.Kind == record.Measured && r.Variant != "none" })
	if last := runs[len(runs)-1]; last.Block != patience {
		t.Errorf("the last run is of block %d, want %d: %+v", last.Block, patience, last)
	}
}

func TestGivingUp(t *testing.T) {
	for name, test := range map[string]struct {
		variant string
		want    int // measured runs
	}{
		"a variant: the others go on":   {"other", 2*2 + 4*2},
		"the baseline: nothing goes on": {"none", 2*2 + 2*2},
	} {
		t.Run(name, func(t *testing.T) {
			runs := play(t, plan, func(r Run) bool { return r.Variant == test.variant })
			// The blocks' orders decide how many others ran before the baseline's last failure.
			if got := len(runs) - 1; got > test.want || got < test.want-2 {
				t.Errorf("%d measured runs, want %d", got, test.want)
			}
			var history []record.Record
			for _, r := range runs {
				one := record.Record{Kind: r.Kind, Block: r.Block, Variant: r.Variant}
				if r.Variant == test.variant {
					one.Failure = &record.Failure{}
				}
				history = append(history, one)
			}
			if given := plan.GivenUp(history); !slices.Equal(given, []string{test.variant}) {
				t.Errorf("given up: %v", given)
			}
		})
	}
}
