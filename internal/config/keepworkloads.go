// Which workloads of an experiment over several are run.

package config

import (
	"fmt"
	"path"
	"slices"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/suggest"
)

// KeepWorkloads returns the experiments on the named workloads, in their own order. A
// name is whole (requests/flask) or its last part (flask). All are kept where none is
// named. A name that no workload has, or several, is an error.
func KeepWorkloads(all []*Experiment, names []string) ([]*Experiment, error) {
	if len(names) == 0 {
		return all, nil
	}
	keep := map[*Experiment]bool{}
	for _, name := range names {
		one, err := onWorkload(all, name)
		if err != nil {
			return nil, err
		}
		keep[one] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(e *Experiment) bool { return !keep[e] }), nil
}

func onWorkload(all []*Experiment, name string) (*Experiment, error) {
	var known, last []string
	var found []*Experiment
	for _, e := range all {
		whole := e.Workload.Name
		if whole == name {
			return e, nil
		}
		if path.Base(whole) == name {
			found = append(found, e)
		}
		known, last = append(known, whole), append(last, path.Base(whole))
	}
	switch len(found) {
	case 0:
		hint := suggest.DidYouMean(suggest.Word(name, last)) // which is how most are called
		if hint == "" {
			hint = suggest.Hint(name, known)
		}
		return nil, fmt.Errorf("the experiment has no workload %q%s", program.Printable(name), hint)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("%q may be %s or %s: give the whole name", name, found[0].Workload.Name, found[1].Workload.Name)
}
