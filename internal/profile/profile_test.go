package profile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// real are the profiles that profilers wrote, by their files in testdata.
var real = map[string]Format{
	"async-profiler.collapsed": Collapsed, "py-spy.speedscope.json": Speedscope, "node.cpuprofile": CPUProfile,
	"perf.script": Perf, "go.pb.gz": Pprof,
}

func readFile(t testing.TB, name string) *Profile {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Read(real[name], bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// stacks are the samples of a profile as lines, for tests.
func stacks(p *Profile) []string {
	var out []string
	for _, s := range p.Samples {
		var names []string
		for _, f := range s.Stack {
			names = append(names, p.Frames[f].String())
		}
		out = append(out, fmt.Sprintf("[%s] %s %d/%d", s.Thread, strings.Join(names, ";"), s.Value, s.Count))
	}
	return out
}

func TestRead(t *testing.T) {
	for _, test := range []struct {
		name   string
		format Format
		text   string
		unit   string
		want   []string
	}{
		{"threads, numbers and addresses", Collapsed, "[pool-1-thread-3 tid=77];java/lang/Thread.run;shop/Cart$$Lambda$425.0x00007f0012.run 3\n" +
			"[pool-1-thread-9 tid=78];java/lang/Thread.run;shop/Cart$$Lambda.0x0000ffff12.run 4\r\n\n/lib/libc.so;a::b(int, c/d) 1\n", Samples, []string{
			"[pool-*-thread-*] java.lang.Thread.run;shop.Cart$$Lambda.run 7/7", "[] /lib/libc.so;a::b(int, c/d) 1/1",
		}},
		{"a thread that is called as it likes", Collapsed, "[a;b [x] <script> tid=5];run;f 2\n[no thread;f 1\n[only tid=3] 4\n", Samples, []string{
			"[a;b [x] <script>] run;f 2/2", "[] [no thread;f 1/1", "[only]  4/4",
		}},
		{"threads of py-spy", Speedscope, `{"shared":{"frames":[{"name":"run","file":"/x/threading.py","line":1},{"name":"export","file":"/x/o.py"}]},
			"profiles":[{"type":"sampled","unit":"seconds","name":"Process 7 Thread 0x1 \"OtelBatch-1\"","samples":[[0,1],[0,1],[0]],"weights":[0.01,0.01,0.01]}]}`,
			Nanoseconds, []string{"[OtelBatch-*] run (/x/threading.py);export (/x/o.py) 20000000/2", "[OtelBatch-*] run (/x/threading.py) 10000000/1"}},
		{"threads in frames, and one that waits", Speedscope, `{"shared":{"frames":[{"name":"thread (0x7F): w-7","file":""},{"name":"Tracer.export","file":"/x/o.py"},
			{"name":"Condition.wait","file":"/usr/lib/threading.py"}]},"profiles":[{"type":"sampled","unit":"none","name":"all","samples":[[0,1],[0,1,2]],"weights":[2,9]}]}`,
			Samples, []string{"[w-*] Tracer.export (/x/o.py) 2/1"}},
		{"a child of a process", Speedscope, `{"shared":{"frames":[{"name":"process 5:\"gunicorn app\"","file":""},{"name":"process 6:\"gunicorn app\"","file":""},
			{"name":"thread (6): OtelBatch","file":""},{"name":"Tracer.export","file":"/x/o.py"}]},"profiles":[{"type":"sampled","unit":"none","name":"all","samples":[[0,1,2,3]],"weights":[2]}]}`,
			Samples, []string{"[OtelBatch] Tracer.export (/x/o.py) 2/1"}},
		{"a tree", CPUProfile, `{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","url":"","lineNumber":-1},"children":[2,4]},
			{"id":2,"callFrame":{"functionName":"main","url":"file:///a/main.js","lineNumber":4},"children":[3]},
			{"id":3,"callFrame":{"functionName":"","url":"node:http","lineNumber":0}},{"id":4,"callFrame":{"functionName":"(idle)","url":"","lineNumber":-1}}],
			"samples":[3,2,4,3],"timeDeltas":[0,500,700,-3]}`, Samples, []string{
			"[] main (/a/main.js);(anonymous) (node:http) 2/2", "[] main (/a/main.js) 1/1",
		}},
		{"periods, unknown frames, a last sample without an end", Perf, "# a remark\nhello svc-2  12/13 [001] 7.25:    1001001 cpu-clock:ppp: \n\t7f12 [unknown] (/usr/lib/libc.so.6)\n" +
			"\tffff runtime.mcall+0x1c (/x/hello)\n\n:99 99 8.0:  1001001 cpu-clock: \n\tabc std::foo (int)+0x2::h0123456789abcdef (deleted)+0x3 (/x/y)\n", Nanoseconds, []string{
			"[hello svc-*] runtime.mcall (hello);[unknown] (libc.so.6) 1001001/1", "[:*] std::foo (int)+0x2::h0123456789abcdef (deleted) (y) 1001001/1",
		}},
		{"no periods", Perf, "a 1 2.0: cycles:\n\tabc f+0x1 (/x)\n\na 1 3.0: cycles:\n\tabc f+0x2 (/x)\n", Samples, []string{"[a] f (x) 2/2"}},
		{"nothing", Collapsed, "", Samples, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, err := Read(test.format, strings.NewReader(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if got := stacks(p); strings.Join(got, "\n") != strings.Join(test.want, "\n") || p.Unit != test.unit {
				t.Errorf("in %s:\n%s\nwant, in %s:\n%s", p.Unit, strings.Join(got, "\n"), test.unit, strings.Join(test.want, "\n"))
			}
		})
	}
}

// What is wrong is told with its line where there are lines; half a file is wrong.
func TestReadWrong(t *testing.T) {
	for name, test := range map[string]struct {
		format Format
		text   string
		line   bool
	}{
		"half a line":            {Collapsed, "a;b 3\nc;d", true},
		"a negative value":       {Collapsed, "a;b 3\nc;d -1\n", true},
		"too large a sum":        {Collapsed, "a 9223372036854775807\nb 1\n", true},
		"half a JSON text":       {Speedscope, "{\"shared\":\n{\"frames\":[", true},
		"another type":           {Speedscope, "{\n\"profiles\": 7}", true},
		"a frame that is not":    {Speedscope, `{"profiles":[{"type":"sampled","unit":"seconds","samples":[[3]],"weights":[1]}]}`, false},
		"a weight that is none":  {Speedscope, `{"profiles":[{"type":"sampled","unit":"seconds","samples":[[]],"weights":[1e300]}]}`, false},
		"too few weights":        {Speedscope, `{"profiles":[{"type":"sampled","unit":"seconds","samples":[[]],"weights":[]}]}`, false},
		"a circle":               {CPUProfile, `{"nodes":[{"id":1,"children":[2]},{"id":2,"children":[1]}],"samples":[1],"timeDeltas":[1]}`, false},
		"a node that is not":     {CPUProfile, `{"nodes":[],"samples":[1],"timeDeltas":[1]}`, false},
		"no sample":              {Perf, "hello\n\tabc f+0x1 (/x)\n", true},
		"no frame":               {Perf, "a 1 2.0: 5 cpu-clock:\n\tabc f+0x1 (/x)\n\tzzz\n", true},
		"a period of some":       {Perf, "a 1 2.0: 5 cpu-clock:\n\n\na 1 2.0: cpu-clock:\n", true},
		"no protocol buffer":     {Pprof, "hello", false},
		"no gzip":                {Pprof, "\x1f\x8b hello", false},
		"a format that is not":   {"svg", "", false},
		"half of a gzipped file": {Pprof, string(half(t)), false},
	} {
		p, err := Read(test.format, strings.NewReader(test.text))
		if err == nil || test.line != strings.Contains(err.Error(), "line ") {
			t.Errorf("%s: %v, %+v", name, err, p)
		}
	}
}

func half(t *testing.T) []byte {
	text, err := os.ReadFile("testdata/go.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	return text[:len(text)/2]
}

// Names that are long or hold the signs of the format neither fail nor use much memory.
func TestReadHostile(t *testing.T) {
	long := strings.Repeat("é", 5<<20)
	for name, test := range map[string]struct {
		format Format
		text   string
	}{
		"collapsed":         {Collapsed, long + ";<script>alert(1)</script>;b 3\n"},
		"frames of ;":       {Collapsed, strings.Repeat(";", 10<<20) + " 3\n"},
		"a thread":          {Collapsed, "[" + long + " tid=1];f 3\n"},
		"perf":              {Perf, long[:100] + " 1 2.0: 3 cpu-clock:\n\tabc " + long + "+0x1 (/x)\n"},
		"speedscope":        {Speedscope, `{"shared":{"frames":[{"name":"` + long + `"}]},"profiles":[{"type":"sampled","unit":"none","name":"` + long + `","samples":[[0]],"weights":[3]}]}`},
		"bytes of no text":  {Collapsed, "\xff\xfe\x00;\x1b[2J 3\n"},
		"a name with a row": {Collapsed, "a\u2028b 3\n"},
	} {
		p, err := Read(test.format, strings.NewReader(test.text))
		if err != nil || p.Total != 3 {
			t.Errorf("%s: %v, %+v", name, err, p)
			continue
		}
		for _, f := range p.Frames {
			if len(f.Name) > 2*maxName {
				t.Errorf("%s: a name of %d bytes", name, len(f.Name))
			}
		}
		for _, s := range p.Samples {
			if len(s.Stack) > maxDepth+1 || len(s.Thread) > 2*maxName {
				t.Errorf("%s: %d frames in a thread whose name has %d bytes", name, len(s.Stack), len(s.Thread))
			}
		}
	}
}

func TestNormal(t *testing.T) {
	for name, want := range map[string]string{
		"a.B$$Lambda$14.0x0000000800c1.get":                     "a.B$$Lambda.get",
		"a.B$$Lambda/0x00007f88.get":                            "a.B$$Lambda.get",
		"java.lang.invoke.LambdaForm$MH.0x00000008013.call":     "java.lang.invoke.LambdaForm$MH.call",
		"jdk.internal.reflect.GeneratedMethodAccessor12.invoke": "jdk.internal.reflect.GeneratedMethodAccessor.invoke",
		"com.sun.proxy.$Proxy42.find":                           "com.sun.proxy.$Proxy.find",
		"serde::de::visit::h0123456789abcdef":                   "serde::de::visit",
		"runtime.goexit.abi0":                                   "runtime.goexit",
		"tcp_sendmsg.part.0.isra.3":                             "tcp_sendmsg",
		"go.example/x.(*T).M.func1":                             "go.example/x.(*T).M.func1",
		"main.burn2":                                            "main.burn2",
	} {
		if got := normal(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// Each of the real profiles is read: its samples, a thread and a frame.
func TestReal(t *testing.T) {
	for name, want := range map[string]struct {
		unit   string
		count  int64
		thread string
		frame  string
	}{
		"async-profiler.collapsed": {Samples, 25, "BatchSpanProcessor_WorkerThread-*", "CompileBroker::compiler_thread_loop"},
		"py-spy.speedscope.json":   {Nanoseconds, 135, "MainThread", "Arbiter.run (/cache/gunicorn/arbiter.py)"}, // 173 further ones wait
		"node.cpuprofile":          {Samples, 170, "", "serialise (/app/shop.js)"},
		"perf.script":              {Nanoseconds, 60, "hello", "main.readClock (hello)"},
		"go.pb.gz":                 {Nanoseconds, 39, "", "testing.tRunner (/usr/local/go/src/testing/testing.go)"},
	} {
		p := readFile(t, name)
		var has, frame bool
		for _, s := range p.Samples {
			has = has || s.Thread == want.thread
		}
		for _, f := range p.Frames {
			frame = frame || f.String() == want.frame
		}
		if apart := map[string]time.Duration{"node.cpuprofile": 1083 * time.Microsecond}[name]; p.Apart != apart {
			t.Errorf("%s: samples are %v apart, not %v", name, p.Apart, apart)
		}
		if p.Unit != want.unit || p.Count != want.count || !has || !frame {
			t.Errorf("%s: %s, %d samples, thread %t, frame %t", name, p.Unit, p.Count, has, frame)
		}
	}
}

func FuzzCollapsed(f *testing.F)  { fuzz(f, "async-profiler.collapsed") }
func FuzzSpeedscope(f *testing.F) { fuzz(f, "py-spy.speedscope.json") }
func FuzzCPUProfile(f *testing.F) { fuzz(f, "node.cpuprofile") }
func FuzzPerf(f *testing.F)       { fuzz(f, "perf.script") }
func FuzzPprof(f *testing.F)      { fuzz(f, "go.pb.gz") }

// fuzz reads whatever comes: what is read adds up, and is the same after it was written as pprof.
func fuzz(f *testing.F, name string) {
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(text[:len(text)/2])
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Read(real[name], bytes.NewReader(text))
		if err != nil {
			return
		}
		addsUp(t, p)
		c := Compile(known).Sort(p)
		if c.All.Total != p.Total || c.All.Owner[Program]+c.All.Owner[Tracer]+c.All.Owner[Runtime] != p.Total {
			t.Errorf("%+v of %d", c.All, p.Total)
		}
		var started int64
		for _, amount := range Compile(known).Start(p) {
			started += amount
		}
		if started < 0 || started > p.Total {
			t.Errorf("parts of a start are %d of %d", started, p.Total)
		}
	})
}

// Import times may come between anything.
func FuzzImports(f *testing.F) {
	f.Add("import time:       100 |        100 |   encodings\nimport time: 3 | 103 | trace.flask\nready\n")
	f.Fuzz(func(t *testing.T, text string) {
		i := Compile(known).Imports()
		for line := range strings.Lines(text) {
			i.Line(strings.TrimSuffix(line, "\n"))
		}
		for part, took := range i.Parts() {
			if took < 0 || took > int64(i.Lines)*int64(time.Hour) {
				t.Errorf("%s took %d ns in %d lines", part, took, i.Lines)
			}
		}
	})
}

func addsUp(t *testing.T, p *Profile) {
	t.Helper()
	var total, count int64
	for _, s := range p.Samples {
		total, count = total+s.Value, count+s.Count
		for _, f := range s.Stack {
			if int(f) >= len(p.Frames) {
				t.Fatalf("frame %d of %d", f, len(p.Frames))
			}
		}
	}
	if total != p.Total || count != p.Count {
		t.Errorf("the samples add up to %d and %d, not %d and %d", total, count, p.Total, p.Count)
	}
}

// manySamples is a million samples of 20,000 stacks, of 40 frames each.
func manySamples(b *testing.B) *Profile {
	random := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for range 20_000 {
		text.WriteString("[main tid=1];app.Main.main")
		for range 39 {
			fmt.Fprintf(&text, ";lib%d.Some.method%d", random.IntN(20), random.IntN(100))
		}
		fmt.Fprintf(&text, " %d\n", 1)
	}
	p, err := Read(Collapsed, strings.NewReader(text.String()))
	if err != nil {
		b.Fatal(err)
	}
	for len(p.Samples) < 1_000_000 {
		p.Samples = append(p.Samples, p.Samples[:20_000]...)
	}
	return p
}

// A million samples are sorted in a second.
func BenchmarkSort(b *testing.B) {
	p := manySamples(b)
	r := Compile(known)
	for b.Loop() {
		r.Sort(p)
	}
	b.ReportMetric(float64(len(p.Samples))*float64(b.N)/b.Elapsed().Seconds(), "samples/s")
}
