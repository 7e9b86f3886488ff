// This file says how many blocks were asked for, what confidence is asked of an
// interval where their number was not fixed, and why there are no more.
package analysis

import (
	"fmt"

	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/words"
)

// stopping is where an experiment that stops at a precision stands.
type stopping struct {
	blocks  int     // made
	enough  bool    // the precision is reached
	width   float64 // half of the widest interval, on the scale of log-ratios
	atMost  bool    // no more may be made
	unknown bool    // it cannot be said how narrow the intervals are
}

// stoppingOf looks at the records as whoever stopped the experiment did.
func (s *study) stoppingOf() stopping {
	made := len(s.Attempted(s.Baseline))
	out := stopping{blocks: made, atMost: made >= s.Experiment.Design.Most}
	var err error
	if out.width, err = s.widest(s.Experiment.Design.Metric); err != nil {
		out.unknown = true
		return out
	}
	out.enough = made >= s.Experiment.Design.Blocks && out.width <= s.Experiment.Design.Precision
	return out
}

// stopped says why no more blocks were made; "" where their number was fixed, or
// where more are to come.
func (s *study) stopped() string {
	if !s.Stops() {
		return ""
	}
	at := s.stoppingOf()
	switch {
	case at.enough:
		return fmt.Sprintf("stopped after %s at the precision of %s, of %s", words.Blocks(at.blocks), s.precisionText(), s.precisionMetric())
	case at.atMost:
		return fmt.Sprintf("reached the most, %s, before the precision of %s, of %s", words.Blocks(at.blocks), s.precisionText(), s.precisionMetric())
	}
	return ""
}

func (s *study) precisionText() string {
	return "±" + finding.FormatBound(s.Experiment.Design.Precision, "1", true)
}

// precisionMetric is the metric that the precision is asked of, in words.
func (s *study) precisionMetric() string {
	return finding.MetricName(s.precisionName())
}

func (s *study) precisionName() string {
	name := s.Experiment.Design.Metric
	if name == "" && len(s.Cells()) > 0 {
		return measure.Headline(s.RegimeOf(s.Cells()[0])).Name
	}
	return name
}

// blocksAsked is how many blocks the experiment is done with.
func (s *study) blocksAsked() int {
	d := s.Experiment.Design
	if !s.Stops() {
		return d.Blocks
	}
	if at := s.stoppingOf(); at.enough {
		return at.blocks
	}
	return d.Most
}

func (s *study) findStoppedEarly() []hit {
	if !s.Stops() || !s.stoppingOf().enough {
		return nil
	}
	d := s.Experiment.Design
	return []hit{{text: fmt.Sprintf("the number of blocks was not fixed (%d to %d): every interval is widened so that it has its confidence in spite of that", d.Blocks, d.Most)}}
}

func (s *study) findImprecise() []hit {
	if !s.Stops() {
		return nil
	}
	at := s.stoppingOf()
	switch {
	case at.unknown:
		return []hit{{text: "the precision is asked of " + s.precisionMetric() + ", which was not measured"}}
	case at.enough || !at.atMost:
		return nil
	case at.width < 1e3:
		text := fmt.Sprintf("the widest interval is ±%s, not the %s that was asked for", finding.FormatBound(at.width, "1", true), s.precisionText())
		if least := s.leastWidth(s.Experiment.Design.Metric); least >= s.Experiment.Design.Precision {
			text += fmt.Sprintf("; the searches know their rates only to within ±%s: a finer resolution (a smaller step of a staircase) would help, more blocks would not",
				finding.FormatBound(least, "1", true))
		}
		return []hit{{text: text}}
	}
	return []hit{{text: "there is no interval, although as many blocks were made as may be"}}
}
