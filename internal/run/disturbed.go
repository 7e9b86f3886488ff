// Readings of a whole block between its windows.

package run

import (
	"github.com/tracetax/tracetax/internal/derive"
	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/usage"
)

// lookAt reads the CPU time of all processes of a block, and the busy time of its CPUs.
func lookAt(stages []*stage) (readings.Look, error) {
	o := readings.Look{Busy: stages[0].busy(), Own: usage.Own()}
	for _, s := range stages {
		mark, err := s.meter.Glance(func(role.Role) bool { return true })
		if err != nil {
			return o, err
		}
		o.Used, o.Own = append(o.Used, mark), o.Own+s.launcher.KeeperCPU()
	}
	return o, nil
}

// block returns what was read of the block in the windows of the phase.
func (t turn) block() derive.Block {
	b := derive.Block{CPUs: t.stages[0].cpus(), Seen: t.seen}
	for _, s := range t.stages {
		b.Logs = append(b.Logs, s.meter.Log())
	}
	return b
}

// outside returns others' use in each window of the phase, by its place, and the number of runs; nil for a run by itself.
func (t turn) outside() ([]derive.Outside, int) {
	if t.turns == nil {
		return nil, 1
	}
	out := t.block().Outside()
	if t.pretend != nil {
		out = t.pretend(out)
	}
	return out, t.runs
}

// away returns a run's use in the windows of the others; nil without readings.
func (t turn) away() *record.Away {
	if t.turns == nil {
		return nil
	}
	return t.block().Away(t.run)
}
