package config

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config/program"
)

// A process in an image has the image's command where none is given, and is told its port where nothing else tells it.
func TestImage(t *testing.T) {
	port := map[string]string{"PORT": "{port}"}
	for name, test := range map[string]struct {
		flags Flags
		run   []string
		env   map[string]string
		name  string
	}{
		"its own command": {Flags{Image: "registry.example:5000/acme/shop:1.2"}, []string{"{image}"}, port, "shop"},
		"a digest":        {Flags{Image: "cart@sha256:0123"}, []string{"{image}"}, port, "cart"},
		"a command":       {Flags{Image: "shop", Command: []string{"shop", "--port", "{port}"}}, []string{"shop", "--port", "{port}"}, map[string]string{}, "shop"},
		"a variable":      {Flags{Image: "shop", Env: []string{"SERVER_PORT={port}"}}, []string{"{image}"}, map[string]string{"SERVER_PORT": "{port}"}, "shop"},
		"words behind":    {Flags{Image: "shop", Sets: given(t, `workload.processes.0.args=["-p={port}"]`)}, []string{"{image}", "-p={port}"}, map[string]string{}, "shop"},
		"a fixed port":    {Flags{Image: "shop", Ops: []string{"GET http://127.0.0.1:8080/"}}, []string{"{image}"}, map[string]string{}, "shop"},
	} {
		f := test.flags
		if f.Variants = []string{"none", "a:arg=--trace", "b:image=shop:traced"}; f.Ops == nil {
			f.Ops = []string{"GET /"}
		}
		e, err := FromFlags(f, builtIn())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, want := range [][]string{test.run, append(slices.Clone(test.run), "--trace"), test.run} {
			plan, err := e.Plan(e.Variants[i])
			if err != nil {
				t.Fatal(err)
			}
			p := plan.Processes[0]
			image := f.Image
			if i == 2 {
				image = "shop:traced"
			}
			if !slices.Equal(p.Run, want) || !maps.Equal(p.Env, test.env) || p.Image != image || p.Name != test.name {
				t.Errorf("%s: %s runs %q in %s with %v; want %q with %v", name, p.Name, p.Run, p.Image, p.Env, want, test.env)
			}
		}
		if e.Variants[2].Untraced() {
			t.Errorf("%s: another image may trace, and is said not to", name)
		}
	}
}

// The image of a variant takes the place of another one.
func TestImageOfVariant(t *testing.T) {
	_, err := FromFlags(Flags{Command: []string{"shop", "{port}"}, Ops: []string{"GET /"}, Variants: []string{"none", "b:image=shop:traced"}}, builtIn())
	if err == nil || !strings.Contains(err.Error(), "none has one") {
		t.Errorf("error %v", err)
	}
	_, err = FromFlags(Flags{Image: "shop", Function: "app.handler", Variants: []string{"none", "b:env.X=1"}}, builtIn())
	if err == nil || !strings.Contains(err.Error(), "an image holds a service of your own") {
		t.Errorf("error %v", err)
	}
}

// Written and read again, an experiment has the same images.
func TestImageIsKept(t *testing.T) {
	e, err := FromFlags(Flags{
		Image: "shop:1", Ops: []string{"GET /"}, Variants: []string{"none", "b:image=shop:2"},
		Sets: given(t, "workload.processes.0.engine=podman", "workload.processes.0.args=[x]"),
	}, builtIn())
	if err != nil {
		t.Fatal(err)
	}
	text, err := e.YAML()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseExperiment("again.yaml", ".", text, builtIn())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	p, want := again[0].Workload.Processes[0], program.Process{Image: "shop:1", Engine: "podman", Args: []string{"x"}}
	if p.Image != want.Image || p.Engine != want.Engine || !slices.Equal(p.Args, want.Args) || len(p.Run) > 0 || again[0].Variants[1].Image != "shop:2" {
		t.Errorf("%+v and %+v of\n%s", p, again[0].Variants[1], text)
	}
}
