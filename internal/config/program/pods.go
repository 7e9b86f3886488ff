// Pods of a cluster: the file that has their template, and their labels and annotations.

package program

import (
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/kubernetes/manifests"
)

// maxManifest is the most bytes of an object that the resolved experiment holds.
const maxManifest = 128 << 10

// manifest puts the object that has the template of a process in the place of the file's name, and its name into deployment: what is
// measured is then known without the file. It returns what else is in that. The results of an experiment have the object already.
func (s *Source) manifest(n *Node) (unmade []string) {
	file, of := n.Get("manifests"), n.Get("deployment")
	if file == nil {
		return nil
	}
	text, named := s.Text(file), ""
	if !strings.Contains(text, "\n") {
		var err error
		if text, err = s.opened(s.Line(file)); err != nil {
			s.Fail(file.At, "manifests: %v", err)
			return nil
		}
	}
	if of != nil {
		named = s.Line(of)
	}
	found, err := manifests.Find([]byte(text), named)
	switch {
	case err != nil:
		s.Fail(file.At, "manifests: %s", Printable(err.Error()))
		return nil
	case len(found.Text) > maxManifest:
		s.Fail(file.At, "manifests: %s has %d bytes, and the most is %d", Printable(found.Of), len(found.Text), maxManifest)
		return nil
	}
	if of == nil {
		of = &Node{Kind: Scalar, At: file.At}
		n.Entries = append(n.Entries, Entry{"deployment", file.At, of})
	}
	file.Text, of.Text = found.Text, found.Of
	return found.Ignored
}

// opened is the text of a file beside this one.
func (s *Source) opened(name string) (string, error) {
	if s.Open == nil {
		return "", errors.New("there is no folder to read the file from: write the workload into the experiment")
	}
	text, err := s.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", errors.New("there is no file \"" + Printable(name) + "\" beside this one")
	}
	return string(text), err
}

// The labels and annotations by which tracetax finds its own objects.
const (
	LabelOf  = "app.kubernetes.io/managed-by"
	OwnMarks = "tracetax/" // begins all others
)

// OwnMark reports whether a label or an annotation is tracetax's own.
func OwnMark(name string) bool { return name == LabelOf || strings.HasPrefix(name, OwnMarks) }

// What an API server takes as the name of a label or an annotation, and as the value of a label.
var (
	markName   = regexp.MustCompile(`^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)
	labelValue = regexp.MustCompile(`^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$`)
)

// readMarks reads the labels or the annotations of pods. Nothing is filled in but ${env:NAME}: values may be of any language.
func readMarks(s *Source, n *Node, k key) any {
	out := map[string]string{}
	for _, e := range s.Entries(n, k.name) {
		value := s.Text(e.Value)
		switch {
		case !markName.MatchString(e.Key):
			s.Fail(e.At, "%s: %q is no name such as sidecar.istio.io/inject: letters, digits and any of - _ . behind a domain, at most 63 of them",
				k.name, Printable(e.Key))
		case OwnMark(e.Key):
			s.Fail(e.At, "%s: by %s tracetax knows its own pods; leave it out", k.name, Printable(e.Key))
		case k.name == "labels" && !labelValue.MatchString(value) && len(EnvReferences(value)) == 0:
			s.Fail(e.Value.At, "label %s: %q is no value of a label: that has letters, digits and any of - _ . between them, at most 63; "+
				"an annotation may have any", Printable(e.Key), Printable(value))
		}
		for _, word := range Placeholders(value) {
			if slices.Contains(s.Known, word) {
				s.Fail(e.Value.At, "%s stand in the pod as they are written, and nothing fills in {%s}: give the program a variable (env)", k.name, word)
			}
		}
		s.environment(e.Value.At, value)
		out[e.Key] = value
	}
	return out
}
