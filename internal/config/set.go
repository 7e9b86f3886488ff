// Keys of an experiment that the command line gives.

package config

import (
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config/program"
)

// Set is a key of an experiment file that the command line gives, in the place of the file's.
type Set struct {
	Path  string // such as load.depth
	Value string // YAML; see program.Source.Given
	Flag  string // what the user typed, for errors; "": --set PATH=VALUE
}

// Sets are in the order of the command line; the last of a path counts.
type Sets []Set

// ParseSets reads the values of --set, such as load.depth=8.
func ParseSets(texts []string) (Sets, error) {
	var out Sets
	for _, text := range texts {
		path, value, ok := strings.Cut(text, "=")
		if path = strings.TrimSpace(path); !ok || path == "" || strings.Contains("."+path+".", "..") {
			return nil, program.Problems{{Flag: "--set " + quote(text),
				Text: "write KEY=VALUE, as load.depth=8; the keys are those of an experiment file, with dots between them"}}
		}
		out = append(out, Set{Path: path, Value: value})
	}
	return out, nil
}

func (s Set) flag() string {
	if s.Flag != "" {
		return s.Flag + " " + quote(s.Value)
	}
	return "--set " + quote(s.Path+"="+s.Value)
}

// Has reports whether a key, or a part of it, is given.
func (all Sets) Has(path string) bool {
	return slices.ContainsFunc(all, func(s Set) bool { return s.Path == path || strings.HasPrefix(s.Path, path+".") })
}

// excluded are keys that give way to one that is given.
var excluded = []struct {
	given, gone string
	where       func(given, gone *program.Node) bool // nil: always
}{
	{"load.rate", "load.capacity", nil},
	{"load.rate", "load.connections", swept},
	{"load.connections", "load.rate", nil},
	{"load.connections", "load.capacity", nil},
	{"load.capacity", "load.rate", nil},
	{"load.capacity", "load.connections", swept},
	{"load.rate", "load.depth", bothSwept},
	{"load.rate", "load.threads", bothSwept},
	{"load.depth", "load.rate", bothSwept},
	{"load.depth", "load.threads", bothSwept},
	{"load.threads", "load.rate", bothSwept},
	{"load.threads", "load.depth", bothSwept},
	{"design.blocks", "design.precision", func(blocks, _ *program.Node) bool { return !strings.Contains(blocks.Text, "..") }},
	{"design.precision", "design.blocks", func(_, blocks *program.Node) bool { return !strings.Contains(blocks.Text, "..") }},
	{"operations", "mix", nil},
	{"mix", "operations", nil},
	{"workload", "workloads", nil},
	{"workloads", "workload", nil},
}

func swept(_, gone *program.Node) bool { return gone.Kind == program.List }

func bothSwept(given, gone *program.Node) bool {
	return given.Kind == program.List && gone.Kind == program.List
}

// apply puts the keys into the tree of a file, and takes out those that give way to them.
func (all Sets) apply(s *program.Source, root *program.Node) {
	for _, one := range all {
		if value := one.read(s); value != nil {
			s.Put(root, one.Path, value)
		}
	}
	for _, x := range excluded {
		given, gone := root.Find(x.given), root.Find(x.gone)
		if all.Has(x.given) && !all.Has(x.gone) && given != nil && gone != nil && (x.where == nil || x.where(given, gone)) {
			root.Drop(x.gone)
		}
	}
}

func (s Set) read(from *program.Source) *program.Node {
	if s.Path == "budget" && !strings.HasPrefix(s.Value, "{") {
		return limitsOf(from, program.Place{Flag: s.flag()}, s.Value)
	}
	return from.Given(s.flag(), s.Value)
}
