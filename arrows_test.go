package tracetax_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// arrowsUp are the large packages whose files have an order, which the comment of the package names from the top down, and how many
// arrows between their files go against it. An arrow goes from a file to each other one whose declarations it uses. The numbers
// only ever go down.
var arrowsUp = map[string]int{
	"run":            41,
	"config":         32,
	"config/program": 49,
	"load/engine":    23,
	"ledger":         28,
}

// The files of a large package stand in an order: one reads it from the top, and what a file uses comes after it.
func TestArrowsInsidePackages(t *testing.T) {
	var names []string
	for name := range arrowsUp {
		names = append(names, "./"+folder(name))
	}
	all := listed(t, names)
	for name, most := range arrowsUp {
		one, there := all["github.com/tracetax/tracetax/"+folder(name)]
		if !there {
			t.Errorf("%s is gone: take it out of the table in arrows_test.go", folder(name))
			continue
		}
		order, arrows := one.arrows(t, all)
		for _, file := range one.GoFiles {
			if !slices.Contains(order, file) {
				t.Errorf("%s/%s has no place in the order of its package's comment (Files, from the top: …)", folder(name), file)
			}
		}
		for _, file := range order {
			if !slices.Contains(one.GoFiles, file) {
				t.Errorf("the comment of %s gives a place to %s, which is gone", folder(name), file)
			}
		}
		up := against(order, arrows)
		if len(up) > most {
			t.Errorf("%s: %d arrows go up, and there were %d; let the files below know less of those above, or change the order in the "+
				"package's comment:\n\t%s", folder(name), len(up), most, strings.Join(up, "\n\t"))
		}
		if len(up) < most {
			t.Errorf("%s: %d arrows go up, fewer than the %d of the table in arrows_test.go: lower it", folder(name), len(up), most)
		}
	}
}

func TestAgainst(t *testing.T) {
	arrows := map[[2]string]bool{{"a", "b"}: true, {"b", "a"}: true, {"c", "a"}: true, {"a", "c"}: true, {"c", "b"}: true}
	if up := against([]string{"a", "b", "c"}, arrows); !slices.Equal(up, []string{"b uses a", "c uses a", "c uses b"}) {
		t.Errorf("%q go up", up)
	}
}

// against lists the arrows that go up in an order.
func against(order []string, arrows map[[2]string]bool) (up []string) {
	for arrow := range arrows {
		if slices.Index(order, arrow[0]) > slices.Index(order, arrow[1]) {
			up = append(up, arrow[0]+" uses "+arrow[1])
		}
	}
	slices.Sort(up)
	return up
}

// fileOrder is the sentence of a package's comment that names its files.
var fileOrder = regexp.MustCompile(`(?s)Files, from the top: (.*?)\.(?:\n|$)`)

// compiled is a package as 'go list' describes it.
type compiled struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// arrows returns the order of the files of a package, and the arrows between them.
func (c compiled) arrows(t *testing.T, all map[string]compiled) (order []string, arrows map[[2]string]bool) {
	t.Helper()
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range c.GoFiles {
		file, err := parser.ParseFile(files, filepath.Join(c.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
		if found := fileOrder.FindStringSubmatch(file.Doc.Text()); found != nil {
			for _, one := range strings.Fields(strings.ReplaceAll(found[1], ",", " ")) {
				order = append(order, one+".go")
			}
		}
	}
	compiler := types.Config{Importer: importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(all[path].Export)
	})}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	checked, err := compiler.Check(c.ImportPath, files, parsed, info)
	if err != nil {
		t.Fatal(err)
	}
	arrows = map[[2]string]bool{}
	for used, what := range info.Uses {
		from, to := files.Position(used.Pos()).Filename, files.Position(what.Pos()).Filename
		if what.Pkg() == checked && from != to && to != "" {
			arrows[[2]string{filepath.Base(from), filepath.Base(to)}] = true
		}
	}
	return order, arrows
}

// listed are the packages, and all that they import, compiled.
func listed(t *testing.T, names []string) map[string]compiled {
	t.Helper()
	list := append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles"}, names...)
	out, err := exec.CommandContext(t.Context(), "go", list...).Output()
	if err != nil {
		t.Fatal(fmt.Errorf("compiling the packages whose arrows are counted: %w", err))
	}
	all := map[string]compiled{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var one compiled
		if err := decoder.Decode(&one); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[one.ImportPath] = one
	}
}
