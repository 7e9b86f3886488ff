// Package selfcheck owns the check of the harness itself: which injected overheads are
// measured, what passes, and how it is said. It reads what the ordinary analysis
// and the ordinary runs left. It must not know how a run is made, and it changes
// nothing in how one is analysed.
package selfcheck

import (
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// Schema is the version of selfcheck.json.
const Schema = 1

// Confidence is that of all intervals of one selfcheck together.
const Confidence = 0.99

// Verdict is what a check comes to.
type Verdict string

// The verdicts. A machine that is too noisy makes a check CannotTell, never Failed.
const (
	Passed     Verdict = "passed"
	Failed     Verdict = "failed"
	CannotTell Verdict = "cannot tell"
)

// Check is one injected overhead and how it was found.
type Check struct {
	Name       string  `json:"name"`
	Experiment string  `json:"experiment"` // that shows it: 'tracetax run' takes the name
	Exact      bool    `json:"exact"`      // a count or a warning, without an interval
	Unit       string  `json:"unit"`       // as in findings.json; "warning": 1 where it is given
	Known      float64 `json:"known"`
	Measured   float64 `json:"measured"`
	Low        float64 `json:"low"` // the simultaneous interval; 0 where Exact or not Bounded
	High       float64 `json:"high"`
	Bounded    bool    `json:"bounded"`
	Margin     float64 `json:"margin"` // the interval must lie in Known ± Margin; 0 where Exact
	Blocks     int     `json:"blocks"`
	MoreBlocks int     `json:"more_blocks,omitempty"` // CannotTell: about so many more would settle it; 0 where that is not known
	Verdict    Verdict `json:"verdict"`
	Text       string  `json:"text"` // what was seen, and what to do about it where something is to be done

	kind kind
}

// Evidence is what one experiment left.
type Evidence struct {
	Document *finding.Document
	Records  []record.Record
	Slept    map[int]float64 // by block: mean length of a sleep in seconds, from the program's own log
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
	Results    []string `json:"results"` // results folders, one an experiment
	Seconds    float64  `json:"seconds"` // that it took
}

// Judge holds the evidence, by experiment, against what is known. What is missing
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
	for _, e := range exacts {
		r.Checks = append(r.Checks, e.check(evidence))
	}
	r.Checks = append(r.Checks, form.agreement(evidence))
	r.Verdict = overall(r.Checks)
	r.Noise = Floors(evidence[SmallCosts].Document)
	return r
}

// overall is failed where one check failed, and passed only where all did.
func overall(checks []Check) Verdict {
	all := Passed
	for _, c := range checks {
		switch c.Verdict {
		case Failed:
			return Failed
		case CannotTell:
			all = CannotTell
		}
	}
	return all
}
