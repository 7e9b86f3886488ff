package artifact

// Which packages of a Python program its tracer replaces by versions of its own, as its folder goes in front of the
// program's.

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Shadow is a package that a program has in one version, and gets in another with its tracer.
type Shadow struct{ Package, Own, Tracer string }

// distributions has Python say what it finds, the first of each name as the program does.
const distributions = `
import importlib.metadata as m
for d in m.distributions():
    name = d.metadata["Name"]
    if name: print("package", name, d.version)
`

// Shadowed compares the packages that a program's interpreter finds, in its environment and folder, with those in the
// folder of its tracer.
func Shadowed(ctx context.Context, python string, env []string, dir, folder string) ([]Shadow, error) {
	said, err := command{args: []string{python, "-c", distributions}, env: env, dir: dir}.output(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking %s for the packages that it finds: %w", python, err)
	}
	own := map[string]string{}
	for line := range strings.Lines(said) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[0] != "package" {
			continue
		}
		if name := pythonName([]byte(fields[1])); own[name] == "" {
			own[name] = fields[2]
		}
	}
	infos, err := filepath.Glob(filepath.Join(folder, "*.dist-info"))
	if err != nil {
		return nil, fmt.Errorf("listing the packages in %s: %w", folder, err)
	}
	var out []Shadow
	for _, info := range infos {
		name, version, _ := strings.Cut(strings.TrimSuffix(filepath.Base(info), ".dist-info"), "-")
		if before := own[pythonName([]byte(name))]; before != "" && before != version {
			out = append(out, Shadow{pythonName([]byte(name)), before, version})
		}
	}
	slices.SortFunc(out, func(a, b Shadow) int { return strings.Compare(a.Package, b.Package) })
	return out, nil
}
