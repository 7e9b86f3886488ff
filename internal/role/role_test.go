package role

import (
	"slices"
	"testing"
)

func TestTable(t *testing.T) {
	if want := []Role{App, Sidecar, Collector, Backend, Database}; !slices.Equal(Named(), want) {
		t.Errorf("a process can be %v, want %v", Named(), want)
	}
	if want := []Role{App, Sidecar}; !slices.Equal(OnApp(), want) {
		t.Errorf("on the app's CPUs are %v, want %v", OnApp(), want)
	}
	for _, one := range table {
		if one.harness && one.onApp {
			t.Errorf("%s of the harness is on the app's CPUs", one.role)
		}
	}
}

// Everybody pays but the harness; a role pays for itself alone, also one that no table knows.
func TestCharge(t *testing.T) {
	for _, r := range []Role{App, Sidecar, Collector, Backend, Database, Load, Sink, "mesh"} {
		harness := r == Load || r == Sink
		if (Charge{}).Of(r) == harness || r.Harness() != harness {
			t.Errorf("%s is charged: %t", r, Charge{}.Of(r))
		}
		for _, other := range []Role{App, Sink, "mesh"} {
			if (Charge{Role: other}).Of(r) != (r == other) {
				t.Errorf("%s is charged to %s: %t", r, other, Charge{Role: other}.Of(r))
			}
		}
	}
}
