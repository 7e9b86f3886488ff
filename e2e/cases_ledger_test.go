package e2e

import (
	"path/filepath"
	"testing"
)

// Readiness requests that a proxy answers for a program that is not up made no spans: none was lost, and nothing of them is exact.
func proxyBefore(t *testing.T) {
	need(t, "node")
	out := filepath.Join(t.TempDir(), "results")
	doc := document(t, runCase(t, out, []string{"--ready", "/", "--variant", "none", "--variant", "ours:env.OTLP={sink.otlp.http}"}, "node", ofCase(t, "front.js"), "{port}", "{port.app}").exit(t, 0, 4))
	if r := records(t, out)[0]; r.Start.FailedProbes < 10 || r.Start.Probes <= r.Start.FailedProbes {
		t.Fatalf("%d of %d readiness requests failed", r.Start.FailedProbes, r.Start.Probes)
	}
	for _, l := range doc.Ledgers {
		operation := l.Operation == "home"
		if l.Variant == "ours" && (l.LostShare > 0 || l.Exact != operation) {
			t.Errorf("%s: exact %t: %+v", l.Operation, l.Exact, l)
		}
	}
	if l := ledger(t, doc, "home", "ours"); entry(l, "delivered") != int64(l.Operations) {
		t.Errorf("home: %+v", l)
	}
}
