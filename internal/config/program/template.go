// Files of a tracer or a workload that are filled in for each run: the settings when a plan is
// made, the rest, such as where the sink is, by the run.

package program

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// settingPrefix begins the word of a setting in a template: {setting.sampling},
// and with the kind's other spellings {setting.sampling.ratio}.
const settingPrefix = "setting."

// maxTemplate is the most bytes of a template.
const maxTemplate = 1 << 20

// WithSettings fills the words of settings into a text; missing is one that there is not.
func WithSettings(text string, words map[string]string) (filled, missing string) {
	filled = Replace(text, func(word string) string {
		value, known := words[word]
		if !known && strings.HasPrefix(word, settingPrefix) && missing == "" {
			missing = word
		}
		if !known {
			return "{" + word + "}"
		}
		return value
	}, nil, nil)
	return filled, missing
}

// templates reads the names of files with placeholders, and checks what they hold
// as far as the folder is known.
func (s *Source) templates(n *Node) []string {
	var out []string
	for i, name := range s.Texts(n) {
		at := n.At
		if n.Kind == List {
			at = n.Items[i].At
		}
		clean := path.Clean(name)
		switch {
		case name == "" || !filepath.IsLocal(filepath.FromSlash(name)):
			s.Fail(at, "a template is a file in this folder, not %q", Printable(name))
			continue
		case slices.Contains(out, clean):
			s.Fail(at, "template %s is here a second time", Printable(name))
			continue
		}
		s.template(at, clean)
		out = append(out, clean)
	}
	return out
}

// ownTemplates reads the templates of a workload's own process.
func (s *Source) ownTemplates(n *Node) map[string]string {
	if s.Files == nil {
		s.Fail(n.At, "templates are files of the folder of a workload; one that is written into an experiment has none")
		return nil
	}
	out := map[string]string{}
	s.Known = without(s.Known, "service")
	for _, name := range s.templates(n) {
		out[name] = s.templateText(name)
	}
	return out
}

func (s *Source) template(at Place, name string) {
	if s.Files == nil {
		return
	}
	text, err := fs.ReadFile(s.Files, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.Fail(at, "there is no template %q in this folder", Printable(name))
	case err != nil:
		s.Fail(at, "template %s: %v", Printable(name), err)
	case len(text) > maxTemplate:
		s.Fail(at, "template %s has %d bytes; the most is %d", Printable(name), len(text), maxTemplate)
	}
	for i, line := range strings.Split(string(text), "\n") {
		for _, word := range Placeholders(line) {
			if !slices.Contains(s.Known, word) && !strings.HasPrefix(word, PortPrefix) {
				s.Fail(at, "%s:%d: %s (write {{%s}} for the word in braces itself)", Printable(name), i+1, Unknown("placeholder", "{"+word+"}", braced(s.Known)), word)
			}
		}
	}
}

// WordsOfSettings are the words of settings that have these values.
func WordsOfSettings(settings []Setting, values map[string]string) map[string]string {
	words := map[string]string{}
	for _, s := range settings {
		for word, value := range s.literal(values[s.Name]) {
			words[settingPrefix+s.Name+strings.TrimPrefix(word, "value")] = value
		}
	}
	return words
}

// templateText returns the text of a template; "" if it cannot be read, which s.template reports.
func (s *Source) templateText(name string) string {
	if !fs.ValidPath(name) {
		return ""
	}
	text, err := fs.ReadFile(s.Files, name)
	if err != nil {
		return ""
	}
	return string(text)
}
