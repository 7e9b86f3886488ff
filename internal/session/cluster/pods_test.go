package cluster

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/kubernetes"
	"github.com/tracetax/tracetax/internal/run/afar"
)

// withAPI is a session whose API server answers so, and what its conductor is told of pods.
func withAPI(t *testing.T, answer http.HandlerFunc) (*pods, <-chan afar.State) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	config := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf(`{apiVersion: v1, kind: Config, current-context: one, contexts: [{name: one, context: {cluster: c, user: u}}],
 clusters: [{name: c, cluster: {server: %q}}], users: [{name: u, user: {token: t}}]}`, server.URL)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", config)
	opened, err := kubernetes.Open("", "trial")
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{options: Options{Progress: io.Discard}, api: opened, names: names{id: "1a2b", image: "tracetax:1", owner: "uid"}}
	c.pods = newPods(t.Context(), c)
	orders, in := io.Pipe()
	out, silent := io.Pipe()
	c.client = afar.NewClient(t.Context(), in, out, t.TempDir(), c.pods)
	t.Cleanup(func() {
		orders.Close()
		silent.Close()
	})
	told := make(chan afar.State, 16)
	go func() {
		for lines := json.NewDecoder(orders); ; {
			var line struct {
				Body afar.Order `json:"body"`
			}
			if lines.Decode(&line) != nil {
				return
			}
			if line.Body.Pod != nil {
				told <- *line.Body.Pod
			}
		}
	}()
	return c.pods, told
}

// podOfStatus is the first pod of a program, with a status as the API gives it.
func podOfStatus(t *testing.T, status string) kubernetes.Pod {
	t.Helper()
	var p kubernetes.Pod
	if err := json.Unmarshal([]byte(`{"metadata": {"name": "tracetax-1a2b-1"}, "status": `+status+`}`), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// heard returns what the conductor is told next.
func heard(t *testing.T, told <-chan afar.State) afar.State {
	t.Helper()
	select {
	case s := <-told:
		return s
	case <-time.After(20 * time.Second):
		t.Fatal("the conductor is told nothing")
		return afar.State{}
	}
}

func shopApp() *app { return &app{id: 1, name: "tracetax-1a2b-1", in: "app"} }

// A pod that does not begin fails its run in the cluster's words, where these say that it will not, and at last in any case.
func TestOverdue(t *testing.T) {
	const (
		waits   = `{"phase": "Pending", "containerStatuses": [{"name": "app", "state": {"waiting": {"reason": "ContainerCreating"}}}]}`
		noRoom  = `{"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "Insufficient cpu"}]}`
		runs    = `{"phase": "Running", "containerStatuses": [{"name": "app", "state": {"running": {}}}]}`
		mount   = `{"items": [{"reason": "FailedMount", "message": "configmap \"shop\" not found"}]}`
		another = `{"items": [{"reason": "Unhealthy", "message": "it coughs"}]}`
		nothing = `{"items": []}`
	)
	for name, row := range map[string]struct {
		status, events string
		last           bool
		says           string // "": it is waited for
	}{
		"it is pulled":           {waits, nothing, false, ""},
		"it is pulled for long":  {waits, nothing, true, "it is Pending after 5m0s"},
		"no node":                {noRoom, nothing, false, "Insufficient cpu; ask for less"},
		"no volume":              {waits, mount, false, `FailedMount: configmap "shop" not found; see that`},
		"another warning":        {waits, another, false, ""},
		"another one, for long":  {waits, another, true, "after 5m0s: Unhealthy: it coughs"},
		"it runs":                {runs, mount, true, ""},
		"no right to the events": {waits, "", true, "it is Pending after 5m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			p, told := withAPI(t, func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, "/events") {
					asked.Add(1)
				}
				if row.events == "" {
					w.WriteHeader(http.StatusForbidden)
				}
				fmt.Fprint(w, row.events)
			})
			of := shopApp()
			p.there[of.name] = podOfStatus(t, row.status)
			p.overdue(of, row.last)
			if of.ended != (row.says != "") {
				t.Fatalf("given up: %t", of.ended)
			}
			if row.says == "" {
				return
			}
			if s := heard(t, told); s.ID != 1 || !strings.Contains(s.Failed, row.says) {
				t.Errorf("told %+v, and it is to say %q", s, row.says)
			}
			before := asked.Load()
			p.overdue(of, true)
			if len(told) > 0 || asked.Load() != before {
				t.Errorf("of one that was given up it is told, or asked, again (%d)", len(told))
			}
		})
	}
}

// The conductor hears what ended a pod: its program, its limit, a user, or the cluster.
func TestEnds(t *testing.T) {
	const (
		ended   = `"containerStatuses": [{"name": "app", "state": {"terminated": {"exitCode": %d, "reason": %q}}}]`
		evicted = `"conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI", "message": "m"}], `
	)
	for name, row := range map[string]struct {
		status      string
		asked, gone bool
		want        afar.Ended
	}{
		"by itself": {fmt.Sprintf(`{"phase": "Failed", `+ended+`}`, 3, "Error"), false, false, afar.Ended{Code: 3}},
		"out of memory": {fmt.Sprintf(`{"phase": "Failed", `+ended+`}`, 137, "OOMKilled"), false, false,
			afar.Ended{Code: 137, OutOfMemory: true}},
		"deleted":           {`{"phase": "Running"}`, false, true, afar.Ended{Code: -1, Why: "its pod was deleted"}},
		"as it was asked":   {fmt.Sprintf(`{"phase": "Succeeded", `+ended+`}`, 0, "Completed"), true, false, afar.Ended{}},
		"gone as was asked": {`{"phase": "Running"}`, true, true, afar.Ended{Code: -1, Why: "its pod failed"}},
		"by the node": {`{"phase": "Failed", "reason": "Evicted", "message": "low on memory"}`, false, false,
			afar.Ended{Code: -1, Why: "its pod was ended: Evicted: low on memory"}},
		"evicted": {fmt.Sprintf(`{"phase": "Running", `+evicted+ended+`}`, 0, "Completed"), false, false,
			afar.Ended{Why: "its pod was ended: EvictionByEvictionAPI: m"}},
		"failed": {`{"phase": "Failed"}`, false, false, afar.Ended{Code: -1, Why: "its pod failed"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, told := withAPI(t, func(http.ResponseWriter, *http.Request) {})
			of := shopApp()
			of.asked, of.output = row.asked, make(chan struct{})
			close(of.output)
			e := kubernetes.Event{Pod: podOfStatus(t, row.status), Gone: row.gone}
			p.advance(of, e)
			p.advance(of, e)
			if s := heard(t, told); s.Ended == nil || *s.Ended != row.want {
				t.Errorf("told %+v, want the end %+v", s, row.want)
			}
			if len(told) > 0 {
				t.Errorf("told twice: %+v", <-told)
			}
		})
	}
}

// The end of a pod of the harness is in the cluster's words; one that lives has none.
func TestEndOf(t *testing.T) {
	const ended = `{"containerStatuses": [{"name": "tracetax", "state": {"terminated": {"exitCode": %d, "reason": %q}}}]}`
	for status, want := range map[string]string{
		`{"phase": "Running", "containerStatuses": [{"name": "tracetax", "state": {"running": {}}}]}`: "",
		fmt.Sprintf(ended, 137, "OOMKilled"):                                   "out of memory",
		fmt.Sprintf(ended, 2, "Error"):                                         "exit status 2",
		`{"phase": "Failed", "reason": "Evicted", "message": "low on memory"}`: "Evicted: low on memory",
		`{"conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "Preemption", "message": "m"}]}`: "Preemption: m",
	} {
		if got := endOf(podOfStatus(t, status)); got != want {
			t.Errorf("%s: %q, want %q", status, got, want)
		}
	}
	deleted := podOfStatus(t, `{"phase": "Running"}`)
	deleted.Metadata.DeletionTimestamp = "2026-01-02T00:00:00Z"
	if got := endOf(deleted); got != "it was deleted" {
		t.Errorf("of one that is deleted: %q", got)
	}
}

// A session without its meter makes no further run; with one beside each program it needs none.
func TestLostMeter(t *testing.T) {
	p, _ := withAPI(t, func(http.ResponseWriter, *http.Request) {})
	p.node = "n1"
	meter := podOfStatus(t, `{"phase": "Running", "containerStatuses": [{"name": "tracetax", "state": {"running": {}}}]}`)
	meter.Metadata.Labels = map[string]string{labelPart: partMeter}
	p.there["a"], p.there["b"] = meter, podOfStatus(t, `{"phase": "Failed", "reason": "Evicted"}`)
	if err := p.lostMeter(); err != nil {
		t.Errorf("it is there: %v", err)
	}
	meter.Status.Reason = "Evicted"
	p.there["a"] = meter
	if err := p.lostMeter(); err == nil || !strings.Contains(err.Error(), "meters node n1 has ended (Evicted)") {
		t.Errorf("it was evicted: %v", err)
	}
	delete(p.there, "a")
	if err := p.lostMeter(); err == nil || !strings.Contains(err.Error(), "it was deleted") {
		t.Errorf("it is gone: %v", err)
	}
	p.names.beside = true
	if err := p.lostMeter(); err != nil {
		t.Errorf("each has its own: %v", err)
	}
}

// A session makes no further run without one of its generators, and names the one that ended, not those that the cluster ended for that.
func TestLostGenerator(t *testing.T) {
	p, _ := withAPI(t, func(http.ResponseWriter, *http.Request) {})
	runs := podOfStatus(t, `{"phase": "Running", "containerStatuses": [{"name": "tracetax", "state": {"running": {}}}]}`)
	ended := podOfStatus(t, `{"phase": "Failed", "containerStatuses": [{"name": "tracetax", "state": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}}]}`)
	for name, row := range map[string]struct {
		there map[string]kubernetes.Pod
		says  string
	}{
		"all are there":                {map[string]kubernetes.Pod{"a": runs, "b": runs, "c": runs}, ""},
		"one was deleted":              {map[string]kubernetes.Pod{"a": runs, "c": runs}, "pod b of a load generator on node n2 has ended (it was deleted)"},
		"one ended, and then the rest": {map[string]kubernetes.Pod{"a": ended}, "pod a of a load generator on node n2 has ended (out of memory)"},
	} {
		p.there = row.there
		if err := p.lostGenerator(); err != nil {
			t.Errorf("%s, of none: %v", name, err)
		}
		p.generators = []afar.Generator{{Pod: "a", Node: "n2"}, {Pod: "b", Node: "n2"}, {Pod: "c", Node: "n2"}}
		err := p.lostGenerator()
		if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", name, err)
		}
		p.generators = nil
	}
}

// Generators are waited for until all of them run, and are known by their pods' names, nodes and addresses.
func TestAwaitGenerators(t *testing.T) {
	p, _ := withAPI(t, func(http.ResponseWriter, *http.Request) {})
	var told strings.Builder
	p.options.Progress, p.node = &told, "n1"
	if err := p.awaitGenerators(t.Context()); err != nil || p.generators != nil {
		t.Errorf("one is in the conductor's pod: %v, %v", p.generators, err)
	}
	p.options.Target.Generators = 2
	for _, name := range []string{"b", "a"} {
		one := podOfStatus(t, `{"phase": "Running", "podIP": "10.0.0.`+name+`", "containerStatuses": [{"name": "tracetax", "state": {"running": {}}}]}`)
		one.Metadata.Name, one.Metadata.Labels, one.Spec.NodeName = name, map[string]string{labelPart: partLoad}, map[string]string{"a": "n1", "b": "n2"}[name]
		time.AfterFunc(20*time.Millisecond, func() { p.hear(kubernetes.Event{Pod: one}) })
	}
	if err := p.awaitGenerators(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []afar.Generator{{Pod: "a", Node: "n1", Address: "10.0.0.a:7412"}, {Pod: "b", Node: "n2", Address: "10.0.0.b:7412"}}
	if !slices.Equal(p.generators, want) || !strings.Contains(told.String(), "2 load generators on nodes n1, n2; on that of the programs they take CPU") {
		t.Errorf("%+v, and it says %s", p.generators, told.String())
	}
	ended := p.there["a"]
	ended.Status = podOfStatus(t, `{"phase": "Failed", "containerStatuses": [{"name": "tracetax", "state": {"terminated": {"reason": "Error", "exitCode": 2}}}]}`).Status
	p.there["a"] = ended
	if err := p.awaitGenerators(t.Context()); err == nil || !strings.Contains(err.Error(), "pods of 2 load generators: it has ended (Error, exit status 2)") {
		t.Errorf("one has ended: %v", err)
	}
}

// A pod is made although the API server is away, and though its answer is lost; a refusal is told at once.
func TestCreatesAgain(t *testing.T) {
	for name, row := range map[string]struct {
		answers []int // one after the other
		fails   bool
	}{
		"at once":               {[]int{http.StatusCreated}, false},
		"it is away":            {[]int{http.StatusServiceUnavailable, http.StatusCreated}, false},
		"its answer was lost":   {[]int{http.StatusGatewayTimeout, http.StatusConflict}, false},
		"another one is there":  {[]int{http.StatusConflict}, true},
		"it refuses":            {[]int{http.StatusForbidden}, true},
		"it refuses afterwards": {[]int{http.StatusServiceUnavailable, http.StatusForbidden}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			p, _ := withAPI(t, func(w http.ResponseWriter, _ *http.Request) {
				n := asked.Add(1)
				if int(n) > len(row.answers) {
					t.Errorf("asked %d times", n)
					return
				}
				w.WriteHeader(row.answers[n-1])
				if row.answers[n-1] == http.StatusConflict {
					fmt.Fprint(w, `{"reason": "AlreadyExists", "message": "there is one"}`)
					return
				}
				fmt.Fprint(w, `{}`)
			})
			err := p.create(object{})
			if (err != nil) != row.fails || int(asked.Load()) != len(row.answers) {
				t.Errorf("asked %d times: %v", asked.Load(), err)
			}
		})
	}
}
