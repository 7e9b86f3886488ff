// The catalog: built-in workloads, services, tracers and experiments, and those of
// the user.

package program

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/suggest"
)

// Catalog finds workloads, services, tracers and experiments by name in one or
// several trees: workloads/NAME/workload.yaml, services/NAME/service.yaml,
// tracers/NAME/tracer.yaml and experiments/NAME.yaml. NAME of a workload may have several parts.
type Catalog struct {
	Layers []fs.FS
}

// NewCatalog is the catalog of the given trees. Where several have the same
// name, the last one wins.
func NewCatalog(layers ...fs.FS) *Catalog { return &Catalog{Layers: layers} }

// Workload is the workload of that name. The error is an *UnknownError, Problems
// in its file, or a failure to read it.
func (c *Catalog) Workload(name string) (*Workload, error) {
	text, file, files, err := c.read("workload", "workloads", name, "workload.yaml", c.Workloads)
	if err != nil {
		return nil, err
	}
	s := &Source{File: file, Files: files, Open: func(n string) ([]byte, error) { return readNamed(files, n) }, Services: c.Service, shared: c.SharedPrograms, NodeFolders: c.SharedPrograms}
	w := &Workload{}
	if root := ParseYAML(s, text); root != nil {
		w = s.Workload(root, name)
	}
	w.Name, w.Files = name, s.Files
	w.Needs = w.Artifact.needs(w.Needs)
	return w, s.Err()
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
	s := &Source{File: file, Files: files, Services: c.Service, shared: func() (map[string]fs.FS, error) { return c.sharedFolders("tracers") }}
	t := s.tracer(text, name)
	t.Files = s.Files
	t.Needs = t.Artifact.needs(t.Needs)
	for _, b := range t.Processes {
		if b.Service != nil {
			t.Needs = Distinct(slices.Concat(t.Needs, b.Service.Needs))
		}
	}
	return t, s.Err()
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

// names lists the results of name for the files below dir, in all layers.
func (c *Catalog) names(dir string, name func(file string) (string, bool)) ([]string, error) {
	found := map[string]bool{}
	for _, layer := range c.Layers {
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
	unknown := &UnknownError{What: what, Name: Printable(name), Nearest: suggest.Word(name, names)}
	if what == "tracer" && unknown.Nearest == "" {
		unknown.Related = related(name, names)
	}
	if !slices.Contains(names, name) {
		return nil, "", nil, unknown
	}
	dir := path.Join(folder, name)
	file = path.Join(dir, base)
	for _, layer := range slices.Backward(c.Layers) {
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

// mostFile is the size of the largest file that is read whole, in bytes.
const mostFile = 64 << 20

// ReadRegular reads a regular file: reading a named pipe would block until another process writes.
func ReadRegular(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, Problems{{File: name, Text: "this is not a regular file"}}
	}
	if info.Size() > mostFile {
		text := fmt.Sprintf("this file has %d bytes, and may have %d: is it the right one?", info.Size(), mostFile)
		return nil, Problems{{File: name, Text: text}}
	}
	return os.ReadFile(name)
}

// Names that are not known: what of the catalog may be meant.

// UnknownError is a name that is not in the catalog.
type UnknownError struct {
	What    string // "workload", "tracer", "experiment" or "variant"
	Name    string
	Nearest string   // "" where nothing is near
	Related []string // of a tracer where nothing is nearest: those that may be meant, sorted
	Known   []string // all there are, where no command lists them
}

func (e *UnknownError) Error() string {
	hint := suggest.DidYouMean(e.Nearest)
	switch {
	case e.Nearest != "":
	case len(e.Related) > 0:
		hint = suggest.DidYouMean(e.Related...)
	case len(e.Known) > 0:
		hint = suggest.Hint(e.Name, e.Known)
	default:
		hint = fmt.Sprintf("; 'tracetax list %ss' shows them", e.What)
	}
	return fmt.Sprintf("unknown %s %q%s", e.What, e.Name, hint)
}

// Unknown says that word is none of the known ones, and which may be meant.
func Unknown(what, word string, known []string) string { return suggest.Unknown(what, word, known) }

// related are the tracers that may be meant by a word that is near no whole name: those
// that are near it but for their language, or else those that hold it.
func related(word string, known []string) []string {
	var stems []string
	for _, k := range known {
		stems = append(stems, stem(k))
	}
	near := suggest.Word(word, stems)
	var out []string
	for _, k := range slices.Sorted(slices.Values(known)) {
		holds := near == "" && len(word) >= 3 && strings.Contains(k, strings.ToLower(word))
		if holds || near != "" && stem(k) == near {
			out = append(out, k)
		}
	}
	return out
}

// stem is the name of a tracer without its language: otel of otel-python.
func stem(tracer string) string {
	if i := strings.LastIndex(tracer, "-"); i > 0 {
		return tracer[:i]
	}
	return tracer
}
