package prepare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/shell"
)

// Environment is what a program gets of the user's shell, what the plan sets, and what neither says of the switches of
// tracers and of proxies.
func Environment(of []string, p config.Process, values map[string]string) ([]string, error) {
	var env []string
	front := map[string]string{}
	for _, pair := range of {
		name, value, _ := strings.Cut(pair, "=")
		if _, replaced := p.Env[name]; !replaced {
			env = append(env, pair)
		} else if value != "" && slices.Contains(p.Inherit, name) {
			front[name] = value + " "
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		value, err := config.Expand(p.Env[name], values)
		if err != nil {
			return nil, fmt.Errorf("environment variable %s: %w", name, err)
		}
		env = append(env, name+"="+front[name]+value)
	}
	return shell.PastProxies(append(env, SwitchedOff(env, p)...)), nil
}

// SwitchedOff are the variables, NAME=value, by which tracers in the code of a process are switched off that has env besides
// what the plan sets.
func SwitchedOff(env []string, p config.Process) []string {
	if !p.Off {
		return nil
	}
	var out []string
	for _, off := range shell.Off {
		name, _, _ := strings.Cut(off, "=")
		_, said := p.Env[name]
		if !said && !slices.ContainsFunc(env, func(pair string) bool { return strings.HasPrefix(pair, name+"=") }) {
			out = append(out, off)
		}
	}
	return out
}
