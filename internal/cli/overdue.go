//go:build linux

// The time that an experiment takes, once it is seen.

package cli

import (
	"fmt"
	"time"

	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/experiment"
)

// An experiment that takes so much longer than was foreseen is told of.
const (
	overdueShare = 1.2
	overdueLeast = time.Minute
)

// overdue says, once a block is made, how long all of it takes, if that is clearly longer than was foreseen.
func (p *progress) overdue(e experiment.Event) {
	const key = "overdue"
	d := p.experiment.Design
	if _, told := p.told[key]; told || p.promised == 0 || e.Next.Block < 2 || d.Most > 0 || d.Sittings > 1 {
		return
	}
	few := d.Blocks
	if d.Within > 0 {
		few = design.Few(d.Blocks, p.experiment.Comparisons())
	}
	all, block := design.Takes(e.History, few, d.Blocks, d.Within)
	if all < time.Duration(overdueShare*float64(p.promised)) || all < p.promised+overdueLeast {
		return
	}
	p.tell(key, key)
	stop := "Ctrl-C ends it, and --resume goes on"
	if p.decides {
		stop = "Ctrl-C shows what there is so far, and 'tracetax decide --resume DIR' goes on"
	}
	p.line(wrapped(fmt.Sprintf("a block takes %s here, so all of it takes about %s, and not %s as was foreseen: %s",
		about(block), about(all), about(p.promised), stop), p.width))
}

// about is a duration as people say it.
func about(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return fmt.Sprintf("%d s", max(1, int(d.Seconds()+0.5)))
	case d < 90*time.Minute:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}
