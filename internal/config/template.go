// Files of a tracer or a workload that are filled in for each run: the settings when a plan is
// made, the rest, such as where the sink is, by the run.

package config

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

// templates are the texts of some of the tracer's files with the variant's settings in
// them. It fails where a file is not there or names a setting that the tracer has not got.
func (v Variant) templates(names []string) (map[string]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	words := v.settingWords()
	out := map[string]string{}
	for _, name := range names {
		content, err := fs.ReadFile(v.Tracer.Files, name)
		if err != nil {
			return nil, fmt.Errorf("reading the template %s of tracer %s: %w", name, v.Tracer.Name, err)
		}
		text, missing := withSettings(string(content), words)
		out[name] = text
		if missing != "" {
			return nil, fmt.Errorf("template %s of tracer %s: there is no {%s}", name, v.Tracer.Name, missing)
		}
	}
	return out, nil
}

// maxTemplate is how large a template may be, in bytes.
const maxTemplate = 1 << 20

// withSettings fills the words of settings into a text; missing is one that there is not.
func withSettings(text string, words map[string]string) (filled, missing string) {
	filled = replace(text, func(word string) string {
		value, known := words[word]
		if !known && strings.HasPrefix(word, settingPrefix) && missing == "" {
			missing = word
		}
		if !known {
			return "{" + word + "}"
		}
		return literal(value)
	}, nil, nil)
	return filled, missing
}

// templates reads the names of files with placeholders, and checks what they hold
// as far as the folder is known.
func (s *source) templates(n *node) []string {
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
		s.template(at, clean)
		out = append(out, clean)
	}
	return out
}

// ownTemplates reads the templates of a workload's own process.
func (s *source) ownTemplates(n *node) map[string]string {
	if s.files == nil {
		s.fail(n.at, "templates are files of the folder of a workload; one that is written into an experiment has none")
		return nil
	}
	out := map[string]string{}
	s.known = without(s.known, "service")
	for _, name := range s.templates(n) {
		out[name] = s.templateText(name)
	}
	return out
}

func (s *source) template(at place, name string) {
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
			if !slices.Contains(s.known, word) && !strings.HasPrefix(word, PortPrefix) {
				s.fail(at, "%s:%d: %s (write {{%s}} for the word in braces itself)", printable(name), i+1, unknown("placeholder", "{"+word+"}", braced(s.known)), word)
			}
		}
	}
}

// settingWords are the words of all settings of the variant.
func (v Variant) settingWords() map[string]string {
	return wordsOfSettings(v.Tracer.Settings, v.Settings)
}

// wordsOfSettings are the words of settings that have these values.
func wordsOfSettings(settings []Setting, values map[string]string) map[string]string {
	words := map[string]string{}
	for _, s := range settings {
		for word, value := range s.words(values[s.Name]) {
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
		for text := range maps.Values(one.Templates) {
			out = append(out, text)
		}
	}
	return out
}

// NamesSink reports whether the plan tells any but its hops and its backend where the sink is.
func (p *Plan) NamesSink() bool {
	return slices.ContainsFunc(p.textsOf(p.noHop), func(text string) bool { return strings.Contains(text, sinkMark) })
}

// noHop reports whether a process is none of those that spans go to.
func (p *Plan) noHop(process string) bool { return !slices.Contains(p.Route(), process) }

// templateText is the text of a template; "" where it cannot be read, of which s.template complains.
func (s *source) templateText(name string) string {
	if !fs.ValidPath(name) {
		return ""
	}
	text, err := fs.ReadFile(s.files, name)
	if err != nil {
		return ""
	}
	return string(text)
}
