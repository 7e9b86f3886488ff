package design

import (
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// An experiment that may take only so long ends before all of its blocks are made, where these take longer than was foreseen. By
// the time alone: what the blocks show has no part in it, so no interval is widened.

// Few is the least of so many blocks that an experiment which has to keep to a time makes: a verdict is then possible on each of so
// many comparisons, with the correction for all of them.
func Few(blocks, comparisons int) int {
	const errs = 0.05
	return min(blocks, stats.MinBlocks(1-errs/float64(max(1, comparisons))))
}

// Late reports whether one more block, as long as those so far, would end when the runs have taken longer than within; where several
// blocks are made at the same time, so many more.
func Late(history []record.Record, within time.Duration, several int) bool {
	_, block, blocks := pace(history)
	return blocks > 0 && taken(history)+time.Duration(max(1, several))*block > within
}

// Takes returns how long all of an experiment takes, and one block, by the blocks so far: it makes few of them in any case, and
// more, up to all, as long as they end within that time; 0 is any time. Without a block both are 0.
func Takes(history []record.Record, few, all int, within time.Duration) (whole, block time.Duration) {
	before, block, blocks := pace(history)
	if blocks == 0 {
		return 0, 0
	}
	if within > 0 && block > 0 {
		all = min(all, max(few, int((within-before)/block)))
	}
	return before + time.Duration(max(all, blocks))*block, block
}

// pace returns the time that was taken before the first block, and that a block takes.
func pace(history []record.Record) (before, block time.Duration, blocks int) {
	numbers := map[int]bool{}
	var measured []record.Record
	for _, r := range history {
		if r.Kind == record.Measured {
			numbers[r.Block], measured = true, append(measured, r)
		}
	}
	if len(numbers) == 0 {
		return 0, 0, 0
	}
	in := taken(measured)
	return taken(history) - in, in / time.Duration(len(numbers)), len(numbers)
}

// taken is the time in which any run was made: those of a block are made together, and between two sessions there is none.
func taken(history []record.Record) (sum time.Duration) {
	sorted := slices.SortedFunc(slices.Values(history), func(a, b record.Record) int { return a.Started.Compare(b.Started) })
	var until time.Time
	for _, r := range sorted {
		from := r.Started
		if from.Before(until) {
			from = until
		}
		if r.Ended.After(from) {
			sum, until = sum+r.Ended.Sub(from), r.Ended
		}
	}
	return sum
}
