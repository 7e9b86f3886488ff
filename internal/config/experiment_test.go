package config

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/profile"
)

// same compares experiments; the folders of built-in workloads and tracers are
// the same wherever the names are.
var same = cmp.Options{
	cmp.FilterValues(func(a, b []byte) bool { return len(a)+len(b) > 0 }, cmp.Comparer(bytes.Equal)), // byte by byte a large body takes seconds
	cmpopts.EquateEmpty(),
	cmpopts.IgnoreFields(program.Workload{}, "Files"),
	cmpopts.IgnoreFields(program.Tracer{}, "Files"),
	cmpopts.IgnoreFields(program.Service{}, "Files"),
}

func parseOne(t *testing.T, text string) *Experiment {
	t.Helper()
	es, err := ParseExperiment("shop.yaml", t.TempDir(), []byte(text), builtIn())
	if err != nil {
		t.Fatal(err)
	}
	if len(es) != 1 {
		t.Fatalf("%d experiments, want 1", len(es))
	}
	return es[0]
}

const small = `
workload: {language: python, processes: [{name: shop, run: "shop --port {port}"}], operations: {home: GET /, cart: GET /cart}}
variants: {none: , otel: }
`

func TestDefaults(t *testing.T) {
	e := parseOne(t, small)
	want := Load{Rate: 100, Connections: 256, Arrivals: "even", Warmup: 3 * time.Second,
		Duration: 10 * time.Second, Timeout: 5 * time.Second, Idle: time.Second}
	if diff := cmp.Diff(want, e.Load); diff != "" {
		t.Errorf("load (-want +got)\n%s", diff)
	}
	if e.Name != "shop" || e.Workload.Name != "shop" || e.Sink != Checking || e.Design.Blocks != 10 {
		t.Errorf("name %q, workload %q, sink %q, %d blocks", e.Name, e.Workload.Name, e.Sink, e.Design.Blocks)
	}
	if p := e.Workload.Processes[0]; p.Role != "app" || !p.Traced || p.Patience != program.DefaultPatience {
		t.Errorf("process %+v", p)
	}
	if len(e.Operations) != 2 || e.Operations[0].Name != "home" || e.Operations[1].Method != "GET" {
		t.Errorf("operations %+v, want all of the workload in its order", e.Operations)
	}
	if e.Variants[0].Tracer.Name != "none" || e.Variants[1].Tracer.Name != "otel-python" {
		t.Errorf("variants %+v", e.Variants)
	}
}

func TestClosedLoop(t *testing.T) {
	e := parseOne(t, small+"load: {connections: 4}")
	if e.Load.Rate != 0 || e.Load.Connections != 4 {
		t.Errorf("load %+v, want no rate over 4 connections", e.Load)
	}
}

// TestVariantTracers: which tracer a variant means, by its form.
func TestVariantTracers(t *testing.T) {
	e := parseOne(t, `
workload: hello/flask
variants:
  base: {tracer: none}
  otel:
  otel-python: {settings: {sampling: 5%}}
  whole: otel-python
  mine: {env: {TRACE: "on"}}
`)
	for i, want := range []string{"none", "otel-python", "otel-python", "otel-python", "none"} {
		if got := e.Variants[i].Tracer.Name; got != want {
			t.Errorf("variant %s has tracer %s, want %s", e.Variants[i].Name, got, want)
		}
	}
	v := e.Variants[2]
	if v.Settings["sampling"] != "5%" || v.Chosen["sampling"] != "5%" || len(v.Chosen) != 1 || v.Settings["queue"] != "2048" {
		t.Errorf("settings %v, chosen %v", v.Settings, v.Chosen)
	}
}

func TestSeveralWorkloads(t *testing.T) {
	es, err := ParseExperiment("x.yaml", ".", []byte("workloads: [hello/go, hello/flask]\nvariants: {none: , otel: }"), builtIn())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range es {
		got = append(got, e.Workload.Name+" "+e.Variants[1].Tracer.Name)
	}
	if diff := cmp.Diff([]string{"hello/go otel-go", "hello/flask otel-python"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestBody: a body is a text, or a file beside the experiment.
func TestBody(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "order.json"), []byte("{\"n\": 1}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bytes.bin"), []byte("\x00\x01\xff"), 0o644); err != nil {
		t.Fatal(err)
	}
	es, err := ParseExperiment("x.yaml", dir, []byte(`
workload:
  processes: [{name: shop, run: [shop, "{port}"]}]
  operations:
    a: {request: POST /, body: "@order.json"}
    b: {request: POST /, body: {text: "@order.json"}}
    c: {request: POST /, body: {file: bytes.bin}}
    d: {request: POST /, body: {text: "\x01\r\n\t'é\u2028\x7f"}}
variants: {none: , otel-python: }
`), builtIn())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"{\"n\": 1}\n", "@order.json", "\x00\x01\xff", "\x01\r\n\t'é\u2028\x7f"} {
		if got := string(es[0].Operations[i].Body.Bytes); got != want {
			t.Errorf("body %d is %q, want %q", i, got, want)
		}
	}
	again(t, builtIn(), es[0])
}

func TestKeep(t *testing.T) {
	text := `
workload: hello/flask
variants: {none: , a: otel, b: {tracer: otel, against: a}, c: {tracer: otel, against: b}}
`
	for _, test := range []struct {
		names []string
		want  []string
		err   string
	}{
		{nil, []string{"none", "a", "b", "c"}, ""},
		{[]string{"a"}, []string{"none", "a"}, ""},
		{[]string{"c"}, []string{"none", "b", "c"}, ""},
		{[]string{"none"}, nil, `only the baseline "none" is left; name another variant`},
		{[]string{"aa"}, nil, `unknown variant "aa"; did you mean "a"?`},
	} {
		e := parseOne(t, text)
		err := e.Keep(test.names)
		if test.err != "" {
			if err == nil || err.Error() != test.err {
				t.Errorf("Keep(%v) = %v, want %s", test.names, err, test.err)
			}
			continue
		}
		var got []string
		for _, v := range e.Variants {
			got = append(got, v.Name)
		}
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("Keep(%v): %v\n%s", test.names, err, diff)
		}
	}
}

func TestQuickenAndSettle(t *testing.T) {
	e := parseOne(t, small)
	e.Quicken()
	e.ChooseOrder()
	if !e.Design.Quick || e.Design.Blocks != 6 || e.Load.Warmup != 500*time.Millisecond || e.Load.Duration != program.Requests.Row().QuickWindow {
		t.Errorf("%+v %+v", e.Design, e.Load)
	}
	if e.Design.Seed == 0 {
		t.Error("no seed was drawn")
	}
}

// A quick experiment makes no pilots where the workload declares rates, and says so; where it declares none, it makes them.
func TestQuickenDeclaredRates(t *testing.T) {
	parse := func(text string) *Experiment {
		t.Helper()
		es, err := ParseExperiment("x.yaml", ".", []byte(text+"\nload: {rate: 50% of slowest, duration: 7s}\n"), builtIn())
		if err != nil {
			t.Fatal(err)
		}
		es[0].Quicken()
		if err := es[0].Check(); err != nil {
			t.Error(err)
		}
		roundTrip(t, es[0])
		return es[0]
	}
	const own = "workload:\n  processes: [{name: app, run: [x, '{port}']}]\n  operations: {home: GET /, cart: {request: GET /cart, rate: 9/s}}\n"
	e := parse("workload: requests/flask\noperations: [json, db]\nvariants: {none: , otel: }")
	if e.Load.Relative != nil || e.Load.Rate != e.Workload.Rate || e.Operations[0].Rate == 0 || e.Design.Unpiloted != "50% of slowest" {
		t.Errorf("load %+v, design %+v, operations %+v", e.Load, e.Design, e.Operations)
	}
	if want := " (declared, not 50% of slowest) for 2.5s"; !strings.Contains(e.Summary(), want) {
		t.Errorf("%s\nwant %s", e.Summary(), want)
	}
	e = parse(own + "  rate: 5/s\nvariants: {none: , other: {tracer: none}}")
	if e.Load.Relative != nil || e.Load.Rate != 5 || e.Operations[1].Rate != 9 {
		t.Errorf("load %+v, operations %+v", e.Load, e.Operations)
	}
	e = parse(own + "variants: {none: , other: {tracer: none}}")
	if e.Load.Relative == nil || e.Load.Rate != 0 || e.Design.Unpiloted != "" {
		t.Errorf("without a declared rate: load %+v, design %+v", e.Load, e.Design)
	}
}

// However many phases a quick experiment has, it is a matter of minutes: each is shorter, and of a sweep the ends are left.
func TestQuickenLevels(t *testing.T) {
	const text = "workload: hello/go\noperations: [json]\nload: {connections: [4, 64, 16], duration: 10s}\nvariants: {none: , a: {tracer: none}, b: {tracer: none}"
	for more, want := range map[string][]int{"": {4, 64, 16}, ", c: {tracer: none}": {4, 64}} {
		es, err := ParseExperiment("x.yaml", ".", []byte(text+more+"}\n"), builtIn())
		if err != nil {
			t.Fatal(err)
		}
		e := es[0]
		e.Quicken()
		phases := time.Duration(len(e.Load.Levels) * len(e.Variants) * e.Design.Blocks * len(e.Operations))
		if !slices.Equal(e.Load.Levels, want) || phases*(e.Load.Duration+e.Load.Warmup) > quickLoad+phases*quickShortest {
			t.Errorf("%d variants have the levels %v, want %v, of %v each after %v", len(e.Variants), e.Load.Levels, want, e.Load.Duration, e.Load.Warmup)
		}
	}
}

// An operation that is asked for less than once in the window is an error, and
// making an experiment quick makes none.
func TestEachOperationHappens(t *testing.T) {
	const text = "workload:\n  processes: [{name: app, run: x}]\n  operations: {home: {request: GET http://h/, rate: 0.3/s}}\n" +
		"variants: {none: , other: {tracer: none}}\nload: {duration: "
	_, err := ParseExperiment("x.yaml", ".", []byte(text+"3s}\n"), builtIn())
	if err == nil || !strings.Contains(err.Error(), `operation "home": 0.3/s for 3s is no operation`) {
		t.Errorf("3 s: %v", err)
	}
	es, err := ParseExperiment("x.yaml", ".", []byte(text+"10s}\n"), builtIn())
	if err != nil {
		t.Fatal(err)
	}
	es[0].Quicken()
	if d := es[0].Load.Duration; d < 3*time.Second || d > 4*time.Second {
		t.Errorf("quick: %v", d)
	}
	roundTrip(t, es[0])
	if err := es[0].CheckWindow(); err != nil {
		t.Error(err)
	}
	es[0].Load.Duration = time.Second
	if err := es[0].CheckWindow(); err == nil {
		t.Error("0.3/s for 1 s is fine")
	}
}

// TestVariantKeys: no setting may be called as a key of a variant is, whichever there are.
func TestVariantKeys(t *testing.T) {
	var keys []string
	for _, k := range program.Keys(reflect.TypeFor[Variant](), "experiment") {
		keys = append(keys, k.Name)
	}
	if slices.Sort(keys); !slices.Equal(keys, slices.Sorted(slices.Values(program.VariantKeys))) {
		t.Errorf("a variant has the keys %q, and no setting may be called %q", keys, program.VariantKeys)
	}
}

// TestProfile: how long each operation is made again under a profiler, and that it is kept.
func TestProfile(t *testing.T) {
	for text, want := range map[string]Profile{
		"":                       {},
		"profile: false":         {},
		"profile: true":          {CPU: 6 * time.Second, Wall: 6 * time.Second},
		"profile: {cpu: 1500ms}": {CPU: 1500 * time.Millisecond},
		"profile: {wall: 5s, operations: [home]}": {CPU: 6 * time.Second, Wall: 5 * time.Second, Operations: []string{"home"}},
		"profile: {operations: [home]}":           {CPU: 6 * time.Second, Operations: []string{"home"}},
		"profile: {start: true}":                  {Start: true},
	} {
		e := parseOne(t, small+text)
		if !reflect.DeepEqual(e.Profile, want) {
			t.Errorf("%q is %+v", text, e.Profile)
		}
		kept, err := e.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if again := parseOne(t, string(kept)); !reflect.DeepEqual(again.Profile, want) {
			t.Errorf("%q is kept as %+v", text, again.Profile)
		}
		e.Explain()
		if e.Quicken(); e.Profile.CPU < time.Second || e.Profile.Wall != 0 || want.CPU > 0 && e.Profile.CPU > want.CPU {
			t.Errorf("explained quickly, %q is %+v", text, e.Profile)
		}
	}
	if _, err := ParseExperiment("shop.yaml", ".", []byte(small+"profile: {cpu: 1s, operations: [home, xml]}"), builtIn()); err == nil || !strings.Contains(err.Error(), "xml") {
		t.Errorf("an operation that there is not is profiled: %v", err)
	}
}

// TestQuickenProfile: an experiment of many phases is explained by fewer blocks, and of fewer operations; one of few has all.
func TestQuickenProfile(t *testing.T) {
	for variants, want := range map[int]struct{ blocks, operations int }{1: {6, 0}, 2: {6, 2}, 6: {2, 1}, -6: {2, 1}} {
		workload := "hello/go"
		if variants < 0 { // in Python, whose stretches are longer
			workload, variants = "hello/flask", -variants
		}
		text := "workload: " + workload + "\noperations: [json, cpu, remote]\ndesign: {blocks: 8}\nprofile: true\nvariants:\n  none:\n"
		for i := range variants {
			text += fmt.Sprintf("  otel-%d: {tracer: otel, settings: {delay: %ds}}\n", i, i+1)
		}
		e := parseOne(t, text)
		e.Quicken()
		if e.Design.Blocks != want.blocks || len(e.Profile.Operations) != want.operations || e.Profile.CPU < time.Second ||
			time.Duration(e.Design.Blocks*(variants+1))*(e.Profile.CPU+Attaching) > quickProfiled {
			t.Errorf("%d variants: %d blocks, profiled is %+v; want %+v", variants+1, e.Design.Blocks, e.Profile, want)
		}
	}
}

// TestTry: what is advised is tried beside the variant, once, and kept as any other variant.
func TestTry(t *testing.T) {
	e := parseOne(t, small+"design: {blocks: 2}")
	advice := []profile.Advice{{Setting: map[string]string{"sampling": "10%"}, Loses: "nine of ten traces"}, {Setting: map[string]string{"sampling": "100%"}}}
	advised := func(tracer string) ([]profile.Advice, error) {
		if tracer == "none" {
			return nil, nil
		}
		return advice, nil
	}
	for range 2 { // the second time all is there
		if err := e.Try(advised); err != nil {
			t.Fatal(err)
		}
	}
	if len(e.Variants) != 3 || e.Variants[2].Name != "otel-sampling-10" || e.Variants[2].Against != "otel" || e.Variants[2].Settings["sampling"] != "10%" || e.Variants[1].Settings["sampling"] != "100%" {
		t.Fatalf("%+v", e.Variants)
	}
	if err := e.Check(); err != nil {
		t.Error(err)
	}
	roundTrip(t, e)
	advice = []profile.Advice{{Setting: map[string]string{"colour": "red"}}}
	if err := e.Try(advised); err == nil {
		t.Error("a setting that the tracer does not have is tried")
	}
}
