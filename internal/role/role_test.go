package role

import (
	"slices"
	"testing"
)

func TestTable(t *testing.T) {
	if want := []Role{App, Sidecar, Collector, Backend, Database, Platform}; !slices.Equal(Named(), want) {
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

// Everybody pays but the harness; a role, or a service, pays for itself alone, also one that no table knows.
func TestCharge(t *testing.T) {
	for _, r := range []Role{App, Sidecar, Collector, Backend, Database, Platform, Load, Sink, "mesh"} {
		harness := r == Platform || r == Load || r == Sink
		if (Charge{}).Of(r, "shop") == harness || r.Harness() != harness {
			t.Errorf("%s is charged: %t", r, Charge{}.Of(r, "shop"))
		}
		if (Charge{Service: "shop"}).Of(r, "shop") == harness || (Charge{Service: "shop"}).Of(r, "cart") {
			t.Errorf("%s of shop is not what shop pays for, or cart's is", r)
		}
		for _, other := range []Role{App, Sink, "mesh"} {
			if (Charge{Role: other}).Of(r, "shop") != (r == other) {
				t.Errorf("%s is charged to %s: %t", r, other, Charge{Role: other}.Of(r, "shop"))
			}
			if (Charge{other, "shop"}).Of(r, "shop") != (r == other) || (Charge{other, "shop"}).Of(r, "cart") {
				t.Errorf("%s is charged to %s of shop alone: %t", r, other, Charge{other, "shop"}.Of(r, "shop"))
			}
		}
	}
}
