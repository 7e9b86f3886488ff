// What the conductor is asked for.

package run

import (
	"maps"
	"path"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run/prepare"
)

// Request is one run to be made.
type Request struct {
	Kind           record.Kind
	Name           string // unique in the experiment: names logs and cgroups
	Plan           *config.Plan
	Folders        prepare.Folders
	First          config.Operation         // made once, before all others
	FirstParameter map[string]string        // at which level, where the spans that it makes depend on that
	Phases         []PhaseRequest           // in their order
	Load           config.Load              // of the run as a whole: idle window, time-out; and of the first operation
	Checking       bool                     // the sink looks at ids
	Begun          record.Begun             // how the traces of operations are told from others
	Spans          map[string]config.Number // spans per operation (see record.Work), where known: lets a drain end as soon as all have come
	Order          config.Order             // how the load goes through the runs of its block
	Samples        string                   // what the files begin with that keep every duration of a self-driving workload; "": none are kept
	Drain          time.Duration            // of a measured run: no drain is shorter, for another variant of the experiment may need so long
	Seed           uint64
	Faults         config.Faults
	Deaf           []string // processes that did not end when asked in an earlier run: they are not waited for again

	twice int // calibration: the phase, from 1, that is made twice as often; 0 is none
}

// PhaseRequest is one operation's part of a run.
type PhaseRequest struct {
	Operation config.Operation
	Load      config.Load       // of this phase, resolved: one rate, or one number of connections
	Parameter map[string]string // what is varied between phases, e.g. {"connections": "4"}; nil where nothing is
	Turns     []int             // the places of its windows among those of all runs of the block, from 0; nil: one window, at once
	Window    time.Duration     // of each of them
	Search    Searcher          // nil: the load is given
	Watched   time.Duration     // above 0: the load is made for so long and watched slice by slice, and nothing is measured
}

// Searcher chooses the rates of the search for a capacity. It is pure: the same
// probes give the same answer.
type Searcher interface {
	// Next returns what to probe after these probes (Purpose and Rate are set), or
	// false where the search has ended.
	Next(probes []record.Probe) (record.Probe, bool)
	// Held says whether the rate of a probe that has just been made was held, as far as is
	// known before the durations of its operations are collected.
	Held(record.Probe) bool
	// Judge says of a probe, when all that came of it is known, whether it was held and passed.
	Judge(record.Probe) record.Probe
	// Result says what the probes come to.
	Result(probes []record.Probe) record.Capacity
}

// Asked is the phase's operation. What is varied or searched for is the
// phase's to say: a rate of the operation's own does not count then.
func (p PhaseRequest) Asked() config.Operation {
	o := p.Operation
	if p.Parameter != nil || p.Search != nil || p.Load.Relative != nil {
		o.Rate = 0
	}
	return o
}

// samplesFile names the file of a phase's durations within the results folder; ""
// where they are not kept.
func (s *stage) samplesFile(request PhaseRequest) string {
	if s.request.Samples == "" {
		return ""
	}
	name := s.request.Samples + "-" + q(request.Operation.Name)
	for _, parameter := range slices.Sorted(maps.Keys(request.Parameter)) {
		name += "-" + q(parameter) + "-" + q(request.Parameter[parameter])
	}
	return path.Join(record.SamplesFolder, name+".csv.gz")
}

// manner is the way in which the run's operations are made.
func (s *stage) manner() config.Manner { return s.request.Plan.Manner() }

// q makes a name fit for a folder or a cgroup. Names of variants stay as they are: those of a block live at the same time.
func q(name string) string {
	out := []byte(name)
	for i, b := range out {
		if !(b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '-' || b == '_' || b == '.' || b == '+') {
			out[i] = '-'
		}
	}
	return string(out)
}
