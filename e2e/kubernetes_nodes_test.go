package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// nodesShop is podShop, two blocks at the same time. The cluster has one node, which is named twice.
var nodesShop = strings.NewReplacer("blocks: 2", "blocks: 4", "{namespace: trial,", "{namespace: trial, nodes: [n1, n1],").Replace(podShop)

// Blocks are made two at the same time, each whole with a conductor of its own, and nothing is left. Where a conductor is taken away in
// the middle of a block, the block is made again by the other one.
func TestPodsOnNodes(t *testing.T) {
	more(t, "pods")
	for name, row := range map[string]struct{ meanwhile, told string }{
		"whole": {"true", ""},
		"one conductor goes away": {`
			for i in $(seq 300); do [ "$(kubectl -n trial get pod -l tracetax/part=app -o name | wc -l)" -lt 4 ] || break; sleep 0.2; done
			kubectl -n trial delete job "$(kubectl -n trial get job -o name | head -1 | cut -d / -f 2)" >&2`, "makes no more runs; its block is made again on one of the other 1"},
	} {
		t.Run(name, func(t *testing.T) {
			c := onNode(t, `
kubectl create namespace trial >&2
kubectl -n trial get all,configmap,secret -o name >before
{ `+row.meanwhile+`; } &
$TRACETAX run shop.yaml --json --out results
wait
kubectl -n trial get all,configmap,secret -o name >after
cmp before after >&2
`, map[string]string{"shop.yaml": nodesShop}).exit(t, 0)
			if !strings.Contains(c.errOut.String(), row.told) {
				t.Errorf("it does not say %q:\n%s", row.told, c.errOut.String())
			}
			l := ledger(t, document(t, c), "json", "traced")
			if entry(l, "delivered") == 0 || entry(l, "delivered") != entry(l, "expected") {
				t.Errorf("of %d spans %d came", entry(l, "expected"), entry(l, "delivered"))
			}
			wholeRounds(t, records(t, filepath.Join(c.Dir, "results")), row.told == "")
		})
	}
}

// wholeRounds looks whether four blocks of two variants, and those in the place of spoiled ones, were each made once, in their order, and
// two at the same time.
func wholeRounds(t *testing.T, all []record.Record, inPairs bool) {
	t.Helper()
	var blocks []record.Record
	for _, r := range all {
		if r.Failed() || r.Harness.Node != "n1" {
			t.Errorf("%s of block %d on node %q: %+v", r.Variant, r.Block, r.Harness.Node, r.Failure)
		}
		if r.Kind == record.Measured {
			blocks = append(blocks, r)
		}
	}
	if len(blocks) < 8 || len(blocks)%2 != 0 {
		t.Fatalf("%d measured runs, want 8, and two for each block in the place of another", len(blocks))
	}
	for i, r := range blocks {
		if r.Block != i/2+1 || r.Attempt != 1 {
			t.Errorf("record %d is of block %d, attempt %d", i, r.Block, r.Attempt)
		}
	}
	if inPairs && (blocks[2].Started.After(blocks[0].Ended) || blocks[4].Started.Before(blocks[2].Ended)) {
		t.Errorf("blocks 1 and 2 were not made at the same time, or 3 with them: %v to %v, %v to %v, from %v",
			blocks[0].Started, blocks[0].Ended, blocks[2].Started, blocks[2].Ended, blocks[4].Started)
	}
}

// Of 50 nodes that answer as nodes do, and on which nothing runs, the conductors of a session take one each, by the cluster's own
// scheduler, and leave those alone that the selector does not choose. An end in the middle leaves nothing.
func TestPodsOnFakeNodes(t *testing.T) {
	more(t, "pods")
	c := onNode(t, `
kubectl create namespace trial >&2
for i in $(seq 60); do
  pool=$([ $i -le 50 ] && echo bench || echo other)
  echo "{apiVersion: v1, kind: Node, metadata: {name: fake-$i, labels: {kubernetes.io/hostname: fake-$i, pool: $pool}}}"
  echo ---
done >nodes.yaml
kubectl create -f nodes.yaml >&2
for i in $(seq 60); do
  kubectl patch node fake-$i --subresource status --type merge -p '{"status": {"capacity": {"cpu": "2", "memory": "8Gi", "pods": "9"},
    "allocatable": {"cpu": "2", "memory": "8Gi", "pods": "9"}, "conditions": [{"type": "Ready", "status": "True", "reason": "Fake"}]}}' >/dev/null
done
$TRACETAX run shop.yaml --out results >&2 & run=$!
taken() { kubectl -n trial get pod -l tracetax/part=harness -o jsonpath='{range .items[*]}{.spec.nodeName}{"\n"}{end}' | grep . || true; }
for i in $(seq 120); do [ "$(taken | wc -l)" -lt 50 ] || break; sleep 0.5; done
taken | sort -u >taken
kill -TERM $run
for i in $(seq 120); do # nothing there ends pods as a kubelet does
  kubectl -n trial delete pod --all --force --grace-period 0 >/dev/null 2>&1
  kill -0 $run 2>/dev/null || break
  sleep 0.5
done
wait $run && echo 'it ended well' || true
grep -c '^fake-' taken
kubectl get node -l pool=other -o name | cut -d / -f 2 | grep -xFf - taken || true
kubectl -n trial get job,pod -o name
`, map[string]string{"shop.yaml": strings.Replace(podShop, "{namespace: trial,", "{namespace: trial, nodes: 50, selector: {pool: bench},", 1)}).exit(t, 0)
	if said := c.out.String(); said != "50\n" {
		t.Errorf("the nodes that conductors took, and what is left: %q", said)
	}
}

// A node that falls silent, its containers still alive, ends the experiment within the time after which the cluster gives it up, and by
// name; what was made goes on when it is back.
func TestPodsOfASilentNode(t *testing.T) {
	more(t, "pods")
	t.Parallel() // it looks at no time, and waits for most of its own
	need(t, "pgrep")
	c := onNode(t, `
kubectl create namespace trial >&2
$TRACETAX run shop.yaml --out results 2>first & run=$!
for i in $(seq 300); do [ "$(kubectl -n trial get pod -l tracetax/part=app --no-headers 2>/dev/null | grep -c Running)" -lt 2 ] || break; sleep 0.2; done
kill -STOP "$(pgrep -x kubelet)" # of this node: processes of others are not seen here
wait $run && echo 'it ended well' || true
cat first >&2
grep -q 'its node is not heard of any more' first || echo 'the end does not name the node'
kill -CONT "$(pgrep -x kubelet)"
for i in $(seq 300); do [ -n "$(kubectl -n trial get pod -o name)" ] || break; sleep 0.2; done
kubectl wait --for condition=Ready node n1 --timeout 60s >&2
$TRACETAX run --resume results >&2
kubectl -n trial get job,pod -o name
`, map[string]string{"shop.yaml": strings.Replace(podShop, "blocks: 2", "blocks: 3", 1)}).exit(t, 0)
	if said := c.out.String(); said != "" {
		t.Errorf("%s\n%s", said, c.errOut.String())
	}
	whole := map[int]int{}
	for _, r := range records(t, filepath.Join(c.Dir, "results")) {
		if r.Kind == record.Measured && !r.Failed() {
			whole[r.Block]++
		}
	}
	if len(whole) < 3 || whole[1] != 2 || whole[2] != 2 || whole[3] != 2 {
		t.Errorf("runs by block: %v", whole)
	}
}
