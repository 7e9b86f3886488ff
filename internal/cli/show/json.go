package show

import (
	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/role"
)

// The JSON of show; docs/commands.md names its fields for users.
type (
	workloadView struct {
		Kind        string          `json:"kind"`
		Name        string          `json:"name"`
		Language    string          `json:"language,omitempty"`
		Description string          `json:"description,omitempty"`
		Needs       []needView      `json:"needs"`
		Missing     []string        `json:"missing"`
		Processes   []processView   `json:"processes"`
		Operations  []operationView `json:"operations"`
		Builds      []string        `json:"builds"`
		Self        bool            `json:"self,omitempty"`
		Verify      []string        `json:"verify,omitempty"`
		Prepare     []string        `json:"prepare,omitempty"` // command before each run
		Cleanup     []string        `json:"cleanup,omitempty"` // command after each run
	}
	processView struct {
		Name    string    `json:"name"`
		Service string    `json:"service,omitempty"`
		Role    role.Role `json:"role"`
		Run     []string  `json:"run"`
	}
	operationView struct {
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
		Request     string `json:"request"`
	}
	experimentView struct {
		Kind        string     `json:"kind"`
		Name        string     `json:"name"`
		Description string     `json:"description,omitempty"`
		Workload    string     `json:"workload"`
		Operations  []string   `json:"operations"`
		Variants    []string   `json:"variants"`
		Needs       []needView `json:"needs"`
		Missing     []string   `json:"missing"`
		File        string     `json:"file"` // resolved, YAML
	}
)

// View is what show prints as JSON: one object, or one for each workload of an
// experiment over several.
func (f Shown) View() (any, error) {
	switch {
	case f.tracer != nil:
		return viewTracer(f.tracer), nil
	case f.workload != nil:
		return viewWorkload(f.workload), nil
	case f.service != nil:
		return viewService(f.service), nil
	case len(f.experiments) == 1:
		return viewExperiment(f.experiments[0])
	}
	var all []experimentView
	for _, e := range f.experiments {
		v, err := viewExperiment(e)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

func missing(needs []program.Need) []string { return append([]string{}, artifact.Missing(needs)...) }

// viewTracer has every key of a tracer's file that says something.
func viewTracer(t *program.Tracer) program.Object {
	v := headed("tracer", t.Name, program.Values(t, "tracer"))
	for _, key := range []string{"needs", "settings"} {
		v = with(v, key, []string{}, false)
	}
	return with(v, "missing", missing(t.Needs), true)
}

// viewService is the same of a service; receives and says are the protocols and what it says, without the ways.
func viewService(s *program.Service) program.Object {
	v := headed("service", s.Name, program.Values(s, "service"))
	v = with(v, "needs", []string{}, false)
	if takes := receives(s); takes != nil {
		v = with(v, "receives", takes, true)
	}
	if says := said(s); says != nil {
		v = with(v, "says", says, true)
	}
	return with(v, "missing", missing(s.Needs), true)
}

func headed(kind, name string, keys program.Object) program.Object {
	return append(program.Object{{Key: "kind", Value: kind}, {Key: "name", Value: name}}, keys...)
}

// with sets a key; one that is there is replaced only if that is wanted.
func with(v program.Object, key string, value any, replace bool) program.Object {
	for i := range v {
		if v[i].Key == key {
			if replace {
				v[i].Value = value
			}
			return v
		}
	}
	return append(v, program.Object{{Key: key, Value: value}}...)
}

func viewWorkload(w *program.Workload) workloadView {
	v := workloadView{
		Kind: "workload", Name: w.Name, Language: w.Language, Description: w.Description,
		Needs: needViews(w.Needs), Missing: missing(w.Needs), Builds: buildNames(w),
		Self: w.Driver == program.SelfDriving, Verify: w.Verify, Prepare: w.Prepare, Cleanup: w.Cleanup,
	}
	for _, p := range w.Processes {
		v.Processes = append(v.Processes, viewProcess(p))
	}
	for _, o := range w.Operations {
		v.Operations = append(v.Operations, operationView{o.Name, o.Description, workOf(w, o)})
	}
	return v
}

func viewProcess(p program.Process) processView {
	one := processView{Name: p.Name, Role: p.Role, Run: p.Run}
	if p.Service != nil {
		one.Service = p.Service.Name
	}
	return one
}

func viewExperiment(e *config.Experiment) (experimentView, error) {
	v := experimentView{
		Kind: "experiment", Name: e.Name, Description: e.Description, Workload: e.Workload.Name,
		Needs: needViews(e.Needs()), Missing: missing(e.Needs()),
	}
	for _, o := range e.Operations {
		v.Operations = append(v.Operations, o.Name)
	}
	for _, variant := range e.Variants {
		v.Variants = append(v.Variants, variant.Name)
	}
	text, err := e.YAML()
	v.File = string(text)
	return v, err
}
