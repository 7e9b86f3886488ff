// Files of a tracer or a workload that are filled in for each run: the settings when a plan is
// made, the rest, such as where the sink is and which ports there are, by the run.
package spec

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// settingPrefix begins the word of a setting in a template: {setting.sampling},
// and with the kind's other spellings {setting.sampling.ratio}.
const settingPrefix = "setting."

// sinkMark begins the placeholders of where the sink is.
const sinkMark = "{sink."

// templates are the texts of the workload's templates, and of the variant's tracer's.
func (e *Experiment) templates(v Variant) (map[string]string, error) {
	out, err := v.templates()
	if err != nil || len(e.Workload.Templates) == 0 {
		return out, err
	}
	if out == nil {
		out = map[string]string{}
	}
	for _, name := range e.Workload.Templates {
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("the template %s is one of workload %s and one of tracer %s: give one of them another name", name, e.Workload.Name, v.Tracer.Name)
		}
		content, err := fs.ReadFile(e.Workload.Files, name)
		if err != nil {
			return nil, fmt.Errorf("reading the template %s of workload %s: %w", name, e.Workload.Name, err)
		}
		out[name] = string(content)
	}
	return out, nil
}

// templates are the texts of the tracer's templates with the variant's settings in
// them. It fails where a file is not there or names a setting that the tracer has not got.
func (v Variant) templates() (map[string]string, error) {
	if len(v.Tracer.Templates) == 0 {
		return nil, nil
	}
	words := v.settingWords()
	out := map[string]string{}
	for _, name := range v.Tracer.Templates {
		content, err := fs.ReadFile(v.Tracer.Files, name)
		if err != nil {
			return nil, fmt.Errorf("reading the template %s of tracer %s: %w", name, v.Tracer.Name, err)
		}
		var missing string
		out[name] = replace(string(content), func(word string) string {
			value, known := words[word]
			if !known && strings.HasPrefix(word, settingPrefix) && missing == "" {
				missing = word
			}
			if !known {
				return "{" + word + "}"
			}
			return literal(value)
		}, nil, nil)
		if missing != "" {
			return nil, fmt.Errorf("template %s of tracer %s: there is no {%s}", name, v.Tracer.Name, missing)
		}
	}
	return out, nil
}

// maxTemplate is how large a template may be, in bytes.
const maxTemplate = 1 << 20

// tracerTemplates reads the templates of a tracer: its settings may stand in them.
func (s *source) tracerTemplates(n *node, t *Tracer) []string {
	known := slices.Clone(runPlaceholders)
	for _, set := range t.Settings {
		for word := range set.words(set.Default) {
			known = append(known, settingPrefix+set.Name+strings.TrimPrefix(word, "value"))
		}
	}
	return s.templates(n, known)
}

// workloadTemplates reads the templates of a workload: they are of no process, so that ports have the names of theirs.
func (s *source) workloadTemplates(n *node, w *Workload) []string {
	if s.files == nil {
		s.fail(n.at, "templates is for workloads of a catalog: they are files of its folder")
		return nil
	}
	known := slices.DeleteFunc(slices.Clone(runPlaceholders), func(word string) bool {
		return slices.Contains([]string{"port", "process", "service"}, word)
	})
	for _, p := range w.Processes {
		known = append(known, p.Name+".port")
		for _, word := range p.Words() {
			if strings.HasPrefix(word, PortPrefix) {
				known = append(known, p.Name+"."+word)
			}
		}
	}
	return s.templates(n, known)
}

// templates reads the names of files with placeholders, and checks what they hold
// as far as the folder is known.
func (s *source) templates(n *node, known []string) []string {
	var out []string
	for i, name := range s.texts(n) {
		at := n.at
		if n.kind == list {
			at = n.items[i].at
		}
		clean := path.Clean(name)
		switch {
		case name == "" || !filepath.IsLocal(filepath.FromSlash(name)):
			s.fail(at, "a template is a file in this folder, not %q", printable(name))
			continue
		case slices.Contains(out, clean):
			s.fail(at, "template %s is here a second time", printable(name))
			continue
		}
		s.template(at, clean, known)
		out = append(out, clean)
	}
	return out
}

func (s *source) template(at place, name string, known []string) {
	if s.files == nil {
		return
	}
	text, err := fs.ReadFile(s.files, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.fail(at, "there is no template %q in this folder", printable(name))
	case err != nil:
		s.fail(at, "template %s: %v", printable(name), err)
	case len(text) > maxTemplate:
		s.fail(at, "template %s has %d bytes; the most is %d", printable(name), len(text), maxTemplate)
	}
	for i, line := range strings.Split(string(text), "\n") {
		for _, word := range Placeholders(line) {
			s.filled = append(s.filled, word)
			if !slices.Contains(known, word) {
				s.fail(at, "%s:%d: %s (write {{%s}} for the word in braces itself)", printable(name), i+1, unknown("placeholder", "{"+word+"}", braced(known)), word)
			}
		}
	}
}

// settingWords are the words of all settings of the variant.
func (v Variant) settingWords() map[string]string {
	words := map[string]string{}
	for _, s := range v.Tracer.Settings {
		for word, value := range s.words(v.Settings[s.Name]) {
			words[settingPrefix+s.Name+strings.TrimPrefix(word, "value")] = value
		}
	}
	return words
}

// Texts are all texts of the plan that the run fills in: commands, environments and
// templates.
func (p *Plan) Texts() []string { return p.textsOf(func(string) bool { return true }) }

// textsOf are those of certain processes; templates are the tracer's.
func (p *Plan) textsOf(is func(process string) bool) []string {
	var out []string
	for _, one := range p.Processes {
		if !is(one.Name) {
			continue
		}
		out = append(out, one.Run...)
		for value := range maps.Values(one.Env) {
			out = append(out, value)
		}
	}
	if !is("") {
		return out
	}
	for text := range maps.Values(p.Templates) {
		out = append(out, text)
	}
	return out
}

// NamesSink reports whether the plan tells any but its hops where the sink is.
func (p *Plan) NamesSink() bool {
	return slices.ContainsFunc(p.textsOf(p.noHop), func(text string) bool { return strings.Contains(text, sinkMark) })
}

// noHop reports whether a process is none of the hops.
func (p *Plan) noHop(process string) bool { return !slices.Contains(p.Via, process) }
