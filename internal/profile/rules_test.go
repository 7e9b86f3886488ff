package profile

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// known are rules of a tracer that does not exist.
var known = &File{
	Tracer:    []string{"trace.*", "_wrapped_app (trace/flask/*)"},
	HandsOver: []string{"app.handler", "wsgi_app (flask/app.py)", "trace.with > *", "trace.http > *.emit"},
	Between:   []string{"contextlib.*"},
	Threads: []Thread{
		{Name: "exporter-*", Does: Does{Stage: "export", Task: "network"}},
		{Frames: []string{"grpc.loop"}, Does: Does{Stage: "export"}},
	},
	Runtime: Language{Threads: []string{"GC *"}, Frames: []string{"runtime.gc", "(garbage collector)"}},
	Rules: []Rule{
		{Frames: []string{"trace.startSpan"}, Does: Does{Task: "memory"}},
		{Frames: []string{"trace.setAttribute", "trace.attributes.*"}, Does: Does{Task: "metadata"}},
		{Frames: []string{"trace.export*"}, Does: Does{Stage: "export"}},
		{Frames: []string{"trace.exportJSON"}, Does: Does{Stage: "propagation", Task: "serialising"}},
		{Frames: []string{"*.now"}, Does: Does{Task: "time"}},
		{Frames: []string{"futex"}, Does: Does{Task: "lock"}},
	},
	Otherwise: Does{Stage: "instrumentation"},
	Advice: []Advice{
		{Does: Does{Task: "metadata"}, Setting: map[string]string{"details": "off"}, Loses: "names"},
		{Does: Does{Task: "lock"}, Over: 0.5, Setting: map[string]string{"queue": "9"}, Loses: "nothing"},
	},
}

// collapsed reads stacks as lines of text.
func collapsed(t testing.TB, lines ...string) *Profile {
	t.Helper()
	p, err := Read(Collapsed, strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCause(t *testing.T) {
	r := Compile(known)
	for stack, want := range map[string]string{
		// Whose it is.
		"main;app.work":                                          "program",
		"main;trace.startSpan":                                   "tracer instrumentation memory",
		"main;trace.wrap;app.handler;app.work":                   "program",
		"main;trace.wrap;web.local;web.get":                      "tracer instrumentation no rule",
		"main;trace.wrap;app.handler;trace.startSpan;malloc":     "tracer instrumentation memory",
		"main;trace.wrap;app.handler;trace.wrap;x;app.handler":   "program",
		"main;app.handler;app.work":                              "program",
		"main;app.work;[unknown];sys_read":                       "program",
		"main;trace.wrap;[unknown];sys_read":                     "tracer instrumentation no rule",
		"main;trace.with;shop.cart;hash":                         "program",
		"main;trace.with;trace.startSpan;hash":                   "tracer instrumentation memory",
		"main;trace.with;trace.other;shop.cart":                  "tracer instrumentation no rule",
		"main;trace.with;contextlib.enter":                       "tracer instrumentation no rule",
		"main;trace.with;contextlib.call;contextlib.x;shop.cart": "program",
		"main;trace.other;contextlib.call;shop.cart":             "tracer instrumentation no rule",
		"main;trace.http;events.emit;shop.cart":                  "program",
		"main;trace.http;url.parse;events.emit":                  "tracer instrumentation no rule",
		"main;trace.http;shop.cart":                              "tracer instrumentation no rule",
		"[x tid=1]":                                              "program",
		// The runtime, and threads.
		"runtime.gc;scan":                              "runtime",
		"runtime.gc;finalizer;trace.startSpan":         "tracer instrumentation memory",
		"main;trace.startSpan;runtime.gc;assist":       "tracer instrumentation memory",
		"[GC Thread#0 tid=1];start;work":               "runtime",
		"[exporter-7 tid=1];main;app.handler;app.work": "tracer export network own",
		"[exporter-7 tid=1]":                           "tracer export network own",
		"[exporter-7 tid=1];trace.exportJSON":          "tracer export serialising own",
		"goexit;grpc.loop;app.handler;sys_write":       "tracer export no rule own",
		"main;trace.wrap;grpc.loop":                    "tracer instrumentation no rule",
		// What it serves: the innermost frame that has a rule, each axis by itself, and never beyond the owner's stretch.
		"main;trace.startSpan;trace.setAttribute;trace.attributes.put;hash": "tracer instrumentation metadata",
		"main;trace.setAttribute;clock.now":                                 "tracer instrumentation time",
		"main;clock.now":                                                    "program",
		"main;trace.exportAll;trace.exportJSON;write":                       "tracer export serialising",
		"main;trace.exportAll;futex":                                        "tracer export lock",
		"main;trace.startSpan;app.handler;trace.other":                      "tracer instrumentation no rule",
	} {
		p := collapsed(t, stack+" 1")
		of := r.Causes(p)[0]
		got := strings.TrimSpace(strings.Join([]string{of.Owner.String(), of.Stage, of.Task}, " "))
		if of.Own {
			got += " own"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", stack, got, want)
		}
	}
}

// A handler burns nine tenths inside of the tracer's wrapper: these are the program's. What is the wrapper's own is found.
func TestWrapper(t *testing.T) {
	text := `{"shared":{"frames":[{"name":"handle","file":"/v/gunicorn/workers/sync.py"},
		{"name":"_wrapped_app","file":"/v/site-packages/trace/flask/__init__.py"},
		{"name":"wsgi_app","file":"/v/site-packages/flask/app.py"},{"name":"burn","file":"/home/u/shop/app.py"},
		{"name":"get","file":"/v/site-packages/werkzeug/local.py"},{"name":"wsgi_app","file":"/v/notflask/app.py"}]},
		"profiles":[{"type":"sampled","unit":"none","name":"Process 1 Thread 2 \"MainThread\"",
		"samples":[[0,1,2,3],[0,1,4],[0,1,5],[0]],"weights":[900,10,5,85]}]}`
	p, err := Read(Speedscope, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := Compile(known).Sort(p)
	if c.All.Owner[Tracer] != 15 || c.All.Owner[Program] != 985 || c.Handlers != 1 {
		t.Errorf("%+v, %d handed over", c.All, c.Handlers)
	}
}

// All sums are over all samples; the caller's are without threads of the tracer and of the runtime; frames without a rule
// are told by what they cost.
func TestSort(t *testing.T) {
	p := collapsed(t,
		"[main tid=1];main;app.work 50", "[main tid=1];main;trace.startSpan;clock.now 20", "[main tid=1];main;trace.other;hash 7",
		"[main tid=1];main;trace.more 2", "[exporter-1 tid=2];trace.exportJSON 11", "[GC Thread#1 tid=3];mark 10")
	c := Compile(known).Sort(p)
	want := Amounts{Total: 100, Owner: [owners]int64{50, 40, 10}, Stage: map[string]int64{"instrumentation": 29, "export": 11},
		Task: map[string]int64{"time": 20, "serialising": 11, NoRule: 9}}
	caller := Amounts{Total: 79, Owner: [owners]int64{50, 29, 0}, Stage: map[string]int64{"instrumentation": 29}, Task: map[string]int64{"time": 20, NoRule: 9}}
	for name, both := range map[string][2]Amounts{"all": {c.All, want}, "callers": {c.Caller, caller}} {
		got, want := both[0], both[1]
		if got.Total != want.Total || got.Owner != want.Owner || !sameAxis(got.Stage, want.Stage, Stages) || !sameAxis(got.Task, want.Task, Tasks) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if c.Count != 100 || c.Tracing != 40 || c.NoRule != 9 {
		t.Errorf("%d samples, %d of tracing, %d without a rule", c.Count, c.Tracing, c.NoRule)
	}
	if unruled := []FrameCount{{"trace.other", 7}, {"trace.more", 2}}; !slices.Equal(c.Unruled, unruled) {
		t.Errorf("without a rule: %v", c.Unruled)
	}
	if given := Compile(known).Advice(c); len(given) != 0 {
		t.Errorf("nothing is metadata, and %v is advised", given)
	}
	c = Compile(known).Sort(collapsed(t, "main;trace.setAttribute 1", "main;trace.startSpan 9"))
	if given := Compile(known).Advice(c); len(given) != 1 || given[0].Task != "metadata" {
		t.Errorf("a tenth is metadata, and %v is advised", given)
	}
	if given := Compile(known).Advice(Compile(known).Sort(collapsed(t))); len(given) != 0 {
		t.Errorf("there is no sample, and %v is advised", given)
	}
}

// sameAxis reports whether amounts have each name of their list, with the values of want or else 0.
func sameAxis(got, want map[string]int64, list []string) bool {
	for _, name := range list {
		if _, has := got[name]; !has || got[name] != want[name] {
			return false
		}
	}
	return got[NoRule] == want[NoRule] && len(got) == len(list)+1
}

// Of several files the first has the say.
func TestCompile(t *testing.T) {
	own := &File{Rules: []Rule{{Frames: []string{"trace.startSpan"}, Does: Does{Task: "lock"}}}, Otherwise: Does{Stage: "configuration"}}
	c := Compile(own, known).Causes(collapsed(t, "trace.startSpan 1", "trace.setAttribute 1"))
	if c[0].Task != "lock" || c[0].Stage != "configuration" || c[1].Task != "metadata" {
		t.Errorf("%+v", c)
	}
}

// Of many frames that hand over the last one does too.
func TestManyHandOver(t *testing.T) {
	f := &File{Tracer: []string{"trace.*"}}
	for i := range MostHandsOver {
		f.HandsOver = append(f.HandsOver, fmt.Sprintf("trace.a%d > app.b%d", i, i))
	}
	r := Compile(f)
	for stack, want := range map[string]Owner{"trace.a255;app.b255": Program, "trace.a255;app.b191": Tracer, "trace.a0;app.b0": Program} {
		if got := r.Causes(collapsed(t, stack+" 1"))[0].Owner; got != want {
			t.Errorf("%s is the %s's", stack, got)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, test := range []struct {
		pattern string
		frame   Frame
		want    bool
	}{
		{"a.b", Frame{Name: "a.b"}, true},
		{"a.b", Frame{Name: "a.bc"}, false},
		{"a.*", Frame{Name: "a."}, true},
		{"*.b", Frame{Name: "a.b"}, true},
		{"ab*bc", Frame{Name: "abc"}, false},
		{"ab*bc", Frame{Name: "abbc"}, true},
		{"*a*b*", Frame{Name: "xxaxxbxx"}, true},
		{"*a*b*", Frame{Name: "xxbxxaxx"}, false},
		{"a*b*c", Frame{Name: "abcbc"}, true},
		{"*x", Frame{Name: ""}, false},
		{"start_span (trace/sdk/*)", Frame{Name: "start_span", File: "/u/lib/trace/sdk/a/b.py"}, true},
		{"start_span (trace/sdk/*)", Frame{Name: "start_span", File: "trace/sdk/b.py"}, true},
		{"start_span (trace/sdk/*)", Frame{Name: "start_span", File: "/u/mytrace/sdk/b.py"}, false},
		{"start_span (trace/sdk/*)", Frame{Name: "Tracer.start_span", File: "trace/sdk/b.py"}, true},
		{"start_span", Frame{Name: "Tracer.start_span", File: "trace/sdk/b.py"}, false},
		{"* (trace/sdk/*)", Frame{Name: "x"}, false},
		{"(garbage collector)", Frame{Name: "(garbage collector)"}, true},
		{"f", Frame{Name: "f", File: "/any"}, true},
	} {
		if got := compilePattern(test.pattern).matches(test.frame); got != test.want {
			t.Errorf("%q of %v: %t", test.pattern, test.frame, got)
		}
	}
}

func TestCheck(t *testing.T) {
	if problems := known.Check(false); len(problems) > 0 {
		t.Errorf("%v", problems)
	}
	for want, f := range map[string]*File{
		"": {},
		"tracer [1]|hands_over [0]|hands_over [2]|hands_over [3]|between [0]|runtime threads [0]|runtime frames [0]": {
			Tracer: []string{"a", "*"}, HandsOver: []string{"", "a > *", "* > b", "a > "}, Between: []string{"*"}, Runtime: Language{Threads: []string{"**"}, Frames: []string{"f ()"}},
		},
		"threads [0]|threads [1] name|threads [2] frames [0]": {Tracer: []string{"a"}, Threads: []Thread{{}, {Name: "*"}, {Frames: []string{"*"}}}},
		"rules [0]|rules [1]|rules [2] frames [0]": {Tracer: []string{"a"}, Rules: []Rule{
			{Does: Does{Task: "time"}}, {Frames: []string{"a"}}, {Frames: []string{"*"}, Does: Does{Task: "time"}},
		}},
		"advice [0]|advice [0]": {Tracer: []string{"a"}, Advice: []Advice{{}}},
	} {
		var ways []string
		for _, p := range f.Check(false) {
			ways = append(ways, strings.Join(p.Way, " "))
		}
		if got := strings.Join(ways, "|"); got != want || len(ways) == 0 {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
	if problems := (&File{}).Check(true); len(problems) > 0 {
		t.Errorf("a part that others share: %v", problems)
	}
}

// What is written is read by pprof, with its labels, and again by Read.
func TestWritePprof(t *testing.T) {
	p := collapsed(t, "[main tid=1];main;trace.startSpan;clock.now 20", "[exporter-1 tid=2];trace.exportJSON 11", "app.work 5")
	for _, unit := range []string{Samples, Nanoseconds, Bytes} {
		p.Unit = unit
		var out bytes.Buffer
		if err := WritePprof(&out, p, Compile(known)); err != nil {
			t.Fatal(err)
		}
		again, err := Read(Pprof, bytes.NewReader(out.Bytes()))
		if err != nil || again.Unit != unit || !slices.Equal(stacks(p), stacks(again)) {
			t.Errorf("%s: %v\n%v\nwant\n%v", unit, err, stacks(again), stacks(p))
		}
		parsed, err := profile.Parse(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		var labels []string
		for _, s := range parsed.Sample {
			line := fmt.Sprint(s.Value[len(s.Value)-1])
			for _, name := range slices.Sorted(maps.Keys(s.Label)) {
				line += " " + name + "=" + s.Label[name][0]
			}
			labels = append(labels, line)
		}
		want := []string{
			"20 owner=tracer stage=instrumentation task=time thread=main", "11 owner=tracer stage=export task=serialising thread=exporter-*", "5 owner=program",
		}
		if !slices.Equal(labels, want) {
			t.Errorf("%s: %q, want %q", unit, labels, want)
		}
	}
}

// What a start consists of: what is loaded is of whom loads it, and the innermost of a loader and a frame with a stage counts.
func TestStart(t *testing.T) {
	r := Compile(&File{
		Tracer: []string{"tracer.*"}, HandsOver: []string{"tracer.wrap > app.*"},
		Runtime:   Language{Loaders: []string{"load"}, Frames: []string{"collect"}, Threads: []string{"compiler"}},
		Threads:   []Thread{{Name: "exporter", Does: Does{Stage: "export"}}},
		Rules:     []Rule{{Does: Does{Stage: "configuration"}, Frames: []string{"tracer.setup"}}, {Does: Does{Stage: "export"}, Frames: []string{"tracer.send"}}},
		Otherwise: Does{Stage: "instrumentation"},
	})
	p, err := Read(Collapsed, strings.NewReader("app.main;load;app.top 1\napp.main;serve 2\nload;tracer.top;tracer.setup 4\napp.main;load;tracer.top 8\n"+
		"app.main;tracer.setup;load;read 16\napp.main;tracer.span 32\napp.main;tracer.send;write 64\ncollect 128\nload;app.main;tracer.wrap;app.serve 256\n"+
		"[compiler tid=7];compile;load 512\n[exporter tid=8];tracer.send;write 1024\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{LoadingProgram: 1 + 256, OfProgram: 2, SetUp: 4, LoadingTracer: 8 + 16, FirstSpans: 32, FirstExport: 64, OfRuntime: 128, Beside: 512 + 1024}
	if got := r.Start(p); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// What a tracer imports is the tracer's, also libraries; lines of others are passed over.
func TestImports(t *testing.T) {
	i := Compile(&File{Tracer: []string{"* (opentelemetry/sdk/*)"}}).Imports()
	for _, line := range strings.Split(`import time: self [us] | cumulative | imported package
import time:       100 |        100 |   encodings
import time:        30 |         30 |         google.protobuf
import time:         7 |         37 |       opentelemetry.sdk.trace
starting up
import time:         2 |         39 |     sitecustomize
import time:         1 |        140 | site
import time:       500 |        500 | flask
import time:  99999999999999999999 | 1 | hostile`, "\n") {
		i.Line(line)
	}
	if got, want := i.Parts(), map[string]int64{LoadingProgram: 603_000, LoadingTracer: 37_000}; !maps.Equal(got, want) || i.Lines != 6 {
		t.Errorf("%v of %d lines, want %v", got, i.Lines, want)
	}
}
