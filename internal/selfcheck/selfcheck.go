// Package selfcheck owns the check of the harness itself: which injected overheads are
// measured, what passes, and how it is said. It reads what the ordinary analysis
// and the ordinary runs left. It must not know how a run is made, and it changes
// nothing in how one is analysed.
package selfcheck

import (
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// Schema is the version of selfcheck.json.
const Schema = 2

// Confidence is that of all intervals of one selfcheck together.
const Confidence = 0.95

// Verdict is what a check comes to.
type Verdict string

// The verdicts. A machine that is too noisy makes a check Inconclusive, never Failed.
const (
	Passed       Verdict = "passed"
	Failed       Verdict = "failed"
	Inconclusive Verdict = "inconclusive"
)

// Code is the reason of a verdict.
type Code string

// The codes: Found is of what passed, the next four of what failed, the others of what is inconclusive.
const (
	Found        Code = "found"
	Beyond       Code = "beyond"         // the interval misses what is known by more than the tolerance
	Wrong        Code = "wrong"          // a count or a cost is not what was to be, or a warning is missing
	NotMeasured  Code = "not-measured"   // there is no result to judge
	NotLogged    Code = "not-logged"     // the program did not say what it did
	TooFewBlocks Code = "too-few-blocks" // for an interval
	TooWide      Code = "too-wide"       // the interval is
	Overloaded   Code = "overloaded"
	Withheld     Code = "withheld" // the result itself gives no verdict
)

// Check is one injected overhead and how it was found.
type Check struct {
	Name       string       `json:"name"`
	Experiment string       `json:"experiment"` // that shows it: 'tracetax run' takes the name
	Order      config.Order `json:"order"`      // of its blocks
	Exact      bool         `json:"exact"`      // a count or a warning, without an interval
	Unit       string       `json:"unit"`       // as in findings.json; "warning": 1 where it is given
	Known      float64      `json:"known"`
	Measured   float64      `json:"measured"`
	Low        float64      `json:"low"` // the simultaneous interval; 0 where Exact or not Bounded
	High       float64      `json:"high"`
	Bounded    bool         `json:"bounded"`
	Tolerance  float64      `json:"tolerance"` // the interval may miss Known by it; 0 where Exact
	Bound      float64      `json:"bound"`     // half the interval's width may be as much; 0 where Exact
	Blocks     int          `json:"blocks"`
	Verdict    Verdict      `json:"verdict"`
	Code       Code         `json:"code"`
	Text       string       `json:"text"` // what was seen, and what to do about it where something is to be done
}

// Evidence is what one experiment left.
type Evidence struct {
	Document *finding.Document
	Records  []record.Record
	Said     map[string]map[int]Said // by variant and block: what the programs themselves logged
}

// Report is the whole of a selfcheck.
type Report struct {
	Schema     int      `json:"schema"`
	Tool       string   `json:"tool"`
	Form       Form     `json:"form"`
	Verdict    Verdict  `json:"verdict"`
	Confidence float64  `json:"confidence"` // of all intervals together
	Claims     int      `json:"claims"`     // intervals among the checks
	Checks     []Check  `json:"checks"`
	Noise      []Floor  `json:"noise"`
	Results    []string `json:"results"` // results folders, one an experiment and order
	Seconds    float64  `json:"seconds"` // that it took
}

// Judge holds the evidence, by the experiments' folders, against what is known. What is missing
// of it makes the checks that need it fail: a check that was not made says nothing
// for the harness.
func Judge(form Form, evidence map[string]Evidence) *Report {
	r := &Report{Schema: Schema, Form: form, Confidence: Confidence}
	lengths := form.lengths()
	r.Claims = len(lengths)
	each := stats.Bonferroni(Confidence, len(lengths))
	for _, l := range lengths {
		r.Checks = append(r.Checks, l.check(evidence, each))
	}
	for _, x := range form.Experiments() {
		for _, e := range exacts {
			if e.experiment == x.Name {
				r.Checks = append(r.Checks, e.check(x, evidence))
			}
		}
	}
	r.Verdict = overall(r.Checks)
	r.Noise = Floors(evidence[Costs].Document)
	return r
}

// overall is failed where one check failed, and passed only where all did.
func overall(checks []Check) Verdict {
	all := Passed
	for _, c := range checks {
		switch c.Verdict {
		case Failed:
			return Failed
		case Inconclusive:
			all = Inconclusive
		}
	}
	return all
}
