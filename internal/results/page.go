// The page of a result, with the profiles that its folder holds.

package results

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/report"
)

// WritePage writes the page of a result, with the profiles that its folder holds.
func WritePage(w io.Writer, doc *finding.Document) error {
	return report.HTMLWith(w, doc, stacksOf(doc))
}

// stacksOf folds the profiles of each operation at each level. Where one cannot be read, the operation has no stacks, and
// says why: others of its profiles would stand for what they do not hold.
func stacksOf(doc *finding.Document) []report.Stacks {
	var out []report.Stacks
	for _, one := range doc.Profiles {
		at := slices.IndexFunc(out, func(s report.Stacks) bool {
			return s.Operation == one.Operation && maps.Equal(s.Parameter, one.Parameter)
		})
		if at < 0 {
			at = len(out)
			out = append(out, report.Stacks{Operation: one.Operation, Parameter: one.Parameter})
		}
		if of := &out[at]; !slices.Contains(of.Variants, one.Variant) {
			of.Variants = append(of.Variants, one.Variant)
		}
	}
	for i := range out {
		if out[i].Tree, out[i].Unseen, out[i].Failure = fold(doc, &out[i]); out[i].Failure != nil {
			out[i].Failure = fmt.Errorf("reading the profiles of %s: %w", cell.AtOf(out[i].Operation, out[i].Parameter), out[i].Failure)
		}
	}
	return out
}

// fold folds the profiles of an operation: each run has the same weight.
func fold(doc *finding.Document, of *report.Stacks) (*profile.Tree, []float64, error) {
	folder, err := os.OpenRoot(doc.Results)
	if err != nil {
		return nil, nil, err
	}
	defer folder.Close()
	tree, unseen := profile.NewTree(len(of.Variants)), make([]float64, len(of.Variants))
	for side, variant := range of.Variants {
		var own []finding.Profile
		blocks := map[int]bool{}
		for _, one := range doc.Profiles {
			if one.Variant == variant && one.Operation == of.Operation && maps.Equal(one.Parameter, of.Parameter) {
				own, blocks[one.Block] = append(own, one), true
			}
		}
		for _, one := range own {
			sorted, err := readSorted(folder, one.File)
			if err != nil {
				return nil, nil, err
			}
			amount := one.PerOperation / float64(len(blocks))
			if unseen[side] += amount * one.Unseen; sorted.Total > 0 {
				tree.Add(side, sorted, amount*(1-one.Unseen)/float64(sorted.Total))
			}
		}
	}
	return tree, unseen, nil
}

// readSorted reads a profile of a results folder, which is not trusted: it opens no file outside of it, and no pipe.
func readSorted(folder *os.Root, name string) (*profile.Sorted, error) {
	info, err := folder.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	file, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sorted, err := profile.ReadSorted(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return sorted, nil
}
