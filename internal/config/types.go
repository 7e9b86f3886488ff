// Package config owns experiments: it parses and checks their files and flags, fills in defaults, and resolves variants
// into what is to be started. What programs are, package program knows. It must not know processes and time passing.
//
// Files, from the top: quick, study, ways, flags, brought, image, profile, keepworkloads, sittings, misfit, summary, design, plan, variant,
// traced, loadcheck, route, capture, operation, placeholder, inject, experiment, published, warmup, load, types, target, set, capacity.
package config

import "time"

// What an experiment asks for: its load, its design, its budget.

// Relative is a rate that is a share of what the slowest variant can do,
// operation by operation ("50% of slowest"). A pilot run of each variant finds that.
type Relative struct {
	Share  float64    // 0.5 is half
	Shares []float64  // several of them: a phase for each; Share is then 0
	Search RateSearch // how the pilot finds the capacity
}

// Goal is the condition that a capacity meets.
type Goal string

// The goals of a search.
const (
	GoalCPU      Goal = "cpu"      // the rate at which the app uses a share of the CPU that it may use
	GoalLatency  Goal = "latency"  // the highest rate at which a latency percentile stays under a limit
	GoalLossless Goal = "lossless" // the highest rate at which no span is lost
)

// MethodFit is how a search goes about it: probe, fit or bracket, verify, bisect where it must. There is no other.
const MethodFit = "fit"

// Order is the order in which the variants of a block get their load.
type Order string

// The orders. In all but Apart every variant of a block lives at the same time, on the same CPUs.
const (
	Paired  Order = "paired"  // for CPU, memory and bytes all have their full rate at the same time; for latency the load goes from one to the next
	Windows Order = "windows" // the load goes to one variant for a window, then to the next
	Woven   Order = "woven"   // all variants have their full rate at the same time, in slices
	Apart   Order = "apart"   // one run after the other
)

// Orders are all of them.
var Orders = []Order{Paired, Windows, Woven, Apart}

// Together reports whether the runs of a block are made at the same time.
func (o Order) Together() bool { return o != Apart && o != "" }

// Limit is one line of a budget.
type Limit struct {
	Metric string  // a metric of findings.json
	Value  float64 // relative increase (0.05 is 5 %), or an amount; for lost spans a share
	Unit   string  // of an amount: "s" or "bytes"; "": relative
	Text   string  // as the user wrote it
}

// SinkMode says how closely the sink looks.
type SinkMode string

// The modes of the sink.
const (
	Checking SinkMode = "checking" // ids are checked; memory bounded, evictions counted
	Counting SinkMode = "counting" // flat memory
)

// What a study published, and what it claimed: an experiment that repeats it shows
// the study's figures beside its own, and says of each claim whether it holds.

// Published is one figure of a study.
type Published struct {
	Source    string // authors, title, year
	Workload  string // "" for the experiment's only one
	Operation string // "" for the study's arithmetic mean over all operations
	Variant   string
	Metric    string            // a metric of findings.json
	Parameter map[string]string // e.g. {depth: 8}
	Value     float64           // in the metric's unit
	Spread    float64           // standard deviation, where the study gives one; 0: none
	Note      string            // e.g. "raw-log mean, not in the text"
}

// Faults: what is made to go wrong on purpose, in the harness.

// Faults are what goes wrong by a known amount, to show what a tracer does then, or to check the results.
type Faults struct {
	_             struct{}      `called:"faults"`
	SinkLoses     float64       `yaml:"sink-loses" as:"shareIn" range:"0%..100%" always:"true"` // share of spans that the sink accepts and throws away
	SinkLate      time.Duration `yaml:"sink-late" range:"0s..1m" always:"true"`                 // wait before each answer of the sink, at most 1m
	SinkGone      string        `yaml:"sink-gone" one:"away silent resetting"`                  // away refuses connections, silent accepts and never reads, resetting resets them
	GeneratorLate time.Duration `yaml:"generator-late" range:"0s..10s" always:"true"`           // how late every operation is made, at most 10s
}
