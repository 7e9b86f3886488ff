package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/record"
)

// Once a block is made it is told how long all take, if that is clearly longer than was foreseen, and what to do.
func TestOverdue(t *testing.T) {
	at := time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)
	history := []record.Record{{Kind: record.Measured, Block: 1, Started: at, Ended: at.Add(126 * time.Second)}}
	const ends = "a block takes 2 min here, so all of it takes about 17 min, and not 9 min as was foreseen: "
	for name, c := range map[string]struct {
		promised time.Duration
		block    int // that begins
		decides  bool
		design   config.Design
		want     string
	}{
		"a decision":      {9 * time.Minute, 2, true, config.Design{Blocks: 8}, ends + "Ctrl-C shows what there is so far, and 'tracetax decide --resume DIR' goes on\n"},
		"a run":           {9 * time.Minute, 2, false, config.Design{Blocks: 8}, ends + "Ctrl-C ends it, and --resume goes on\n"},
		"a time to keep":  {9 * time.Minute, 2, true, config.Design{Blocks: 9, Within: 10 * time.Minute}, strings.Replace(ends, "17 min", "13 min", 1) + "Ctrl-C shows"},
		"as was foreseen": {15 * time.Minute, 2, true, config.Design{Blocks: 8}, ""},
		"by seconds":      {100 * time.Second, 2, true, config.Design{Blocks: 1}, ""},
		"nothing was":     {0, 2, true, config.Design{Blocks: 8}, ""},
		"the first block": {9 * time.Minute, 1, true, config.Design{Blocks: 8}, ""},
		"an open number":  {9 * time.Minute, 2, true, config.Design{Blocks: 8, Most: 20}, ""},
	} {
		var out strings.Builder
		p := newProgress(&out, &config.Experiment{Design: c.design})
		p.promised, p.decides = c.promised, c.decides
		for range 2 { // it is told once
			p.overdue(experiment.Event{History: history, Next: design.Run{Kind: record.Measured, Block: c.block}})
		}
		if got := out.String(); c.want == "" && got != "" || !strings.HasPrefix(got, c.want) || strings.Count(got, "\n") > 1 {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
