// This file puts a page of the ledger into words.
package ledger

import (
	"fmt"
	"math"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

func (b *book) verdict(p *page) string {
	parts := []string{b.outcome(p)}
	if p.forgone > 0.5 {
		parts = append(parts, fmt.Sprintf("%s (%s) not sent, by the tracer's own limit", spans(p.forgone), finding.FormatValue(p.forgoneShare(), "1")))
	}
	if p.surplus > 0 && !b.tracing.none() {
		parts = append(parts, fmt.Sprintf("%s came than expected", more(p.surplus)))
	}
	if p.operation == Start && p.besides > 0 {
		parts = append(parts, spans(p.besides)+" of starting besides those of the first request")
	}
	if p.duplicated > 0 {
		parts = append(parts, spans(p.duplicated)+" came more than once")
	}
	if p.absent > 0 && p.operation != Start && p.operation != Stop {
		parts = append(parts, spans(p.absent)+" that others have as their parent never came")
	}
	if len(p.background) > 0 {
		parts = append(parts, p.others())
	}
	if p.operation == All && p.admitted > 0.5 {
		parts = append(parts, b.disagreement(p))
	}
	if p.excess > 0 {
		parts = append(parts, spans(p.excess)+" came although the tracer counts the export as failed")
	}
	return strings.Join(parts, "; ")
}

// disagreement says that the tracer counts more drops than spans are missing.
func (b *book) disagreement(p *page) string {
	text := "the tracer counts " + more(p.admitted) + " as dropped than are missing"
	switch {
	case b.tracing.none():
		return text + ", of those that were not to be sent"
	case p.ofStart:
		return text + ": they were of starting, or its count and the sink's disagree"
	}
	return text + ": its count and the sink's disagree"
}

func (b *book) outcome(p *page) string {
	came := spans(p.delivered)
	switch {
	case p.operation == Start && !p.known:
		return fmt.Sprintf("%s of starting and of %s readiness requests, in no operation's account", came, finding.FormatCount(int64(p.operations)))
	case p.operation == Stop:
		return came + " of stopping, in no operation's account"
	case b.tracing.Silent && !p.known && p.delivered == 0:
		return "not exported by intent"
	case !p.known && p.lost > 0:
		return came + " came and " + p.loss() + "; how many were to be expected is not known"
	case !p.known:
		return came + " came; how many were to be expected is not known"
	case p.expected.high == 0 && p.surplus > 0:
		return came + " came where none was expected"
	case p.expected.high == 0 && p.how == Inferred && !b.tracing.none():
		return "none came, nor did any in the calibration: none is expected"
	case p.expected.high == 0:
		return "none expected, none came"
	case b.tracing.Silent && p.delivered > p.plain():
		return "not exported by intent, yet " + came + " came"
	case b.tracing.Silent:
		return "not exported by intent"
	case b.tracing.none() && p.surplus > 0:
		return came + " came although nothing is sampled"
	case p.chance.trials > 0:
		return b.chanced(p)
	}
	return p.loss()
}

// plain is what of the delivered spans is only listed: those of Start and Stop
// on the page of all.
func (p *page) plain() float64 {
	if p.operation == All {
		return p.due.low
	}
	return 0
}

// loss says what was lost, and of whom.
func (p *page) loss() string {
	if p.lost < 0.5 {
		if p.missing.high > 0.5 && p.unsure > 0 {
			return fmt.Sprintf("nothing lost for sure; up to %s may be missing, because %s failed or had to be sent again",
				spans(p.missing.high), operations(p.unsure))
		}
		if p.missing.high > 0.5 && p.blind {
			return fmt.Sprintf("nothing lost for sure; up to %s may be missing: whether a hop left them out on purpose is not known, because it does not say", spans(p.missing.high))
		}
		if p.missing.high > 0.5 {
			if p.doubted && !p.varies {
				return fmt.Sprintf("nothing lost for sure; up to %s may be missing: whether they were made is not known, because too few operations agreed on their number", spans(p.missing.high))
			}
			return fmt.Sprintf("nothing lost for sure; the number of spans varies, so up to %s may be missing", spans(p.missing.high))
		}
		if p.unchecked > 0 && !p.exact {
			return fmt.Sprintf("as many came as expected; the ids of %s were not checked, so that a loss which duplicates make up for would not show", spans(p.unchecked))
		}
		if p.varies {
			return "nothing lost for sure; the number of spans varies"
		}
		return "nothing lost"
	}
	var parts []string
	for _, part := range []struct {
		spans float64
		text  string
	}{
		{p.dropped, "dropped by the tracer"},
		{p.failed, "in failed exports"},
		{p.droppedOnWay, "dropped on the way"},
		{p.failedOnWay, "in failed exports on the way"},
		{p.atStop, "at the stop"},
		{p.lost - p.placed(), "unaccounted for"},
	} {
		if part.spans > 0.5 {
			parts = append(parts, finding.FormatCount(whole(part.spans))+" "+part.text)
		}
	}
	return finding.FormatValue(p.lostShare(), "1") + " lost: " + strings.Join(parts, ", ")
}

// chanced says how random sampling fared. A trace that was lost whole looks like one that was
// not sampled, so that what came can be complete, and nothing more is known.
func (b *book) chanced(p *page) string {
	c := p.chance
	kept := fmt.Sprintf("%s of %s traces kept (at %.4g %% chance allows %s to %s)",
		finding.FormatCount(int64(c.traces)), finding.FormatCount(int64(c.trials)),
		b.tracing.Sampling*100,
		finding.FormatCount(int64(c.low)), finding.FormatCount(int64(c.high)))
	var parts []string
	switch {
	case c.traces < c.low && p.lost >= 0.5:
		parts = []string{p.loss() + ", or the sampler keeps fewer traces than asked: only " + kept}
	case c.traces < c.low:
		parts = []string{"fewer traces than chance allows, so that some were lost or the sampler keeps fewer than asked: only " + kept}
	case p.lost >= 0.5:
		parts = []string{p.loss(), kept}
	case c.traces > 0 && c.traces <= c.high && p.missing.high-c.hidden <= 0.5:
		parts = []string{"all kept traces are complete: " + kept}
	default:
		parts = []string{kept}
	}
	switch {
	case c.traces > c.high:
		parts = append(parts, "more traces than asked for")
	case p.missing.high > 0.5 && p.lost >= 0.5:
		parts = append(parts, p.unseen()+" may have been lost in all")
	case p.missing.high > 0.5:
		parts = append(parts, p.unseen()+" may have been lost in whole traces")
	}
	return strings.Join(parts, "; ")
}

// unseen is how much may have been lost at most.
func (p *page) unseen() string {
	lost := p.lost + p.missing.high - math.Max(0, p.unaccounted)
	return fmt.Sprintf("up to %s (%s)", spans(lost), finding.FormatValue(lost/(p.delivered+p.merged+lost), "1"))
}

func spans(n float64) string {
	if whole(n) == 1 {
		return "1 span"
	}
	return finding.FormatCount(whole(n)) + " spans"
}

func more(n float64) string {
	if whole(n) == 1 {
		return "1 span more"
	}
	return finding.FormatCount(whole(n)) + " spans more"
}

func operations(n uint64) string {
	if n == 1 {
		return "1 operation"
	}
	return finding.FormatCount(int64(n)) + " operations"
}

// Chance says how random sampling fared on an operation, over all runs, and
// whether it was off: the traces seen are more or fewer than chance allows.
func Chance(operation string, t Tracing, runs []Run) (text string, off bool) {
	if !t.random() || len(runs) == 0 {
		return "", false
	}
	b := newBook([]string{operation}, t)
	for _, l := range settle(together(runs), t) {
		b.enter([]line{l})
	}
	p := b.pages[operation]
	c := p.chance
	return b.chanced(p), c.trials > 0 && (c.traces < c.low || c.traces > c.high)
}
