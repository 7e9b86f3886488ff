// Profiled stretches: each operation is made again under a profiler, once everything has been measured.

package config

import (
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
	_    struct{}      `called:"profile"`
	CPU  time.Duration `yaml:"cpu" range:"0s..5m"`  // stretch under a profiler of CPU time
	Wall time.Duration `yaml:"wall" range:"0s..5m"` // stretch under one of the time that threads take, also waiting: what callers wait for; only Python and Java
}

// wholeProfile is what profile: true stands for.
var wholeProfile = Profile{CPU: 6 * time.Second, Wall: 6 * time.Second}

// Any reports whether anything is profiled.
func (p Profile) Any() bool { return p != Profile{} }

// Length is how long the stretches of an operation take together.
func (p Profile) Length() time.Duration { return p.CPU + p.Wall }

// quick is a profile of CPU time alone, whose stretches last no longer than a window, which has been shortened.
func (p Profile) quick(window time.Duration) Profile {
	p.CPU, p.Wall = min(p.CPU, max(window, quickStretch)), 0
	return p
}

func readProfile(s *program.Source, n *program.Node) (p Profile) {
	switch {
	case n.Kind == program.Mapping:
		s.Decode(n, &p)
	case n.Kind == program.Scalar && n.Text == "true":
		p = wholeProfile
	case n.Kind != program.Scalar || n.Text != "false":
		s.Fail(n.At, "profile is true, false, or how long each operation is made again under a profiler, such as {cpu: 6s}")
	}
	return p
}

func (p Profile) written(w program.Writer) any {
	switch p {
	case Profile{}:
		return nil
	case wholeProfile:
		return true
	}
	return w.Written(&p, program.InExperiment)
}

// Explain has everything profiled, unless the experiment says itself for how long.
func (e *Experiment) Explain() {
	if !e.Profile.Any() {
		e.Profile = wholeProfile
	}
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

// profiles finds profiles of what has no window.
func (e *Experiment) profiles() []misfit {
	if !e.Profile.Any() || e.Load.Capacity == nil {
		return nil
	}
	return []misfit{{at: []string{"profile"}, text: "a search for a capacity has no one window whose CPU could be split by cause; leave profile out, or give the load a rate"}}
}
