package config

import (
	"maps"
	"net/url"
	"slices"

	"github.com/tracetax/tracetax/internal/config/program"
)

// inImage returns a process as a plan has it: one of an image has a command, and is told its port if no text does and no
// operation has a port of its own.
func inImage(p program.Process, w *program.Workload, operations []program.Operation) program.Process {
	if !p.InImage() {
		return p
	}
	if len(p.Run) == 0 {
		p.Run = append([]string{"{" + program.ImageWord + "}"}, p.Args...)
	}
	own := slices.ContainsFunc(operations, func(o program.Operation) bool {
		at, err := url.Parse(o.URL)
		return len(o.Mix) == 0 && err == nil && at.Port() != "" && o.Owner(w.Processes).Name == p.Name
	})
	if _, set := p.Env[program.PortVariable]; !own && !set && p.Deployed == "" && !program.UsesPort(p, w.Processes) {
		env := map[string]string{program.PortVariable: "{port}"}
		maps.Copy(env, p.Env)
		p.Env = env
	}
	return p
}
