package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// generatorsShop is podShop with two load generators in pods of their own, and shorter.
var generatorsShop = strings.NewReplacer(
	"{namespace: trial,", "{namespace: trial, generators: 2,", "duration: 3s", "duration: 2s, warmup: 300ms, idle: 500ms", "blocks: 2", "blocks: 1",
).Replace(podShop)

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
	doc := document(t, c)
	l := ledger(t, doc, "json", "traced")
	if entry(l, "delivered") == 0 || entry(l, "delivered") != entry(l, "expected") || doc.Runs.Generators != 2 {
		t.Errorf("of %d spans %d came, by %d generators", entry(l, "expected"), entry(l, "delivered"), doc.Runs.Generators)
	}
	for _, r := range records(t, filepath.Join(c.Dir, "results")) {
		if r.Failed() || r.Harness.Generators != 2 {
			t.Errorf("%s of block %d has %d load generators: %+v", r.Variant, r.Block, r.Harness.Generators, r.Failure)
			continue
		}
		for _, p := range r.Phases {
			l := p.Load
			if l.Completed != l.Started || l.Identified != l.Started || r.Variant == "traced" && p.Sink.Spans != l.Completed {
				t.Errorf("%s %s: %d operations of %d, %d with ids, %d spans", r.Kind, r.Variant, l.Completed, l.Started, l.Identified, p.Sink.Spans)
			}
			if want := uint64(200 * p.AtOnceSeconds); r.Kind == record.Measured && l.Intended != want {
				t.Errorf("%s: %d operations fell due in %v s, want %d", r.Variant, l.Intended, p.AtOnceSeconds, want)
			}
		}
	}
}

// A generator whose pod goes away ends the session, and is named; nothing is left.
func TestPodsLoseAGenerator(t *testing.T) {
	more(t, "pods")
	t.Parallel() // it looks at no time
	c := onNode(t, `
kubectl create namespace trial >&2
kubectl -n trial get all,configmap,secret -o name >before
$TRACETAX run shop.yaml --out results 2>told & run=$!
running() { kubectl -n trial get pod -l tracetax/part=app --no-headers 2>/dev/null | grep -c Running; }
for i in $(seq 300); do [ "$(running)" -lt 2 ] || break; sleep 0.2; done
lost=$(kubectl -n trial get pod -l tracetax/part=load,batch.kubernetes.io/job-completion-index=1 -o name | cut -d / -f 2)
kubectl -n trial delete pod $lost >&2
wait $run && echo 'it ended well' || true
cat told >&2
grep -q "the pod $lost of a load generator on node n1 has ended" told || echo "the end does not name $lost"
kubectl -n trial get all,configmap,secret -o name >after
cmp before after >&2
`, map[string]string{"shop.yaml": strings.Replace(generatorsShop, "blocks: 1", "blocks: 6", 1)}).exit(t, 0)
	if said := c.out.String(); said != "" {
		t.Errorf("%s\n%s", said, c.errOut.String())
	}
}
