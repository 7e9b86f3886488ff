// Configuration files of OpenTelemetry that a program has of its own: beside one of them
// OpenTelemetry reads no variable, and the spans of a tracer would not come to the sink.
package spec

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// configFiles are the variables that name such a file.
var configFiles = []string{"OTEL_CONFIG_FILE", "OTEL_EXPERIMENTAL_CONFIG_FILE"}

// configOption is the system property that names one.
var configOption = regexp.MustCompile(`-Dotel\.(experimental\.)?config\.file=`)

// configFiles finds programs with a configuration file of their own that a tracer is attached to.
func (e *Experiment) configFiles() []misfit {
	var out []misfit
	for _, v := range e.Variants {
		if !v.Tracer.readsVariables() {
			continue
		}
		for i, p := range e.Workload.Processes {
			if !p.Traced {
				continue
			}
			process := []string{"workload", "processes", itemKey(i)}
			own := maps.Clone(p.Env)
			maps.DeleteFunc(own, func(name, _ string) bool { _, replaced := v.Env[name]; return replaced })
			out = append(out, v.namedIn(own, append(process, "env"))...)
			for _, word := range p.Run {
				if name := configOption.FindString(word); name != "" {
					out = append(out, v.configFile(strings.TrimSuffix(name, "="), append(process, "run")))
				}
			}
		}
		out = append(out, v.namedIn(v.Env, []string{"variants", v.Name, "env"})...)
		for _, word := range v.Args {
			if name := configOption.FindString(word); name != "" {
				out = append(out, v.configFile(strings.TrimSuffix(name, "="), []string{"variants", v.Name, "args"}))
			}
		}
	}
	return out
}

// readsVariables reports whether the tracer is configured by OpenTelemetry's variables.
func (t *Tracer) readsVariables() bool {
	for name := range t.Env {
		if strings.HasPrefix(name, "OTEL_") {
			return true
		}
	}
	return false
}

// namedIn finds the configuration files that variables name, by themselves or in options.
func (v Variant) namedIn(env map[string]string, at []string) []misfit {
	var out []misfit
	for _, name := range slices.Sorted(maps.Keys(env)) {
		at := append(slices.Clone(at), name)
		if slices.Contains(configFiles, name) && env[name] != "" {
			out = append(out, v.configFile(name, at))
		} else if option := configOption.FindString(env[name]); option != "" {
			out = append(out, v.configFile(strings.TrimSuffix(option, "="), at))
		}
	}
	return out
}

func (v Variant) configFile(name string, at []string) misfit {
	return misfit{at: at, text: fmt.Sprintf(
		"beside a configuration file (%s) OpenTelemetry reads none of its variables, so that the spans of variant %q go where the file says and not to the sink; leave the file out, or make it a variant of your own without tracer %s",
		name, printable(v.Name), v.Tracer.Name)}
}

// CheckKept complains where a variable of the shell is to be kept that names such a file.
func (e *Experiment) CheckKept(name string) error {
	if !slices.Contains(configFiles, name) {
		return nil
	}
	for _, v := range e.Variants {
		if v.Tracer.readsVariables() {
			return fmt.Errorf("%s", v.configFile(name, nil).text)
		}
	}
	return nil
}
