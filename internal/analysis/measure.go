// This file makes of the table of metrics what is measured in a regime. A metric that one of the
// runs cannot give is not shown at all: leaving out the runs that cannot give it would choose
// among them.
package analysis

import (
	"slices"

	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/role"
)

// measure is one figure of a run: a metric, whom it is charged to, and how it is read.
type measure struct {
	metric.Row
	charged    role.Charge // zero: all but the harness
	note       string
	noVerdict  bool
	uncompared bool // each side's is of other work: there is no difference to take
	added      bool // over the baseline by definition: that has none itself
	headline   bool // the answer is made of it
	value      reading
}

// reading reads a figure in a run; the phase is nil for what is of the whole run. It is false
// where the run does not tell.
type reading func(*run, *phase) (float64, bool)

// of makes a measure of a metric in a regime.
func of(row metric.Row, charged role.Charge, how loop) measure {
	in := how.regime()
	m := measure{
		Row: row, charged: charged, note: row.Notes(in), noVerdict: !row.Verdict.Has(in),
		uncompared: row.Uncompared.Has(in), headline: row.Headline.Has(in) && charged == (role.Charge{}),
	}
	if read, known := readings[row.Name]; known {
		m.value = read(charged)
	}
	if charged.Service != "" {
		m.noVerdict = true // those of sixty services would widen all other intervals
	}
	if charged.Role.Harness() && !m.uncompared {
		m.noVerdict, m.note = true, "part of the harness: shown, not charged"
	}
	return m
}

// made is a measure of what is no reading of a run, but made of several.
func made(name string, verdict bool) measure {
	return measure{Row: metric.Must(name), noVerdict: !verdict}
}

// measures lists what is measured in every run, for those whom a cost is charged to by themselves.
func measures(charges []role.Charge, how loop) []measure {
	helped := slices.ContainsFunc(charges, func(c role.Charge) bool { return c.Role.Helper() })
	var list []measure
	for _, row := range metric.Table {
		if !row.In.Has(how.regime()) {
			continue
		}
		list = append(list, of(row, role.Charge{}, how))
		for _, charged := range charges {
			if row.Charged || row.Parts && helped && !charged.Role.Harness() {
				list = append(list, of(row, charged, how))
			}
		}
	}
	return list
}

// cpuMeasure is the CPU per operation of a role, at a rate.
func cpuMeasure(charged role.Role) measure {
	return of(metric.Must(metric.CPUPerOperation), role.Charge{Role: charged}, openLoop)
}
