package config

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tracetax/tracetax/internal/config/program"
)

var update = flag.Bool("update", false, "write the golden files again")

// TestBad holds the exact errors of wrong files against golden ones. In an
// archive, NAME.yaml is a file and NAME.want what is said of it.
func TestBad(t *testing.T) {
	for archive, parse := range map[string]func(file string, text []byte) error{
		"experiments": func(file string, text []byte) error {
			_, err := ParseExperiment(file, "testdata", text, builtIn())
			return err
		},
		"workloads": func(file string, text []byte) error { _, err := program.ParseWorkload(file, "w", text); return err },
		"tracers":   func(file string, text []byte) error { _, err := program.ParseTracer(file, "t", text); return err },
	} {
		path := "testdata/bad-" + archive + ".txtar"
		golden, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for _, f := range golden.Files {
			want[f.Name] = string(f.Data)
		}
		fresh := &txtar.Archive{Comment: golden.Comment}
		for _, f := range golden.Files {
			name, ok := strings.CutSuffix(f.Name, ".yaml")
			if !ok {
				continue
			}
			got := "fine\n"
			if err := parse(f.Name, f.Data); err != nil {
				got = err.Error() + "\n"
			}
			fresh.Files = append(fresh.Files, f, txtar.File{Name: name + ".want", Data: []byte(got)})
			t.Run(archive+"/"+name, func(t *testing.T) {
				if diff := cmp.Diff(want[name+".want"], got); diff != "" && !*update {
					t.Errorf("(-want +got; go test ./internal/config -run TestBad -update accepts)\n%s", diff)
				}
			})
		}
		if *update {
			if err := os.WriteFile(path, txtar.Format(fresh), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
