// This file finds what a tracer took with it when its process stopped.

package ledger

import (
	"math"

	"github.com/tracetax/tracetax/internal/record"
)

// stopped puts down to the stop what is missing for sure and was neither dropped nor given to an export before, by the
// tracer's own word: it still held that. Of what was given to exports, some may be missing: so much is left where it is.
func stopped(lines []line, run Run, t Tracing) {
	if run.Admitted.Sent == nil || t.random() && !t.TellsTraced(run) || t.none() {
		return
	}
	came := float64(run.Start.Sink.Unique() + run.Start.Sink.Merged)
	for _, s := range run.Phases {
		came += float64(s.Sink.Unique() + s.Sink.Merged)
	}
	if run.Admitted.SentBy == record.ByLog { // which tells of all until the end, what was sent at the stop too
		came += float64(run.Stop.Sink.Unique() + run.Stop.Sink.Merged)
	}
	missing := 0.0
	for _, l := range lines {
		missing += math.Max(0, l.missing.low)
		came += l.left + l.droppedOnWay + l.failedOnWay + l.early + l.torn + l.failed
	}
	after := math.Max(0, float64(*run.Admitted.Sent)-came) // sent, and lost after that
	putDown(lines, math.Max(0, missing-after), func(l *line, spans float64) { l.atStop += spans }, false)
}
