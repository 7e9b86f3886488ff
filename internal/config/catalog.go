// The catalog: built-in workloads, services, tracers and experiments, and those of
// the user.

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/nearest"
)

// Catalog finds workloads, services, tracers and experiments by name in one or
// several trees: workloads/NAME/workload.yaml, services/NAME/service.yaml,
// tracers/NAME/tracer.yaml and experiments/NAME.yaml. NAME of a workload may have several parts.
type Catalog struct {
	layers []fs.FS
}

// NewCatalog is the catalog of the given trees. Where several have the same
// name, the last one wins.
func NewCatalog(layers ...fs.FS) *Catalog { return &Catalog{layers: layers} }

// Workload is the workload of that name. The error is an *UnknownError, Problems
// in its file, or a failure to read it.
func (c *Catalog) Workload(name string) (*Workload, error) {
	text, file, files, err := c.read("workload", "workloads", name, "workload.yaml", c.Workloads)
	if err != nil {
		return nil, err
	}
	s := &source{file: file, files: files, open: func(n string) ([]byte, error) { return readNamed(files, n) }, services: c.Service, shared: func() (map[string]fs.FS, error) { return c.sharedFolders("workloads") }}
	w := &Workload{}
	if root := parseYAML(s, text); root != nil {
		w = s.workload(root, name)
	}
	w.Name, w.Files = name, s.files
	w.Needs = w.Artifact.needs(w.Needs)
	return w, s.err()
}

// Service is the service of that name. Errors are as those of Workload.
func (c *Catalog) Service(name string) (*Service, error) {
	text, file, files, err := c.read("service", "services", name, "service.yaml", c.Services)
	if err != nil {
		return nil, err
	}
	service, err := ParseService(file, name, text)
	if err != nil {
		return nil, err
	}
	service.Files = files
	if service.Hop != nil {
		service.Hop.Files = files
	}
	return service, nil
}

// Tracer is the tracer of that name; "none" is always there. Errors are as those
// of Workload.
func (c *Catalog) Tracer(name string) (*Tracer, error) {
	text, file, files, err := c.read("tracer", "tracers", name, "tracer.yaml", c.Tracers)
	if err != nil {
		var unknown *UnknownError
		if name == NoTracer && errors.As(err, &unknown) {
			return &Tracer{Name: NoTracer, Description: "No tracing: the program as it is."}, nil
		}
		return nil, err
	}
	s := &source{file: file, files: files, services: c.Service, shared: func() (map[string]fs.FS, error) { return c.sharedFolders("tracers") }}
	t := &Tracer{}
	if root := parseYAML(s, text); root != nil {
		t = s.tracer(root, name)
	}
	t.Name, t.Files = name, s.files
	t.Needs = t.Artifact.needs(t.Needs)
	for _, b := range t.Processes {
		if b.Service != nil {
			t.Needs = Distinct(slices.Concat(t.Needs, b.Service.Needs))
		}
	}
	return t, s.err()
}

// Workloads are the names of all workloads, sorted.
func (c *Catalog) Workloads() ([]string, error) {
	return c.names("workloads", func(file string) (string, bool) {
		dir, base := path.Split(file)
		return strings.TrimSuffix(dir, "/"), base == "workload.yaml"
	})
}

// Services are the names of all services, sorted.
func (c *Catalog) Services() ([]string, error) {
	return c.names("services", func(file string) (string, bool) {
		dir, base := path.Split(file)
		return strings.TrimSuffix(dir, "/"), base == "service.yaml" && strings.Count(file, "/") == 1
	})
}

// Tracers are the names of all tracers, sorted; "none" is among them.
func (c *Catalog) Tracers() ([]string, error) {
	names, err := c.names("tracers", func(file string) (string, bool) {
		dir, base := path.Split(file)
		return strings.TrimSuffix(dir, "/"), base == "tracer.yaml" && strings.Count(file, "/") == 1
	})
	if err == nil && !slices.Contains(names, NoTracer) {
		names = append(names, NoTracer)
		slices.Sort(names)
	}
	return names, err
}

// Experiments are the names of all built-in experiments, sorted.
func (c *Catalog) Experiments() ([]string, error) {
	return c.names("experiments", func(file string) (string, bool) {
		return strings.CutSuffix(file, ".yaml")
	})
}

// names are what name makes of the files below dir, in all layers.
func (c *Catalog) names(dir string, name func(file string) (string, bool)) ([]string, error) {
	found := map[string]bool{}
	for _, layer := range c.layers {
		err := fs.WalkDir(layer, dir, func(p string, d fs.DirEntry, err error) error {
			if p == dir && errors.Is(err, fs.ErrNotExist) {
				return fs.SkipAll
			}
			if err != nil || d.IsDir() {
				return err
			}
			if n, ok := name(strings.TrimPrefix(p, dir+"/")); ok {
				found[n] = true
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("listing %s: %w", dir, err)
		}
	}
	out := []string{}
	for n := range found {
		out = append(out, n)
	}
	slices.Sort(out)
	return out, nil
}

// read finds folder/name/base in the last layer that has it.
func (c *Catalog) read(what, folder, name, base string, all func() ([]string, error)) (text []byte, file string, files fs.FS, err error) {
	names, err := all()
	if err != nil {
		return nil, "", nil, err
	}
	unknown := &UnknownError{What: what, Name: printable(name), Nearest: nearest.Word(name, names)}
	if what == "tracer" && unknown.Nearest == "" {
		unknown.Related = related(name, names)
	}
	if !slices.Contains(names, name) {
		return nil, "", nil, unknown
	}
	dir := path.Join(folder, name)
	file = path.Join(dir, base)
	for _, layer := range slices.Backward(c.layers) {
		text, err = fs.ReadFile(layer, file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			files, err = fs.Sub(layer, dir)
		}
		if err != nil {
			err = fmt.Errorf("reading %s %q: %w", what, name, err)
		}
		return text, file, files, err
	}
	return nil, "", nil, unknown
}
