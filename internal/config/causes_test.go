package config

import (
	"errors"
	"io/fs"
	"math"
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
	rules, err := c.Rules(own, tracer)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

// Each tracer that has rules has a profile that was taken of it: of tracing's samples under a twentieth have no rule, on
// either axis, and tasks are there that each tracer has.
func TestRulesKnowTheirTracer(t *testing.T) {
	tracers, err := builtIn().Tracers()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, tracer := range tracers {
		rules := rulesOf(t, builtIn(), tracer, "")
		if rules == nil {
			continue
		}
		seen++
		t.Run(tracer, func(t *testing.T) {
			file, err := os.Open(filepath.Join("..", "profile", "testdata", "tracers", tracer+".pb.gz"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			p, err := profile.Read(profile.Pprof, file)
			if err != nil {
				t.Fatal(err)
			}
			c := rules.Sort(p)
			tracing := c.All.Owner[profile.Tracer]
			if c.Tracing < 500 { // which causes take
				t.Errorf("only %d of %d samples are of tracing", c.Tracing, c.Count)
			}
			for axis, values := range map[string]map[string]int64{"task": c.All.Task, "stage": c.All.Stage} {
				if without := values[profile.NoRule]; without*20 >= tracing {
					t.Errorf("%.1f %% of tracing have no %s; these frames would need a rule:\n%v", 100*float64(without)/float64(tracing), axis, c.Unruled[:min(len(c.Unruled), 25)])
				}
			}
			if strings.HasPrefix(tracer, "synthetic-") { // it was asked to burn 40, 30 and 30 parts
				of := float64(c.All.Task["serialising"] + c.All.Task["time"] + c.All.Task["metadata"])
				for task, want := range map[string]float64{"serialising": 0.4, "time": 0.3, "metadata": 0.3} {
					if got := float64(c.All.Task[task]) / of; math.Abs(got-want) > 0.05 {
						t.Errorf("%s is %.3f of what was burnt, not %.1f", task, got, want)
					}
				}
				return
			}
			for _, task := range []string{"call-tree", "queue", "serialising"} {
				if c.All.Task[task] == 0 && (tracer != "tracetax-java" || task != "serialising") { // another process of its does that
					t.Errorf("nothing is %s: %v", task, c.All.Task)
				}
			}
			for _, stage := range []string{"instrumentation", "export"} {
				if c.All.Stage[stage] == 0 {
					t.Errorf("nothing is %s: %v", stage, c.All.Stage)
				}
			}
		})
	}
	if seen < 10 {
		t.Errorf("%d tracers have rules", seen)
	}
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
	if _, err := c.Rules(filepath.Join(t.TempDir(), "absent.yaml"), "t"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// More frames that hand over than a set of them has room for are refused, and not left out.
func TestRulesTooMany(t *testing.T) {
	rules := func(n int) error {
		_, err := withRules("tracer: [a]\nhands_over: ["+strings.Repeat("b, ", n)+"]\n").Rules("", "t")
		return err
	}
	if err := rules(profile.MostHandsOver); err != nil {
		t.Error(err)
	}
	if rules(profile.MostHandsOver+1) == nil {
		t.Error("one too many is compiled")
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
		_, err := withRules(test.text).Rules("", "t")
		var all program.Problems
		if !errors.As(err, &all) || all[0].Where() != test.at {
			t.Errorf("%s: %v, want it at %s", name, err, test.at)
		}
	}
}

// A handler that burns nearly all CPU within the wrapper of a tracer is the program.
func TestRulesHandOver(t *testing.T) {
	file, err := os.Open(filepath.Join("..", "profile", "testdata", "handler-in-wrapper.pb.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, err := profile.Read(profile.Pprof, file)
	if err != nil {
		t.Fatal(err)
	}
	c := rulesOf(t, builtIn(), "synthetic-go", "").Sort(p)
	if tracer := float64(c.All.Owner[profile.Tracer]) / float64(c.All.Total); tracer >= 0.02 {
		t.Errorf("%.1f %% are the tracer's", 100*tracer)
	}
	if c.Handlers*10 < c.Count*8 {
		t.Errorf("only %d of %d samples are behind the wrapper: it is not what was profiled", c.Handlers, c.Count)
	}
}
