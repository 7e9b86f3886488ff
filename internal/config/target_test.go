package config

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// onNodes is an experiment in pods with further keys of its cluster, and of its design.
func onNodes(t *testing.T, keys, design string) (*Experiment, error) {
	t.Helper()
	variants := "none:\n  ours: {tracer: none, env: {A: b}}"
	text := strings.NewReplacer("%s", variants, "namespace: trial", "namespace: trial, "+keys, "blocks: 6", "blocks: 6"+design).Replace(inPods)
	all, err := ParseExperiment("shop.yaml", t.TempDir(), []byte(text), builtIn())
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// Nodes are a number or names; what is written of them is read again.
func TestNodes(t *testing.T) {
	for keys, want := range map[string]Kubernetes{
		"node: n1":                  {Node: "n1"},
		"nodes: 1":                  {Nodes: 1},
		"nodes: 2, generators: 64":  {Nodes: 2, Generators: 64},
		"nodes: 5":                  {Nodes: 5},
		"nodes: [n1, worker-2.eu]":  {Nodes: 2, Named: []string{"n1", "worker-2.eu"}},
		"nodes: [n1, n1]":           {Nodes: 2, Named: []string{"n1", "n1"}},
		"selector: {pool: bench}":   {Selector: map[string]string{"pool": "bench"}},
		"nodes: 3, selector: {a: }": {Nodes: 3, Selector: map[string]string{"a": ""}},
		"nodes: 3, selector: {node.kubernetes.io/instance-type: c5, hot: true}": {
			Nodes: 3, Selector: map[string]string{"node.kubernetes.io/instance-type": "c5", "hot": "true"},
		},
	} {
		e, err := onNodes(t, keys, "")
		if err != nil {
			t.Errorf("%s: %v", keys, err)
			continue
		}
		written, err := e.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseExperiment("again.yaml", t.TempDir(), written, builtIn())
		if err != nil {
			t.Fatalf("%s: %v\n%s", keys, err, written)
		}
		for _, e := range []*Experiment{e, again[0]} {
			got := e.Target.Kubernetes
			if got.Node != want.Node || got.Generators != want.Generators || got.Nodes != want.Nodes ||
				!slices.Equal(got.Named, want.Named) || !maps.Equal(got.Selector, want.Selector) {
				t.Errorf("%s: %+v\n%s", keys, got, written)
			}
			if places := e.Target.Places(); places != max(1, want.Nodes) {
				t.Errorf("%s: %d places", keys, places)
			}
		}
	}
}

func TestNodesThatCannotBe(t *testing.T) {
	for name, row := range map[string]struct{ keys, design, says string }{
		"one and several":      {"node: n1, nodes: 5", "", "node: n1 is one node, and nodes: several: leave one of them out"},
		"none":                 {"nodes: 0", "", "0 is out of range: 1 to 100"},
		"none by name":         {"nodes: []", "", "a list of nodes has 1 to 100 of their names"},
		"no generator":         {"generators: 0", "", "0 is out of range: 1 to 64"},
		"less than none":       {"generators: -1", "", "-1 is out of range: 1 to 64"},
		"too many generators":  {"generators: 65", "", "65 is out of range: 1 to 64"},
		"generators by name":   {"generators: [n1]", "", "generators"},
		"a word":               {"nodes: all", "", `"all" is not a whole number`},
		"a bad name":           {"nodes: [n1, N_2]", "", `node "N_2" is no name in a cluster`},
		"a selector of one":    {"node: n1, selector: {pool: bench}", "", "the nodes have names already: leave selector out, or write their number (nodes: 1)"},
		"a selector of names":  {"nodes: [n1, n2], selector: {pool: bench}", "", "write their number (nodes: 2)"},
		"a selector as a text": {"selector: pool=bench", "", "selector must be a mapping of names and values"},
		"a bad label":          {"selector: {'a b': c}", "", `"a b" is no label of a node`},
		"apart":                {"nodes: 2", ", order: apart", "blocks on several nodes are each whole on one"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := onNodes(t, row.keys, row.design)
			if err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("the error is %v, and is to say %q", err, row.says)
			}
		})
	}
}
