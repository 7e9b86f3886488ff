package process

// What a command asks of the machine, and what of it this launcher can't give.

import (
	"fmt"
	"slices"

	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/cpulist"
	"github.com/tracetax/tracetax/internal/process/keeper"
)

// place makes the cgroup and tells the keeper of it. Without cgroups the group
// is empty.
func (l *Launcher) place(c Command, a *keeper.Assignment) (*cgroup.Group, error) {
	if l.Placement() != "none" {
		// With a cpuset too: what tracetax itself is bound to would narrow it.
		a.CPUs = c.CPUs
	}
	if l.tree == nil {
		return &cgroup.Group{}, nil
	}
	g, err := l.tree.Create(cgroup.Limits{Name: c.Name, CPUs: c.CPUs, Quota: c.Quota, Memory: c.Memory})
	if err != nil {
		return nil, err
	}
	a.Join, a.Leave, a.Groups = g.Join, g.Leave, g.Dirs
	a.Group = g.At["unified"]
	a.Remove = slices.Concat(g.Dirs, l.tree.Dirs())
	return g, nil
}

// unmet lists what c asks for and this launcher can't do.
func (l *Launcher) unmet(c Command) []string {
	has := func(controller string) bool { return l.tree != nil && l.tree.Has(controller) }
	var unmet []string
	if c.Quota > 0 && !has("cpu") && (l.Placement() == "none" || len(c.CPUs) == 0 || float64(len(c.CPUs)) > c.Quota) {
		unmet = append(unmet, fmt.Sprintf("%s: its quota of %g CPUs is not enforced: that needs the cgroup controller cpu", c.Name, c.Quota))
	}
	if c.Memory > 0 && !has("memory") {
		unmet = append(unmet, fmt.Sprintf("%s: its memory limit of %d bytes is not enforced: that needs the cgroup controller memory", c.Name, c.Memory))
	}
	if len(c.CPUs) > 0 && l.Placement() == "none" {
		unmet = append(unmet, fmt.Sprintf("%s: it is not bound to the CPUs %s: that needs Linux", c.Name, cpulist.Format(c.CPUs)))
	}
	return unmet
}
