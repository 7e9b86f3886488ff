// Tracer files.

package config

import (
	"regexp"
	"slices"
	"time"
)

// ParseTracer reads a tracer file. File is its name for errors.
func ParseTracer(file, name string, text []byte) (*Tracer, error) {
	s := &source{file: file}
	root := parseYAML(s, text)
	if root == nil {
		return nil, s.err()
	}
	t := s.tracer(root, name)
	if err := s.err(); err != nil {
		return nil, err
	}
	return t, nil
}

func (s *source) tracer(n *node, name string) *Tracer {
	t := &Tracer{Name: name}
	var templates, processes *node
	known := slices.Concat(runPlaceholders, s.processPorts(n.get("processes"), nil)) // of each process: those that stand beside it
	s.mapping(n, "a tracer", fields{
		"language":    func(v *node) { t.Language = s.line(v) },
		"description": func(v *node) { t.Description = s.text(v) },
		"needs":       func(v *node) { t.Needs = s.needs(v) },
		"programs":    func(v *node) { t.Programs = s.programs(v) },
		"artifact":    func(v *node) { t.Artifact = s.artifact(v) },
		"shared":      s.share,
		"compiled":    func(v *node) { t.Compiled = s.flag(v) },
		"wrap":        func(v *node) { t.Wrap = s.arguments(v, known) },
		"args":        func(v *node) { t.Args = s.arguments(v, known) },
		"env":         func(v *node) { t.Env = s.env(v, known) },
		"settings":    func(v *node) { t.Settings = s.settings(v, known) },
		"says":        func(v *node) { t.Says = s.says(v, tracerSays) },
		"metrics":     func(v *node) { t.Metrics = s.page(v) },
		"admits":      s.admits,
		"tells":       func(v *node) { t.Tells = s.tells(v) },
		"settle":      func(v *node) { t.Settle = s.duration(v, 0, 10*time.Minute) },
		"startup":     func(v *node) { t.Startup = s.duration(v, 0, 10*time.Minute) },
		"connects":    func(v *node) { t.Connects = s.duration(v, 0, 10*time.Minute) },
		"buffers":     func(v *node) { t.Buffers = s.whole(v, 0, 1_000_000) },
		"ends":        func(v *node) { t.Ends = s.line(v) },
		"append":      func(v *node) { t.Append = s.env(v, known) },
		"templates":   func(v *node) { templates = v },
		"processes":   func(v *node) { processes = v },
	})
	s.paged(n, "tracer", t.Metrics, t.Says)
	if templates != nil {
		t.Templates = s.templates(templates, append(known, t.settingPlaceholders()...))
	}
	if processes != nil {
		t.Processes = s.brought(processes, t)
	}
	return t
}

// programs reads how to get programs, by their names.
func (s *source) programs(n *node) map[string]string {
	out := map[string]string{}
	for _, e := range s.entries(n, "programs") {
		before := len(s.problems)
		if out[e.key] = s.line(e.value); out[e.key] == "" && len(s.problems) == before {
			s.fail(e.at, "say how to get %s, such as: install it by …", printable(e.key))
		}
	}
	return out
}

// arguments reads a list of words that may hold placeholders.
func (s *source) arguments(n *node, known []string) []string {
	if n.kind != list && n.kind != null {
		s.fail(n.at, "expected a list of words, such as [--verbose, \"--port={port}\"], not %s", n.kind)
		return nil
	}
	words := s.texts(n)
	for i, w := range words {
		s.placeholders(n.items[i].at, w, known)
	}
	return words
}

var kinds = []string{"share", "count", "duration", "choice", "text"}

// tells reads the pattern of the lines that name what is instrumented.
func (s *source) tells(n *node) string {
	text := s.compile(n)
	if re, err := regexp.Compile(text); err == nil && re.SubexpIndex("name") < 0 {
		s.fail(n.at, "the group that holds the library must be called name: (?P<name>\\S+)")
	}
	return text
}
