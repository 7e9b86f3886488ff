package tree_test

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/packets/tree"
	"github.com/tracetax/tracetax/lab/graphs/topology"
)

// Over one connection all is certain without any id.
func TestOneAtATime(t *testing.T) {
	g := shop()
	calls, truth := simulate(g, load{connections: 1, operations: 300, seed: 1})
	found, counts := tree.Parents(calls, tree.Options{Name: named(g)})
	if got := tally(found, truth); got.part() < 1 || counts.Root != 300 || counts.Alone != len(calls)-300 {
		t.Errorf("%v %+v", got, counts)
	}
}

// With ids of calls each that has one is right, however many there are at once, and though some are dropped which nobody tells.
func TestIDs(t *testing.T) {
	for name, g := range map[string]*topology.Graph{"shop": shop(), "crowd": crowd()} {
		for _, part := range []float64{0, 0.2} {
			calls, truth := simulate(g, load{connections: 16, operations: 500, ids: callIDs, seed: 3})
			calls, truth = drop(calls, truth, part, 4)
			found, counts := tree.Parents(calls, tree.Options{Name: named(g)})
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
			if counts.ID == 0 || counts.Lost != lost || (lost > 0) != (part > 0) {
				t.Errorf("%s: %+v, and %d parents are lost", name, counts, lost)
			}
		}
	}
}

// Where ids tell the trace alone, and three calls of it are served at once, none of what they make is called certain by mistake.
func TestThreeAtOnce(t *testing.T) {
	g := crowd()
	calls, truth := simulate(g, load{connections: 4, operations: 500, ids: traceIDs, seed: 4})
	found, counts := tree.Parents(calls, tree.Options{Name: named(g)})
	got := tally(found, truth)
	if got.wrong() > 0 || counts.Likely+counts.Unknown != 500*9 || counts.Alone != 500*3 {
		t.Errorf("%v %+v", got, counts)
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
			found, counts := tree.Parents(calls, options)
			if got := tally(found, truth); got.wrong() > 0 {
				t.Errorf("seed %d, %+v: %v", seed, l, got)
			}
			if sum := counts.Root + counts.ID + counts.Alone + counts.Likely + counts.Unknown; sum != len(calls) {
				t.Errorf("seed %d: %+v, of %d calls", seed, counts, len(calls))
			}
			calls, truth = drop(calls, truth, 0.15, seed)
			options.Missing = 1
			found, counts = tree.Parents(calls, options)
			if got := tally(found, truth); got.wrong() > 0 || counts.Alone > 0 {
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
	learnt := tree.Learn(alone, tree.Options{Name: named(g)})
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
	options := tree.Options{Name: named(g), Programs: tree.Learn(alone, tree.Options{Name: named(g)})}
	first, _ := tree.Parents(calls, options)
	tree.Learn(calls, options)
	second, _ := tree.Parents(calls, options)
	if !slices.Equal(first, second) {
		t.Error("parents differ once more was learnt")
	}
}

// Rate leaves ids out, and compares with what they say.
func TestRate(t *testing.T) {
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
		s := tree.Rate(calls, tree.Options{Name: named(test.Graph)}, test.ignore)
		stores := 0
		for i := range calls {
			if calls[i].Protocol == packets.Redis {
				stores++
			}
		}
		if all := len(calls) - stores - test.operations; s.Calls != all || s.Traces != test.operations || s.Wrong > 0 {
			t.Errorf("%+v: %+v, want %d calls of %d traces", test.load, s, all, test.operations)
		}
		if whole := float64(s.Whole) / float64(s.Traces); (s.Right == s.Calls) != test.all || whole < test.whole || whole > test.most {
			t.Errorf("%+v: %+v", test.load, s)
		}
		if s.Certain+s.Likely+s.Unknown != s.Calls || s.Certain-s.Wrong+s.Lucky != s.Right {
			t.Errorf("%+v does not add up", s)
		}
		sum.Add(s)
		want = tree.Score{
			Calls: want.Calls + s.Calls, Right: want.Right + s.Right, Traces: want.Traces + s.Traces, Whole: want.Whole + s.Whole,
			Certain: want.Certain + s.Certain, Wrong: want.Wrong + s.Wrong, Likely: want.Likely + s.Likely, Lucky: want.Lucky + s.Lucky,
			Unknown: want.Unknown + s.Unknown,
		}
	}
	if sum != want {
		t.Errorf("together %+v, want %+v", sum, want)
	}
}

// at is a time in ms.
func at(ms int) time.Time {
	return time.Unix(1_700_000_000, 0).Add(time.Duration(ms) * time.Millisecond)
}

// call is one from a node to another, 0 the outside, between two times; end 0: it has none.
func call(from, to byte, begin, end int, trace, state string) packets.Call {
	c := packets.Call{
		From:     netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 1, 0, from}), uint16(30000+begin)),
		To:       netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 1, 0, to}), 80),
		Protocol: packets.GRPC, Method: "/s/do", Asked: at(begin), AskedAll: at(begin), Trace: trace, State: state,
	}
	if end > 0 {
		c.Answered, c.AnsweredAll = at(end), at(end)
	}
	return c
}

func parent(trace, id int) string { return fmt.Sprintf("00-%032x-%016x-01", trace, id) }
func tt(id int) string            { return fmt.Sprintf("tt=%016x", id) }

// Single cases. Node 1 is called from outside, and calls node 2.
func TestSingleCases(t *testing.T) {
	thrift := call(0, 1, 1, 0, "", "")
	thrift.Protocol = packets.Thrift
	next := call(0, 1, 5, 20, "", "")
	next.Protocol, next.From = packets.Thrift, thrift.From
	for _, test := range []struct {
		name   string
		calls  []packets.Call
		opt    tree.Options
		want   string
		counts tree.Counts // but how parents are known
	}{
		{"alone", []packets.Call{
			call(0, 1, 1, 9, "", ""),
			call(1, 2, 2, 3, "", ""),
		}, tree.Options{}, "root -1, alone 0", tree.Counts{}},
		{"alone, but something is missing", []packets.Call{
			call(0, 1, 1, 9, "", ""),
			call(1, 2, 2, 3, "", ""),
		}, tree.Options{Missing: 1}, "root -1, likely 0", tree.Counts{}},
		{"before and after", []packets.Call{
			call(1, 2, 1, 2, "", ""),
			call(0, 1, 3, 5, "", ""),
			call(1, 2, 6, 7, "", ""),
		}, tree.Options{},
			"unknown -1, root -1, unknown -1", tree.Counts{}},
		{"at its end", []packets.Call{
			call(0, 1, 1, 5, "", ""),
			call(1, 2, 5, 6, "", ""),
		}, tree.Options{}, "root -1, alone 0", tree.Counts{}},
		{"another trace", []packets.Call{
			call(0, 1, 1, 9, parent(1, 1), ""),
			call(1, 2, 2, 3, parent(2, 2), ""),
		}, tree.Options{}, "root -1, unknown -1", tree.Counts{}},
		{"another trace that is not looked at", []packets.Call{
			call(0, 1, 1, 9, parent(1, 1), ""),
			call(1, 2, 2, 3, parent(2, 2), ""),
		}, tree.Options{Ignore: tree.IDs},
			"root -1, alone 0", tree.Counts{}},
		{"it began the trace", []packets.Call{
			call(0, 1, 1, 9, "", ""),
			call(1, 2, 2, 3, parent(2, 2), ""),
			call(0, 1, 4, 9, "", ""),
			call(1, 2, 5, 6, parent(2, 3), ""),
		},
			tree.Options{}, "root -1, alone 0, root -1, alone 0", tree.Counts{}},
		{"in the background", []packets.Call{
			call(0, 1, 1, 3, parent(1, 1), ""),
			call(0, 1, 2, 9, parent(2, 2), ""),
			call(1, 2, 5, 6, parent(1, 3), tt(1)),
		}, tree.Options{},
			"root -1, root -1, id 0", tree.Counts{}},
		{"of others too", []packets.Call{
			call(0, 1, 1, 9, parent(1, 1), ""),
			call(0, 1, 2, 9, parent(1, 2), ""),
			call(1, 2, 5, 6, parent(1, 3), "rojo=1, "+tt(2)+",congo=2"),
		}, tree.Options{},
			"root -1, root -1, id 1", tree.Counts{}},
		{"an id that another trace has too", []packets.Call{
			call(0, 1, 1, 9, parent(1, 1), ""),
			call(0, 1, 2, 9, parent(2, 1), ""),
			call(1, 2, 5, 6, parent(2, 3), tt(1)),
		}, tree.Options{}, "root -1, root -1, id 1", tree.Counts{}},
		{"an id that only another trace has", []packets.Call{
			call(0, 1, 1, 9, parent(1, 1), ""),
			call(1, 2, 5, 6, parent(2, 3), tt(1)),
		}, tree.Options{}, "root -1, unknown -1", tree.Counts{Lost: 1}},
		{"an id that two have", []packets.Call{
			call(0, 1, 1, 9, parent(1, 1), ""),
			call(0, 1, 2, 9, parent(1, 1), ""),
			call(1, 2, 5, 6, parent(1, 3), tt(1)),
		}, tree.Options{},
			"root -1, root -1, unknown -1", tree.Counts{Lost: 1}},
		{"an id of another node", []packets.Call{
			call(0, 1, 1, 9, parent(1, 1), ""),
			call(0, 2, 2, 9, parent(1, 2), ""),
			call(1, 2, 5, 6, parent(1, 3), tt(2)),
		}, tree.Options{},
			"root -1, root -1, unknown -1", tree.Counts{Lost: 1}},
		{"an id from outside", []packets.Call{
			call(0, 1, 1, 9, parent(1, 1), tt(7)),
		}, tree.Options{}, "unknown -1", tree.Counts{Lost: 1}},
		{"ids in a circle", []packets.Call{
			call(1, 2, 1, 9, parent(1, 1), tt(2)),
			call(2, 1, 2, 8, parent(1, 2), tt(1)),
		}, tree.Options{},
			"unknown -1, id 0", tree.Counts{Lost: 1}},
		{"its own id", []packets.Call{
			call(1, 1, 1, 9, parent(1, 1), tt(1)),
		}, tree.Options{}, "unknown -1", tree.Counts{Lost: 1}},
		{"no end", []packets.Call{
			call(0, 1, 1, 0, "", ""),
			call(0, 1, 2, 9, "", ""),
			call(1, 2, 5, 6, "", ""),
		}, tree.Options{}, "root -1, root -1, likely 0", tree.Counts{Unended: 1}},
		{"no end, but the connection goes on", []packets.Call{
			thrift,
			next,
			call(1, 2, 6, 7, "", ""),
		}, tree.Options{}, "root -1, root -1, alone 1", tree.Counts{Unended: 1}},
		{"clocks differ", []packets.Call{
			call(0, 1, 1, 9, "", ""),
			call(1, 2, 5, 4, "", ""),
		}, tree.Options{}, "root -1, likely 0", tree.Counts{Backwards: 1}},
		{"nothing", nil, tree.Options{}, "", tree.Counts{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			found, counts := tree.Parents(test.calls, test.opt)
			var got []string
			for _, p := range found {
				got = append(got, fmt.Sprintf("%s %d", p.How, p.Index))
			}
			if text := strings.Join(got, ", "); text != test.want {
				t.Errorf("%s, want %s", text, test.want)
			}
			counts.Root, counts.ID, counts.Alone, counts.Likely, counts.Unknown = 0, 0, 0, 0, 0
			if diff := cmp.Diff(test.counts, counts); diff != "" {
				t.Error(diff)
			}
		})
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
