package show

// What is shown of a tracer.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
)

func (p *page) tracer(t *config.Tracer) {
	p.head("tracer", t.Name, t.Language, t.Description)
	p.needs(t.Needs)
	p.packages(t.Artifact)
	if len(t.Wrap) > 0 {
		p.line("\ngoes before the command: %s", strings.Join(t.Wrap, " "))
	}
	if len(t.Args) > 0 {
		p.line("\ngoes after the command: %s", strings.Join(t.Args, " "))
	}
	if len(t.Env)+len(t.Append) > 0 {
		p.line("\nenvironment:")
		p.env("  ", t.Env)
		p.appended("  ", t.Append)
	}
	if len(t.Templates) > 0 {
		p.line("\nfilled in for each run: %s", strings.Join(t.Templates, ", "))
	}
	if len(t.Processes) > 0 {
		p.line("\nprocesses that it brings:")
	}
	for _, b := range t.Processes {
		p.line("  %s (%s, %s): %s", b.Name, broughtRole(b), whereOf(b), strings.Join(b.Run, " "))
	}
	if t.Connects > 0 {
		p.line("\nwaits until it is connected: %s at most", t.Connects)
	}
	p.settings(t.Settings)
}

func (p *page) settings(settings []config.Setting) {
	if len(settings) > 0 {
		p.line("\nsettings:")
	}
	for _, s := range settings {
		p.setting(s)
	}
}

func whereOf(b config.Brought) string {
	if b.Beside {
		return b.Where() + " each traced process"
	}
	return b.Where()
}

func broughtRole(b config.Brought) string {
	if b.Service != nil {
		return fmt.Sprintf("%s, service %s", b.Role, b.Service.Name)
	}
	return string(b.Role)
}

func (p *page) setting(s config.Setting) {
	p.line("  %s (%s, default %s)", s.Name, s.Kind, s.Default)
	if s.Description != "" {
		p.line("      %s", oneLine(s.Description))
	}
	p.env("      ", s.Env)
	p.appended("      ", s.Append)
	for _, name := range slices.Sorted(maps.Keys(s.Choices)) {
		choice := s.Choices[name]
		p.line("      %s", strings.TrimSuffix(name+": "+oneLine(choice.Description), ": "))
		p.env("          ", choice.Env)
		p.appended("          ", choice.Append)
		if len(choice.Unset) > 0 {
			p.line("          without %s", strings.Join(choice.Unset, ", "))
		}
		if len(choice.Without) > 0 {
			p.line("          these say nothing: %s", strings.Join(choice.Without, ", "))
		}
		if choice.Steps != nil {
			p.line("          steps left: %s", cmp.Or(strings.Join(choice.Steps, ", "), "none"))
		}
	}
}
