// The number of requested blocks, the confidence to ask of an interval if that
// number was not fixed, and the reason why there are no more.

package effect

import (
	"fmt"
	"math"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/delivery"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/stats"
)

// Stopping is the state of an experiment that stops at a precision.
type Stopping struct {
	blocks  int     // made
	Enough  bool    // the precision is reached
	Width   float64 // half of the widest interval, on the scale of log-ratios
	AtMost  bool    // no more may be made
	Unknown bool    // the width of the intervals is unknown
}

// Stopping looks at the records as whoever stopped the experiment did.
func (s *Estimator) Stopping() Stopping {
	made := len(s.Attempted(s.Baseline))
	out := Stopping{blocks: made, AtMost: made >= s.Experiment.Design.Most}
	var err error
	if out.Width, err = s.Widest(s.Experiment.Design.Metric); err != nil {
		out.Unknown = true
		return out
	}
	out.Enough = made >= s.Experiment.Design.Blocks && out.Width <= s.Experiment.Design.Precision
	return out
}

// Stopped returns the reason why no more blocks were made; nil if their number was
// fixed, or more are to come.
func (s *Estimator) Stopped() *finding.Reason {
	if !s.Stops() {
		return nil
	}
	at := s.Stopping()
	reason := &finding.Reason{Metric: s.PrecisionName(), Figures: []finding.Figure{
		{Name: "blocks", Value: float64(at.blocks), Unit: "count"}, {Name: "precision", Value: s.Experiment.Design.Precision, Unit: "1"},
	}}
	switch {
	case at.Enough:
		reason.Code = finding.StopPrecise
	case at.AtMost:
		reason.Code = finding.StopMost
	default:
		return nil
	}
	return reason
}

// PrecisionText is the precision that is asked for: "±2.0 %".
func (s *Estimator) PrecisionText() string {
	return "±" + finding.FormatBound(s.Experiment.Design.Precision, "1", true)
}

// PrecisionMetric is the metric that the precision is asked of, in words.
func (s *Estimator) PrecisionMetric() string {
	return finding.MetricName(s.PrecisionName())
}

// PrecisionName is the name of that metric.
func (s *Estimator) PrecisionName() string {
	name := s.Experiment.Design.Metric
	if name == "" && len(s.Cells()) > 0 {
		return measure.Headline(s.RegimeOf(s.Cells()[0])).Name
	}
	return name
}

// blocksAsked returns the number of blocks at which the experiment is done.
func (s *Estimator) blocksAsked() int {
	d := s.Experiment.Design
	if !s.Stops() {
		return max(d.Blocks, s.LastBlock()) // a block in the place of a spoiled one is begun to be whole
	}
	if at := s.Stopping(); at.Enough {
		return at.blocks
	}
	return d.Most
}

// The number of blocks that verdicts will need, by the functions that give them afterwards.

// needed is the number of blocks from which on there is an interval that is corrected for so many
// claims; ask is the confidence to ask of an interval that is to have a given one.
func needed(claims int, ask func(float64) float64) int {
	return stats.MinBlocks(ask(stats.Bonferroni(claim.Confidence, claims)))
}

// foreseen are the claims that will be made over all roles, without their figures.
func (s *Estimator) foreseen() []*draft {
	var out []*draft
	for _, at := range append(s.Cells(), cell.At{}) {
		for _, p := range s.Pairs() {
			for _, m := range measure.All(nil, s.RegimeOf(at)) {
				if m.WholeRun == (at == cell.At{}) {
					out = append(out, s.outline(m, p, at, []finding.Sample{}))
				}
			}
		}
	}
	for _, operation := range s.Operations() {
		for _, p := range s.Pairs() {
			if s.Sloped(operation) {
				out = append(out, s.newClaim(lineMeasure(metric.Slope), p, cell.At{Operation: operation}, []finding.Sample{}))
			}
		}
	}
	return out
}

// Outlook has the needs of the verdicts of one family of claims.
type Outlook struct {
	Metric string // of the headline, or of the budgets' first claim
	Claims int    // made together, if everything is measured
	Needs  int    // blocks, for intervals that are corrected for so many claims
	Least  int    // blocks after which the experiment may end
	Most   int    // blocks that it ends with at the latest
	Joint  bool   // with fewer than it needs the signs of all claims may still show a difference, never that there is none
}

// Short reports whether the blocks may come to be too few.
func (o Outlook) Short() bool { return o.Claims > 0 && o.Least < o.Needs }

// Hopeless reports whether they are too few in any case.
func (o Outlook) Hopeless() bool { return o.Claims > 0 && o.Most < o.Needs }

// Outlooks are those of the verdicts on the headline and on budgets, by the functions that give them afterwards.
func Outlooks(e *config.Experiment) (headline, budgets Outlook) {
	s := New(delivery.Blank(dataset.Foreseen(e)))
	claims := s.foreseen()
	families := s.families(claims)
	of := func(family string) Outlook {
		o := Outlook{Claims: families[family], Least: e.Design.Blocks, Most: max(e.Design.Blocks, e.Design.Most)}
		o.Needs = needed(o.Claims, s.Confidence)
		o.Joint = family == claim.Headline && !s.Stops() && o.Least >= stats.MinBlocks(claim.Confidence)
		for _, c := range claims {
			if o.Metric == "" && s.counts(c) && c.family() == family {
				o.Metric = c.Metric
			}
		}
		return o
	}
	return of(claim.Headline), of(claim.Budget)
}

// Whether an experiment has reached the interval that it stops at.

// Widest is the largest half-width over operations and variants of the metric that
// is named.
func (s *Estimator) Widest(name string) (width float64, err error) {
	any := false
	for _, at := range append(s.Cells(), cell.At{}) {
		m, has := measure.Named(name, s.RegimeOf(at), at == cell.At{})
		for _, p := range s.Pairs() {
			if has && !p.Extra {
				any = true
				width = math.Max(width, s.halfWidth(m, p, at))
			}
		}
	}
	if !any {
		return math.Inf(1), fmt.Errorf("looking at the precision so far: %q is not measured in these runs (design: precision … of METRIC)", name)
	}
	return width, nil
}

// halfWidth is half the width of one interval of log-ratios; where what is added answers,
// of that, as a share of it. It is infinite where there is none.
func (s *Estimator) halfWidth(m measure.Measure, p dataset.Pair, at cell.At) float64 {
	samples := m.Samples(s.Set, p, at)
	if c := s.newClaim(m, p, at, samples); s.overNothing(c) {
		c.estimate(s.Confidence)
		if i := c.Absolute; i != nil && i.Low != nil && i.Estimate != 0 {
			return (*i.High - *i.Low) / 2 / math.Abs(i.Estimate)
		}
		return math.Inf(1)
	}
	ratios, ok := claim.Ratios(claim.Sides(samples))
	if !ok {
		return math.Inf(1)
	}
	e := claim.Paired(ratios, true, s.Confidence).At(claim.Confidence)
	if !e.Bounded {
		return math.Inf(1)
	}
	return (e.High - e.Low) / 2
}

// LeastWidth is the half-width of the metric that is named below which no number of
// blocks gets, as searches know their rates no finer; 0 where there is none.
func (s *Estimator) LeastWidth(name string) float64 {
	least := 0.0
	for _, at := range append(s.Cells(), cell.At{}) {
		m, has := measure.Named(name, s.RegimeOf(at), at == cell.At{})
		for _, p := range s.Pairs() {
			if has && !p.Extra {
				ratios, _ := claim.Ratios(claim.Sides(m.Samples(s.Set, p, at)))
				least = math.Max(least, ratios.Least())
			}
		}
	}
	return least
}

// Requested runs, and those made.

// Progress counts the runs that were asked for and those that were made, good or
// failed. What a variant that was given up has not made was not left out by an
// interruption; without its baseline nothing goes on, and neither does it by itself.
func (s *Estimator) Progress() (made, asked int) {
	total := s.blocksAsked()
	d, n := s.Experiment.Design, len(s.Attempted(s.Baseline))
	if d.Within > 0 && n >= design.Few(d.Blocks, s.Experiment.Comparisons()) && design.Late(s.Records, d.Within, s.Experiment.Target.Places()) {
		total = min(total, n) // there was no time for more
	}
	if s.Abandoned(s.Baseline) || s.NothingLeft() {
		return 0, 0
	}
	for _, v := range s.Variants {
		n := len(s.Attempted(v.Name))
		made += n
		if s.Abandoned(v.Name) {
			asked += n
			continue
		}
		asked += max(n, total)
	}
	return made, asked
}
