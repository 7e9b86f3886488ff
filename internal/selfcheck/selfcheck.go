// Package selfcheck owns the check of the harness itself: which injected overheads are
// measured, what passes, and how it is said. It reads what the ordinary analysis
// and the ordinary runs left. It must not know how a run is made, and it changes
// nothing in how one is analysed.
package selfcheck

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

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

// This file reads what the synthetic tracer says in its log that it did.

// Said is what a program with the synthetic tracer logged when it stopped. Times are in ns.
type Said struct {
	Requests, Burnt, Slept uint64
	Idled, Alive           uint64 // CPU that it used whether requests came or not, and in how long
	Flushed, FlushBurnt    uint64 // spans, and what was burnt when they were sent
}

// line matches the line that the synthetic tracer logs.
var line = regexp.MustCompile(`synthetic: (\d+) requests, burnt (\d+) ns, slept (\d+) ns, idled (\d+) ns in (\d+) ns, held \d+ bytes(?:, flushed (\d+) spans, burnt (\d+) ns at that)?`)

// runFolder is the name of a run's folder of logs: block, variant, attempt.
var runFolder = regexp.MustCompile(`^(\d+)-(.+)-(\d+)$`)

// ReadSaid returns what the programs said, by variant and block. A second attempt of a run counts instead of the first.
// Runs whose logs hold no such line are left out.
func ReadSaid(logs string) (map[string]map[int]Said, error) {
	files, err := filepath.Glob(filepath.Join(logs, "*", "*.log")) // sorted: a later attempt comes later
	if err != nil {
		return nil, fmt.Errorf("looking for logs in %s: %w", logs, err)
	}
	out := map[string]map[int]Said{}
	for _, file := range files {
		parts := runFolder.FindStringSubmatch(filepath.Base(filepath.Dir(file)))
		if parts == nil {
			continue
		}
		block, err := strconv.Atoi(parts[1])
		if err != nil {
			continue // no block has such a number
		}
		said, found, err := readLog(file)
		if err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		if out[parts[2]] == nil {
			out[parts[2]] = map[int]Said{}
		}
		out[parts[2]][block] = said
	}
	return out, nil
}

func readLog(file string) (said Said, found bool, err error) {
	f, err := os.Open(file)
	if err != nil {
		return Said{}, false, fmt.Errorf("reading the log of a synthetic tracer: %w", err)
	}
	defer f.Close()
	if said, found, err = saidIn(f); err != nil {
		return Said{}, false, fmt.Errorf("reading the log %s: %w", file, err)
	}
	return said, found, nil
}

// saidIn returns what the last line of its kind says.
func saidIn(log io.Reader) (said Said, found bool, err error) {
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		parts := line.FindStringSubmatch(lines.Text())
		if parts == nil {
			continue
		}
		var one Said
		whole := true
		for i, to := range []*uint64{&one.Requests, &one.Burnt, &one.Slept, &one.Idled, &one.Alive, &one.Flushed, &one.FlushBurnt} {
			if text := parts[1+i]; text != "" {
				*to, err = strconv.ParseUint(text, 10, 64)
				whole = whole && err == nil
			}
		}
		if whole {
			said, found = one, true
		}
	}
	return said, found, lines.Err()
}

// each is a part of a sum in ns that falls on one of so many, in seconds; false where there is none.
func each(ns, of uint64) (float64, bool) {
	if of == 0 {
		return 0, false
	}
	return float64(ns) / float64(of) * 1e-9, true
}

// This file says what is measured: the experiments, their orders, and how long each form takes.

// The experiments of a selfcheck. They are ordinary ones: 'tracetax run NAME'.
const (
	LossySink     = "selfcheck-lossy-sink"
	LateSink      = "selfcheck-late-sink"
	LateGenerator = "selfcheck-late-generator"
	Costs         = "selfcheck-costs"
	DeferredCosts = "selfcheck-deferred-costs"
	Flushes       = "selfcheck-flushes" // in the full form only
)

// The variants of Costs, DeferredCosts and Flushes, but their baselines.
const (
	Again    = "again"
	Burn3    = "burn-3"
	Burn73   = "burn-73"
	Sleep1   = "sleep-1" // in the full form only
	Idle5    = "idle-5"
	Flush200 = "flush-200"
)

// Form is how thorough a selfcheck is.
type Form string

// The forms.
const (
	Quick Form = "quick" // two minutes, paired
	Full  Form = "full"  // about twenty-five minutes, paired and in windows, with narrower intervals
)

// Experiment is one experiment of a selfcheck.
type Experiment struct {
	Name     string
	Order    config.Order
	Blocks   int    // 0: as its file says
	Variants string // "a,b"; "": all
	Duration string // of a window; "": as its file says; and so is the rate
	Rate     string
}

// Keys are those that the experiment's file is run with.
func (e Experiment) Keys() config.Sets {
	given := config.Sets{
		{Path: "design.order", Value: string(e.Order)}, {Path: "load.duration", Value: e.Duration}, {Path: "load.rate", Value: e.Rate},
	}
	if e.Blocks > 0 {
		given = append(given, config.Set{Path: "design.blocks", Value: strconv.Itoa(e.Blocks)})
	}
	return slices.DeleteFunc(given, func(s config.Set) bool { return s.Value == "" })
}

// Folder is the name of its results folder, and of its evidence.
func (e Experiment) Folder() string {
	if e.Order == config.Paired {
		return e.Name
	}
	return e.Name + "-" + string(e.Order)
}

// Experiments lists what a form runs, in this order. Paired, the variants of Costs together must leave the CPU room.
func (f Form) Experiments() []Experiment {
	if f == Quick {
		return []Experiment{
			{Name: LossySink, Order: config.Paired}, {Name: LateSink, Order: config.Paired}, {Name: LateGenerator, Order: config.Paired},
			{Name: DeferredCosts, Order: config.Paired}, {Name: Costs, Order: config.Paired, Variants: "again,burn-3,burn-73,idle-5"},
		}
	}
	return []Experiment{
		{Name: LossySink, Order: config.Paired}, {Name: LateSink, Order: config.Paired}, {Name: LateGenerator, Order: config.Paired},
		{Name: DeferredCosts, Order: config.Paired, Blocks: 20}, {Name: Costs, Order: config.Paired, Blocks: 20, Duration: "2s"}, {Name: Flushes, Order: config.Paired},
		{Name: LossySink, Order: config.Windows}, {Name: DeferredCosts, Order: config.Windows, Blocks: 20}, {Name: Costs, Order: config.Windows, Blocks: 20, Duration: "2s"},
	}
}

// orders names the orders of its experiments.
func (f Form) orders() []string {
	var names []string
	for _, e := range f.Experiments() {
		if !slices.Contains(names, string(e.Order)) {
			names = append(names, string(e.Order))
		}
	}
	return names
}

// has reports whether a variant is measured.
func (e Experiment) has(variant string) bool {
	return e.Variants == "" || slices.Contains(strings.Split(e.Variants, ","), variant)
}
