package tracetax_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// circles are the packages in which more than two files call each other in a circle, with the most that there may be.
var circles = map[string]int{
	"internal/load": 14, // an event loop: each event may begin, end or repeat what any other one does
}

// Inside a package files call downwards: whoever reads one knows which others it rests on. Two neighbours may call each other.
func TestFilesCallDownwards(t *testing.T) {
	for _, p := range listed(t) {
		dir := strings.TrimPrefix(p.ImportPath, "github.com/tracetax/tracetax/")
		if !strings.HasPrefix(dir, "internal/") {
			continue
		}
		for _, circle := range p.circles(t) {
			if len(circle) > max(2, circles[dir]) {
				t.Errorf("%s: %d files call each other in a circle: %s; move what the lower ones call into them, or into a file of its own",
					dir, len(circle), strings.Join(circle, " "))
			}
		}
	}
}

// A circle is seen, whatever its files call each other by: functions, methods, or values of them.
func TestACircleOfFilesIsSeen(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go": "package p\n\ntype one struct{}\n\nfunc (one) first() { second() }\n",
		"b.go": "package p\n\nfunc second() {\n\tcall := third\n\tcall()\n}\n",
		"c.go": "package p\n\nfunc third() { one{}.first() }\n",
		"d.go": "package p\n\nfunc above() { third() }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p := listedPackage{Dir: dir, GoFiles: []string{"a.go", "b.go", "c.go", "d.go"}}
	if got := p.circles(t); len(got) != 1 || !slices.Equal(got[0], []string{"a.go", "b.go", "c.go"}) {
		t.Errorf("circles %v", got)
	}
}

type listedPackage struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
	exports                 map[string]string // by import path: what the compiler wrote of the package
}

// listed are the packages of the module, and what the compiler knows of all that they import.
func listed(t *testing.T) []listedPackage {
	t.Helper()
	command := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "./...")
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var own []listedPackage
	exports := map[string]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := listedPackage{exports: exports}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return own
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, "github.com/tracetax/tracetax/") {
			own = append(own, p)
		}
	}
}

// circles are the groups of files that call each other in a circle, each in order.
func (p listedPackage) circles(t *testing.T) [][]string {
	t.Helper()
	files := token.NewFileSet()
	var trees []*ast.File
	for _, name := range p.GoFiles {
		tree, err := parser.ParseFile(files, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, tree)
	}
	uses := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(p.exports[path]) })}
	whole, err := config.Check(p.ImportPath, files, trees, &uses)
	if err != nil {
		t.Fatal(err)
	}
	file := func(at token.Pos) string { return filepath.Base(files.Position(at).Filename) }
	calls := map[string]map[string]bool{}
	for name, used := range uses.Uses {
		called, is := used.(*types.Func)
		if !is || called.Pkg() != whole {
			continue
		}
		if on := called.Signature().Recv(); on != nil && types.IsInterface(on.Type()) {
			continue // whoever stands behind it
		}
		from, to := file(name.Pos()), file(called.Origin().Pos())
		if calls[from] == nil {
			calls[from] = map[string]bool{}
		}
		calls[from][to] = true
	}
	return inCircles(calls)
}

// inCircles groups what reaches itself by way of others: a group is all that reach each other.
func inCircles(calls map[string]map[string]bool) [][]string {
	reach := map[string]map[string]bool{}
	for from := range calls {
		reach[from] = map[string]bool{}
		for next := slices.Collect(maps.Keys(calls[from])); len(next) > 0; {
			to := next[0]
			next = next[1:]
			if !reach[from][to] {
				reach[from][to] = true
				next = slices.AppendSeq(next, maps.Keys(calls[to]))
			}
		}
	}
	var groups [][]string
	grouped := map[string]bool{}
	for _, from := range slices.Sorted(maps.Keys(reach)) {
		var group []string
		for _, to := range slices.Sorted(maps.Keys(reach[from])) {
			if !grouped[to] && reach[to][from] {
				group = append(group, to)
				grouped[to] = true
			}
		}
		if len(group) > 1 {
			groups = append(groups, group)
		}
	}
	return groups
}
