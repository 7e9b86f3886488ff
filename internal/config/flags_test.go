package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/role"
)

func TestFromFlags(t *testing.T) {
	e, err := FromFlags(Flags{
		Command:  []string{"/usr/bin/gunicorn3", "-b", "127.0.0.1:{port}", "shop:app"},
		Env:      []string{"MODE=a=b"},
		Ready:    "/health",
		Ops:      []string{"GET /x?a=b", "/plain", "order=POST /y"},
		Variants: []string{"none", `otel:tracer=otel-python,sampling=10%,env.A=1\,2,arg=--x,against=none`, "otel-python"},
		Sets: given(t, "workload.processes.0.patience=90s", "workload.operations.order.headers.content-type=text/plain", "workload.operations.order.body=hello",
			"load.rate=50/s", "load.duration=2s", "load.warmup=1s", "design.blocks=6", "design.seed=9", "budget=cpu=5%"),
	}, builtIn())
	if err != nil {
		t.Fatal(err)
	}
	if e.Name != "gunicorn3" || e.Load.Rate != 50 || e.Load.Duration != 2*time.Second || e.Load.Warmup != time.Second ||
		e.Design.Blocks != 6 || e.Design.Seed != 9 || e.Budget[0].Metric != "cpu_per_operation" {
		t.Errorf("%+v", e)
	}
	p := e.Workload.Processes[0]
	if p.Ready != "http://127.0.0.1:{port}/health" || p.Patience != 90*time.Second || p.Env["MODE"] != "a=b" || p.Run[3] != "shop:app" {
		t.Errorf("%+v", p)
	}
	var ops []string
	for _, o := range e.Operations {
		ops = append(ops, o.Name+": "+o.Method+" "+o.URL)
	}
	if diff := cmp.Diff([]string{"GET /x?a=b: GET /x?a=b", "/plain: GET /plain", "order: POST /y"}, ops); diff != "" {
		t.Error(diff)
	}
	if o := e.Operations[2]; o.Headers["Content-Type"] != "text/plain" || string(o.Body.Bytes) != "hello" {
		t.Errorf("%+v", o)
	}
	v := e.Variants[1]
	if v.Tracer.Name != "otel-python" || v.Settings["sampling"] != "10%" || v.Env["A"] != "1,2" || v.Args[0] != "--x" || v.Against != "none" {
		t.Errorf("%+v", v)
	}
	roundTrip(t, e)
}

// TestFromFlagsFixedPort: a program that cannot be told its port.
// A function is its handler: the platform stands before it, and the command is that of its runtime.
func TestFromFlagsFunction(t *testing.T) {
	for command, want := range map[string]string{
		"/usr/bin/python3":             "/usr/bin/python3 -m awslambdaric app.handler",
		"node runtime.js app.handler":  "node runtime.js app.handler",
		"python3 -m other app.handler": "python3 -m other app.handler",
	} {
		e, err := FromFlags(Flags{Command: strings.Fields(command), Function: "app.handler", Variants: []string{"none", "otel-python"}}, builtIn())
		if err != nil {
			t.Fatal(err)
		}
		o, app := e.Operations[0], e.Workload.Processes[1]
		if o.Name != "app.handler" || o.Owner(e.Workload.Processes).Role != role.Platform || strings.Join(app.Starts, " ") != want || !app.Traced || e.Workload.Processes[0].Traced {
			t.Errorf("%s: %+v, started as %v", command, o, app.Starts)
		}
		roundTrip(t, e)
	}
	for flags, said := range map[*Flags]string{
		{Function: "app"}: "--function app",
		{Function: "app.handler", Ops: []string{"/"}}:                                                   "--op",
		{Function: "app.handler", Ready: "/"}:                                                           "--ready",
		{Function: "app.handler", Sets: given(t, "workload.operations.app.handler.body=@nowhere.json")}: "nowhere.json",
	} {
		flags.Command, flags.Variants = []string{"python3"}, []string{"none", "otel-python"}
		if _, err := FromFlags(*flags, builtIn()); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%+v: %v, want an error at %s", flags, err, said)
		}
	}
}

func TestFromFlagsFixedPort(t *testing.T) {
	e, err := FromFlags(Flags{Command: []string{"nginx"}, Ops: []string{"GET http://127.0.0.1:8080/x"}, Variants: []string{"none", "otel-python"}}, builtIn())
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Operations[0].URL; got != "http://127.0.0.1:8080/x" {
		t.Errorf("URL %s", got)
	}
	if why := e.Beside(); !strings.Contains(why, "always asks 127.0.0.1:8080") {
		t.Errorf("two of them beside each other: %q", why)
	}
}

// TestFromFlagsPortByEnv: a program that takes its port from a variable, and has a name for the report.
func TestFromFlagsPortByEnv(t *testing.T) {
	e, err := FromFlags(Flags{
		Command: []string{"node", "server.js"}, Sets: given(t, "name=My Shop"), Env: []string{"PORT={port}"}, Ops: []string{"GET /"}, Variants: []string{"none", "otel-python"},
	}, builtIn())
	if err != nil {
		t.Fatal(err)
	}
	if p := e.Workload.Processes[0]; p.Name != "node" || p.Env["PORT"] != "{port}" {
		t.Errorf("%+v", p)
	}
	if e.Name != "My Shop" || e.Workload.Name != "My Shop" {
		t.Errorf("the experiment is called %q, the service %q", e.Name, e.Workload.Name)
	}
	roundTrip(t, e)
}

// TestHooks: commands around each run, by flags and by file.
func TestHooks(t *testing.T) {
	e, err := FromFlags(Flags{
		Command: []string{"shop", "{port}"}, Ops: []string{"GET /"}, Variants: []string{"none", "otel-python"},
		Sets: given(t, "workload.prepare=sh -c 'rm -f {tmp}/x'", "workload.cleanup=true"),
	}, builtIn())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"sh", "-c", "rm -f {tmp}/x"}, e.Workload.Prepare); diff != "" || e.Workload.Cleanup[0] != "true" {
		t.Errorf("%s%v", diff, e.Workload.Cleanup)
	}
	if plan, err := e.Plan(e.Variants[1]); err != nil || len(plan.Prepare) != 3 || len(plan.Cleanup) != 1 {
		t.Errorf("%+v, %v", plan, err)
	}
	roundTrip(t, e)
	e.Design.Order = Windows
	if err := e.Check(); err == nil || !strings.Contains(err.Error(), "would disturb the others") {
		t.Errorf("variants that are made together: %v", err)
	}
	_, err = FromFlags(Flags{Command: []string{"shop", "{port}"}, Sets: given(t, "workload.prepare=sh {port}"), Ops: []string{"GET /"}, Variants: []string{"none", "otel-python"}}, builtIn())
	if err == nil || !strings.HasPrefix(err.Error(), `--set 'workload.prepare=sh {port}': unknown placeholder "{port}"`) {
		t.Error(err)
	}
}

// TestFromFlagsErrors: each names the flag that is wrong.
func TestFromFlagsErrors(t *testing.T) {
	experiments, err := builtIn().Experiments()
	if err != nil || len(experiments) == 0 {
		t.Fatal(experiments, err)
	}
	builtInExperiment := experiments[0]
	experimentFile := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(experimentFile, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fine := Flags{Command: []string{"shop", "{port}"}, Ops: []string{"GET /"}, Variants: []string{"none", "otel-python"}}
	for name, test := range map[string]struct {
		change func(*Flags)
		want   string
	}{
		"no command":  {func(f *Flags) { f.Command = nil }, "--: what is to be started is missing"},
		"no ops":      {func(f *Flags) { f.Ops = nil }, "--op: at least one operation is needed"},
		"one variant": {func(f *Flags) { f.Variants = f.Variants[:1] }, "--variant: at least two variants are needed"},
		"no port":     {func(f *Flags) { f.Command = []string{"shop"} }, `--op 'GET /': the request goes to a path, but nothing says where process "shop" listens: put {port} where the command names its port, hand it over with --env 'PORT={port}', or write a fixed one, as in --op 'GET http://127.0.0.1:8080/'`},
		"placeholder": {func(f *Flags) { f.Command = []string{"shop", "{port}", "{prot}"} }, `-- 'shop {port} {prot}': unknown placeholder "{prot}"; did you mean "{port}"?`},
		"op":          {func(f *Flags) { f.Ops = []string{"FETCH"} }, `--op FETCH: the request "FETCH" must go to a path`},
		"same op":     {func(f *Flags) { f.Ops = []string{"GET /", "GET /"} }, `--op 'GET /': a second operation called "GET /"`},
		"tracer":      {func(f *Flags) { f.Variants[1] = "otel:tracer=otel-pyton" }, `--variant otel:tracer=otel-pyton: unknown tracer "otel-pyton"; did you mean "otel-python"?`},
		"setting":     {func(f *Flags) { f.Variants[1] = "otel:tracer=otel-python,smapling=1%" }, `--variant otel:tracer=otel-python,smapling=1%: unknown setting "smapling"; did you mean "sampling"?`},
		"value":       {func(f *Flags) { f.Variants[1] = "otel-python:sampling=1000%" }, `--variant otel-python:sampling=1000%: setting sampling of tracer otel-python: 1000% is not between 0% and 100%`},
		"no value":    {func(f *Flags) { f.Variants[1] = "otel-python:sampling" }, `--variant otel-python:sampling: "sampling" is not KEY=VALUE`},
		"same name":   {func(f *Flags) { f.Variants[1] = "none" }, `--variant none: a second variant called "none"`},
		"rate":        {func(f *Flags) { f.Sets = Sets{{"load.rate", "quick", "--rate"}} }, `--rate quick: "quick" is not a rate`},
		"duration":    {func(f *Flags) { f.Sets = Sets{{"load.duration", "5", "--duration"}} }, `--duration 5: "5" has no unit`},
		"blocks":      {func(f *Flags) { f.Sets = Sets{{"design.blocks", "-2", "--blocks"}} }, `--blocks -2: -2 is out of range: 1 to 1000`},
		"env":         {func(f *Flags) { f.Env = []string{"A"} }, `--env A: write NAME=VALUE`},
		"env name":    {func(f *Flags) { f.Env = []string{"=x"} }, `--env =x: "" is not the name of an environment variable`},
		"env twice":   {func(f *Flags) { f.Env = []string{"A=1", "A=2"} }, `--env A=2: A has a value already: give it once`},
		"env port":    {func(f *Flags) { f.Env = []string{"A={prot}"} }, `--env 'A={prot}': unknown placeholder "{prot}"; did you mean "{port}"?`},
		"bare name":   {func(f *Flags) { f.Variants[1] = "same" }, `--variant same: unknown tracer "same"; 'tracetax list tracers' shows them; a bare name is a tracer's, and a variant of your own is written NAME:KEY=VALUE,…, such as same:tracer=none`},
		"near tracer": {func(f *Flags) { f.Variants[1] = "otel-pyton" }, `--variant otel-pyton: unknown tracer "otel-pyton"; did you mean "otel-python"?`},
		"experiment":  {func(f *Flags) { f.Command = []string{builtInExperiment} }, `--op and --variant: "` + builtInExperiment + `" is an experiment, not a command: put your command after --; to run the experiment leave out --op and --variant`},
		"its file":    {func(f *Flags) { f.Command, f.Variants = []string{experimentFile}, nil }, `--op: "` + experimentFile + `" is an experiment, not a command`},
		"port of op":  {func(f *Flags) { f.Ops = []string{"GET http://h:99999/"} }, `--op 'GET http://h:99999/': "http://h:99999/": a port is 1 to 65535, not 99999`},
		"ready port":  {func(f *Flags) { f.Ready = "tcp://h:0" }, `--ready tcp://h:0: ready: "tcp://h:0": a port is 1 to 65535, not 0`},
		"method":      {func(f *Flags) { f.Ops = []string{"PSOT /x"} }, `--op 'PSOT /x': unknown request method "PSOT"; did you mean "POST"?`},
		"no op ever":  {func(f *Flags) { f.Sets = Sets{{"load.rate", "0.5/s", "--rate"}, {"load.duration", "1s", ""}} }, `--rate 0.5/s: 0.5/s for 1s is no operation`},
		"name":        {func(f *Flags) { f.Sets = Sets{{"name", strings.Repeat("x", 101), "--name"}} }, `--name xxx`},
		"patience":    {func(f *Flags) { f.Sets = given(t, "workload.processes.0.patience=long") }, `--set workload.processes.0.patience=long: `},
		"ready":       {func(f *Flags) { f.Ready = "soon" }, `--ready soon: ready must be`},
		"socket":      {func(f *Flags) { f.Ready = "unix:///app.sock" }, `--ready unix:///app.sock: a Unix socket cannot be asked`},
		"op, socket":  {func(f *Flags) { f.Ops = []string{"GET unix:///app.sock"} }, `--op 'GET unix:///app.sock': a Unix socket cannot be asked`},
		"body":        {func(f *Flags) { f.Sets = given(t, "workload.operations.GET /.body=@none.json") }, `--set 'workload.operations.GET /.body=@none.json': body: there is no file "none.json"`},
		"budget of":   {func(f *Flags) { f.Sets = Sets{{"budget", "throughput=5%", "--budget"}} }, `--budget throughput=5%: unknown metric of a budget "throughput"; nearest of `},
		"budget":      {func(f *Flags) { f.Sets = Sets{{"budget", "cpu:5%", "--budget"}} }, `--budget cpu:5%: "cpu:5%" is not METRIC=SHARE`},
	} {
		f := fine
		f.Variants = append([]string{}, fine.Variants...)
		test.change(&f)
		e, err := FromFlags(f, builtIn())
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, %v\nwant %s", name, e, err, test.want)
		}
		if err != nil && !program.IsProblem(err) {
			t.Errorf("%s: not told as the user's mistake", name)
		}
	}
}

// TestFromFlagsNoSuchTracer: the settings of a tracer that is not found are not told as
// wrong too, and where nothing is near a whole name those of other languages are offered.
func TestFromFlagsNoSuchTracer(t *testing.T) {
	const related = `did you mean "otel-dotnet", "otel-envoy", "otel-go", "otel-java", "otel-node", …?`
	for _, test := range []struct{ variant, language, want string }{
		{"otel:tracer=otell,delay=200ms", "", `unknown tracer "otell"; ` + related},
		{"otell:delay=200ms", "", `unknown tracer "otell"; ` + related},
		{"otell", "", `unknown tracer "otell"; ` + related},
		{"otel:tracer=otell,delay=200ms", "python", `unknown tracer "otell"; did you mean "otel-python"?`},
		{"otel:tracer=jaeger,delay=200ms", "", `unknown tracer "jaeger"; 'tracetax list tracers' shows them`},
		{"otel:tracer=otel,delay=200ms", "", `tracer "otel" means otel-LANGUAGE, but the workload does not say its language; write the tracer's whole name, or language: under workload (--set workload.language=python)`},
		{"none:delay=200ms", "", `unknown setting "delay"; there are none (of tracer none)`},
	} {
		_, err := FromFlags(Flags{
			Command: []string{"shop", "{port}"}, Ops: []string{"GET /"}, Sets: Sets{{Path: "workload.language", Value: test.language}}, Variants: []string{"plain:tracer=none", test.variant},
		}, builtIn())
		if want := "--variant " + test.variant + ": " + test.want; err == nil || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", test.variant, err, want)
		}
	}
}

func TestProgramName(t *testing.T) {
	for want, command := range map[string][]string{
		"own":      nil,
		"gunicorn": {"/usr/bin/gunicorn", "-b"},
		"node":     {"/usr/bin/env", "PORT={port}", "A=b", "/opt/node", "server.js"},
		"env":      {"env", "-u", "A", "node"},
		"nginx":    {"sh", "-c", "mkdir -p {tmp}/x && cd {tmp}; exec nginx -p {tmp} >log"},
		"server":   {"/bin/bash", "-ec", "exec 2>&1\nA=b exec env C=d '{build}/server' x"},
		"sh":       {"sh", "-c", "cd x; nginx"},
		"bash":     {"bash", "-c", "exec $PROGRAM"},
		"python3":  {"python3", "-c", "exec open('x').read()"},
		"dash":     {"dash", "-c", "execute nginx; exec 3<file"},
	} {
		if got := programName(command); got != want {
			t.Errorf("%q is called %q, want %q", command, got, want)
		}
	}
}

func TestCheckMethod(t *testing.T) {
	for name, want := range map[string]string{
		"GET": "", "PATCH": "", "FROB": "", "PURGE": "", "LIST": "", "PUSH": "", "PROPFIND": "", "M-SEARCH": "", "LOCK": "", "COPY": "",
		"PSOT": `did you mean "POST"?`, "GTE": `did you mean "GET"?`, "post": `did you mean "POST"?`, "DELTE": `did you mean "DELETE"?`,
		"purge": "must be in upper case: PURGE", "CONNECT": "not supported", "": "is not a request method", "A B": "is not a request method", "GE7": "is not a request method",
	} {
		err := program.CheckMethod(name)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}
