package analysis_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/record"
)

// alternating are the orders of two variants.
func alternating(block int) []int { return []int{block % 2, 1 - block%2} }

// shuffledBlocks are the orders of variants in blocks by chance.
func shuffledBlocks(seed uint64, variants int) func(int) []int {
	r := rand.New(rand.NewPCG(seed, 44))
	return func(int) []int { return r.Perm(variants) }
}

// slowing makes runs of a variant slow down the CPU of whatever runs next.
func slowing(variant string, by float64) func(*record.Record) {
	before := ""
	return func(r *record.Record) {
		if before == variant {
			for i := range r.Phases {
				r.Phases[i].Usage[0].CPUSeconds *= 1 + by
			}
		}
		before = r.Variant
	}
}

func TestCarryOver(t *testing.T) {
	second := func(by float64) func(*record.Record) {
		return func(r *record.Record) {
			if r.Position == 1 {
				r.Phases[0].Usage[0].CPUSeconds *= 1 + by
			}
		}
	}
	for name, c := range map[string]struct {
		blocks int
		orders func(int) []int
		change func(*record.Record)
		want   string // where; "": no warning
	}{
		"the second run of a block is slower":                    {12, alternating, second(0.05), "json, otel"},
		"by less than matters":                                   {12, alternating, second(0.002), ""},
		"over too few blocks":                                    {6, alternating, second(0.05), ""},
		"one that cannot be told, as the order is the same":      {12, nil, second(0.05), ""},
		"the next run is slower, in blocks by chance":            {20, shuffledBlocks(1, 2), slowing("otel", 0.05), "json, otel"},
		"the next run is slower, with each after each: balanced": {20, alternating, slowing("otel", 0.05), ""},
	} {
		s := twoVariants()
		s.noise, s.blocks, s.orders, s.change = 0.003, c.blocks, c.orders, c.change
		var where []string
		for _, w := range analyse(t, s.input()).Warnings {
			if w.Code == "carry-over" {
				where = append(where, w.Where)
			}
		}
		if strings.Join(where, " ") != c.want && !(c.want != "" && len(where) > 0 && where[0] == c.want) {
			t.Errorf("%s: warned of %q, want %q", name, where, c.want)
		}
	}
}

// With three variants and the orders of a plan a run comes after each: that one of them slows down
// the next is told.
func TestCarryOverAmongThree(t *testing.T) {
	s := manyClaims(20, 0.003)
	var orders [][]int
	for _, names := range (design.Plan{Seed: 3, Most: s.blocks, Variants: []string{"0", "1", "2"}}).Orders() {
		order := make([]int, len(names))
		for i, name := range names {
			order[i] = int(name[0] - '0')
		}
		orders = append(orders, order)
	}
	s.orders = func(block int) []int { return orders[block-1] }
	s.change = slowing("otel", 0.08)
	told := map[string]bool{}
	for _, w := range analyse(t, s.input()).Warnings {
		told[w.Where] = told[w.Where] || w.Code == "carry-over"
	}
	for _, operation := range s.order {
		if !told[operation+", otel"] {
			t.Errorf("not of %s", operation)
		}
	}
}

// Where the order makes no difference the warning comes in at most 1 % of experiments, however
// many operations and variants there are.
func TestAlarmOfCarryOver(t *testing.T) {
	t.Parallel()
	n := experiments() / 5
	for _, blocks := range []int{10, 12, 20} {
		alarms := 0
		for i := range n {
			s := goingTogether(uint64(i), blocks)
			s.orders = shuffledBlocks(uint64(i), 3)
			alarms += count(warned(s.result(t, "same"), "carry-over"))
		}
		share := float64(alarms) / float64(n)
		t.Logf("%d blocks: an alarm in %.2f %% of %d experiments", blocks, 100*share, n)
		if allowed := allowedOf(0.01, n); share > allowed {
			t.Errorf("%d blocks: an alarm in %.2f %%, allowed %.2f %%", blocks, 100*share, 100*allowed)
		}
	}
}
