package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/config/program"
)

// TestPlanAppends: what a tracer and its settings append stands behind what is
// there, in their order; a variant's own env wins outright.
func TestPlanAppends(t *testing.T) {
	t.Setenv("HOME", "/home/x")
	c := shelf(map[string]string{"workloads/w/workload.yaml": "language: java\nprocesses: [{name: a, run: [x, '{port}'], env: {JAVA_TOOL_OPTIONS: -Xmx1g}}, {name: db, run: [d], role: database, env: {JAVA_TOOL_OPTIONS: -Xmx2g}}]\noperations: {home: GET /}\n"})
	for variant, want := range map[string]map[string]string{
		"{tracer: kieker}":                                 {"JAVA_TOOL_OPTIONS": "-Xmx1g -javaagent:{tracer}/agent.jar -Drate=0.5", "GONE": "a", "A": "tracer"},
		"{tracer: kieker, settings: {mode: probe}}":        {"JAVA_TOOL_OPTIONS": "-Xmx1g -javaagent:{tracer}/agent.jar -Drate=0.5 -Dmode=probe", "GONE": "a", "A": "tracer"},
		"{tracer: kieker, settings: {mode: off}}":          {"JAVA_TOOL_OPTIONS": "-Xmx1g -javaagent:{tracer}/agent.jar -Drate=0.5", "A": "tracer"},
		"{tracer: kieker, env: {JAVA_TOOL_OPTIONS: mine}}": {"JAVA_TOOL_OPTIONS": "mine", "GONE": "a", "A": "tracer"},
		"{tracer: none}":                                   {"JAVA_TOOL_OPTIONS": "-Xmx1g"},
	} {
		e := parseIn(t, c, "workload: w\nvariants: {none: , v: "+variant+"}\n")
		p, err := e.Plan(e.Variants[1])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p.Processes[0].Env); diff != "" {
			t.Errorf("%s (-want +got)\n%s", variant, diff)
		}
		if got := p.Processes[1].Env["JAVA_TOOL_OPTIONS"]; got != "-Xmx2g" {
			t.Errorf("%s: a process that is not traced has %q", variant, got)
		}
	}
}

// TestPlanSteps: the steps that are left are those that every setting leaves.
func TestPlanSteps(t *testing.T) {
	for settings, want := range map[string][]string{
		"{}":                        {"instrumentation", "probe", "queue", "writing"},
		"{mode: probe}":             {"instrumentation", "probe"},
		"{mode: off}":               {"instrumentation"},
		"{queue: off}":              {"instrumentation", "probe", "writing"},
		"{mode: probe, queue: off}": {"instrumentation", "probe"},
	} {
		e := parseIn(t, shelf(), "workload: calls\nvariants: {none: , v: {tracer: kieker, settings: "+settings+"}}\n")
		p, err := e.Plan(e.Variants[1])
		if err != nil || !cmp.Equal(p.Steps, want) {
			t.Errorf("%s: %v, %v; want %v", settings, p.Steps, err, want)
		}
		if of := e.Variants[0].Steps(); of != nil {
			t.Errorf("none has steps %v", of)
		}
	}
}

func TestPlanTemplates(t *testing.T) {
	t.Setenv("HOME", "/home/{port}")
	e := parseIn(t, shelf(), "workload: calls\nvariants: {none: , v: {tracer: kieker, settings: {rate: 12.5%}}}\n")
	p, err := e.Plan(e.Variants[1])
	if err != nil {
		t.Fatal(err)
	}
	got, err := program.Expand(p.Processes[0].Templates["agent.conf"], map[string]string{"sink.kieker": "h:1"})
	if want := "to=h:1\nshare=0.125 of 12.5%\nmode=full a {port} /home/{port} {brace} ${x}\n"; err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if p.Connects != 30*time.Second || p.Buffers != 1200 || p.Startup != 6*time.Second {
		t.Errorf("connects %v, buffers %d, takes %v to start", p.Connects, p.Buffers, p.Startup)
	}
}

// TestOwnTemplates: files of the workload's folder are filled in for a process, and may say where it listens.
func TestOwnTemplates(t *testing.T) {
	const proxy = "processes: [{name: db, run: [d, '{port}']}, {name: app, run: [p, '{templates}/proxy.yaml'], templates: [proxy.yaml]}]\noperations: {home: {request: GET /, process: app}}\n"
	files := map[string]string{
		"workloads/w/workload.yaml": proxy,
		"workloads/w/proxy.yaml":    "listen: {port}\nadmin: {port.admin}\nto: {db.port} {sink.kieker} {x: y}\n",
	}
	e := parseIn(t, shelf(files), "workload: w\nvariants: {none: , v: kieker-java}\n")
	p, err := e.Plan(e.Variants[1])
	if err != nil {
		t.Fatal(err)
	}
	app := p.Processes[1]
	got, err := program.Expand(app.Templates["proxy.yaml"], map[string]string{"port": "1", "port.admin": "2", "db.port": "3", "sink.kieker": "h:4"})
	if want := "listen: 1\nadmin: 2\nto: 3 h:4 {x: y}\n"; err != nil || got != want || app.Templates["agent.conf"] == "" || len(p.Processes[0].Templates) != 1 {
		t.Errorf("%q, %v; want %q, and the tracer's own", got, err, want)
	}
	if ports := app.FurtherPorts(); !cmp.Equal(ports, []string{"port.admin"}) {
		t.Errorf("further ports %v", ports)
	}
	for name, c := range map[string]struct{ file, text, want string }{
		"no file":           {"workloads/w/workload.yaml", strings.Replace(proxy, "[proxy.yaml]", "[proxi.yaml]", 1), `there is no template "proxi.yaml" in this folder`},
		"no such port":      {"workloads/w/proxy.yaml", "a: {port} {bd.port}\n", `proxy.yaml:1: unknown placeholder "{bd.port}"; did you mean "{db.port}"?`},
		"nobody listens":    {"workloads/w/proxy.yaml", "a: b\n", `nothing says where process "app" listens`},
		"nothing to be set": {"workloads/w/proxy.yaml", "a: {port} {setting.rate}\n", `unknown placeholder "{setting.rate}"`},
	} {
		if _, err := shelf(files, map[string]string{c.file: c.text}).Workload("w"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	c := shelf(files, map[string]string{"workloads/w/workload.yaml": strings.ReplaceAll(proxy, "proxy.yaml", "agent.conf"), "workloads/w/agent.conf": "{port}"})
	e = parseIn(t, c, "workload: w\nvariants: {none: , v: kieker-java}\n")
	if _, err := e.Plan(e.Variants[1]); err == nil || !strings.Contains(err.Error(), "the template agent.conf is one of process app and one of tracer kieker-java") {
		t.Errorf("two of one name: %v", err)
	}
	_, err = ParseExperiment("x.yaml", ".", []byte("workload: {processes: [{name: a, run: [a, '{port}'], templates: [a]}], operations: {a: GET /}}\nvariants: {none: , o: {env: {A: b}}}\n"), shelf())
	if err == nil || !strings.Contains(err.Error(), "one that is written into an experiment has none") {
		t.Errorf("inline: %v", err)
	}
}

// TestTracerFolders: what a tracer's folder lacks is told at its place.
func TestTracerFolders(t *testing.T) {
	for text, want := range map[string]string{
		"templates: [agent.cnf]":  `tracers/t/tracer.yaml:1:13: there is no template "agent.cnf" in this folder`,
		"templates: [../x]":       `a template is a file in this folder, not "../x"`,
		"templates: [a.conf]":     `a.conf:2: unknown placeholder "{setting.speed}"; did you mean "{setting.seed}"?`,
		"artifact: {maven: m}":    `maven: there is no file "m" in this folder`,
		"artifact: {npm: ../l}":   `npm must name a package-lock.json in this folder, not "../l"`,
		"artifact: {npm: a.conf}": `npm: there is no package.json beside a.conf`,
		"artifact: {nuget: ../d}": `nuget must name a folder of projects in this folder, not "../d"`,
		"artifact: {nuget: none}": `nuget: no folder in "none" has a packages.lock.json`,
		"connects: 1h":            `1h is out of range`,
		"append: {1: x}":          `"1" is not the name of an environment variable`,
	} {
		c := shelf(map[string]string{
			"tracers/t/tracer.yaml": text + "\nsettings: {seed: {default: x}}\n",
			"tracers/t/a.conf":      "a={setting.seed}\nb={setting.speed}\n",
		})
		if _, err := c.Tracer("t"); err == nil || !program.IsProblem(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// A path begins with a folder of the run, and a text stays as it was written, braces and all.
func TestFoldersInSettings(t *testing.T) {
	e := parseIn(t, builtIn(), `workload: calls/java
variants:
  none:
  a: {tracer: skywalking-java, settings: {agent: "{build}/{{x}}"}}
  b: {tracer: scouter-java, settings: {method: "{build}"}}
`)
	for i, want := range []string{`-javaagent:"{build}/{{x}}/skywalking-agent.jar"`, "-Dhook_service_patterns={{build}} "} {
		p, err := e.Plan(e.Variants[i+1])
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Processes[0].Env["JAVA_TOOL_OPTIONS"]; !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}
