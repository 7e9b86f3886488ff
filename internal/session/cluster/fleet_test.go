package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/kubernetes"
	"github.com/tracetax/tracetax/internal/machine"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// perBlock is how long a block takes on a node of a test.
const perBlock = time.Minute

var errGone = errors.New("it is not heard of any more")

// node is a place that makes blocks in the time of a test, and goes away in the middle of one.
type node struct {
	t    *testing.T
	name string
	dies int // in which of its blocks; 0: in none

	mu     sync.Mutex
	made   int
	busy   bool
	closed bool
}

func (n *node) Run(ctx context.Context, q run.Request) (record.Record, error) {
	all, err := n.Block(ctx, []run.Request{q})
	if err != nil {
		return record.Record{}, err
	}
	return all[0], nil
}

func (n *node) Block(ctx context.Context, requests []run.Request) ([]record.Record, error) {
	n.mu.Lock()
	n.made++
	if n.busy || n.dies > 0 && n.made > n.dies {
		n.t.Errorf("node %s is asked for block %d of its own; it makes another one: %t", n.name, n.made, n.busy)
	}
	dies := n.made == n.dies
	n.busy = true
	n.mu.Unlock()
	defer func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.busy = false
	}()
	began := time.Now()
	takes := perBlock
	if dies {
		takes /= 2
	}
	select {
	case <-time.After(takes):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if dies {
		return nil, errGone
	}
	var out []record.Record
	for _, q := range requests {
		out = append(out, record.Record{Kind: q.Kind, Variant: q.Plan.Variant, Started: began, Ended: time.Now(), Harness: record.Harness{Node: n.name}})
	}
	return out, nil
}

func (n *node) Node() string                     { return n.name }
func (n *node) Nodes() []Node                    { return []Node{{n.name, machine.Facts{CPUs: 4}}} }
func (n *node) Port(string, string) (int, error) { return 8080, nil }

func (n *node) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		n.t.Errorf("node %s is closed twice", n.name)
	}
	n.closed = true
	return nil
}

// nodes are so many; dies says in which of its blocks one goes away.
func nodes(t *testing.T, number int, dies func(int) int) (*Fleet, []*node) {
	t.Helper()
	all := make([]*node, number)
	for i := range all {
		all[i] = &node{t: t, name: fmt.Sprintf("n%02d", i), dies: dies(i)}
	}
	fleet, err := startFleet(number, false, io.Discard, func(i int) (place, error) { return all[i], nil })
	if err != nil {
		t.Fatal(err)
	}
	return fleet, all
}

// keeper keeps records in memory.
type keeper struct{ records []record.Record }

func (k *keeper) Append(r record.Record) error {
	k.records = append(k.records, r)
	return nil
}

// loopOn is an experiment of two variants on a fleet.
func loopOn(fleet *Fleet, to *keeper, blocks int) *experiment.Loop {
	plan := func(name string) *config.Plan {
		return &config.Plan{Variant: name, Sampling: 1, Operations: []program.Operation{{Name: "a", URL: "/"}}}
	}
	l := &experiment.Loop{
		Experiment: &config.Experiment{
			Workload: &program.Workload{Name: "w"}, Operations: []program.Operation{{Name: "a", URL: "/"}}, Load: config.Load{Duration: time.Second},
			Design: config.Design{Blocks: blocks, Seed: 1, Order: config.Windows},
		},
		Runner: fleet, Keeper: to,
	}
	for _, name := range []string{"none", "same"} {
		l.Variants = append(l.Variants, experiment.Prepared{Variant: config.Variant{Name: name}, Plan: plan(name), Calibration: plan(name)})
	}
	return l
}

// Of 50 nodes ten go away in their second block: 200 blocks are each made once and whole, on nodes that live, in the time that the
// rounds take, and are kept in their order.
func TestFleetOfFiftyNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fleet, all := nodes(t, 50, func(i int) int {
			if i%5 == 0 {
				return 2
			}
			return 0
		})
		kept, began := &keeper{}, time.Now()
		history, err := loopOn(fleet, kept, 200).Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		// A round of 50, one of 50 of which ten are made again, and the other 100 on 40 nodes.
		if took := time.Since(began); took != (1+2+3)*perBlock {
			t.Errorf("it took %v", took)
		}
		if len(history) != 400 || len(kept.records) != 400 {
			t.Errorf("%d records, %d kept, want 400", len(history), len(kept.records))
		}
		per := map[string]int{}
		for i, r := range history {
			if r.Block != i/2+1 || r.Attempt != 1 || r.Failed() || r.Harness.Node != history[i/2*2].Harness.Node {
				t.Errorf("record %d is of block %d, attempt %d, on %s: %+v", i, r.Block, r.Attempt, r.Harness.Node, r.Failure)
			}
			per[r.Harness.Node]++
		}
		for i, n := range all {
			if n.dies > 0 && (per[n.name] != 2 || !n.closed) || n.dies == 0 && per[n.name] < 2*4 {
				t.Errorf("node %s (%d) made %d runs; closed: %t", n.name, i, per[n.name], n.closed)
			}
		}
		if n := len(slices.Collect(maps.Keys(per))); n != 50 || fleet.Places() != 40 {
			t.Errorf("blocks are of %d nodes, and %d are left", n, fleet.Places())
		}
		if err := fleet.Close(); err != nil {
			t.Error(err)
		}
		for _, n := range all {
			if !n.closed {
				t.Errorf("node %s is left", n.name)
			}
		}
	})
}

// Where the last node goes away the experiment ends with all reasons; what was whole is kept, and another fleet goes on with it.
func TestFleetWithoutNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fleet, _ := nodes(t, 3, func(i int) int { return i + 2 })
		kept := &keeper{}
		_, err := loopOn(fleet, kept, 20).Run(t.Context(), nil)
		for _, part := range []string{"no node is left", "node n00: ", "node n02: ", errGone.Error()} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%v lacks %q", err, part)
			}
		}
		if n := len(kept.records); n != 2*(1+2+3) {
			t.Errorf("%d records are kept, want those of six blocks", n)
		}
		if err := fleet.Close(); err != nil {
			t.Error(err)
		}
		again, _ := nodes(t, 2, func(int) int { return 0 })
		history, err := loopOn(again, kept, 20).Run(t.Context(), kept.records)
		blocks := map[int]int{}
		for _, r := range history {
			blocks[r.Block]++
		}
		if err != nil || len(history) != 40 || len(blocks) != 20 {
			t.Errorf("%v; %d records of %d blocks", err, len(history), len(blocks))
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
	})
}

// An interruption gives up what is under way on all nodes, costs none of them, and keeps nothing that is not whole.
func TestFleetInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fleet, _ := nodes(t, 4, func(int) int { return 0 })
		stopped := errors.New("stopped")
		ctx, stop := context.WithTimeoutCause(t.Context(), perBlock*3/2, stopped)
		defer stop()
		kept := &keeper{}
		if _, err := loopOn(fleet, kept, 20).Run(ctx, nil); !errors.Is(err, stopped) {
			t.Errorf("it ended with %v", err)
		}
		if len(kept.records) != 2*4 || fleet.Places() != 4 {
			t.Errorf("%d records are kept, want those of the first round; %d nodes are left", len(kept.records), fleet.Places())
		}
		if err := fleet.Close(); err != nil {
			t.Error(err)
		}
	})
}

// An experiment begins on all of its nodes or on none, and goes on with those that there are.
func TestFleetThatIsNotWhole(t *testing.T) {
	for name, row := range map[string]struct {
		there   int
		resumed bool
		places  int // 0: it does not begin
	}{
		"all are there":          {3, false, 3},
		"one is missing":         {2, false, 0},
		"one of those before":    {1, true, 1},
		"none of those before":   {0, true, 0},
		"all of those before":    {3, true, 3},
		"none are there at once": {0, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var all []*node
			for i := range row.there {
				all = append(all, &node{t: t, name: fmt.Sprint("n", i)})
			}
			var told strings.Builder
			fleet, err := startFleet(3, row.resumed, &told, func(i int) (place, error) {
				if i < len(all) {
					return all[i], nil
				}
				return nil, errors.New("0/2 nodes are available")
			})
			if row.places == 0 {
				if err == nil || !strings.Contains(err.Error(), "name fewer") || !strings.Contains(err.Error(), "nodes are available") {
					t.Errorf("it begins, or says %v", err)
				}
				for _, n := range all {
					if !n.closed {
						t.Errorf("%s is left", n.name)
					}
				}
				return
			}
			if err != nil || fleet.Places() != row.places || (row.places < 3) != strings.Contains(told.String(), "0/2 nodes are available") {
				t.Fatalf("%v; told %q", err, told.String())
			}
			if err := fleet.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Conductors keep to the nodes that are allowed: those of one session to different ones, unless these have names.
func TestPlaced(t *testing.T) {
	for name, row := range map[string]struct {
		target    config.Kubernetes
		has, lack []string
	}{
		"one node":   {config.Kubernetes{}, nil, []string{"podAntiAffinity", "nodeSelector", labelAmong}},
		"a selector": {config.Kubernetes{Selector: map[string]string{"pool": "bench"}}, []string{`"nodeSelector":{"pool":"bench"}`}, []string{"podAntiAffinity"}},
		"five": {config.Kubernetes{Nodes: 5, Selector: map[string]string{"pool": "bench"}}, []string{
			`"labels":{"app.kubernetes.io/managed-by":"tracetax","tracetax/part":"harness","tracetax/run":"1a2b","tracetax/session":"9f"}`,
			`"matchLabels":{"tracetax/session":"9f"}`, `"topologyKey":"kubernetes.io/hostname"`, `"nodeSelector"`,
		}, nil},
		"by name": {config.Kubernetes{Nodes: 2, Named: []string{"n1", "n2"}}, []string{`"values":["n2"]`}, []string{"podAntiAffinity"}},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Target: row.target, among: "9f"}
			if row.target.Named != nil {
				o.Target = placeOf(row.target, 1)
			}
			job := text(t, o.placed(harnessJob(names{id: "1a2b"}, o.Target.Node, time.Hour)))
			for _, part := range row.has {
				if !strings.Contains(job, part) {
					t.Errorf("%s lacks %s", job, part)
				}
			}
			for _, part := range row.lack {
				if strings.Contains(job, part) {
					t.Errorf("%s has %s", job, part)
				}
			}
		})
	}
}

// What ended a conductor's pod is told, of a node that is gone too.
func TestEndOfTheConductor(t *testing.T) {
	pod := func(ready, state string) kubernetes.Pod {
		var of kubernetes.Pod
		of.Status.Conditions = []kubernetes.Condition{{Type: "Ready", Status: ready}}
		s := kubernetes.ContainerStatus{Name: harnessContainer}
		switch state {
		case "running":
			s.State.Running = &kubernetes.Running{}
		case "ended":
			s.State.Terminated = &kubernetes.Terminated{ExitCode: 137}
		}
		of.Status.ContainerStatuses = []kubernetes.ContainerStatus{s}
		return of
	}
	evicted := pod("False", "running")
	evicted.Status.Reason, evicted.Status.Message = "Evicted", "the node was low on memory"
	for name, row := range map[string]struct {
		pod  kubernetes.Pod
		want string
	}{
		"it runs":          {pod("True", "running"), ""},
		"it begins":        {pod("False", "waiting"), ""},
		"it ended":         {pod("False", "ended"), "exit status 137"},
		"its node is gone": {pod("False", "running"), "its node is not heard of any more"},
		"it was evicted":   {evicted, "Evicted: the node was low on memory"},
	} {
		if got := endOf(row.pod); got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
