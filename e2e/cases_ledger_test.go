package e2e

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// Readiness requests that a proxy answers for a program that is not up made no spans: none was lost, and nothing of them is exact.
func proxyBefore(t *testing.T) {
	need(t, "node")
	out := filepath.Join(t.TempDir(), "results")
	args := []string{"--ready", "/", "--variant", "none", "--variant", "ours:env.OTLP={sink.otlp.http}"}
	doc := document(t, runCase(t, out, args, "node", ofCase(t, "front.js"), "{port}", "{port.app}").exit(t, 0, 4))
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

// The operations of a calibration made three spans each, since a cache was cold, and those of the run one: nothing is lost.
func coldCalibration(t *testing.T) {
	out, cache := filepath.Join(t.TempDir(), "results"), filepath.Join(t.TempDir(), "cache")
	args := []string{"--duration", "3s", "--budget", "lost=0", "--env", "CACHE=" + cache, "--variant", "none", "--variant", "mine:env.SINK={sink.otlp.http}"}
	doc := document(t, runCase(t, out, args, "python3", ofCase(t, "cold.py"), "{port}").exit(t, 0, 4))
	all := records(t, out)
	learnt := slices.IndexFunc(all, func(r record.Record) bool { return r.Kind == record.Calibration && r.Variant == "mine" })
	if learnt < 0 || all[learnt].Phases[0].Sink.Spans != 3*all[learnt].Phases[0].Load.Started {
		t.Fatalf("the calibration: %+v", all[learnt].Phases)
	}
	l := ledger(t, doc, "home", "mine")
	if l.Operations < 300 || entry(l, "delivered") != int64(l.Operations) || l.LostShare > 0 || l.LostMost > 0 || l.Exact {
		t.Errorf("%+v", l)
	}
	if slices.Contains(inBudget(doc, "mine"), finding.Over) {
		t.Errorf("verdicts on its budget: %q", inBudget(doc, "mine"))
	}
}
