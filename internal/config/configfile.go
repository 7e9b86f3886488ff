// Configuration files of OpenTelemetry that a program has of its own: beside one of them
// OpenTelemetry reads no variable, and the spans of a tracer would not come to the sink.

package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// configFiles are the variables that name such a file. What has EXPERIMENTAL in its name is
// what older versions read: the tracers here ignore it, which its user would not expect.
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
			out = append(out, v.namedIn(own, append(slices.Clone(process), "env"))...)
			out = append(out, v.namedAmong(p.Run, append(slices.Clone(process), "run"))...)
		}
		out = append(out, v.namedIn(v.Env, []string{"variants", v.Name, "env"})...)
		out = append(out, v.namedAmong(v.Args, []string{"variants", v.Name, "args"})...)
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

// namedAmong finds the configuration files that words of a command name.
func (v Variant) namedAmong(words []string, at []string) []misfit {
	var out []misfit
	for i, word := range words {
		if option := configOption.FindString(word); option != "" {
			out = append(out, v.configFile(strings.TrimSuffix(option, "="), append(slices.Clone(at), itemKey(i))))
		}
	}
	return out
}

func (v Variant) configFile(name string, at []string) misfit {
	return misfit{at: at, text: fmt.Sprintf(
		"%s names a configuration file, beside which OpenTelemetry ignores every variable: the spans of variant %q would go where the file says, and not to the sink; leave the file out, or make a variant of your own of it, without tracer %s",
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
