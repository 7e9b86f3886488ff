package tree_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/packets/tree"
	"github.com/tracetax/tracetax/lab/graphs/topology"
)

// Over one connection, or seldom enough, all is certain without any id.
func TestOneAtATime(t *testing.T) {
	for name, l := range map[string]load{
		"one connection": {connections: 1, operations: 300, seed: 1},
		"seldom":         {rate: 5, operations: 300, seed: 2},
	} {
		g := shop()
		calls, truth := simulate(g, l)
		found, counts := tree.Parents(calls, tree.Options{Name: named(g)})
		got := tally(found, truth)
		if right, all := got.all(); right != all || counts.Alone == 0 || counts.Likely > 0 && name == "one connection" {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// With ids of calls each that has one is right, however many there are at once.
func TestIDs(t *testing.T) {
	for name, g := range map[string]*topology.Graph{"shop": shop(), "crowd": crowd()} {
		calls, truth := simulate(g, load{connections: 16, operations: 500, ids: callIDs, seed: 3})
		found, counts := tree.Parents(calls, tree.Options{Name: named(g)})
		for i, p := range found {
			if calls[i].Protocol != packets.Redis && (p.Index != truth[i] || !p.How.Certain()) {
				t.Fatalf("%s: call %d is %v, want %d", name, i, p, truth[i])
			}
		}
		if counts.ID == 0 || counts.Lost > 0 {
			t.Errorf("%s: %+v", name, counts)
		}
	}
}

// Where ids tell the trace alone, and three calls of it are served at once, none of what they make is called certain by mistake.
func TestThreeAtOnce(t *testing.T) {
	g := crowd()
	calls, truth := simulate(g, load{connections: 4, operations: 500, ids: traceIDs, seed: 4})
	found, counts := tree.Parents(calls, tree.Options{Name: named(g)})
	got := tally(found, truth)
	t.Log(got)
	if got.wrong() > 0 || counts.Likely+counts.Unknown < 1000 {
		t.Errorf("%v %+v", got, counts)
	}
}

func TestCrowdFigures(t *testing.T) {
	for _, g := range []*topology.Graph{shop(), crowd()} {
		alone, _ := simulate(g, load{connections: 1, operations: 1000, seed: 5})
		for _, l := range []load{
			{connections: 4, operations: 2000, seed: 6}, {connections: 16, operations: 2000, seed: 7}, {connections: 64, operations: 2000, seed: 8},
			{rate: 100, operations: 2000, seed: 9}, {rate: 300, operations: 2000, seed: 9},
		} {
			calls, truth := simulate(g, l)
			begin := time.Now()
			found, _ := tree.Parents(calls, tree.Options{Name: named(g)})
			took := time.Since(begin)
			t.Logf("%+v: %d calls, %v: by itself %.3f %v", l, len(calls), took, tally(found, truth).part(), tally(found, truth))
			learnt := tree.Learn(alone, tree.Options{Name: named(g)})
			found, _ = tree.Parents(calls, tree.Options{Name: named(g), Programs: learnt})
			t.Logf("    taught %.3f %v", tally(found, truth).part(), tally(found, truth))
			found, _ = tree.Parents(calls, tree.Options{Name: named(g), Topology: g})
			t.Logf("    topology %.3f %v", tally(found, truth).part(), tally(found, truth))
		}
	}
	fmt.Print()
}
