package prepare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
)

// A program that is not there is missing before anything is run; one of which only a run knows where it is may be there.
func TestAbsent(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "there"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "no-program"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	own, builtIn := program.Workload{Dir: dir}, program.Workload{Files: fstest.MapFS{}}
	prepared := program.Workload{Dir: dir, Prepare: []string{"make"}}
	needs := program.Workload{Dir: dir, Needs: []program.Need{{Command: "no-such-program", Install: "build it"}}}
	gettable := &program.Tracer{Name: "tracer", Programs: map[string]string{"no-such-proxy": "fetch it"}}
	variants := []config.Variant{{Name: "none", Tracer: &program.Tracer{Name: program.NoTracer}}, {Name: "traced", Tracer: gettable}}
	for name, test := range map[string]struct {
		w    program.Workload
		run  string
		env  map[string]string
		want string
	}{
		"on the PATH":              {own, "sh", nil, ""},
		"nowhere":                  {own, "no-such-program", nil, `process app: there is no program "no-such-program" on the PATH: install it`},
		"a tracer knows it":        {own, "no-such-proxy", nil, `process app: there is no program "no-such-proxy" on the PATH: fetch it, or give its whole path`},
		"known, behind another":    {own, "nice -n 5 no-such-proxy -c x.yaml", nil, `there is no program "no-such-proxy" on the PATH: fetch it`},
		"unknown, behind another":  {own, "nice -n 5 no-such-program", nil, ""},
		"a word of a program":      {own, "nice -n 5 sh no-such-proxy", nil, ""},
		"a word of a file":         {own, "nice -n 5 ./there no-such-proxy", nil, ""},
		"with a PATH of its own":   {own, "env PATH=/opt no-such-proxy", nil, ""},
		"in its folder":            {own, "./there", nil, ""},
		"not in its folder":        {own, "./absent", nil, "process app: there is no program " + filepath.Join(dir, "absent")},
		"not to be run":            {own, "./no-program", nil, "that can be started: correct the path"},
		"known in a run":           {own, "{build}/app", nil, ""},
		"on a PATH of its own":     {own, "no-such-program", map[string]string{"PATH": "/opt"}, ""},
		"named as a need":          {needs, "no-such-program", nil, "no-such-program is not installed, or not on the PATH: build it"},
		"made before each run":     {prepared, "./absent", nil, ""},
		"on no PATH all the same":  {prepared, "no-such-program", nil, `there is no program "no-such-program" on the PATH`},
		"of a built-in, nowhere":   {builtIn, "no-such-program", nil, `there is no program "no-such-program"`},
		"of a built-in's files":    {builtIn, "./absent", nil, ""},
		"to a receiver of the lab": {own, "sh {sink.kieker}", nil, "this build of tracetax cannot receive Kieker's records over TCP (kieker): "},
	} {
		w := test.w
		w.Processes = []program.Process{{Name: "app", Run: append(strings.Fields(test.run), "{port}"), Env: test.env}}
		missing := Missing(&config.Experiment{Workload: &w, Variants: variants}, config.Variant{Name: "none", Tracer: &program.Tracer{Name: program.NoTracer}})
		if got := strings.Join(missing, "; "); test.want == "" && got != "" || !strings.Contains(got, test.want) || len(missing) > 1 {
			t.Errorf("%s: missing %q, want %q", name, missing, test.want)
		}
	}
}

// An image that no engine is here to start is missing one, whichever is asked for; that of a cluster is its nodes' to start.
func TestAbsentEngine(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	none := config.Variant{Name: "none", Tracer: &program.Tracer{Name: program.NoTracer}}
	missing := func(engine string) string {
		w := program.Workload{Dir: bin, Processes: []program.Process{{Name: "app", Image: "shop:1", Engine: engine, Run: []string{"{image}"}}}}
		return strings.Join(Missing(&config.Experiment{Workload: &w, Variants: []config.Variant{none}}, none), "; ")
	}
	const absent = " is not installed: install and start it, or run the program without an image"
	if got, of := missing(""), missing("podman"); got != "docker or podman"+absent || of != "podman"+absent {
		t.Errorf("without an engine missing are %q, %q", got, of)
	}
	if err := os.WriteFile(filepath.Join(bin, "docker"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got, of := missing(""), missing("podman"); got != "" || of != "podman"+absent {
		t.Errorf("beside docker missing are %q, %q", got, of)
	}
}
