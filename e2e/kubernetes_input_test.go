package e2e

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What bad input gets in a cluster: an error that names what to change, and nothing is left.

// others are Deployments that cannot be measured as they are.
const others = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Mi}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: writer}
spec:
  replicas: 0
  selector: {matchLabels: {app: writer}}
  template:
    metadata: {labels: {app: writer}}
    spec:
      containers:
        - {name: writer, image: "local.test/burner:1", ports: [{containerPort: 8080}], volumeMounts: [{name: data, mountPath: /data}]}
      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: bare}
spec:
  replicas: 0
  selector: {matchLabels: {app: bare}}
  template:
    metadata: {labels: {app: bare}}
    spec:
      containers: [{name: bare, image: "local.test/burner:1"}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: unmounted}
spec:
  replicas: 0
  selector: {matchLabels: {app: unmounted}}
  template:
    metadata: {labels: {app: unmounted}}
    spec:
      containers:
        - {name: unmounted, image: "local.test/burner:1", ports: [{containerPort: 8080}], volumeMounts: [{name: of, mountPath: /of}]}
      volumes: [{name: of, configMap: {name: nowhere}}]
`

// refused are command lines behind that of a run of the Deployment shop, by name, with what they are to say.
var refused = map[string]struct {
	args string
	says []string
}{
	"context":     {"--context nowhere", []string{`context "nowhere" does not exist`, "kubectl config get-contexts"}},
	"namespace":   {"--namespace nowhere", []string{`namespaces "nowhere" not found`, "'kubectl create namespace nowhere'"}},
	"deployment":  {"--deployment nowhere", []string{`deployments.apps "nowhere" not found`, "'kubectl -n trial get deployments' lists"}},
	"container":   {"--set workload.processes.0.container=web", []string{"has no container web; there is shop"}},
	"port":        {"--deployment bare", []string{"container bare names no port", "port: 8080"}},
	"claim":       {"--deployment writer", []string{"writes into the claim data", "emptyDir"}},
	"quota":       {"--namespace tight", []string{"exceeded quota: small", "one CPU and 512 MiB", "have the quota raised"}},
	"few":         {"--namespace few", []string{"exceeded quota: few", "have the quota raised"}},
	"terminating": {"--namespace dying", []string{"because it is being terminated", "wait until the namespace is gone"}},
	"image":       {"--variant b:image=local.test/nowhere:1", []string{"ErrImagePull", "local.test/nowhere:1", "see that the name is right"}},
	"tool":        {"--set target.kubernetes.image=local.test/nowhere:1", []string{"waiting for the pod of Job", "ErrImagePull"}},
	"version":     {"--set target.kubernetes.image=local.test/older:1", []string{"both have to be one build"}},
	"deaf":        {"--ready log:nothing --set workload.processes.0.patience=2s", []string{"is not ready after 2", "give it more patience"}},
	"elsewhere": {"--set workload.processes.0.port=9 --set workload.processes.0.patience=2s",
		[]string{"connection refused", "is not ready", "see that it listens there, and on 0.0.0.0"}},
	"full":      {"--set workload.processes.0.cpus=64", []string{"Insufficient cpu", "ask for less (cpus:, memory:)"}},
	"unmounted": {"--deployment unmounted", []string{"FailedMount", `configmap "nowhere" not found`}},
}

// Each thing that is wrong has an error that names it and what to change; a scaler is told of, a limit that throttles is warned of.
func TestPodsOfBadInput(t *testing.T) {
	more(t, "pods")
	t.Parallel()                                    // it looks at no time
	older := filepath.Join(t.TempDir(), "tracetax") // without a repository around it a build has the version that it is given here
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -X github.com/tracetax/tracetax/internal/build.source=0.0.9", "-o", older, "../cmd/tracetax")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building another tracetax: %v\n%s", err, out)
	}
	slow := []string{"full", "unmounted"} // these have patience: they are made at once
	var quick, patient string
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		line := "refused " + name + " " + refused[name].args
		if slices.Contains(slow, name) {
			patient += line + " &\n"
		} else {
			quick += line + "\n"
		}
	}
	c := onNodeOf(t, withImages(t, map[string]string{"local.test/older:1": older}), `
for space in trial tight few dying; do
  kubectl create namespace $space >&2
  kubectl -n $space apply -f shop.yaml >&2
done
kubectl -n trial apply -f others.yaml >&2
kubectl -n tight create quota small --hard=requests.cpu=500m >&2
kubectl -n few create quota few --hard=pods=2 >&2
kubectl -n dying create configmap held >&2
kubectl -n dying patch configmap held -p '{"metadata": {"finalizers": ["local.test/held"]}}' >&2
kubectl delete namespace dying --wait=false >&2
trial='--target kubernetes --namespace trial --set target.kubernetes.image=local.test/tracetax:1'
run() { $TRACETAX run $trial --deployment shop --op 'GET /json' --rate 100/s --duration 1s --blocks 1 --variant none --variant a:env.A=b "$@"; }
refused() {
  local name=$1
  shift
  ! run --out results/$name "$@" >$name.txt 2>&1 || echo "$name is measured"
}
kubectl -n trial rollout status deployment shop >&2
kubectl -n trial get all,configmap,secret -o name >before
`+patient+`wait
`+quick+`
kubectl -n trial get all,configmap,secret -o name >after
diff before after || true
kubectl -n trial autoscale deployment shop --min 1 --max 7 --cpu 50% >&2
run --dry-run >plan.txt 2>scaled.txt
$TRACETAX run $trial --image local.test/burner:1 --op 'GET /' --rate 4/s --duration 6s --blocks 1 --env EVERYWHERE=true \
  --set workload.processes.0.cpus=0.1 --variant none --variant burns:env.BURN=15ms --out throttled >throttled.txt 2>&1
`, map[string]string{"shop.yaml": deployedShop, "others.yaml": others}).exit(t, 0)
	if said := c.out.String(); said != "" {
		t.Error(said)
	}
	for name, row := range refused {
		said := saidIn(t, c, name+".txt")
		for _, part := range row.says {
			if !strings.Contains(said, part) {
				t.Errorf("%s: it is to say %q, and says\n%s", name, part, tail(said))
			}
		}
	}
	if said := saidIn(t, c, "scaled.txt"); !strings.Contains(said, "HorizontalPodAutoscaler shop has up to 7 pods of shop") {
		t.Errorf("of the scaler a plan says %s", said)
	}
	if said := saidIn(t, c, "throttled/findings.json"); !strings.Contains(said, `"code": "throttled"`) {
		t.Errorf("a limit that throttles is not warned of: %s", tail(saidIn(t, c, "throttled.txt")))
	}
}

// readsBoth asks the meter of a node and the one beside a program, one after the other, what the program's container has used. The
// figures that it prints are in nanoseconds of CPU.
const readsBoth = `
import json, socket, sys

def read(address, container):
    with socket.create_connection((address, 7411)) as meter, meter.makefile("rw") as lines:
        for number, body in enumerate([{"token": "secret"}, {"container": container}], 1):
            lines.write(json.dumps({"id": number, "body": body}) + "\n")
            lines.flush()
            answer = json.loads(lines.readline())
    return answer["body"]

node, pod, container = sys.argv[1:]
of_node, beside = read(node, container), read(pod, container)
print(of_node["cpu"], beside["cpu"], of_node["memory"], beside["memory"], beside["source"])
`

// metered are a meter of the node, and two programs with one beside them: of another user, and of the same.
const metered = `
apiVersion: v1
kind: Pod
metadata: {name: node}
spec:
  containers:
    - name: meter
      image: local.test/tracetax:1
      args: [agent, meter, --listen, ":7411", --cgroups, /node/cgroup]
      env: [{name: TRACETAX_TOKEN, value: secret}]
      volumeMounts: [{name: cgroup, mountPath: /node/cgroup, readOnly: true}]
  volumes: [{name: cgroup, hostPath: {path: /sys/fs/cgroup}}]
---
apiVersion: v1
kind: Pod
metadata: {name: USER}
spec:
  shareProcessNamespace: true
  initContainers:
    - name: meter
      image: local.test/tracetax:1
      restartPolicy: Always
      args: [agent, meter, --beside, --listen, ":7411"]
      env: [{name: TRACETAX_TOKEN, value: secret}]
      securityContext: {runAsUser: 65532}
  containers:
    - name: burner
      image: local.test/burner:1
      env: [{name: EVERYWHERE, value: "true"}, {name: PORT, value: "8080"}, {name: BURN, value: 1ms}]
      securityContext: {runAsUser: NUMBER}
`

// What the meter of the node and the one beside a program say of the same container at the same time agrees within 1 %.
func TestPodsByBothMeters(t *testing.T) {
	more(t, "pods")
	t.Parallel() // it looks at no time
	need(t, "python3")
	c := onNode(t, `
sed 's/USER/same/; s/NUMBER/65532/' metered.yaml | kubectl apply -f - >&2
sed 's/USER/other/; s/NUMBER/1000/' metered.yaml | kubectl apply -f - >&2
kubectl wait --for=condition=Ready pod/node pod/same pod/other --timeout=60s >&2
ip() { kubectl get pod $1 -o jsonpath={.status.podIP}; }
both() { python3 both.py $node $pod $container; }
node=$(ip node)
for name in same other; do
  pod=$(ip $name)
  container=$(kubectl get pod $name -o jsonpath='{.status.containerStatuses[0].containerID}')
  container=${container#*://}
  before=$(both)
  $TRACETAX load http://$pod:8080/ --rate 200 --duration 5s >&2
  echo $before $(both)
done
`, map[string]string{"metered.yaml": metered, "both.py": readsBoth}).exit(t, 0)
	lines := strings.Split(strings.TrimSpace(c.out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("read %q", lines)
	}
	for i, source := range []string{"cgroup", "clock"} {
		var before, after [4]float64
		var first, second string
		scanned(t, lines[i], before[:], &first, after[:], &second)
		node, beside := after[0]-before[0], after[1]-before[1]
		t.Logf("by the node's cgroups %.4f s, by the %s beside %.4f s", node/1e9, source, beside/1e9)
		if !strings.HasPrefix(second, source) || node < 0.8e9 || beside < 0.99*node || beside > 1.01*node {
			t.Errorf("by the node's cgroups %.4f s, beside by the %s, which is to be the %s, %.4f s", node/1e9, second, source, beside/1e9)
		}
		if memory := after[3] / after[2]; after[2] == 0 || memory < 0.8 || memory > 1.25 {
			t.Errorf("by the node %.0f bytes, beside by the %s %.0f", after[2], second, after[3])
		}
	}
}

// scanned reads four figures and a word ("cgroup v2" may be two), twice.
func scanned(t *testing.T, line string, before []float64, first *string, after []float64, second *string) {
	t.Helper()
	fields := strings.Fields(line)
	half := len(fields) / 2
	for i := range before {
		var err, again error
		before[i], err = strconv.ParseFloat(fields[i], 64)
		after[i], again = strconv.ParseFloat(fields[half+i], 64)
		if err != nil || again != nil {
			t.Fatalf("read %q", line)
		}
	}
	*first, *second = strings.Join(fields[len(before):half], " "), strings.Join(fields[half+len(after):], " ")
}
