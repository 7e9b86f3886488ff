// Verdicts on the claims, corrected for the number of those made together.

package effect

import (
	"cmp"
	"math"
	"slices"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/measure"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/claim"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/wording"
)

// judge gives every claim its verdict.
func (s *Estimator) judge(claims []*draft) {
	s.limit(claims)
	woven := s.Woven()
	var asked []*draft
	var questions []claim.Question
	for _, c := range claims {
		switch {
		case woven && c.metric.Timed():
			c.shareCPU()
		case !c.metric.NoVerdict:
			c.doubts = s.doubtsOf(c)
			asked, questions = append(asked, c), append(questions, c.question())
		}
	}
	for i, v := range claim.Answer(questions, claim.Rules{Fixed: !s.Stops()}) {
		c := asked[i]
		if c.Verdict = v; c.doubts.overloaded != nil && c.metric.Nature == metric.Latency {
			c.Absolute, c.Relative = nil, nil
		}
		wording.FillVerdict(&c.Finding)
		s.noteDoubts(c)
	}
}

// limit finds the budgets that the claims are held against.
func (s *Estimator) limit(claims []*draft) {
	for _, c := range claims {
		c.budget = s.budgetFor(c)
		if c.budget != nil && c.budget.Unit != "" && c.Absolute != nil { // what is added is asked for
			c.Amount, c.evidence = true, c.amounts
		}
	}
}

// families counts the claims of each family.
func (s *Estimator) families(claims []*draft) map[string]int {
	s.limit(claims)
	families := map[string]int{}
	for _, c := range claims {
		if s.counts(c) {
			families[c.family()]++
		}
	}
	return families
}

// counts reports whether the claim gets a verdict that others are corrected for.
func (s *Estimator) counts(c *draft) bool {
	return !c.metric.NoVerdict && !(s.Woven() && c.metric.Timed())
}

func (c *draft) family() string {
	return claim.Family(c.budget, c.metric.Leads && c.Role == "", c.Metric)
}

// question returns the question of the claim.
func (c *draft) question() claim.Question {
	noRatio := claim.NoRatio(c.Samples, c.Against, c.Variant)
	q := claim.Question{
		Evidence: c.evidence, Family: c.family(), Higher: c.Better == metric.Higher,
		Limit: c.budget, NoRatio: &noRatio, Broken: c.doubts.broken,
	}
	switch over := c.doubts.overloaded; {
	case c.metric.Nature == metric.Latency:
		q.Overloaded = over
	case c.doubts.first != nil:
		q.First = c.doubts.first
	case over != nil && (ofCPU(c.Metric) || c.metric.IsCause() && !c.metric.Cause.Alloc): // of another amount of work, at which each operation takes another time
		q.First = over
	}
	if c.doubts.reason != nil {
		q.Then = []claim.Doubt{{Reason: *c.doubts.reason, Gap: c.doubts.gap}}
	}
	return q
}

// ofCPU reports whether a metric is the CPU that a piece of work takes.
func ofCPU(name string) bool {
	return name == metric.CPUPerOperation || name == metric.CPUPerSpan
}

// Verdicts taken back where no span came, or spans went elsewhere.

// Withdraw takes verdicts on a cost from findings with no span on a side, or with spans that went elsewhere: they answer
// what tracing costs. The interval stays, and a verdict against a budget too; see withhold.
func Withdraw(doc *finding.Document) {
	for i := range doc.Findings {
		f := &doc.Findings[i]
		v := &f.Verdict
		if v.Budget != nil || !doc.NotTracing(f) {
			continue
		}
		switch v.Kind {
		case finding.Costs, finding.Saves, finding.NoDifference, finding.CannotTell:
			why := finding.Reason{Code: finding.WhyUntraced, Variant: f.Variant}
			if who := doc.OneElsewhere(f); who != "" {
				why = finding.Reason{Code: finding.WhyElsewhere, Variant: who}
			} else if !doc.IsUntraced(f.Variant, f.Operation) {
				why.Variant = f.Against
			}
			v.Kind, v.Bound, v.MoreBlocks = finding.CannotTell, nil, 0
			v.Reasons = []finding.Reason{why}
			wording.FillVerdict(f)
		}
	}
}

// Verdicts on budgets taken back from variants that did not do all their work.

// withhold takes the word "within" from budgets on what did not do all its work, or may not have:
// no span came of it, or it lost more of them than may be, or may have. What is
// over its budget even so stays over, unless the baseline did still less, which makes all others
// look dear.
func (s *Estimator) withhold(claims []*draft) {
	doc := &finding.Document{Untraced: s.UntracedOperations(), Elsewhere: s.Elsewhere(), Lossy: s.Excluded(nil), LossUnknown: s.UnknownLosses()}
	for _, c := range claims {
		if c.Verdict.Budget == nil {
			continue
		}
		allowed := 0.0
		if budget := s.lostBudget(c.pair); budget != nil {
			allowed = budget.Value
		}
		cheaper := cmp.Or(idleReason(doc, c, c.Variant, allowed), unknownReason(doc, c, allowed))
		dearer := cmp.Or(idleReason(doc, c, c.Against, doc.LostShareOf(&c.Finding, c.Variant)), baselineReason(doc, c))
		if dearer != nil && dearer.Code == finding.WhyLost {
			dearer.Code = finding.WhyBaseLost
		}
		if who := doc.OneElsewhere(&c.Finding); who != "" { // a baseline that traces makes others look cheap, not dear
			elsewhere := &finding.Reason{Code: finding.WhyElsewhere, Variant: who}
			if cheaper = elsewhere; who != c.Against {
				dearer = elsewhere
			}
		}
		if claim.TakeBack(&c.Verdict, cheaper, dearer) {
			wording.FillVerdict(&c.Finding)
		}
	}
}

// deadly is by how many more of its runs a variant may break down than what it is compared with, at the most, and deadlyShare as
// a share of them: those that are left may be the good ones.
const (
	deadly      = 2
	deadlyShare = 0.1
)

// distrust takes verdicts back on variants that broke down in more of their runs than what they are compared with. What is over
// its budget stays over.
func (s *Estimator) distrust(claims []*draft) {
	for _, c := range claims {
		died, of := s.Failures(c.Variant)
		other, runs := s.Failures(c.Against)
		share, _ := dataset.Over(float64(died), float64(of))
		usual, _ := dataset.Over(float64(other), float64(runs))
		if died-other < deadly && share-usual <= deadlyShare {
			continue
		}
		why := &finding.Reason{Code: finding.WhyDied, Variant: c.Variant, Against: c.Against, Figures: []finding.Figure{
			{Name: "died", Value: float64(died), Unit: "count"}, {Name: "of", Value: float64(of), Unit: "count"},
			{Name: "other", Value: float64(other), Unit: "count"}, {Name: "runs", Value: float64(runs), Unit: "count"},
		}}
		dearer := why
		if c.Verdict.Budget != nil {
			dearer = nil
		}
		if claim.TakeBack(&c.Verdict, why, dearer) {
			wording.FillVerdict(&c.Finding)
		}
	}
}

// unknownReason returns the reason why the cost of a claim's variant may be that of less work; nil if
// it lost no more of its spans than is allowed, whatever is unknown of them.
func unknownReason(doc *finding.Document, c *draft, allowed float64) *finding.Reason {
	unknown := doc.UnknownLossOf(&c.Finding, c.Variant)
	if c.Metric == metric.DeliveredShare || unknown == nil || unknown.LostMost <= allowed {
		return nil
	}
	return &finding.Reason{Code: finding.WhyMayBeLost, Variant: c.Variant,
		Because: unknown.Why, Figures: []finding.Figure{{Name: "share", Value: unknown.LostMost, Unit: "1"}, {Name: "allows", Value: math.Ceil(100*unknown.LostMost) / 100, Unit: "1"}}}
}

// baselineReason returns the reason why a claim may look dear: its baseline may have done less work. It is nil if the variant
// may have lost as much.
func baselineReason(doc *finding.Document, c *draft) *finding.Reason {
	unknown := doc.UnknownLossOf(&c.Finding, c.Against)
	if c.Metric == metric.DeliveredShare || unknown == nil || !finding.Matters(unknown.LostMost-doc.LostMostOf(&c.Finding, c.Variant)) {
		return nil
	}
	return &finding.Reason{Code: finding.WhyBaseMayLose, Variant: c.Against, Because: unknown.Why, Figures: []finding.Figure{{Name: "share", Value: unknown.LostMost, Unit: "1"}}}
}

// idleReason returns the reason why the cost of a variant on the operation of a claim is that of
// less work than tracing; nil if it did all of it, or lost no more of its spans than is allowed.
func idleReason(doc *finding.Document, c *draft, variant string, allowed float64) *finding.Reason {
	lost := doc.LostOf(&c.Finding, variant)
	switch {
	case c.Metric == metric.DeliveredShare && c.Verdict.Kind == finding.Over:
		return nil
	case doc.UntracedIn(&c.Finding, variant):
		return &finding.Reason{Code: finding.WhyUntraced, Variant: variant}
	case c.Metric == metric.DeliveredShare || lost == nil || lost.LostShare <= allowed:
		return nil
	}
	return &finding.Reason{Code: finding.WhyLost, Variant: variant, Figures: []finding.Figure{{Name: "share", Value: lost.LostShare, Unit: "1"}}}
}

// The budgets of claims.

// budgetFor returns the limit that the claim is held against, if there is one:
// what the user is willing to pay is meant over the baseline and over all roles.
func (s *Estimator) budgetFor(c *draft) *config.Limit {
	if c.pair.Extra || c.Role != "" || c.metric.NoVerdict {
		return nil
	}
	for i := range s.Experiment.Budget {
		if limit := &s.Experiment.Budget[i]; limit.Metric == c.Metric {
			return limit
		}
	}
	return nil
}

func (s *Estimator) lostBudget(p dataset.Pair) *config.Limit {
	for i := range s.Experiment.Budget {
		if limit := &s.Experiment.Budget[i]; limit.Metric == metric.LostShare && !p.Extra {
			return limit
		}
	}
	return nil
}

// Answers to budgets on metrics that are not shown: a limit that a user set is never
// met by silence.

// unanswered gives a verdict on every limit that no verdict was held against:
// on the finding, or on one made for it.
func (s *Estimator) unanswered(claims []*draft) []*draft {
	var made []*draft
	list := measure.All(nil, metric.Open)
	list = append(list, measure.All(nil, metric.Search)[:1]...)
	list = append(list, measure.All(nil, metric.Unthrottled)...)
	for i := range s.Experiment.Budget {
		limit := &s.Experiment.Budget[i]
		at := slices.IndexFunc(list, func(m measure.Measure) bool { return m.Name == limit.Metric })
		if at < 0 {
			continue
		}
		places := s.Cells()
		if list[at].WholeRun {
			places = []cell.At{{}}
		}
		for _, where := range places {
			for _, p := range s.Pairs() {
				if p.Extra {
					continue
				}
				c := find(claims, limit.Metric, where, p)
				if c == nil {
					c = s.newClaim(list[at], p, where, []finding.Sample{})
					made = append(made, c)
				}
				if c.Verdict.Budget == nil {
					c.Verdict.Budget, c.Verdict.BudgetUnit = &limit.Value, limit.Unit
					s.whyNot(c)
				}
			}
		}
	}
	return made
}

// withoutCPU are the claims on CPU where no figure can be given: what the operations used is unknown, or nothing was used.
func (s *Estimator) withoutCPU(claims []*draft) (made []*draft) {
	for _, at := range s.Cells() {
		for _, p := range s.Pairs() {
			list := measure.All(s.Charges(), s.RegimeOf(at))
			i := slices.IndexFunc(list, func(m measure.Measure) bool { return m.Name == metric.CPUPerOperation && m.Payer == (role.Charge{}) })
			if i < 0 || find(claims, metric.CPUPerOperation, at, p) != nil {
				continue
			}
			if why := cmp.Or(s.Restless(p), s.noCPU(list[i], p, at)); why != nil {
				c := s.outline(list[i], p, at, []finding.Sample{})
				c.cannotTell(*why)
				made = append(made, c)
			}
		}
	}
	return made
}

// find returns the claim of a metric over all roles, nil where there is none.
func find(claims []*draft, name string, at cell.At, p dataset.Pair) *draft {
	for _, c := range claims {
		if c.Metric == name && c.Role == "" && c.at == at && c.pair == p {
			return c
		}
	}
	return nil
}

// whyNot returns the reason why there is no figure. Where both sides have none of a thing, no
// limit on its growth is broken.
func (s *Estimator) whyNot(c *draft) {
	samples := c.metric.Samples(s.Set, c.pair, c.at)
	how := s.RegimeOf(c.at)
	switch {
	case c.Metric == metric.Capacity && how == metric.Search:
		c.cannotTell(because(finding.WhyNoCapacity))
	case c.Metric == metric.Capacity:
		c.cannotTell(because(finding.WhyNoSearch))
	case how == metric.Search && (!c.metric.WholeRun || finding.IsOfLoad(c.Metric)):
		c.cannotTell(because(finding.WhySearchOnly))
	case ofCPU(c.Metric) && s.Restless(c.pair) != nil:
		c.cannotTell(*s.Restless(c.pair))
	case ofCPU(c.Metric) && s.noCPU(c.metric, c.pair, c.at) != nil:
		c.cannotTell(*s.noCPU(c.metric, c.pair, c.at))
	case len(samples) > 0 && claim.AllZero(samples):
		c.Blocks = len(samples)
		c.answer(finding.Within, because(finding.WhyNone))
	case c.metric.PointOnly:
		c.cannotTell(because(finding.WhyMaximum))
	case c.metric.Nature == metric.Latency && (how == metric.Closed || metric.Driven.Has(how)):
		c.cannotTell(because(finding.WhyClosedLoop))
	case c.metric.Nature == metric.Latency && s.OverloadOf(c.pair, c.at) != nil:
		c.answer(finding.Overloaded, *s.OverloadOf(c.pair, c.at))
	case c.metric.Nature == metric.Latency:
		c.cannotTell(because(finding.WhyFewValues))
	default:
		c.cannotTell(because(finding.WhyNotMeasured))
	}
}
