package enginetest

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/container"
)

// Import makes an image of files and folders of this machine at the same paths, with the libraries that their programs are linked to,
// and those of guests, which are mounted into it.
func Import(t *testing.T, engine container.Engine, name string, paths []string, guests ...string) {
	t.Helper()
	all := slices.Concat(paths, librariesOf(t, slices.Concat(paths, guests)))
	slices.Sort(all)
	// The JDK has a link src.zip to what is not installed. Programs want a folder for what is temporary.
	words := []string{"-C", "/", "--dereference", "--exclude=src.zip", "-cf", "-", "--no-recursion", "tmp", "--recursion"}
	for _, path := range slices.Compact(all) {
		below := func(dir string) bool { return strings.HasPrefix(path, dir+"/") }
		if !slices.ContainsFunc(paths, below) { // an engine takes no file twice
			words = append(words, strings.TrimPrefix(path, "/"))
		}
	}
	packed, load := exec.Command("tar", words...), exec.Command(engine.Path, "import", "-", name)
	var err error
	if load.Stdin, err = packed.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := packed.Start(); err != nil {
		t.Fatal(err)
	}
	if said, err := load.CombinedOutput(); err != nil {
		t.Fatalf("making the image %s: %v\n%s", name, err, said)
	}
	if err := packed.Wait(); err != nil {
		t.Fatalf("packing %q: %v", paths, err)
	}
}

var linked = regexp.MustCompile(`(?m)(/\S+) \(0x[0-9a-f]+\)$`)

// librariesOf returns the libraries of programs, and of the shared objects in folders, as ldd names them.
func librariesOf(t *testing.T, paths []string) []string {
	t.Helper()
	var objects, out []string
	for _, path := range paths {
		err := filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && (at == path || strings.Contains(d.Name(), ".so")) {
				objects = append(objects, at)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	said, _ := exec.Command("ldd", objects...).Output() // it fails where one of them is no program
	for _, found := range linked.FindAllStringSubmatch(string(said), -1) {
		out = append(out, found[1])
	}
	return out
}
