package kubernetes

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// refusing answers with a status.
func refusing(code int, reason, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"code":%d,"reason":%q,"message":%q}`, code, reason, message)
	}
}

// A refusal of a new object says what to change, where that is known.
func TestAdvised(t *testing.T) {
	for name, row := range map[string]struct {
		code          int
		message, says string
	}{
		"no namespace":    {http.StatusNotFound, `namespaces "trial" not found`, "'kubectl create namespace trial'"},
		"it ends":         {http.StatusForbidden, "because it is being terminated", "; wait until the namespace is gone"},
		"too much":        {http.StatusForbidden, "exceeded quota: small, requested: pods=1", "; have the quota raised"},
		"no size":         {http.StatusForbidden, "failed quota: small: must specify limits.cpu for: app", "; have a LimitRange"},
		"another refusal": {http.StatusForbidden, "you may not", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := api(t, refusing(row.code, "", row.message)).Create(t.Context(), Pods, nil)
			if err == nil || !strings.Contains(err.Error(), row.message) || !strings.Contains(err.Error(), row.says) {
				t.Fatalf("the error is %v, and is to say %q", err, row.says)
			}
			if row.says == "" && !strings.HasSuffix(err.Error(), row.message) {
				t.Errorf("advice where nothing is known: %v", err)
			}
		})
	}
}

// An API server that does not answer, or not now, is asked again; one that refuses is not.
func TestIsAway(t *testing.T) {
	for code, want := range map[int]bool{
		http.StatusTooManyRequests: true, http.StatusServiceUnavailable: true, http.StatusGatewayTimeout: true, http.StatusBadGateway: true,
		http.StatusForbidden: false, http.StatusNotFound: false, http.StatusConflict: false, http.StatusInternalServerError: false,
	} {
		_, err := api(t, refusing(code, "AlreadyExists", "no")).Create(t.Context(), Pods, nil)
		if IsAway(err) != want || !IsThere(err) {
			t.Errorf("status %d: away %t, want %t (%v)", code, IsAway(err), want, err)
		}
	}
	server := httptest.NewServer(http.NotFoundHandler())
	c, err := newClient(&rest.Config{Host: server.URL}, "trial")
	if err != nil {
		t.Fatal(err)
	}
	server.Close()
	if _, err := c.Create(t.Context(), Pods, nil); !IsAway(err) || IsThere(err) {
		t.Errorf("nobody there: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Create(ctx, Pods, nil); IsAway(err) {
		t.Errorf("given up: %v", err)
	}
	if IsAway(nil) || IsThere(nil) {
		t.Error("no error is one")
	}
}

// The last warning counts, and who may not read events has none.
func TestWarned(t *testing.T) {
	c := api(t, func(w http.ResponseWriter, r *http.Request) {
		got := r.URL.Path + "?" + r.URL.Query().Get("fieldSelector")
		if got != "/api/v1/namespaces/trial/events?type=Warning,involvedObject.kind=Pod,involvedObject.name=shop" {
			t.Errorf("asked %s", got)
		}
		fmt.Fprint(w, `{"items": [{"reason": "FailedMount", "message": "no volume", "lastTimestamp": "2026-01-02T00:00:09Z"},
 {"reason": "FailedScheduling", "message": "no room", "lastTimestamp": "2026-01-02T00:00:01Z"}]}`)
	})
	if w, err := c.Warned(t.Context(), "shop"); err != nil || w.Reason != "FailedMount" || w.Message != "no volume" {
		t.Errorf("warned of %+v, %v", w, err)
	}
	if w, err := api(t, refusing(http.StatusForbidden, "", "no")).Warned(t.Context(), "shop"); err != nil || w != (Warning{}) {
		t.Errorf("without the right: %+v, %v", w, err)
	}
	if _, err := api(t, refusing(http.StatusInternalServerError, "", "no")).Warned(t.Context(), "shop"); err == nil {
		t.Error("an error is swallowed")
	}
}

func TestScalers(t *testing.T) {
	c := api(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/apis/autoscaling/v2/namespaces/trial/horizontalpodautoscalers" {
			t.Errorf("asked %s", r.URL)
		}
		fmt.Fprint(w, `{"items": [
 {"metadata": {"name": "one"}, "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "shop"}, "maxReplicas": 9}},
 {"metadata": {"name": "two"}, "spec": {"scaleTargetRef": {"kind": "StatefulSet", "name": "shop"}, "maxReplicas": 8}},
 {"metadata": {"name": "three"}, "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "cart"}, "maxReplicas": 7}}]}`)
	})
	for of, want := range map[string]string{
		"shop": "one 9", "deployment/shop": "one 9", "statefulset/shop": "two 8", "pod/shop": "", "shopping": "",
	} {
		all, err := c.Scalers(t.Context(), of)
		got := ""
		for _, s := range all {
			got += fmt.Sprintf("%s %d", s.Metadata.Name, s.Spec.Most)
		}
		if err != nil || got != want {
			t.Errorf("%s is scaled by %q, want %q (%v)", of, got, want, err)
		}
	}
	for _, code := range []int{http.StatusForbidden, http.StatusNotFound} {
		if all, err := api(t, refusing(code, "", "no")).Scalers(t.Context(), "shop"); err != nil || all != nil {
			t.Errorf("status %d: %v, %v", code, all, err)
		}
	}
	if _, err := api(t, refusing(http.StatusInternalServerError, "", "no")).Scalers(t.Context(), "shop"); err == nil {
		t.Error("an error is swallowed")
	}
}

// What has the cluster end a pod is in its words.
func TestOusted(t *testing.T) {
	for status, want := range map[string]string{
		`{"conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "Preemption", "message": "m"}]}`:  "Preemption: m",
		`{"conditions": [{"type": "DisruptionTarget", "status": "False", "reason": "Preemption", "message": "m"}]}`: "",
		`{"conditions": [{"type": "Ready", "status": "True", "reason": "r", "message": "m"}]}`:                      "",
		`{"phase": "Failed", "reason": "Evicted", "message": "It was low on memory. "}`:                             "Evicted: It was low on memory.",
		`{"phase": "Failed", "reason": "NodeLost"}`:                                                                 "NodeLost",
	} {
		var p Pod
		if err := json.Unmarshal([]byte(`{"status": `+status+`}`), &p); err != nil {
			t.Fatal(err)
		}
		if got := p.Ousted(); got != want {
			t.Errorf("%s: %q, want %q", status, got, want)
		}
	}
}
