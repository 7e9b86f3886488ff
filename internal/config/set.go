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

// Text is the user's text.
func (s Set) Text() string {
	if s.Flag != "" {
		return s.Flag + " " + quote(s.Value)
	}
	return "--set " + quote(s.Path+"="+s.Value)
}

// Has reports whether a key, or a part of it, is given.
func (all Sets) Has(path string) bool {
	return slices.ContainsFunc(all, func(s Set) bool { return s.Path == path || strings.HasPrefix(s.Path, path+".") })
}

// excluded are keys of a mapping that cannot stand beside each other: one that is given ends the others.
var excluded = []struct {
	in    string // "": the file itself
	keys  []string
	where func(in *program.Node, given, gone string) bool
}{
	{"", []string{"workload", "workloads"}, always},
	{"", []string{"operations", "mix"}, always},
	{"load", []string{"rate", "connections", "capacity"}, func(in *program.Node, _, gone string) bool {
		return gone != "connections" || in.Get(gone).Kind == program.List // one number is the most that may be open
	}},
	{"load", []string{"rate", "depth", "threads"}, func(in *program.Node, given, gone string) bool {
		return in.Get(given).Kind == program.List && in.Get(gone).Kind == program.List // one thing is swept at a time
	}},
	{"design", []string{"blocks", "precision"}, func(in *program.Node, _, _ string) bool {
		return !strings.Contains(in.Get("blocks").Text, "..")
	}},
}

func always(*program.Node, string, string) bool { return true }

// apply puts the keys into the tree of a file, and takes out those that give way to them.
func (all Sets) apply(s *program.Source, root *program.Node) {
	for _, one := range all {
		if value := one.read(s); value != nil {
			s.Put(root, one.Path, value)
		}
	}
	if len(s.Problems) > 0 {
		return
	}
	for _, x := range excluded {
		in, way := root, ""
		if x.in != "" {
			in, way = root.Get(x.in), x.in+"."
		}
		for _, given := range x.keys {
			for _, gone := range x.keys {
				if all.Has(way+given) && !all.Has(way+gone) && in.Get(given) != nil && in.Get(gone) != nil && x.where(in, given, gone) {
					in.Entries = slices.DeleteFunc(in.Entries, func(e program.Entry) bool { return e.Key == gone })
				}
			}
		}
	}
}

func (s Set) read(from *program.Source) *program.Node {
	if s.Path == "budget" && !strings.HasPrefix(s.Value, "{") {
		return limitsOf(from, program.Place{Flag: s.Text()}, s.Value)
	}
	return from.Given(s.Text(), s.Value)
}
