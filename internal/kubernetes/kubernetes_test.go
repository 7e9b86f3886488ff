package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// api is a client of a server that answers as an API server would.
func api(t *testing.T, answer http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	c, err := newClient(&rest.Config{Host: server.URL}, "trial")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRefusalsAreInTheServersWords(t *testing.T) {
	c := api(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Method + " " + r.URL.String(); got != "POST /api/v1/namespaces/trial/pods?dryRun=All" {
			t.Errorf("asked %s", got)
		}
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"kind":"Status","code":403,"reason":"Forbidden","message":"pods \"x\" is forbidden: exceeded quota: small"}`)
	})
	_, err := c.Try(t.Context(), Pods, map[string]any{})
	var refused *StatusError
	if !errors.As(err, &refused) || refused.Reason != "Forbidden" || !strings.Contains(err.Error(), "exceeded quota: small") {
		t.Errorf("the error is %v", err)
	}
	proxy := api(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no upstream", http.StatusBadGateway) })
	if _, err := proxy.Create(t.Context(), Jobs, nil); err == nil || !strings.Contains(err.Error(), "502 Bad Gateway: no upstream") {
		t.Errorf("an answer that is no status: %v", err)
	}
}

func TestDelete(t *testing.T) {
	var bodies []string
	c := api(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		bodies = append(bodies, string(body))
		w.WriteHeader(http.StatusNotFound)
	})
	for _, grace := range []time.Duration{-1, 0, 1500 * time.Millisecond} {
		if err := c.Delete(t.Context(), Pods, "shop", grace); err != nil {
			t.Errorf("what is not there: %v", err)
		}
	}
	if strings.Contains(bodies[0], "grace") || !strings.Contains(bodies[1], `"gracePeriodSeconds":0`) || !strings.Contains(bodies[2], `"gracePeriodSeconds":2`) {
		t.Errorf("asked %q", bodies)
	}
}

// A watch goes on after its stream breaks, tells of what went meanwhile, and ends where the user may not watch.
func TestFollow(t *testing.T) {
	pod := func(name, phase string) string {
		return fmt.Sprintf(`{"metadata":{"name":%q,"uid":%q},"status":{"phase":%q}}`, name, "uid-"+name, phase)
	}
	lists, watches := 0, 0
	c := api(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("labelSelector") != "tracetax/run=1" {
			t.Errorf("asked %s", r.URL)
		}
		if r.URL.Query().Get("watch") == "" {
			switch lists++; lists {
			case 1:
				fmt.Fprintf(w, `{"metadata":{"resourceVersion":"7"},"items":[%s]}`, pod("a", "Pending"))
			case 2:
				fmt.Fprintf(w, `{"metadata":{"resourceVersion":"9"},"items":[%s]}`, pod("b", "Running"))
			default:
				w.WriteHeader(http.StatusForbidden)
				fmt.Fprint(w, `{"message":"you may not list pods"}`)
			}
			return
		}
		if watches++; watches == 1 {
			fmt.Fprintf(w, `{"type":"MODIFIED","object":%s}`+"\n", pod("a", "Running"))
			return // it breaks
		}
		fmt.Fprintf(w, `{"type":"DELETED","object":%s}`+"\n", pod("b", "Running"))
		fmt.Fprintln(w, `{"type":"ERROR","object":{"code":410,"message":"too old"}}`)
	})
	var seen []string
	err := c.Follow(t.Context(), "tracetax/run=1", time.Minute, func(e Event) {
		seen = append(seen, fmt.Sprintf("%s %s %t", e.Pod.Metadata.Name, e.Pod.Status.Phase, e.Gone))
	})
	want := []string{"a Pending false", "a Running false", "b Running false", "a Running true", "b Running true"}
	if !slices.Equal(seen, want) {
		t.Errorf("seen %q, and there was %q", seen, want)
	}
	if err == nil || !strings.Contains(err.Error(), "you may not list pods") {
		t.Errorf("the end: %v", err)
	}
}

func TestFollowGivesUp(t *testing.T) {
	c := api(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	err := c.Follow(t.Context(), "", 300*time.Millisecond, func(Event) {})
	if err == nil || !strings.Contains(err.Error(), "has been away") {
		t.Errorf("a server that stays away: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Follow(ctx, "", time.Minute, func(Event) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}

// What has a template is read where it is, by the right that it takes.
func TestTemplate(t *testing.T) {
	for name, row := range map[string]struct{ of, path, answer, right string }{
		"a Deployment":  {"shop", "/apis/apps/v1/namespaces/trial/deployments/shop", `{"spec": {"template": {"spec": {"a": 1}}}}`, "get deployments"},
		"by its kind":   {"deployment/shop", "/apis/apps/v1/namespaces/trial/deployments/shop", `{"spec": {"template": {"spec": {"a": 1}}}}`, "get deployments"},
		"a StatefulSet": {"statefulset/shop", "/apis/apps/v1/namespaces/trial/statefulsets/shop", `{"spec": {"template": {"spec": {"a": 1}}, "volumeClaimTemplates": [{"metadata": {"name": "data"}}]}}`, "get statefulsets"},
		"a pod":         {"pod/shop-0", "/api/v1/namespaces/trial/pods/shop-0", `{"metadata": {"name": "shop-0"}, "spec": {"a": 1}}`, "get pods"},
	} {
		t.Run(name, func(t *testing.T) {
			c := api(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != row.path {
					t.Errorf("asked %s", r.URL)
				}
				fmt.Fprint(w, row.answer)
			})
			got, err := c.Template(t.Context(), row.of)
			if err != nil || got.Spec["a"] != 1.0 || len(got.Claims) != strings.Count(row.answer, "volumeClaim") {
				t.Errorf("read %+v, %v", got, err)
			}
			if right := Reads(row.of); right.String() != row.right || (right.Group == "apps") != strings.Contains(row.path, "apps") {
				t.Errorf("it takes the right %+v", right)
			}
		})
	}
	gone := api(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"message":"statefulsets.apps \"shop\" not found"}`)
	})
	if _, err := gone.Template(t.Context(), "statefulset/shop"); !IsNotFound(err) || !strings.Contains(err.Error(), "reading shop of statefulsets in namespace trial") ||
		!strings.Contains(err.Error(), "'kubectl -n trial get statefulsets'") {
		t.Errorf("none: %v", err)
	}
}

func TestStuck(t *testing.T) {
	waiting := func(reason string) *Pod {
		p := &Pod{}
		s := ContainerStatus{Name: "app", ContainerID: "containerd://abc"}
		s.State.Waiting = &Waiting{Reason: reason, Message: "it says why"}
		p.Status.ContainerStatuses = []ContainerStatus{s}
		return p
	}
	if p := waiting("ContainerCreating"); p.Stuck() != "" || p.Container("app").ID() != "abc" || p.Container("other") != nil {
		t.Errorf("one that is being made is stuck: %q", p.Stuck())
	}
	if why := waiting("ErrImagePull").Stuck(); !strings.Contains(why, "it says why; see that the name is right") {
		t.Errorf("no image: %q", why)
	}
	full := &Pod{}
	full.Status.Conditions = []Condition{{Type: "PodScheduled", Status: "False", Reason: "Unschedulable", Message: "0/1 nodes are available: Insufficient cpu."}}
	if why := full.Unplaced(); full.Stuck() != "" || !strings.Contains(why, "Insufficient cpu.; ask for less") {
		t.Errorf("a full node: %q", why)
	}
}

func TestOpen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	text := `{apiVersion: v1, kind: Config, current-context: one, contexts: [{name: one, context: {cluster: c, user: u, namespace: mine}}],
 clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}], users: [{name: u, user: {token: t}}]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", file)
	c, err := Open("", "")
	if err != nil || c.Namespace != "mine" || c.Server != "http://127.0.0.1:1" {
		t.Errorf("the current context: %+v, %v", c, err)
	}
	if _, err := Open("two", ""); err == nil || !strings.Contains(err.Error(), "two") {
		t.Errorf("no such context: %v", err)
	}
}

// Beside a container are the others of its pod, and those before it that go on.
func TestBeside(t *testing.T) {
	var pod Pod
	if err := json.Unmarshal([]byte(`{"spec": {"initContainers": [{"name": "fetch"}, {"name": "proxy", "restartPolicy": "Always"}],
 "containers": [{"name": "log"}, {"name": "shop"}, {"name": "late"}]},
 "status": {"initContainerStatuses": [{"name": "fetch", "containerID": "x://1"}, {"name": "proxy", "containerID": "x://2"}],
 "containerStatuses": [{"name": "shop", "containerID": "x://3"}, {"name": "log", "containerID": "x://4"}]}}`), &pod); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range pod.Beside("shop") {
		got = append(got, s.Name+" "+s.ID())
	}
	if want := []string{"proxy 2", "log 4", "late "}; !slices.Equal(got, want) {
		t.Errorf("beside it are %q, not %q", got, want)
	}
}
