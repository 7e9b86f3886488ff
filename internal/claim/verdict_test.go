package claim

import (
	"math"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
)

// asked is a question on the logarithms of ratios.
func asked(family string, ratios ...float64) Question {
	return Question{Family: family, Evidence: Paired(exact(ratios...).Map(math.Log), true, Given)}
}

// exact are figures of blocks from 1 on.
func exact(values ...float64) Figures {
	var out Figures
	for i, v := range values {
		out = append(out, Figure{i + 1, v, v, v})
	}
	return out
}

func codes(v finding.Verdict) []finding.Code {
	var out []finding.Code
	for _, r := range v.Reasons {
		out = append(out, r.Code)
	}
	return out
}

func limited(q Question, limit float64) Question {
	q.Limit = &config.Limit{Value: limit}
	return q
}

var (
	dear  = []float64{1.10, 1.11, 1.12, 1.13, 1.14, 1.15, 1.16, 1.17}
	cheap = []float64{0.90, 0.91, 0.92, 0.93, 0.94, 0.95, 0.96, 0.97}
	none  = []float64{0.99, 1.01, 0.98, 1.02, 1.00, 1.03, 0.97, 1.01}
	same  = []float64{1, 1, 1, 1, 1, 1, 1, 1}
)

func TestVerdicts(t *testing.T) {
	overloaded := asked("", dear...)
	overloaded.Overloaded = &finding.Reason{Code: finding.WhyOverloaded}
	higher := asked("", dear...)
	higher.Higher = true
	wanted := asked("", dear[:5]...)
	wanted.Wanted = true
	first := asked("", dear[:3]...)
	first.First = &finding.Reason{Code: finding.WhyUntraced}
	then := asked("", dear[:3]...)
	then.Then = []Doubt{{Reason: finding.Reason{Code: finding.WhyLag}}}
	lag := asked("", dear...)
	lag.Then = then.Then
	near, far := asked("", dear...), asked("", dear...)
	near.Then, far.Then = []Doubt{{finding.Reason{Code: finding.WhyModes}, 0.2}}, []Doubt{{finding.Reason{Code: finding.WhyModes}, 0.05}}
	open := asked("", dear...)
	open.Value[0].Low = math.Inf(-1)
	open.Evidence = Paired(open.Value, true, Given)
	amount := limited(asked("", dear...), 0.5)
	amount.Evidence, amount.NoRatio = Paired(exact(dear...), false, Given), &finding.Reason{Code: finding.WhyNotAbove}
	inSeconds := amount
	inSeconds.Limit = &config.Limit{Value: 0.5, Unit: "s"}
	drop := limited(higher, 0.05)
	for name, c := range map[string]struct {
		q     Question
		kind  finding.Kind
		codes []finding.Code
	}{
		"costs":                        {asked("", dear...), finding.Costs, nil},
		"saves":                        {asked("", cheap...), finding.Saves, nil},
		"more is better":               {higher, finding.Saves, nil},
		"no difference":                {asked("", none...), finding.NoDifference, nil},
		"over":                         {limited(asked("", dear...), 0.05), finding.Over, nil},
		"within":                       {limited(asked("", dear...), 0.5), finding.Within, nil},
		"more than was asked for":      {drop, finding.Within, nil},
		"straddles":                    {limited(asked("", dear...), 0.135), finding.CannotTell, []finding.Code{finding.WhyStraddles, finding.WhyTooClose}},
		"ends at its budget":           {limited(asked("", same...), 0), finding.Within, nil},
		"overloaded":                   {overloaded, finding.Overloaded, []finding.Code{finding.WhyOverloaded}},
		"few blocks":                   {asked("", dear[:5]...), finding.None, []finding.Code{finding.WhyFewBlocks}},
		"few blocks, an answer wanted": {wanted, finding.CannotTell, []finding.Code{finding.WhyFewBlocks}},
		"few blocks for a budget":      {limited(asked("", dear[:5]...), 0.5), finding.CannotTell, []finding.Code{finding.WhyFewBlocks}},
		"a doubt before the blocks":    {first, finding.CannotTell, []finding.Code{finding.WhyUntraced}},
		"the blocks before a doubt":    {then, finding.None, []finding.Code{finding.WhyFewBlocks}},
		"a doubt":                      {lag, finding.CannotTell, []finding.Code{finding.WhyLag}},
		"modes that matter":            {near, finding.CannotTell, []finding.Code{finding.WhyModes}},
		"modes that do not":            {far, finding.Costs, []finding.Code{finding.WhyModes}},
		"an amount, of a ratio":        {amount, finding.CannotTell, []finding.Code{finding.WhyNotAbove}},
		"an amount, of an amount":      {inSeconds, finding.Over, nil},
		"an end that is not known":     {open, finding.CannotTell, []finding.Code{finding.WhyOpenBracket}},
	} {
		v := Answer([]Question{c.q}, Rules{})[0]
		if v.Kind != c.kind || !slices.Equal(codes(v), c.codes) {
			t.Errorf("%s: %s %v, want %s %v", name, v.Kind, codes(v), c.kind, c.codes)
		}
		if bounded := v.Low != nil; bounded != (c.kind != finding.Overloaded && c.kind != finding.None && (len(c.codes) == 0 || c.codes[0] == finding.WhyStraddles || name == "modes that do not")) {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// Too few blocks say how many more it takes.
func TestMoreBlocks(t *testing.T) {
	few := Answer([]Question{limited(asked("", dear[:4]...), 0.5)}, Rules{})[0]
	if few.MoreBlocks != 2 || few.Claims != 0 {
		t.Errorf("%+v", few)
	}
	var many []Question
	for range 8 {
		many = append(many, limited(asked("budget", dear[:6]...), 0.5))
	}
	for _, v := range Answer(many, Rules{Fixed: true}) {
		if v.Kind != finding.CannotTell || v.MoreBlocks != 3 || v.Claims != 8 || v.Reasons[0].Figure("claims") != 8 || v.Joint {
			t.Errorf("%+v", v)
		}
	}
}

// An interval that holds zero only because of the correction claims nothing.
func TestNotSureAmongClaims(t *testing.T) {
	ratios := []float64{1.02, 1.06, 1.03, 1.08, 1.05, 1.07, 1.01, 0.995}
	if v := Answer([]Question{asked("", ratios...)}, Rules{})[0]; v.Kind != finding.Costs {
		t.Errorf("alone %+v", v)
	}
	var six []Question
	for range 6 {
		six = append(six, asked("", ratios...))
	}
	v := Answer(six, Rules{Fixed: true})[0]
	if v.Kind != finding.CannotTell || v.Low == nil || *v.Low > 0 || v.Bound != nil || v.Claims != 6 || v.Reasons[0].Code != finding.WhyNotSure {
		t.Errorf("among 6 claims %+v", v)
	}
	// Another family does not count.
	apart := append(six[:1:1], asked("another", ratios...))
	for _, v := range Answer(apart, Rules{}) {
		if v.Kind != finding.Costs || v.Claims != 1 {
			t.Errorf("%+v", v)
		}
	}
}

// With too few blocks for all claims, signs that all agree tell; where the number of blocks was not fixed, they do not.
func TestBySigns(t *testing.T) {
	all := func() []Question {
		return []Question{asked("", dear[:6]...), asked("", none[:6]...), asked("", none[:6]...), asked("", none[:6]...)}
	}
	v := Answer(all(), Rules{Fixed: true})
	if v[0].Kind != finding.Costs || !v[0].Joint || v[0].MoreBlocks != 0 || v[0].Reasons != nil || v[0].Confidence != Confidence {
		t.Errorf("%+v", v[0])
	}
	if v[1].Kind != finding.CannotTell || v[1].Joint {
		t.Errorf("%+v", v[1])
	}
	if v := Answer(all(), Rules{}); v[0].Kind != finding.CannotTell {
		t.Errorf("%+v", v[0])
	}
	blind := all()
	blind[0].Value[0].Low -= 0.001
	blind[0].Evidence = Paired(blind[0].Value, true, Given)
	if v := Answer(blind, Rules{Fixed: true}); v[0].Kind != finding.CannotTell {
		t.Errorf("a difference whose sign may be open: %+v", v[0])
	}
	enough := append(all(), asked("", none...))
	if v := Answer(enough, Rules{Fixed: true}); v[0].Joint {
		t.Errorf("one of the family has blocks enough: %+v", v[0])
	}
}
