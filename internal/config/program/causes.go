// Rules of causes: what the frames of a tracer's profile do.

package program

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/profile"
)

// causesFile has the rules of a tracer, in its folder, and causesParts those that tracers share, by name.
const (
	causesFile  = "causes.yaml"
	causesParts = "tracers/shared/causes"
)

// Rules are the rules of tracers: those of the user's own file first, then those of their folders, then what all share. Own
// is "" where the user has none. They are nil where there are none at all. Errors are as those of Workload.
func (c *Catalog) Rules(own string, tracers ...string) (*profile.Rules, error) {
	var files, parts []*profile.File
	read := map[string]bool{}
	for _, name := range tracers {
		t, err := c.Tracer(name)
		if err != nil {
			return nil, err
		}
		text, err := []byte(nil), error(fs.ErrNotExist)
		if t.Files != nil {
			text, err = fs.ReadFile(t.Files, causesFile)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("reading the rules of %s: %w", name, err)
		}
		built := err == nil
		add := func(name string, text []byte, part bool) error {
			file, shared, err := c.causes(name, text, part, t, read)
			files, parts = append(files, file), append(parts, shared...)
			return err
		}
		if own != "" && !read[own] {
			mine, err := ReadRegular(own)
			if err != nil {
				return nil, fmt.Errorf("reading the rules of causes: %w", err)
			}
			if err := add(own, mine, built); err != nil {
				return nil, err
			}
			read[own] = true
		}
		if built {
			if err := add(path.Join("tracers", name, causesFile), text, false); err != nil {
				return nil, err
			}
		}
	}
	if len(files) == 0 {
		return nil, nil
	}
	all, handsOver := append(files, parts...), 0
	for _, f := range all {
		handsOver += len(f.HandsOver)
	}
	if handsOver > profile.MostHandsOver {
		return nil, fmt.Errorf("the rules of %s have %d frames in hands_over; the most is %d: compare fewer tracers at once, or cut your own rules",
			strings.Join(tracers, ", "), handsOver, profile.MostHandsOver)
	}
	return profile.Compile(all...), nil
}

// causes reads a file of rules, and the parts that it shares and nobody has read. What is added to others needs no frames of
// a tracer. The settings that it advises are those of t.
func (c *Catalog) causes(name string, text []byte, added bool, t *Tracer, read map[string]bool) (*profile.File, []*profile.File, error) {
	s := &Source{File: name}
	file := &profile.File{}
	root := ParseYAML(s, text)
	if root == nil {
		return nil, nil, s.Err()
	}
	s.In = inCauses
	s.Decode(root, file)
	if len(s.Problems) > 0 {
		return nil, nil, s.Err()
	}
	for _, p := range file.Check(added) {
		s.Fail(root.Place(p.Way), "%s", p.Text)
	}
	for i, a := range file.Advice {
		at := root.Place([]string{"advice", fmt.Sprintf("[%d]", i)})
		for word, value := range a.Setting {
			set := t.Setting(word)
			if set == nil {
				s.Fail(at, "%s", Unknown("setting of "+t.Name, Printable(word), t.SettingNames()))
			} else if _, err := set.Canonical(value); err != nil {
				s.Fail(at, "setting %s: %v", word, err)
			}
		}
	}
	var parts []*profile.File
	for i, word := range file.Shared {
		if read[word] {
			continue
		}
		read[word] = true
		text, known, err := c.part(word)
		if text == nil && err == nil {
			s.Fail(root.Place([]string{"shared", fmt.Sprintf("[%d]", i)}), "%s", Unknown("part of rules", Printable(word), known))
		}
		if text == nil {
			return nil, nil, errors.Join(err, s.Err())
		}
		part, further, err := c.causes(path.Join(causesParts, word+".yaml"), text, true, t, read)
		if err != nil {
			return nil, nil, err
		}
		parts = append(append(parts, part), further...)
	}
	return file, parts, s.Err()
}

// part is the text of a part of rules, and the names of all; nil where there is no such part.
func (c *Catalog) part(name string) (text []byte, known []string, err error) {
	known, err = c.names(causesParts, func(file string) (string, bool) { return strings.CutSuffix(file, ".yaml") })
	if err != nil || !slices.Contains(known, name) {
		return nil, known, err
	}
	for _, layer := range slices.Backward(c.Layers) {
		if text, err = fs.ReadFile(layer, path.Join(causesParts, name+".yaml")); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return text, known, err
}
