package show

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/role"
)

// The JSON of show; docs/commands.md names its fields for users.
type (
	tracerView struct {
		Kind        string            `json:"kind"`
		Name        string            `json:"name"`
		Language    string            `json:"language,omitempty"`
		Description string            `json:"description,omitempty"`
		Needs       []needView        `json:"needs"`
		Missing     []string          `json:"missing"`
		Wrap        []string          `json:"wrap,omitempty"`
		Args        []string          `json:"args,omitempty"`
		Env         map[string]string `json:"env,omitempty"`
		Append      map[string]string `json:"append,omitempty"`
		Templates   []string          `json:"templates,omitempty"`
		Processes   []broughtView     `json:"processes,omitempty"`
		Settings    []settingView     `json:"settings"`
	}
	broughtView struct {
		processView
		Beside bool `json:"beside,omitempty"`
		Front  bool `json:"front,omitempty"`
	}
	settingView struct {
		Name        string            `json:"name"`
		Description string            `json:"description,omitempty"`
		Kind        string            `json:"kind"`
		Default     string            `json:"default"`
		Asked       bool              `json:"asked,omitempty"` // it has no default
		Env         map[string]string `json:"env,omitempty"`
		Append      map[string]string `json:"append,omitempty"`
		Choices     []choiceView      `json:"choices,omitempty"`
	}
	choiceView struct {
		Name        string            `json:"name"`
		Description string            `json:"description,omitempty"`
		Env         map[string]string `json:"env,omitempty"`
		Append      map[string]string `json:"append,omitempty"`
		Unset       []string          `json:"unset,omitempty"`
		Steps       []string          `json:"steps,omitempty"`
		Without     []string          `json:"without,omitempty"` // settings that say nothing with it
	}
	serviceView struct {
		Kind        string            `json:"kind"`
		Name        string            `json:"name"`
		Description string            `json:"description,omitempty"`
		Needs       []needView        `json:"needs"`
		Missing     []string          `json:"missing"`
		Role        role.Role         `json:"role"`
		Run         []string          `json:"run"`
		Env         map[string]string `json:"env,omitempty"`
		Receives    []string          `json:"receives,omitempty"` // the protocols that it takes spans in by: a variant's spans can go via it
		Says        []string          `json:"says,omitempty"`     // what it says of them
		Settings    []settingView     `json:"settings,omitempty"`
	}
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

func missing(needs []config.Need) []string { return append([]string{}, artifact.Missing(needs)...) }

func viewTracer(t *config.Tracer) tracerView {
	v := tracerView{
		Kind: "tracer", Name: t.Name, Language: t.Language, Description: t.Description,
		Needs: needViews(t.Needs), Missing: missing(t.Needs), Wrap: t.Wrap, Args: t.Args, Env: t.Env,
		Append: t.Append, Templates: t.Templates,
		Settings: append([]settingView{}, viewSettings(t.Settings)...),
	}
	for _, b := range t.Processes {
		v.Processes = append(v.Processes, broughtView{viewProcess(b.Process), b.Beside, b.Front})
	}
	return v
}

func viewSettings(settings []config.Setting) []settingView {
	var out []settingView
	for _, s := range settings {
		set := settingView{Name: s.Name, Description: s.Description, Kind: s.Kind, Default: s.Default, Asked: s.Asked, Env: s.Env, Append: s.Append}
		for _, name := range slices.Sorted(maps.Keys(s.Choices)) {
			c := s.Choices[name]
			set.Choices = append(set.Choices, choiceView{name, c.Description, c.Env, c.Append, c.Unset, c.Steps, c.Without})
		}
		out = append(out, set)
	}
	return out
}

func viewWorkload(w *config.Workload) workloadView {
	v := workloadView{
		Kind: "workload", Name: w.Name, Language: w.Language, Description: w.Description,
		Needs: needViews(w.Needs), Missing: missing(w.Needs), Builds: buildNames(w),
		Self: w.Driver == config.SelfDriving, Verify: w.Verify, Prepare: w.Prepare, Cleanup: w.Cleanup,
	}
	for _, p := range w.Processes {
		v.Processes = append(v.Processes, viewProcess(p))
	}
	for _, o := range w.Operations {
		v.Operations = append(v.Operations, operationView{o.Name, o.Description, workOf(w, o)})
	}
	return v
}

func viewProcess(p config.Process) processView {
	one := processView{Name: p.Name, Role: p.Role, Run: p.Run}
	if p.Service != nil {
		one.Service = p.Service.Name
	}
	return one
}

func viewService(s *config.Service) serviceView {
	return serviceView{
		Kind: "service", Name: s.Name, Description: s.Description, Needs: needViews(s.Needs), Missing: missing(s.Needs),
		Role: s.Process.Role, Run: s.Process.Run, Env: s.Process.Env,
		Receives: receives(s), Says: said(s), Settings: viewSettings(s.Settings),
	}
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
