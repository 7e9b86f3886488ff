package prepare

import (
	"strings"

	"github.com/tracetax/tracetax/internal/config"
)

// Made is something that Variant fetches or builds, where the cache does not have it yet.
type Made struct {
	Kind string // python, maven, npm or nuget: pinned packages; build: a program
	Of   string // "workload requests/flask", "tracer otel-python", "service collector"
	From string // the file that pins the packages, or the folder of projects; of a build its commands
}

// Makes are the things that a variant needs of the cache, without its own files.
func Makes(e *config.Experiment, v config.Variant) ([]Made, error) {
	plan, err := e.Plan(v)
	if err != nil {
		return nil, err
	}
	workload := "workload " + e.Workload.Name
	out := packagesOf(workload, e.Workload.Artifact)
	out = append(out, packagesOf("tracer "+v.Tracer.Name, v.Tracer.Artifact)...)
	out = append(out, buildOf(workload, plan.Build)...)
	out = append(out, buildOf(workload+" without the tracer", plan.Plain)...)
	for _, p := range plan.Processes {
		if p.Service != nil {
			out = append(out, packagesOf("service "+p.Service.Name, p.Service.Artifact)...)
			out = append(out, buildOf("service "+p.Service.Name, p.Service.Build)...)
		}
	}
	return out, nil
}

func packagesOf(of string, a config.Artifact) []Made {
	var out []Made
	for _, one := range []Made{{"python", of, a.Python}, {"maven", of, a.Maven}, {"npm", of, a.NPM}, {"nuget", of, a.NuGet}} {
		if one.From != "" {
			out = append(out, one)
		}
	}
	return out
}

func buildOf(of string, b config.Build) []Made {
	if len(b.Run) == 0 {
		return nil
	}
	commands := make([]string, len(b.Run))
	for i, words := range b.Run {
		commands[i] = strings.Join(words, " ")
	}
	return []Made{{"build", of, strings.Join(commands, "; ")}}
}
