package graphs_test

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tracetax/tracetax/internal/cli"
	"github.com/tracetax/tracetax/lab/graphs"
)

var update = flag.Bool("update", false, "write the golden files again")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"tracetax": func() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScript runs the scripts in testdata/script: 'exits N PROGRAM ARGS…' wants that exit status.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": func(ts *testscript.TestScript, _ bool, args []string) {
				var ended *exec.ExitError
				if err := ts.Exec(args[1], args[2:]...); !errors.As(err, &ended) || strconv.Itoa(ended.ExitCode()) != args[0] {
					ts.Fatalf("%s ended with %v, want status %s", args[1], err, args[0])
				}
			},
		},
	})
}

// TestBad holds the exact errors of wrong topologies against golden ones: NAME.yaml is a file and NAME.want what is said of it.
func TestBad(t *testing.T) {
	path, err := filepath.Abs("testdata/bad-topologies.txtar")
	if err != nil {
		t.Fatal(err)
	}
	golden, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range golden.Files {
		want[f.Name] = string(f.Data)
	}
	fresh := &txtar.Archive{Comment: golden.Comment}
	t.Chdir(t.TempDir())
	for _, f := range golden.Files {
		name, ok := strings.CutSuffix(f.Name, ".yaml")
		if !ok {
			continue
		}
		if err := os.WriteFile(f.Name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
		got := "fine\n"
		if _, err := graphs.Read(f.Name); err != nil {
			got = err.Error() + "\n"
		}
		fresh.Files = append(fresh.Files, f, txtar.File{Name: name + ".want", Data: []byte(got)})
		if diff := cmp.Diff(want[name+".want"], got); diff != "" && !*update {
			t.Errorf("%s (-want +got; go test ./lab/graphs -run TestBad -update accepts)\n%s", name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(fresh), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if len(fresh.Files) == 0 {
		t.Error("no file is checked")
	}
}
