// Profiled stretches: each operation is made again under a profiler, once everything has been measured.

package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/profile"
)

// Profile is for how long each operation is made again, by what is profiled. The zero value is: not at all.
type Profile struct {
	_          struct{}      `called:"profile"`
	CPU        time.Duration `yaml:"cpu" range:"100ms..5m"` // stretch under a profiler of CPU time; default: 6s, unless start alone is profiled
	Wall       time.Duration `yaml:"wall" range:"0s..5m"`   // stretch under one of the time that threads take, also waiting: what callers wait for; only Python and Java
	Alloc      time.Duration `yaml:"alloc" range:"0s..5m"`  // stretch under one of the bytes that are allocated; only Java
	Operations []string      `yaml:"operations"`            // the operations that are profiled; default: all
	Start      bool          `yaml:"start"`                 // true: the start is profiled, in every second block; it is timed in the others
}

// wholeProfile is the meaning of profile: true.
var wholeProfile = Profile{CPU: 6 * time.Second, Wall: 6 * time.Second}

// Any reports whether anything is profiled.
func (p Profile) Any() bool { return p.stretches() || p.Start }

// stretches reports whether operations are made again.
func (p Profile) stretches() bool { return p.CPU+p.Wall+p.Alloc > 0 }

// Profiles reports whether an operation is profiled.
func (p Profile) Profiles(operation string) bool {
	return p.stretches() && (len(p.Operations) == 0 || slices.Contains(p.Operations, operation))
}

// Attaching is about how long it takes to start a profiler, and to read what it has.
const Attaching = time.Second

// Length is about how long the stretches of an operation take together.
func (p Profile) Length() (all time.Duration) {
	for _, one := range []time.Duration{p.CPU, p.Wall, p.Alloc} {
		if one > 0 {
			all += one + Attaching
		}
	}
	return all
}

func readProfile(s *program.Source, n *program.Node) (p Profile) {
	switch {
	case n.Kind == program.Mapping:
		if s.Decode(n, &p); p.CPU == 0 && (p.stretches() || !p.Start) { // all else stands beside the CPU
			p.CPU = wholeProfile.CPU
		}
	case n.Kind == program.Scalar && n.Text == "true":
		p = wholeProfile
	case n.Kind != program.Scalar || n.Text != "false":
		s.Fail(n.At, "profile is true, false, or how long each operation is made again under a profiler, such as {cpu: 6s}")
	}
	return p
}

func (p Profile) written(w program.Writer) any {
	switch {
	case !p.Any() && len(p.Operations) == 0:
		return nil
	case p.CPU == wholeProfile.CPU && p.Wall == wholeProfile.Wall && len(p.Operations) == 0 && !p.Start && p.Alloc == 0:
		return true
	}
	return w.Written(&p, program.InExperiment)
}

// Explain has everything profiled, unless the experiment says itself for how long.
func (e *Experiment) Explain() {
	if !e.Profile.stretches() {
		e.Profile.CPU, e.Profile.Wall = wholeProfile.CPU, wholeProfile.Wall
	}
}

// The design and load of an experiment that explains the start: its phases are short, as only starts count.
const (
	startBlocks = 12 // half of which are timed
	startLoad   = time.Second
	startWarmup = 300 * time.Millisecond
)

// ExplainStart has the start profiled, and what is asked of the program afterwards made short
// but for keys that are given.
func (e *Experiment) ExplainStart(given ...Set) {
	defer e.keepGiven(given, *e)
	e.Profile = Profile{Start: true}
	e.Design.Blocks, e.Design.Most, e.Design.Precision, e.Design.Metric = max(e.Design.Blocks, startBlocks), 0, 0, ""
	e.declareRates()
	l := &e.Load
	l.Warmup, l.WarmupAll, l.WarmupMost, l.Duration = min(l.Warmup, startWarmup), 0, 0, min(l.Duration, startLoad)
	e.Operations = e.Operations[:1]
	e.quickenOperations()
}

// Language is that of the programs that are profiled: the workload's, or a tracer's; "" where none says.
func (e *Experiment) Language() string {
	for _, v := range e.Variants {
		if e.Workload.Language == "" && v.Tracer.Language != "" {
			return v.Tracer.Language
		}
	}
	return e.Workload.Language
}

// Compiles returns the language of the experiment's programs where its runtime compiles them while they run; "" elsewhere.
func (e *Experiment) Compiles() string {
	language := e.Language()
	if compiling[language] == 0 || e.Workload == nil || !e.Workload.Driver.Row().Generator {
		return ""
	}
	return language
}

// warmUp gives programs that are compiled while they run a warm-up that does for that, where nothing else warms them up.
func (e *Experiment) warmUp() {
	language := e.Compiles()
	if language == "" || e.Load.WarmupAll > 0 {
		return
	}
	e.Load.Warmup = compiling[language]
	if !e.Load.Closed() && e.slowest() < compilingRate {
		e.Load.WarmupRate = compilingRate
	}
}

// slowest returns the lowest rate of the experiment's load; 0 where it is not known yet.
func (e *Experiment) slowest() float64 {
	least := 0.0
	for i, level := range e.Load.Steps() {
		for j, o := range e.Operations {
			if rate := cmp.Or(o.Rate, level.Load.Rate); i+j == 0 || rate < least {
				least = rate
			}
		}
	}
	return least
}

// Try adds a variant for each setting that is advised for the tracer of a variant, and that it has not: the same with that
// setting, held against it.
func (e *Experiment) Try(advised func(tracer string) ([]profile.Advice, error)) error {
	for _, v := range slices.Clone(e.Variants) {
		all, err := advised(v.TracerName())
		if err != nil {
			return err
		}
		for _, a := range all {
			one, err := v.with(a.Setting)
			if err != nil {
				return fmt.Errorf("trying what is advised for %s: %w", v.TracerName(), err)
			}
			known := func(other Variant) bool {
				return other.TracerName() == v.TracerName() && maps.Equal(other.Settings, one.Settings)
			}
			named := func(other Variant) bool { return other.Name == one.Name }
			if !slices.ContainsFunc(e.Variants, known) && !slices.ContainsFunc(e.Variants, named) {
				one.Description = "Advised; " + a.Loses
				e.Variants = append(e.Variants, one)
			}
		}
	}
	return nil
}

// with is the variant with other settings, under another name, held against the variant itself.
func (v Variant) with(settings map[string]string) (Variant, error) {
	one := v
	one.Against, one.Settings, one.Chosen = v.Name, maps.Clone(v.Settings), maps.Clone(v.Chosen)
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		set := v.Tracer.Setting(name)
		if set == nil {
			return one, fmt.Errorf("it has no setting %s", name)
		}
		value, err := set.Canonical(settings[name])
		if err != nil {
			return one, fmt.Errorf("setting %s: %w", name, err)
		}
		one.Settings[name], one.Chosen[name] = value, value
		one.Name += "-" + name + "-" + plain(value)
	}
	return one, nil
}

// plain is a value as a part of a name.
func plain(value string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return -1
	}, value)
}

// profiles finds profiles of what has no window, and of operations that there are not.
func (e *Experiment) profiles() (out []misfit) {
	if e.Profile.Any() && e.Load.Capacity != nil {
		out = append(out, misfit{at: []string{"profile"}, text: "a search for a capacity has no one window whose CPU could be split by cause; leave profile out, or give the load a rate"})
	}
	var names []string
	for _, o := range e.Operations {
		names = append(names, o.Name)
	}
	for _, name := range e.Profile.Operations {
		if !slices.Contains(names, name) {
			out = append(out, misfit{at: []string{"profile", "operations"}, text: program.Unknown("operation", program.Printable(name), names)})
		}
	}
	return out
}
