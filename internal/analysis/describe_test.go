package analysis

import (
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/topology"
)

// A report tells which of two builds a variant has, and nothing that may be a secret.
func TestVariantText(t *testing.T) {
	for want, v := range map[string]config.Variant{
		"SDK=1.1":                    {Env: map[string]string{"SDK": "1.1"}},
		"A set, API_TOKEN set, B=on": {Env: map[string]string{"API_TOKEN": "abc", "A": "postgres://me:pass@host/db", "B": "on"}},
		"LONG set":                   {Env: map[string]string{"LONG": "0123456789012345678901234"}},
		"--sdk=new -v":               {Args: []string{"--sdk=new", "-v"}},
		"arguments set":              {Args: []string{"--token", "abcdef"}},
		"X=1, arguments set":         {Env: map[string]string{"X": "1"}, Args: []string{"--password=abcdef"}},
		"as I say":                   {Description: "as I say", Env: map[string]string{"X": "1"}},
	} {
		if got := variantText(v); got != want {
			t.Errorf("%+v: %q, want %q", v, got, want)
		}
	}
}

// Calls are those of all operations of a run, whatever stretch they were made in: proxies count them all.
func TestCallsMade(t *testing.T) {
	g := &topology.Graph{
		Nodes: []topology.Node{
			{Name: "front", Methods: []topology.Method{{Name: "home", Steps: []topology.Step{{Call: "back.get", Times: 2}}}, {Name: "ping"}}},
			{Name: "back"},
		},
		Operations: []topology.Operation{{Name: "home", Call: "front.home"}, {Name: "ping", Call: "front.ping"}},
	}
	of := func(n uint64) record.Load { return record.Load{Started: n} }
	r := &record.Record{
		Start: record.Start{FirstOperation: "ping"},
		Phases: []record.Phase{
			{Operation: "home", Warmup: of(1), Load: of(10), Profiled: []record.Profiled{{Load: of(100)}}},
			{Operation: "mix", Load: record.Load{Started: 5, Parts: []record.Part{{Operation: "home", Started: 2}, {Operation: "ping", Started: 3}}}},
		},
	}
	if low, high := callsMade(g, r); low != 3*113+4 || high != low {
		t.Errorf("%d to %d calls, want %d", low, high, 3*113+4)
	}
}
