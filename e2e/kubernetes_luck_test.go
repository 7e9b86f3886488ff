package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// What bad luck gets in pods: ends from outside, kills, an API server that is away, others in the namespace.

// deployedBurner is a Deployment of the program of known cost, which may hold 64 MiB.
const deployedBurner = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: burner}
spec:
  replicas: 0
  selector: {matchLabels: {app: burner}}
  template:
    metadata: {labels: {app: burner}}
    spec:
      containers:
        - name: burner
          image: local.test/burner:1
          env: [{name: EVERYWHERE, value: "true"}, {name: PORT, value: "8080"}]
          ports: [{containerPort: 8080}]
          resources: {limits: {memory: 64Mi}}
`

// luck is what the scripts of this file begin with: the namespace trial with the Deployment burner, and words for what happens there.
const luck = `
kubectl create namespace trial >&2
kubectl -n trial apply -f burner.yaml >&2
objects() { kubectl -n trial get all,configmap,secret -o name | sort; }
objects >before
# gone SECONDS WHAT: what tracetax made is gone within that time.
gone() {
  local until=$((SECONDS + $1))
  while objects >after && ! cmp -s before after; do
    if [ $SECONDS -ge $until ]; then echo "$1 s after $2 there is left:" $(comm -13 before after); return; fi
    sleep 0.3
  done
}
# measure ARG…: a run in the background, pid.
measure() {
  $TRACETAX run "$@" >>shown.txt 2>>said.txt &
  pid=$!
}
# burner ARG…: one of the Deployment.
burner() {
  measure --target kubernetes --namespace trial --set target.kubernetes.image=local.test/tracetax:1 --deployment burner --op 'GET /' \
    --rate 100/s --duration 1s --set load.warmup=200ms --set load.idle=200ms --variant none --variant a:env.A=b "$@"
}
# named RUN: the pod of a run, name, once its program runs.
named() {
  name=
  while [ -z "$name" ]; do
    kill -0 $pid || { echo "tracetax ended before there was a run $1:"; tail -n 20 said.txt; exit 1; }
    name=$(kubectl -n trial get pods -l tracetax/part=app --no-headers -o custom-columns=R:.metadata.annotations.tracetax/run,N:.metadata.name |
      awk -v run="^$1" '$1 ~ run { print $2; exit }')
  done
  kubectl -n trial wait --for=condition=Ready pod/$name --timeout=60s >&2
}
# ended STATUS WHAT: the run ends so.
ended() {
  local status=0
  wait $pid || status=$?
  [ $status = $1 ] || { echo "$2 it ended with status $status:"; tail -n 20 said.txt; }
}
`

// ofLuck runs a script behind those words, and complains of what it writes.
func ofLuck(t *testing.T, script string) *command {
	t.Helper()
	c := onNode(t, luck+script, map[string]string{"burner.yaml": deployedBurner}).exit(t, 0)
	if said := c.out.String(); said != "" {
		t.Error(said)
	}
	return c
}

// saidIn returns what a script had written into a file.
func saidIn(t *testing.T, c *command, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// goodBlocks complains unless the last runs of each block are good; failed has the messages of runs that failed, by block.
func goodBlocks(t *testing.T, c *command, blocks int) (failed map[int]string) {
	t.Helper()
	failed = map[int]string{}
	good := map[string]bool{}
	for _, r := range records(t, filepath.Join(c.Dir, "results")) {
		if r.Failed() && r.Failure.Stage != record.StageBlock {
			failed[r.Block] += r.Variant + ": " + r.Failure.Message + "\n"
		}
		good[fmt.Sprint(r.Block, r.Variant)] = !r.Failed() && r.Phases[0].Load.Completed > 0
	}
	for block := 1; block <= blocks; block++ {
		for _, variant := range []string{"none", "a"} {
			if !good[fmt.Sprint(block, variant)] {
				t.Errorf("block %d has no good run of %s", block, variant)
			}
		}
	}
	return failed
}

// A pod that is deleted, evicted or out of memory fails its run, and so does a sink that is killed; the record has the reason. A conductor
// that is deleted ends tracetax, which names it, and kill -9 leaves nothing. Each time it goes on.
func TestPodsThatAreEnded(t *testing.T) {
	t.Parallel() // it looks at no time
	c := ofLuck(t, `
burner --blocks 4 --out results
named 001-a
kubectl -n trial delete pod $name --wait=false >&2
named 002-none
kubectl -n trial delete pod -l tracetax/part=harness --wait=false >&2
ended 1 'without its conductor'
gone 30 'the end of the conductor'
measure --resume results
named 002-a
printf '{"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "%s", "namespace": "trial"}}' $name >eviction.json
kubectl create --raw /api/v1/namespaces/trial/pods/$name/eviction -f eviction.json >&2
named 003-none
kill -9 $pid
ended 137 'killed,'
gone 60 'kill -9'
measure --resume results
named 003-a
curl -s -m 20 http://$(kubectl -n trial get pod $name -o jsonpath={.status.podIP}):8080/hold || true
named 004-a
pkill -9 -o -f '^/app agent sink' || echo 'no sink was killed'
ended 0 'at last'
gone 30 'the end'
[ "$(kubectl -n trial get deployment burner -o jsonpath={.metadata.generation})" = 1 ] || echo 'the Deployment was changed'
`)
	failed := goodBlocks(t, c, 4)
	for block, want := range map[int]string{
		1: "a: process burner ended (its pod was deleted)", 2: "EvictionByEvictionAPI", 3: "out of memory: its memory limit was reached",
		4: "sink",
	} {
		if !strings.Contains(failed[block], want) || strings.Count(failed[block], "\n") != 1 {
			t.Errorf("of block %d failed %q, and it is to say %q", block, failed[block], want)
		}
	}
	const lost = "the pod that conducts the runs has ended (it was deleted)"
	if said := saidIn(t, c, "said.txt"); strings.Count(said, lost) != 1 {
		t.Errorf("it does not say once %q: %s", lost, tail(said))
	}
}

// A client that is frozen, as when the lid of a laptop closes, leaves nothing two minutes later. Before, its meter is deleted: the run
// ends, and names that.
func TestPodsOfAFrozenClient(t *testing.T) {
	more(t, "pods")
	t.Parallel() // it looks at no time
	c := ofLuck(t, `
burner --blocks 3 --out results
named 001-a
kubectl -n trial delete pod -l tracetax/part=meter --wait=false >&2
ended 1 'without its meter'
gone 30 'the end of the meter'
measure --resume results
named 001-a
kill -STOP $pid
gone 120 'the client froze'
kill -CONT $pid
ended 1 'thawed,'
measure --resume results
ended 0 'at last'
gone 30 'the end'
`)
	if failed := goodBlocks(t, c, 3); len(failed) > 0 {
		t.Errorf("runs failed: %v", failed)
	}
	if said := saidIn(t, c, "said.txt"); !strings.Contains(said, "the pod that meters node n1 has ended (it was deleted)") {
		t.Errorf("of its meter it says %s", tail(said))
	}
}

// While an API server is away runs go on; where it stays away they are lost, and it says so; later they go on.
func TestPodsWithoutAnAPIServer(t *testing.T) {
	more(t, "pods")
	t.Parallel() // it looks at no time
	c := ofLuck(t, `
server=$(pgrep -x kube-apiserver)
mapfile -d '' -t command </proc/$server/cmdline
at=$(readlink /proc/$server/cwd)
burner --blocks 3 --out results
named 001-a
kill -STOP $server
sleep 10
kill -CONT $server
named 002-a
[ $(wc -l <results/runs.jsonl) = 2 ] || echo 'the first block was not made at once'
kill -9 $server
ended 1 'without an API server'
(cd "$at" && exec "${command[@]}" >>log/apiserver 2>&1) &
until kubectl get --raw /readyz >&2; do sleep 0.3; done
gone 180 'the API server came back'
measure --resume results
ended 0 'at last'
gone 30 'the end'
`)
	if failed := goodBlocks(t, c, 3); len(failed) > 0 {
		t.Errorf("runs failed: %v", failed)
	}
	said := saidIn(t, c, "said.txt")
	for _, part := range []string{"the stream to the conductor has ended", "asking the API server https://", "-n trial delete job tracetax-"} {
		if !strings.Contains(said, part) {
			t.Errorf("it does not say %q: %s", part, tail(said))
		}
	}
}

// Two tracetax in one namespace do not meet: each has its runs and its spans, and the end of one takes nothing of the other.
func TestPodsOfTwoSessions(t *testing.T) {
	more(t, "pods")
	t.Parallel() // it looks at no time
	c := onNode(t, `
kubectl create namespace trial >&2
$TRACETAX run shop.yaml --set design.blocks=4 --out longer >longer.txt 2>&1 &
longer=$!
$TRACETAX run shop.yaml --set design.blocks=1 --out shorter >shorter.txt 2>&1 || { echo 'the shorter one failed:'; tail shorter.txt; }
left=$(kubectl -n trial get pods -l tracetax/part=harness -o name | wc -l)
[ $left = 1 ] || echo "after the end of one there are $left conductors"
wait $longer || { echo 'the longer one failed:'; tail longer.txt; }
`, map[string]string{"shop.yaml": podShop}).exit(t, 0)
	if said := c.out.String(); said != "" {
		t.Error(said)
	}
	for folder, want := range map[string]int{"longer": 1 + 2*4, "shorter": 1 + 2*1} {
		all := records(t, filepath.Join(c.Dir, folder))
		if len(all) != want {
			t.Errorf("%s has %d runs, want %d", folder, len(all), want)
		}
		for _, r := range all {
			if r.Failed() {
				t.Fatalf("%s, %s failed: %s", folder, r.Variant, r.Failure.Message)
			}
			for _, p := range r.Phases {
				if r.Variant == "traced" && (p.Sink.Spans == 0 || p.Sink.Spans != p.Load.Completed) {
					t.Errorf("%s, block %d: %d spans of %d operations", folder, r.Block, p.Sink.Spans, p.Load.Completed)
				}
			}
		}
	}
}
