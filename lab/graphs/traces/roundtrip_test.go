package traces_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/lab/graphs"
	"github.com/tracetax/tracetax/lab/graphs/topology"
	"github.com/tracetax/tracetax/lab/graphs/traces"
)

// imported is the result of an import of one text, and the topology that is read from its file.
func imported(t testing.TB, text []byte, o traces.Options) (*traces.Result, *topology.Graph) {
	t.Helper()
	if o.Shapes == 0 {
		o.Shapes = 20
	}
	im := traces.New(o)
	if err := im.Add("traces.json", bytes.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	r, err := im.Topology()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(file, r.Text, 0o644); err != nil {
		t.Fatal(err)
	}
	g, err := graphs.Read(file)
	if err != nil {
		t.Fatalf("the topology cannot be read: %v\n%s", err, r.Text)
	}
	return r, g
}

// calls writes what a call leads to: loops unrolled, what is at once sorted.
func calls(g *topology.Graph, call string) string {
	t, _ := g.Find(call)
	var list func(steps []topology.Step) []string
	list = func(steps []topology.Step) []string {
		var out []string
		for _, s := range steps {
			for range max(1, s.Times) {
				switch {
				case len(s.AtOnce) > 0:
					var branches []string
					for i := range s.AtOnce {
						branches = append(branches, strings.Join(list(s.AtOnce[i:i+1]), "; "))
					}
					slices.Sort(branches)
					out = append(out, "("+strings.Join(branches, " | ")+")")
				case len(s.InTurn) > 0:
					out = append(out, list(s.InTurn)...)
				case s.Background:
					out = append(out, calls(g, s.Call)+" &")
				default:
					out = append(out, calls(g, s.Call))
				}
			}
		}
		return out
	}
	if steps := list(t.Steps); len(steps) > 0 {
		return call + "{" + strings.Join(steps, "; ") + "}"
	}
	return call
}

// operations are what each operation leads to, by its call, with its calls and spans.
func operations(g *topology.Graph) map[string]string {
	out := map[string]string{}
	for _, o := range g.Operations {
		c := g.Count(o)
		out[o.Call] = fmt.Sprintf("%.0f calls, %.0f spans: %s", c.Calls, c.Spans, calls(g, o.Call))
	}
	return out
}

// walked makes n traces of each operation.
func walked(g *topology.Graph, seed uint64, n int) *walker {
	w := newWalker(g, seed)
	for range n {
		for _, o := range g.Operations {
			w.operation(o)
		}
	}
	return w
}

// Every built-in graph comes back from its traces, twice round, in each format and by the conventions of both ages.
func TestRoundTrip(t *testing.T) {
	for _, name := range []string{"boutique", "hotel", "social-network"} {
		t.Run(name, func(t *testing.T) {
			first, err := graphs.Read(filepath.Join("../../../workloads/graph", name, name+".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			g := first
			for round := range 2 {
				w := newWalker(g, uint64(round)+1)
				w.old = round == 1
				for range 30 {
					for _, o := range g.Operations {
						w.operation(o)
					}
				}
				var next *topology.Graph
				for format, text := range map[string][]byte{"jaeger": w.jaeger(t), "otlp": w.otlp(t, sameID), "otlp in base64": w.otlp(t, inBase64)} {
					r, got := imported(t, text, traces.Options{})
					if diff := cmp.Diff(operations(first), operations(got)); diff != "" {
						t.Errorf("round %d, %s (-want +got)\n%s", round, format, diff)
					}
					if r.Traces != 30*len(g.Operations) || len(r.LeftOut.Traces) > 0 || len(r.LeftOut.Spans) > 0 {
						t.Errorf("round %d, %s: %s", round, format, r.Summary())
					}
					for _, o := range got.Operations {
						if got.Mix[o.Name] != 30 {
							t.Errorf("round %d, %s: operation %s weighs %v, want 30", round, format, o.Name, got.Mix[o.Name])
						}
					}
					next = got
				}
				g = next
			}
		})
	}
}

// One text makes one topology, byte by byte.
func TestSameTextSameTopology(t *testing.T) {
	g, err := graphs.Read("../../../workloads/graph/social-network/social-network.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := walked(g, 7, 20).jaeger(t)
	one, _ := imported(t, text, traces.Options{})
	for range 5 {
		if other, _ := imported(t, text, traces.Options{}); !bytes.Equal(one.Text, other.Text) {
			t.Fatal(cmp.Diff(string(one.Text), string(other.Text)))
		}
	}
}

func matches(t testing.TB, pattern, text string) bool {
	t.Helper()
	return regexp.MustCompile(pattern).MatchString(text)
}
