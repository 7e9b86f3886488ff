// Sittings: blocks of an experiment that are apart in time.

package config

import (
	"fmt"
	"time"
)

// DefaultPause is between two sittings, where the file names none: a machine's neighbours change within minutes.
const DefaultPause = 10 * time.Minute

// SittingOf returns the sitting of a planned block, from 0: all have as many blocks, or one more. Blocks that are made again at the
// end belong to the last.
func (d Design) SittingOf(block int) int {
	if d.Sittings < 2 {
		return 0
	}
	return min((block-1)*d.Sittings/max(1, d.Blocks), d.Sittings-1)
}

// apartInTime finds sittings that cannot be had.
func (e *Experiment) apartInTime() []misfit {
	d, at := e.Design, []string{"design", "sittings"}
	switch {
	case d.Pause > 0 && d.Sittings < 2:
		return []misfit{{at: []string{"design", "pause"}, text: "a pause is between sittings: write sittings: 6, or leave it out"}}
	case d.Sittings < 2:
		return nil
	case d.Most > 0:
		return []misfit{{at: at, text: "how many blocks there are is known only at the precision, and sittings divide them: write one number of blocks"}}
	case d.Sittings > d.Blocks:
		return []misfit{{at: at, text: fmt.Sprintf("%d sittings need a block each, and there are %s", d.Sittings, plural(d.Blocks, "block"))}}
	}
	return nil
}
