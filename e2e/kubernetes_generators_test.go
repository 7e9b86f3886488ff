package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// generatorsShop is podShop with two load generators in pods of their own.
var generatorsShop = strings.Replace(podShop, "{namespace: trial,", "{namespace: trial, generators: 2,", 1)

// Two generators in pods of their own make the load that one makes: each operation once, at the rate, with a span of its own; nothing is
// left.
func TestPodsWithGenerators(t *testing.T) {
	more(t, "pods")
	t.Parallel() // it looks at no time
	c := onNode(t, `
kubectl create namespace trial >&2
kubectl -n trial get all,configmap,secret -o name >before
$TRACETAX run shop.yaml --json --out results
kubectl -n trial get all,configmap,secret -o name >after
cmp before after >&2
`, map[string]string{"shop.yaml": generatorsShop}).exit(t, 0)
	l := ledger(t, document(t, c), "json", "traced")
	if entry(l, "delivered") == 0 || entry(l, "delivered") != entry(l, "expected") {
		t.Errorf("of %d spans %d came", entry(l, "expected"), entry(l, "delivered"))
	}
	for _, r := range records(t, filepath.Join(c.Dir, "results")) {
		if r.Failed() || r.Harness.Generators != 2 {
			t.Errorf("%s of block %d has %d load generators: %+v", r.Variant, r.Block, r.Harness.Generators, r.Failure)
			continue
		}
		for _, p := range r.Phases {
			if p.Load.Completed != p.Load.Started || p.Load.Identified != p.Load.Started || r.Variant == "traced" && p.Sink.Spans != p.Load.Completed {
				t.Errorf("%s %s: %d operations of %d, %d with ids, %d spans", r.Kind, p.Operation, p.Load.Completed, p.Load.Started, p.Load.Identified, p.Sink.Spans)
			}
			if want := uint64(200 * p.AtOnceSeconds); r.Kind == record.Measured && p.Load.Intended != want {
				t.Errorf("%s: %d operations fell due in %v s, want %d", r.Variant, p.Load.Intended, p.AtOnceSeconds, want)
			}
		}
	}
}
