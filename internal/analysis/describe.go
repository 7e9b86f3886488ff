// This file says in words what was compared.

package analysis

import (
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/words"
)

func (s *study) describe() (finding.Experiment, error) {
	e := s.Experiment
	d := finding.Experiment{
		Name: e.Name, Load: words.Load(e), Blocks: e.Design.Blocks, Seed: e.Design.Seed,
		Operations: []string{}, Variants: []finding.Variant{}, Pilot: s.pilotTexts(), Warmup: words.Warmup(s.Warmups()), Faults: words.Faults(e),
		Order: string(e.Design.Order), Rates: s.relativeRates(),
		LeftOut: s.in.LeftOut, Shadowed: s.in.Shadowed, Published: Published(e), Claims: Claims(e),
	}
	if s.Stops() {
		d.Most, d.Precision, d.Metric = e.Design.Most, e.Design.Precision, s.PrecisionName()
	}
	if e.Workload != nil {
		d.Workload = e.Workload.Name
		file, err := e.YAML()
		if err != nil {
			return d, err
		}
		d.File = string(file)
	}
	for _, o := range e.Operations {
		d.Operations = append(d.Operations, o.Name)
	}
	for _, v := range e.Variants {
		d.Variants = append(d.Variants, finding.Variant{
			Steps: v.Steps(), Partial: s.Partial(v), On: v.On,
			Name: v.Name, Tracer: v.TracerName(), Settings: shown(v.Settings), Via: viaNames(v), To: toName(v), Against: v.Against, Description: variantText(v), Runtime: s.Runtime(v.Name), Instrumented: s.Instrumented(v.Name),
		})
	}
	return d, nil
}

// variantText is what the user says of a variant, or else chose in it. Values of
// variables and arguments may be secret; experiment.yaml has them, redacted.
func variantText(v config.Variant) string {
	if v.Description != "" {
		return v.Description
	}
	var parts []string
	if v.On != nil {
		parts = append(parts, "on "+strings.Join(v.On, " and "))
	}
	chosen := shown(v.Chosen)
	for _, name := range slices.Sorted(maps.Keys(chosen)) {
		parts = append(parts, name+" "+chosen[name])
	}
	for _, name := range slices.Sorted(maps.Keys(v.Env)) {
		parts = append(parts, name+" set")
	}
	return strings.Join(parts, ", ")
}

// shown returns settings without the values that may be secret.
func shown(settings map[string]string) map[string]string {
	out := map[string]string{}
	for name, value := range settings {
		if config.IsSecret(name, value) {
			value = "(redacted)"
		}
		out[name] = value
	}
	return out
}

// toName is the backend of a variant; "" where it has none.
func toName(v config.Variant) string {
	if v.To == nil {
		return ""
	}
	return v.To.Name
}

// viaNames are the hops of a variant.
func viaNames(v config.Variant) []string {
	var out []string
	for _, hop := range v.Via {
		out = append(out, hop.Name)
	}
	return out
}
