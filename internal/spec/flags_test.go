package spec

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFromFlags(t *testing.T) {
	e, err := FromFlags(Flags{
		Command:  []string{"/usr/bin/gunicorn3", "-b", "127.0.0.1:{port}", "shop:app"},
		Env:      []string{"MODE=a=b"},
		Ready:    "/health",
		Ops:      []string{"GET /x?a=b", "/plain", "order=POST /y"},
		Headers:  []string{"content-type: text/plain"},
		Body:     "hello",
		Variants: []string{"none", `otel:tracer=otel-python,sampling=10%,env.A=1\,2,arg=--x,against=none`, "otel-python"},
		Rate:     "50/s", Duration: "2s", Warmup: "1s", Blocks: 6, Seed: 9, Budget: "cpu=5%",
	}, builtIn())
	if err != nil {
		t.Fatal(err)
	}
	if e.Name != "gunicorn3" || e.Load.Rate != 50 || e.Load.Duration != 2*time.Second || e.Load.Warmup != time.Second ||
		e.Design.Blocks != 6 || e.Design.Seed != 9 || e.Budget[0].Metric != "cpu_per_operation" {
		t.Errorf("%+v", e)
	}
	p := e.Workload.Processes[0]
	if p.Ready != "http://127.0.0.1:{port}/health" || p.Env["MODE"] != "a=b" || p.Run[3] != "shop:app" {
		t.Errorf("%+v", p)
	}
	var ops []string
	for _, o := range e.Operations {
		ops = append(ops, o.Name+": "+o.Method+" "+o.URL)
	}
	if diff := cmp.Diff([]string{"GET /x?a=b: GET /x?a=b", "/plain: GET /plain", "order: POST /y"}, ops); diff != "" {
		t.Error(diff)
	}
	if o := e.Operations[2]; o.Headers["Content-Type"] != "text/plain" || string(o.Body) != "hello" {
		t.Errorf("%+v", o)
	}
	v := e.Variants[1]
	if v.Tracer.Name != "otel-python" || v.Settings["sampling"] != "10%" || v.Env["A"] != "1,2" || v.Args[0] != "--x" || v.Against != "none" {
		t.Errorf("%+v", v)
	}
	roundTrip(t, e)
}

// TestFromFlagsFixedPort: a program that cannot be told its port.
func TestFromFlagsFixedPort(t *testing.T) {
	e, err := FromFlags(Flags{Command: []string{"nginx"}, Port: 8080, Ops: []string{"GET /x"}, Variants: []string{"none", "otel-python"}}, builtIn())
	if err != nil {
		t.Fatal(err)
	}
	if got := e.Operations[0].URL; got != "http://127.0.0.1:8080/x" {
		t.Errorf("URL %s", got)
	}
	if got := e.Workload.Processes[0].Ready; got != "tcp://127.0.0.1:8080" {
		t.Errorf("ready %s", got)
	}
}

// TestFromFlagsErrors: each names the flag that is wrong.
func TestFromFlagsErrors(t *testing.T) {
	fine := Flags{Command: []string{"shop", "{port}"}, Ops: []string{"GET /"}, Variants: []string{"none", "otel-python"}}
	for name, test := range map[string]struct {
		change func(*Flags)
		want   string
	}{
		"no command":  {func(f *Flags) { f.Command = nil }, "--: what is to be started is missing"},
		"no ops":      {func(f *Flags) { f.Ops = nil }, "--op: at least one operation is needed"},
		"one variant": {func(f *Flags) { f.Variants = f.Variants[:1] }, "--variant: at least two variants are needed"},
		"no port":     {func(f *Flags) { f.Command = []string{"shop"} }, `--op 'GET /': the request goes to a path, but nothing says where process "shop" listens`},
		"placeholder": {func(f *Flags) { f.Command = []string{"shop", "{port}", "{prot}"} }, `-- 'shop {port} {prot}': unknown placeholder "{prot}"; did you mean "{port}"?`},
		"op":          {func(f *Flags) { f.Ops = []string{"FETCH"} }, `--op FETCH: the request "FETCH" must go to a path`},
		"same op":     {func(f *Flags) { f.Ops = []string{"GET /", "GET /"} }, `--op 'GET /': a second operation called "GET /"`},
		"tracer":      {func(f *Flags) { f.Variants[1] = "otel:tracer=otel-pyton" }, `--variant otel:tracer=otel-pyton: unknown tracer "otel-pyton"; did you mean "otel-python"?`},
		"setting":     {func(f *Flags) { f.Variants[1] = "otel:tracer=otel-python,smapling=1%" }, `--variant otel:tracer=otel-python,smapling=1%: unknown setting "smapling"; did you mean "sampling"?`},
		"value":       {func(f *Flags) { f.Variants[1] = "otel-python:sampling=1000%" }, `--variant otel-python:sampling=1000%: setting sampling of tracer otel-python: 1000% is not between 0% and 100%`},
		"no value":    {func(f *Flags) { f.Variants[1] = "otel-python:sampling" }, `--variant otel-python:sampling: "sampling" is not KEY=VALUE`},
		"same name":   {func(f *Flags) { f.Variants[1] = "none" }, `--variant none: a second variant called "none"`},
		"rate":        {func(f *Flags) { f.Rate = "quick" }, `--rate quick: "quick" is not a rate`},
		"duration":    {func(f *Flags) { f.Duration = "5" }, `--duration 5: "5" has no unit`},
		"blocks":      {func(f *Flags) { f.Blocks = -2 }, `--blocks -2: -2 is out of range: 1 to 1000`},
		"env":         {func(f *Flags) { f.Env = []string{"A"} }, `--env A: write NAME=VALUE`},
		"header":      {func(f *Flags) { f.Headers = []string{"A"} }, `--header A: write 'Name: value'`},
		"ready":       {func(f *Flags) { f.Ready = "soon" }, `--ready soon: ready must be`},
		"body":        {func(f *Flags) { f.Body = "@none.json" }, `--body @none.json: body: there is no file "none.json"`},
		"budget":      {func(f *Flags) { f.Budget = "cpu:5%" }, `--budget cpu:5%: "cpu:5%" is not METRIC=SHARE`},
	} {
		f := fine
		f.Variants = append([]string{}, fine.Variants...)
		test.change(&f)
		e, err := FromFlags(f, builtIn())
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, %v\nwant %s", name, e, err, test.want)
		}
		if err != nil && !IsProblem(err) {
			t.Errorf("%s: not told as the user's mistake", name)
		}
	}
}
