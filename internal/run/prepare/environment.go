package prepare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/spec"
)

// Environment is what a program gets of the user's shell, and what the plan sets.
func Environment(shell []string, p spec.Process, values map[string]string) ([]string, error) {
	var env []string
	front := map[string]string{}
	for _, pair := range shell {
		name, value, _ := strings.Cut(pair, "=")
		if _, replaced := p.Env[name]; !replaced {
			env = append(env, pair)
		} else if value != "" && slices.Contains(p.Inherit, name) {
			front[name] = value + " "
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		value, err := spec.Expand(p.Env[name], values)
		if err != nil {
			return nil, fmt.Errorf("environment variable %s: %w", name, err)
		}
		env = append(env, name+"="+front[name]+value)
	}
	return env, nil
}
