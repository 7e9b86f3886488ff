package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/profile"
)

// rulesOf are the rules of a tracer; nil where it has none.
func rulesOf(t *testing.T, c *program.Catalog, tracer, own string) *profile.Rules {
	t.Helper()
	rules, err := c.Rules(tracer, own)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// withRules is a catalog of a tracer t with such a causes.yaml, and a part that others share.
func withRules(text string) *program.Catalog {
	return program.NewCatalog(fstest.MapFS{
		"tracers/t/tracer.yaml":          {Data: []byte("description: x\nsettings: {details: {default: on, choices: {on: , off: }}}\n")},
		"tracers/t/causes.yaml":          {Data: []byte(text)},
		"tracers/bare/tracer.yaml":       {Data: []byte("description: x\n")},
		"tracers/shared/causes/lib.yaml": {Data: []byte("rules: [{task: time, frames: [now]}]\n")},
		"tracers/shared/causes/two.yaml": {Data: []byte("shared: [lib]\nrules: [{task: lock, frames: [now, wait]}]\n")},
		"tracers/shared/causes/bad.yaml": {Data: []byte("rules: [{task: tim, frames: [now]}]\n")},
	})
}

func TestRules(t *testing.T) {
	c := withRules("tracer: [\"t.*\"]\nshared: [two, lib]\nrules: [{task: queue, frames: [t.put]}]\n")
	own := filepath.Join(t.TempDir(), "own.yaml")
	if err := os.WriteFile(own, []byte("tracer: [mine]\nrules: [{task: memory, frames: [t.put, mine]}]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Read(profile.Collapsed, strings.NewReader("t.put 1\nt.a;now 1\nt.a;wait 1\nmine 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ tracer, own, want string }{
		{"t", "", "queue lock lock "},
		{"t", own, "memory lock lock memory"},
		{"bare", own, "   memory"},
	} {
		var tasks []string
		for _, cause := range rulesOf(t, c, test.tracer, test.own).Causes(p) {
			tasks = append(tasks, cause.Task)
		}
		if got := strings.Join(tasks, " "); got != test.want {
			t.Errorf("%s with %q: %q, want %q", test.tracer, test.own, got, test.want)
		}
	}
	for _, tracer := range []string{"bare", "none"} {
		if rules := rulesOf(t, c, tracer, ""); rules != nil {
			t.Errorf("%s has rules", tracer)
		}
	}
	if _, err := c.Rules("t", filepath.Join(t.TempDir(), "absent.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// What is wrong is told at its place.
func TestRulesWrong(t *testing.T) {
	for name, test := range map[string]struct{ text, at string }{
		"a key":               {"tracer: [a]\nruls: []\n", "tracers/t/causes.yaml:2:1"},
		"a task":              {"tracer: [a]\nrules:\n  - {frames: [b], task: metdata}\n", "tracers/t/causes.yaml:3:25"},
		"a pattern":           {"tracer: [a, \"*\"]\n", "tracers/t/causes.yaml:1:13"},
		"no frames":           {"description: x\n", "tracers/t/causes.yaml:1:1"},
		"no rule":             {"tracer: [a]\nrules: [{frames: [b]}]\n", "tracers/t/causes.yaml:2:9"},
		"a part":              {"tracer: [a]\nshared: [lip]\n", "tracers/t/causes.yaml:2:10"},
		"a part that is bad":  {"tracer: [a]\nshared: [bad]\n", "tracers/shared/causes/bad.yaml:1:16"},
		"a setting":           {"tracer: [a]\nadvice: [{task: time, setting: {detail: off}, loses: x}]\n", "tracers/t/causes.yaml:2:10"},
		"a choice":            {"tracer: [a]\nadvice: [{task: time, setting: {details: no}, loses: x}]\n", "tracers/t/causes.yaml:2:10"},
		"a share":             {"tracer: [a]\nadvice: [{task: time, over: 200%, setting: {details: off}, loses: x}]\n", "tracers/t/causes.yaml:2:29"},
		"nothing in the file": {"", "tracers/t/causes.yaml:1:1"},
	} {
		_, err := withRules(test.text).Rules("t", "")
		var all program.Problems
		if !errors.As(err, &all) || all[0].Where() != test.at {
			t.Errorf("%s: %v, want it at %s", name, err, test.at)
		}
	}
}
