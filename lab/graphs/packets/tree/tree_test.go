package tree_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/packets/tree"
	"github.com/tracetax/tracetax/lab/graphs/topology"
)

// Over one connection all is certain without any id.
func TestOneAtATime(t *testing.T) {
	g := shop()
	calls, truth := simulate(g, load{connections: 1, operations: 300, seed: 1})
	found, _ := tree.Parents(calls, tree.Options{Name: named(g)})
	if got := tally(found, truth); got.part() < 1 || got.of(tree.Root) != 300 || got.of(tree.Alone) != len(calls)-300 {
		t.Error(got)
	}
}

// With ids of calls each that has one is right, however many there are at once, and though some are dropped which nobody tells.
func TestIDs(t *testing.T) {
	for name, g := range map[string]*topology.Graph{"shop": shop(), "crowd": crowd()} {
		for _, part := range []float64{0, 0.2} {
			calls, truth := simulate(g, load{connections: 16, operations: 500, ids: callIDs, seed: 3})
			calls, truth = drop(calls, truth, part, 4)
			found, _ := tree.Parents(calls, tree.Options{Name: named(g)})
			lost := 0
			for i, p := range found {
				switch {
				case calls[i].Protocol == packets.Redis:
				case truth[i] == -2:
					lost++
					if p != (tree.Parent{Index: -1, How: tree.Unknown}) {
						t.Fatalf("%s: the parent of call %d was dropped, and it is said to be %v", name, i, p)
					}
				case p.Index != truth[i] || !p.How.Certain():
					t.Fatalf("%s: call %d is %v, want %d", name, i, p, truth[i])
				}
			}
			if got := tally(found, truth); got.of(tree.ID) == 0 || (lost > 0) != (part > 0) {
				t.Errorf("%s: %v, and %d parents are lost", name, got, lost)
			}
		}
	}
}

// Where ids tell the trace alone, and three calls of it are served at once, none of what they make is called certain by mistake.
func TestThreeAtOnce(t *testing.T) {
	g := crowd()
	calls, truth := simulate(g, load{connections: 4, operations: 500, ids: traceIDs, seed: 4})
	found, _ := tree.Parents(calls, tree.Options{Name: named(g)})
	got := tally(found, truth)
	if got.wrong() > 0 || got.of(tree.Likely)+got.of(tree.Unknown) != 500*9 || got.of(tree.Alone) != 500*3 {
		t.Error(got)
	}
	if right := got[tree.Likely][0]; right < 500*9*4/10 {
		t.Errorf("%d likely ones of %d are right, and by chance it is a third", right, 500*9)
	}
	calls, truth = simulate(g, load{connections: 1, operations: 500, seed: 4})
	found, _ = tree.Parents(calls, tree.Options{})
	if got := tally(found, truth); got.part() < 0.62 || got.wrong() > 0 {
		t.Errorf("over one connection %.3f are right: %v", got.part(), got)
	}
	calls, truth = simulate(shop(), load{connections: 16, operations: 500, ids: traceIDs, seed: 4})
	found, _ = tree.Parents(calls, tree.Options{})
	for i, p := range found {
		if calls[i].Protocol != packets.Redis && (p.Index != truth[i] || !p.How.Certain()) {
			t.Fatalf("where one call of a trace is served at a time, call %d is %v, want %d", i, p, truth[i])
		}
	}
}

// Of graphs by chance, with all kinds of ids, whole or with calls dropped, nothing certain is wrong.
func TestCertainIsRight(t *testing.T) {
	for seed := range uint64(15) {
		g := random(seed)
		for _, with := range []ids{noIDs, traceIDs, callIDs} {
			l := load{connections: 1 + int(seed%5), operations: 60, ids: with, seed: seed}
			if seed%3 == 0 {
				l.connections, l.rate = 0, 200
			}
			calls, truth := simulate(g, l)
			options := tree.Options{Name: named(g)}
			found, _ := tree.Parents(calls, options)
			if got := tally(found, truth); got.wrong() > 0 {
				t.Errorf("seed %d, %+v: %v", seed, l, got)
			}
			calls, truth = drop(calls, truth, 0.15, seed)
			options.Missing = true
			found, _ = tree.Parents(calls, options)
			if got := tally(found, truth); got.wrong() > 0 || got.of(tree.Alone) > 0 {
				t.Errorf("seed %d, %+v, some dropped: %v", seed, l, got)
			}
			for i, p := range found {
				if p.Index >= i || (p.Index < 0) == (p.How != tree.Root && p.How != tree.Unknown) {
					t.Fatalf("seed %d: call %d is %v", seed, i, p)
				}
			}
		}
	}
}

// In a crowd, by time alone: what a capture teaches by itself, what another one does, and what a topology does.
func TestCrowds(t *testing.T) {
	g := shop()
	alone, _ := simulate(g, load{connections: 1, operations: 500, seed: 5})
	_, learnt := tree.Parents(alone, tree.Options{Name: named(g)})
	for _, test := range []struct {
		load
		itself, taught, drawn float64
	}{
		{load{connections: 4, operations: 2000, seed: 6}, 0.96, 0.96, 0.96},
		{load{connections: 16, operations: 2000, seed: 7}, 0.6, 0.85, 0.85},
		{load{rate: 100, operations: 2000, seed: 8}, 0.99, 0.99, 0.99},
	} {
		calls, truth := simulate(g, test.load)
		for name, with := range map[string]struct {
			tree.Options
			least float64
		}{
			"itself": {tree.Options{}, test.itself},
			"taught": {tree.Options{Programs: learnt}, test.taught},
			"drawn":  {tree.Options{Topology: g}, test.drawn},
		} {
			with.Name = named(g)
			found, _ := tree.Parents(calls, with.Options)
			got := tally(found, truth)
			t.Logf("%+v, %s: %.3f right, %v", test.load, name, got.part(), got)
			if got.part() < with.least || got.wrong() > 0 {
				t.Errorf("%+v, %s: %.3f are right, want %.2f: %v", test.load, name, got.part(), with.least, got)
			}
		}
	}
}

// Answers are the same each time, whatever is learnt meanwhile.
func TestAnswersAreTheSame(t *testing.T) {
	g := shop()
	calls, _ := simulate(g, load{connections: 8, operations: 300, seed: 9})
	alone, _ := simulate(g, load{connections: 1, operations: 100, seed: 9})
	_, learnt := tree.Parents(alone, tree.Options{Name: named(g)})
	first, _ := tree.Parents(calls, tree.Options{Name: named(g), Programs: learnt})
	second, _ := tree.Parents(calls, tree.Options{Name: named(g), Programs: learnt})
	if !slices.Equal(first, second) {
		t.Error("parents differ once more was learnt")
	}
}

// Ids are left out, and the answers compared with what they say.
func TestCompare(t *testing.T) {
	var sum, want tree.Score
	for _, test := range []struct {
		*topology.Graph
		load
		ignore      tree.Ignored
		all         bool // calls are right
		whole, most float64
	}{
		{shop(), load{connections: 1, operations: 200, ids: callIDs, seed: 10}, tree.IDs, true, 1, 1},
		{shop(), load{connections: 8, operations: 200, ids: callIDs, seed: 10}, tree.State, true, 1, 1},
		{crowd(), load{connections: 4, operations: 200, ids: callIDs, seed: 10}, tree.State, false, 0, 0.8},
		{shop(), load{connections: 64, operations: 600, ids: callIDs, seed: 10}, tree.IDs, false, 0, 0.2},
	} {
		calls, _ := simulate(test.Graph, test.load)
		truth, _ := tree.Parents(calls, tree.Options{Name: named(test.Graph)})
		found, _ := tree.Parents(calls, tree.Options{Name: named(test.Graph), Ignore: test.ignore})
		s := tree.Compare(truth, found)
		stores := 0
		for i := range calls {
			if calls[i].Protocol == packets.Redis {
				stores++
			}
		}
		whole, all := float64(s.Whole)/float64(s.Traces), len(calls)-stores-test.operations
		if s.Calls != all || s.Traces != test.operations || s.Wrong > 0 || (s.Right == s.Calls) != test.all ||
			whole < test.whole || whole > test.most {
			t.Errorf("%+v: %+v, want %d calls of %d traces", test.load, s, all, test.operations)
		}
		sum.Add(s)
		want = tree.Score{
			Calls: want.Calls + s.Calls, Right: want.Right + s.Right, Traces: want.Traces + s.Traces, Whole: want.Whole + s.Whole,
			Certain: want.Certain + s.Certain, Wrong: want.Wrong + s.Wrong,
		}
	}
	if sum != want {
		t.Errorf("together %+v, want %+v", sum, want)
	}
}

// parsed reads calls, "FROM>TO BEGIN-END", from one node to another, 0 the outside, in ms, END 0 for none. There may follow
// " TRACE:ID", " tt=ID" of the call that made it, and " thrift" on the one connection of that kind.
func parsed(t *testing.T, text string) (calls []packets.Call) {
	for part := range strings.SplitSeq(text, "; ") {
		words := strings.Fields(part)
		if len(words) == 0 {
			continue
		}
		var from, to byte
		var begin, end, trace, id int
		if n, err := fmt.Sscanf(words[0]+" "+words[1], "%d>%d %d-%d", &from, &to, &begin, &end); n != 4 {
			t.Fatal(part, err)
		}
		at := func(ms int) time.Time { return time.Unix(1_700_000_000, 0).Add(time.Duration(ms) * time.Millisecond) }
		c := packets.Call{
			From:     netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 1, 0, from}), uint16(30000+begin)),
			To:       netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 1, 0, to}), 80),
			Protocol: packets.GRPC, Method: "/s/do", Asked: at(begin), AskedAll: at(begin),
		}
		if end > 0 {
			c.Answered, c.AnsweredAll = at(end), at(end)
		}
		for _, word := range words[2:] {
			if n, _ := fmt.Sscanf(word, "%d:%d", &trace, &id); n == 2 {
				c.Trace = fmt.Sprintf("00-%032x-%016x-01", trace, id)
			} else if n, _ := fmt.Sscanf(word, "tt=%d", &id); n == 1 {
				c.State = fmt.Sprintf("rojo=1, tt=%016x,congo=2", id)
			} else if word == "thrift" {
				c.Protocol, c.From = packets.Thrift, netip.AddrPortFrom(c.From.Addr(), 1)
			}
		}
		calls = append(calls, c)
	}
	return calls
}

// Single cases. Node 1 is called from outside, and calls node 2.
func TestSingleCases(t *testing.T) {
	for _, test := range []struct {
		name, calls string
		opt         tree.Options
		want        string
	}{
		{"alone", "0>1 1-9; 1>2 2-3", tree.Options{}, "root -1, alone 0"},
		{"alone, but something is missing", "0>1 1-9; 1>2 2-3", tree.Options{Missing: true}, "root -1, likely 0"},
		{"before and after", "1>2 1-2; 0>1 3-5; 1>2 6-7", tree.Options{}, "unknown -1, root -1, unknown -1"},
		{"at its end", "0>1 1-5; 1>2 5-6", tree.Options{}, "root -1, alone 0"},
		{"another trace", "0>1 1-9 1:1; 1>2 2-3 2:2", tree.Options{}, "root -1, unknown -1"},
		{"another trace that is not looked at", "0>1 1-9 1:1; 1>2 2-3 2:2", tree.Options{Ignore: tree.IDs}, "root -1, alone 0"},
		{"it began the trace", "0>1 1-9; 1>2 2-3 2:2; 0>1 4-9; 1>2 5-6 2:3", tree.Options{}, "root -1, alone 0, root -1, alone 0"},
		{"in the background", "0>1 1-3 1:1; 0>1 2-9 2:2; 1>2 5-6 1:3 tt=1", tree.Options{}, "root -1, root -1, id 0"},
		{"of others too", "0>1 1-9 1:1; 0>1 2-9 1:2; 1>2 5-6 1:3 tt=2", tree.Options{}, "root -1, root -1, id 1"},
		{"an id that another trace has too", "0>1 1-9 1:1; 0>1 2-9 2:1; 1>2 5-6 2:3 tt=1", tree.Options{}, "root -1, root -1, id 1"},
		{"an id that only another trace has", "0>1 1-9 1:1; 1>2 5-6 2:3 tt=1", tree.Options{}, "root -1, unknown -1"},
		{"an id that two have", "0>1 1-9 1:1; 0>1 2-9 1:1; 1>2 5-6 1:3 tt=1", tree.Options{}, "root -1, root -1, unknown -1"},
		{"an id of another node", "0>1 1-9 1:1; 0>2 2-9 1:2; 1>2 5-6 1:3 tt=2", tree.Options{}, "root -1, root -1, unknown -1"},
		{"an id from outside", "0>1 1-9 1:1 tt=7", tree.Options{}, "unknown -1"},
		{"ids in a circle", "1>2 1-9 1:1 tt=2; 2>1 2-8 1:2 tt=1", tree.Options{}, "unknown -1, id 0"},
		{"its own id", "1>1 1-9 1:1 tt=1", tree.Options{}, "unknown -1"},
		{"by its id, of a clock that is behind", "1>2 1-9 1:2 tt=1; 0>1 2-8 1:1", tree.Options{}, "id 1, root -1"},
		{"no end", "0>1 1-0; 0>1 2-9; 1>2 5-6", tree.Options{}, "root -1, root -1, likely 0"},
		{"no end, but the connection goes on", "0>1 1-0 thrift; 0>1 5-20 thrift; 1>2 6-7", tree.Options{}, "root -1, root -1, alone 1"},
		{"clocks differ", "0>1 1-9; 1>2 5-4", tree.Options{}, "root -1, likely 0"},
		{"nothing", "", tree.Options{}, ""},
	} {
		found, _ := tree.Parents(parsed(t, test.calls), test.opt)
		var got []string
		for _, p := range found {
			got = append(got, fmt.Sprintf("%s %d", p.How, p.Index))
		}
		if text := strings.Join(got, ", "); text != test.want {
			t.Errorf("%s: %s, want %s", test.name, text, test.want)
		}
	}
}

// Paths with numbers are one method.
func TestWhatIsOneMethod(t *testing.T) {
	g := shop()
	calls, truth := simulate(g, load{connections: 4, operations: 1000, seed: 12})
	for i := range calls {
		if calls[i].Protocol == packets.GRPC {
			calls[i].Protocol, calls[i].Method = packets.HTTP, fmt.Sprintf("GET %s/%d?q=%d", calls[i].Method, i, i)
		}
	}
	found, _ := tree.Parents(calls, tree.Options{Name: named(g)})
	if got := tally(found, truth); got.part() < 0.96 {
		t.Errorf("%.3f are right: %v", got.part(), got)
	}
}
