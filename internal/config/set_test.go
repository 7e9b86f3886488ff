package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/config/program"
)

// given are the keys of the words of a command line: --set PATH=VALUE, or a flag that is short for a path.
func given(t *testing.T, texts ...string) Sets {
	t.Helper()
	sets, err := ParseSets(texts)
	if err != nil {
		t.Fatal(err)
	}
	return sets
}

// Keys of the command line give what a file with them in it gives; those that cannot stand beside them give way.
func TestSet(t *testing.T) {
	const asked, calls = "workload: hello/go\nvariants: {none: , otel: }\n", driven
	for _, c := range []struct{ file, sets, same string }{
		{asked, "load.rate=600/min", asked + "load: {rate: 10/s}"},
		{asked + "load: {rate: 9/s, duration: 7s}", "load.duration=3s load.warmup=0s", asked + "load: {rate: 9/s, duration: 3s, warmup: 0s}"},
		{asked + "load: {rate: 9/s}", "load.connections=4", asked + "load: {connections: 4}"},
		{asked + "load: {connections: 7}", "load.rate=5/s", asked + "load: {rate: 5/s, connections: 7}"},
		{asked + "load: {connections: [1, 2]}", "load.rate=5/s", asked + "load: {rate: 5/s}"},
		{asked + "load: {rate: 9/s}", "load.connections=[1,8]", asked + "load: {connections: [1, 8]}"},
		{asked, "load.rate=5/s load.connections=4", asked + "load: {rate: 5/s, connections: 4}"},
		{asked + "load: {capacity: {cpu: 60%}, connections: 7}", "load.rate=[5/s,10/s]", asked + "load: {rate: [5/s, 10/s], connections: 7}"},
		{asked + "load: {connections: [1, 2]}", "load.capacity={cpu:60%,from:50/s}", asked + "load: {capacity: {cpu: 60%, from: 50/s}}"},
		{asked + "load: {rate: 9/s}", "load.capacity.lost=0", asked + "load: {capacity: {lost: 0}}"},
		{asked + "load: {capacity: {cpu: 60%}}", "load.capacity.from=9/s", asked + "load: {capacity: {cpu: 60%, from: 9/s}}"},
		{asked + "load: {rate: 9/s}", "load.rate=40%_of_slowest load.capacity={p99:20ms}", asked + "load: {rate: 40% of slowest, capacity: {p99: 20ms}}"},
		{asked + "load: {rate: 3/s}", "load={duration:2s}", asked + "load: {duration: 2s}"},
		{calls + "load: {depth: [1, 2]}", "load.depth=7", calls + "load: {depth: 7}"},
		{calls + "load: {threads: [1, 2], rate: 5/s}", "load.depth=[7,8]", calls + "load: {depth: [7, 8], rate: 5/s}"},
		{calls + "load: {rate: [1/s, 2/s], depth: 3}", "load.threads=[1,2]", calls + "load: {threads: [1, 2], depth: 3}"},
		{calls, "samples=true load.calls=50", calls + "samples: true\nload: {calls: 50}"},
		{asked + "design: {blocks: 8..20, precision: 3% of p99}", "design.blocks=7", asked + "design: {blocks: 7}"},
		{asked + "design: {blocks: 12}", "design.precision=2%", asked + "design: {precision: 2%}"},
		{asked + "design: {blocks: 9..20, precision: 3%}", "design.precision=2%_of_p50", asked + "design: {blocks: 9..20, precision: 2% of p50}"},
		{asked + "design: {blocks: 9..20, precision: 3%}", "design.blocks=8..40", asked + "design: {blocks: 8..40, precision: 3%}"},
		{asked, "design.seed=5 design.order=windows", asked + "design: {seed: 5, order: windows}"},
		{asked + "operations: [json]", "mix={json:1}", asked + "mix: {json: 1}"},
		{asked + "budget: {cpu: 5%}", "budget=cpu=3%,lost=0", asked + "budget: {cpu: 3%, lost: 0}"},
		{asked + "budget: {cpu: 5%}", "budget.lost=0", asked + "budget: {cpu: 5%, lost: 0}"},
		{asked, "variants.otel.settings.sampling=10% variants.own.env.A=\"1\" variants.also=otel",
			"workload: hello/go\nvariants: {none: , otel: {settings: {sampling: 10%}}, own: {env: {A: \"1\"}}, also: otel}\n"},
		{small, "workload.operations.home.headers.X-A=b workload.processes.0.patience=9s workload.processes.shop.env.B=@c",
			strings.NewReplacer("home: GET /,", "home: {request: GET /, headers: {X-A: b}},",
				"{port}\"}", "{port}\", patience: 9s, env: {B: \"@c\"}}").Replace(small)},
		{strings.Replace(small, "home:", "v1.2/x:", 1), "workload.operations.v1.2/x.body=hello",
			strings.Replace(small, "home: GET /,", "v1.2/x: {request: GET /, body: hello},", 1)},
	} {
		var sets []string
		for text := range strings.FieldsSeq(c.sets) {
			sets = append(sets, strings.NewReplacer("_", " ", ":", ": ", ",", ", ").Replace(text))
		}
		if strings.HasPrefix(c.sets, "budget=") {
			sets = []string{c.sets}
		}
		read := func(text string, given ...Set) *Experiment {
			catalog := builtIn()
			if strings.HasPrefix(text, driven) {
				catalog = shelf()
			}
			es, err := ParseExperiment("x.yaml", "/elsewhere", []byte(text), catalog, given...)
			if err != nil {
				t.Fatalf("%s\n%s: %v", text, c.sets, err)
			}
			return es[0]
		}
		if diff := cmp.Diff(read(c.same), read(c.file, given(t, sets...)...), same); diff != "" {
			t.Errorf("%s\n%s (-want +got)\n%s", c.file, c.sets, diff)
		}
	}
}

// Each names what the user typed.
func TestSetErrors(t *testing.T) {
	const asked = "workload: hello/go\nvariants: {none: , otel: }\nload: {duration: 1s}\n"
	for _, c := range []struct{ file, set, want string }{
		{asked, "load.dept=8", `--set load.dept=8: unknown key "dept"; did you mean "depth"? (in load)`},
		{asked, "laod.depth=8", `--set laod.depth=8: unknown key "laod"; did you mean "load"? (in an experiment)`},
		{asked, "load.rate=fast", `--set load.rate=fast: "fast" is not a rate`},
		{asked, "load.connections=[1, x]", `--set 'load.connections=[1, x]': "x" is not a whole number`},
		{asked, "load.rate=[1/s", "--set 'load.rate=[1/s': not valid YAML: sequence end token ']' not found"},
		{driven + "load: {depth: [1, 2]}", "load.rate=[1/s", "--set 'load.rate=[1/s': not valid YAML"},
		{driven, "design.blocks=[1", "--set 'design.blocks=[1': not valid YAML"},
		{driven, "load.rate={", "--set 'load.rate={': not valid YAML"},
		{asked, "load.capacity={from: 5/s}", "--set 'load.capacity={from: 5/s}': capacity needs a goal"},
		{asked, "load.rate=0.5/s", "--set load.rate=0.5/s: 0.5/s for 1s is no operation"},
		{asked, "load.depth=8", "--set load.depth=8: depth is for self-driving workloads"},
		{asked, "samples=true", "--set samples=true: samples is for self-driving workloads"},
		{asked, "design.order=wovn", `--set design.order=wovn: `},
		{asked, "design.blocks=8..40", "--set design.blocks=8..40: 8..40 blocks need a precision to stop at"},
		{asked, "design.precision=2", "--set design.precision=2: 2 would be 200%; write 2%"},
		{asked, "workload.patience=9s", `--set workload.patience=9s: workload is "hello/go" there, and has no keys`},
		{asked, "stores=ecko", "--set stores=ecko: "},
		{asked, "variants.otl.settings.delay=2s", `--set variants.otl.settings.delay=2s: unknown tracer "otl"`},
		{small, "workload.processes.shp.patience=9s",
			`--set workload.processes.shp.patience=9s: workload.processes has no item "shp": write its number from 0 to 0, or its name`},
		{driven, "load.depth=[1,2] load.threads=[1,2]", "--set 'load.threads=[1,2]': one thing is swept at a time: depth is a list already"},
		{driven, "load.depth=100001", "--set load.depth=100001: 100001 is out of range"},
	} {
		catalog := builtIn()
		if strings.HasPrefix(c.file, driven) {
			catalog = shelf()
		}
		texts := []string{c.set}
		if c.file == driven {
			texts = strings.Fields(c.set)
		}
		_, err := ParseExperiment("x.yaml", "/elsewhere", []byte(c.file), catalog, given(t, texts...)...)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || !program.IsProblem(err) {
			t.Errorf("%s\ngot  %v\nwant %s", c.set, err, c.want)
		}
	}
	for _, text := range []string{"load", "=8", "load..depth=8", ".x=8"} {
		if _, err := ParseSets([]string{text}); err == nil || !strings.HasPrefix(err.Error(), "--set "+quote(text)+": write KEY=VALUE") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What is given stays in a quick experiment.
func TestQuickenKeepsWhatIsGiven(t *testing.T) {
	const text = small + "load: {rate: 100/s, warmup: 9s}\n"
	sets := given(t, "design.blocks=20", "load.duration=30s", "load.idle=2s")
	es, err := ParseExperiment("x.yaml", "/elsewhere", []byte(text), builtIn(), sets...)
	if err != nil {
		t.Fatal(err)
	}
	start := *es[0]
	if start.ExplainStart(sets...); start.Design.Blocks != 20 || start.Load.Duration != 30*time.Second || !start.Profile.Start {
		t.Errorf("the start explained: %+v %+v", start.Design, start.Load)
	}
	es[0].Quicken(sets...)
	d, l := es[0].Design, es[0].Load
	if d.Blocks != 20 || !d.Quick || l.Duration != 30*time.Second || l.Idle != 2*time.Second || l.Warmup >= 9*time.Second {
		t.Errorf("%+v %+v", d, l)
	}
}

// Whatever is given of whatever file ends in an experiment or an error.
func FuzzSet(f *testing.F) {
	for _, sets := range []string{
		"load.rate=5/s\nload={capacity: {cpu: 60%}, depth: [1, 2]}", "load.rate=[1/s\nload.depth=", "variants.none.env.A=1\nvariants=", "workload.processes.0=\nworkload.processes.0.env={a: [}",
		"load=[1]\nload.0.x=1", "design.precision=2%\ndesign={blocks: 5}", "load.rate=[1/s, 2/s]\nload={depth: [1, 2]}", "operations.0.x.y=1",
	} {
		f.Add(small+"load: {depth: [1, 2], connections: [3]}\n", sets)
	}
	f.Fuzz(func(t *testing.T, file, sets string) {
		given, err := ParseSets(strings.Split(sets, "\n"))
		if err != nil {
			return
		}
		if es, err := ParseExperiment("x.yaml", t.TempDir(), []byte(file), builtIn(), given...); (err == nil) == (len(es) == 0) {
			t.Errorf("%d experiments, %v", len(es), err)
		}
	})
}
