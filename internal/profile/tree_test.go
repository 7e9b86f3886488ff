package profile

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// sorted is what a profile of these stacks is read back as, when it was kept.
func sorted(t testing.TB, lines ...string) *Sorted {
	t.Helper()
	var kept bytes.Buffer
	if err := WritePprof(&kept, collapsed(t, lines...), Compile(known)); err != nil {
		t.Fatal(err)
	}
	s, err := ReadSorted(&kept)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func kindText(k Kind) string {
	return strings.Join(strings.Fields(fmt.Sprint(k.Owner, " ", k.Stage, " ", k.Task)), " ")
}

// lines are the amounts of a tree, by cause and by stack.
func (t *Tree) lines() []string {
	var out []string
	for i, own := range t.Own {
		stack := ""
		for n := own.Node; n >= 0; n = t.Nodes[n].Up {
			stack = ";" + t.Frames[t.Nodes[n].Frame].String() + stack
		}
		out = append(out, fmt.Sprintf("%s%s %v", kindText(own.Kind), stack, t.Amounts(i)))
	}
	slices.Sort(out)
	return out
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant:\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A kept stack has the frames of its owner alone: the tracer's begins where it is called, and the program's has no wrapper.
func TestOwnedFrames(t *testing.T) {
	for stack, want := range map[string]string{
		"main;app.work": "program;main;app.work",
		"main;trace.wrap;web.x;app.handler;app.work":                    "program;main;app.handler;app.work",
		"main;trace.wrap;app.handler;b;trace.with;shop.cart":            "program;main;app.handler;b;shop.cart",
		"trace.wrap;app.handler;app.work":                               "program;app.handler;app.work",
		"main;trace.startSpan;malloc":                                   "tracer instrumentation memory;trace.startSpan;malloc",
		"main;trace.wrap;app.handler;c;trace.startSpan;malloc":          "tracer instrumentation memory;trace.startSpan;malloc",
		"main;app.work;runtime.gc;scan":                                 "runtime;runtime.gc;scan",
		"runtime.gc;scan":                                               "runtime;runtime.gc;scan",
		"main;runtime.gc;trace.wrap;app.handler;x":                      "program;main;app.handler;x",
		"[GC Thread#0 tid=1];start;work":                                "runtime;start;work",
		"[GC Thread#0 tid=1];start;trace.wrap;app.handler;work":         "program;app.handler;work",
		"[exporter-7 tid=1];main;app.handler":                           "tracer export network;main;app.handler",
		"goexit;grpc.loop;app.handler;sys_write":                        "tracer export no rule;grpc.loop;app.handler;sys_write",
		"main;trace.wrap;app.handler;runtime.gc;trace.wrap;app.handler": "program;main;app.handler;app.handler",
	} {
		tree := NewTree(1)
		tree.Add(0, sorted(t, stack+" 1"), 1)
		same(t, stack, tree.lines(), []string{want + " [1]"})
	}
}

// One side beside another: what is called in the same way is one node, and what is gone is still there.
func TestTree(t *testing.T) {
	tree := NewTree(2)
	tree.Add(0, sorted(t, "main;a;b 4", "main;a;c 2", "main;a 1", "runtime.gc 1"), 0.5)
	tree.Add(0, sorted(t, "main;a;b 4"), 0.25)
	tree.Add(1, sorted(t, "main;a;b 3", "main;a;b;trace.startSpan 2", "main;z;trace.startSpan 1", "main;trace.wrap;app.handler;b 1", "[exporter-1 tid=3] 5"), 2)
	same(t, "the tree", tree.lines(), []string{
		"program;main;a [0.5 0]", "program;main;a;b [3 6]", "program;main;a;c [1 0]", "program;main;app.handler;b [0 2]",
		"runtime;runtime.gc [0.5 0]", "tracer export network [0 10]", "tracer instrumentation memory;trace.startSpan [0 6]",
	})
	if got := tree.Total(); got[0] != 5 || got[1] != 24 {
		t.Errorf("in all %v", got)
	}
	if len(tree.Nodes) != 8 {
		t.Errorf("%d nodes: %v", len(tree.Nodes), tree.Nodes)
	}
	for i, n := range tree.Nodes {
		if n.Up >= int32(i) {
			t.Errorf("node %d stands before its caller %d", i, n.Up)
		}
	}
	var functions []string
	for _, f := range tree.Functions(func(k Kind) bool { return k.Owner == Program }, 1, 0) {
		functions = append(functions, fmt.Sprint(f.String(), f.Amounts))
	}
	same(t, "functions of the program", functions, []string{"b[3 8]", "c[1 0]", "a[0.5 0]"})
}

// What is left out is in the nearest caller that is left, so no sum changes.
func TestPrune(t *testing.T) {
	tree := NewTree(2)
	tree.Add(0, sorted(t, "main;a;b 40", "main;a;c 2", "main;a;c;d 3", "main;trace.startSpan;x 4", "e 7"), 1)
	tree.Add(1, sorted(t, "main;a;b 30", "main;a;c 1", "main;a;c;d 20", "trace.startSpan 4"), 1)
	for most, want := range map[int][]string{
		9: tree.lines(),
		4: {"program [7 0]", "program;main;a;b [40 30]", "program;main;a;c [5 21]", "tracer instrumentation memory [4 4]"},
		3: {"program [7 0]", "program;main;a [5 21]", "program;main;a;b [40 30]", "tracer instrumentation memory [4 4]"},
		0: {"program [52 51]", "tracer instrumentation memory [4 4]"},
	} {
		got, less, cut := tree.Prune(most)
		same(t, fmt.Sprintf("with %d nodes", most), got.lines(), want)
		if before, after := tree.Total(), got.Total(); !slices.Equal(before, after) {
			t.Errorf("with %d nodes: %v in all, before %v", most, after, before)
		}
		if len(got.Nodes) > most && most < 9 {
			t.Errorf("%d nodes, asked for %d", len(got.Nodes), most)
		}
		if most == 4 && (less != 20 || !slices.Equal(cut, []float64{14, 24})) {
			t.Errorf("left out up to %v, in all %v", less, cut)
		}
	}
}

// Profiles that were kept of each tracer: what their labels say adds up in the tree, and no stack has more frames than it had.
func TestTreeOfKept(t *testing.T) {
	files, err := filepath.Glob("testdata/tracers/*.pb.gz")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d profiles: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Read(Pprof, bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		s, err := ReadSorted(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		tree, sums, folded := NewTree(1), map[Kind]float64{}, map[Kind]float64{}
		for i, sample := range s.Samples {
			sums[s.Kinds[i]] += float64(sample.Value)
			if len(sample.Stack) > len(p.Samples[i].Stack) {
				t.Errorf("%s: a stack of %d frames has %d of its owner's", file, len(p.Samples[i].Stack), len(sample.Stack))
			}
		}
		tree.Add(0, s, 1)
		for i, own := range tree.Own {
			folded[own.Kind] += tree.Amounts(i)[0]
		}
		for kind, want := range sums {
			if folded[kind] != want {
				t.Errorf("%s: %s has %v in the tree, want %v", file, kindText(kind), folded[kind], want)
			}
		}
		if total := tree.Total()[0]; total != float64(p.Total) || len(folded) != len(sums) {
			t.Errorf("%s: %v in all, want %d; %d causes, want %d", file, total, p.Total, len(folded), len(sums))
		}
		small, _, _ := tree.Prune(len(tree.Nodes) / 10)
		if got := small.Total()[0]; math.Abs(got-float64(p.Total)) > 1e-6*float64(p.Total) {
			t.Errorf("%s: a tenth of the nodes has %v, want %d", file, got, p.Total)
		}
	}
}

// Names from outside are harmless: they split no stack, and are never long.
func TestTreeOfNames(t *testing.T) {
	p := &Profile{Unit: Samples, Total: 3, Count: 3, Frames: []Frame{{Name: "a;b</script><script>alert(1)</script>"}, {Name: strings.Repeat("x", 10<<20)}, {Name: "c\x00\n\x1b[31m"}},
		Samples: []Sample{{Stack: []int32{0, 1, 2}, Value: 3, Count: 3}}}
	var kept bytes.Buffer
	if err := WritePprof(&kept, p, Compile(known)); err != nil {
		t.Fatal(err)
	}
	s, err := ReadSorted(&kept)
	if err != nil {
		t.Fatal(err)
	}
	tree := NewTree(1)
	tree.Add(0, s, 1)
	if len(tree.Nodes) != 3 {
		t.Fatalf("%d nodes, want 3", len(tree.Nodes))
	}
	name := func(i int) string { return tree.Frames[tree.Nodes[i].Frame].Name }
	if name(0) != p.Frames[0].Name || len(name(1)) > maxName+len("…") || strings.ContainsAny(name(2), "\x00\n\x1b") {
		t.Errorf("%.99q, %.99q, %.99q", name(0), name(1), name(2))
	}
}

// A profile that tracetax did not sort says nothing of causes.
func TestReadSortedRefuses(t *testing.T) {
	text, err := os.ReadFile("testdata/go.pb.gz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSorted(bytes.NewReader(text)); err == nil {
		t.Error("a profile without labels was read")
	}
	if _, err := ReadSorted(bytes.NewReader(text[:len(text)/2])); err == nil {
		t.Error("half a file was read")
	}
}

func FuzzReadSorted(f *testing.F) {
	var kept bytes.Buffer
	if err := WritePprof(&kept, collapsed(f, "main;trace.wrap;app.handler;trace.startSpan;x 3", "main;trace.wrap;app.handler 2"), Compile(known)); err != nil {
		f.Fatal(err)
	}
	f.Add(kept.Bytes())
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ReadSorted(bytes.NewReader(text))
		if err != nil {
			return
		}
		tree := NewTree(1)
		tree.Add(0, s, 1)
		if got := tree.Total()[0]; math.Abs(got-float64(s.Total)) > 1e-9*float64(s.Total) {
			t.Errorf("%v in all, want %d", got, s.Total)
		}
		tree.Prune(1)
	})
}

// BenchmarkFold folds a million samples, 20,000 of them different, of 40 frames each.
func BenchmarkFold(b *testing.B) {
	p := manySamples(b)
	s := &Sorted{Profile: p, Kinds: make([]Kind, len(p.Samples))}
	for b.Loop() {
		NewTree(1).Add(0, s, 1)
	}
	b.ReportMetric(float64(len(p.Samples))*float64(b.N)/b.Elapsed().Seconds(), "samples/s")
}
