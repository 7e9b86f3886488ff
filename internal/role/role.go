// Package role owns the table of what processes are there for, and which of them a cost is charged to. It is a leaf. It must not
// know processes, nor what they use.
package role

import "slices"

// Role is the use of a process. Cost is charged by role.
type Role string

// The roles.
const (
	App       Role = "app"       // the program under test
	Sidecar   Role = "sidecar"   // beside a process of the program, on its CPUs
	Collector Role = "collector" // between the program and where spans go
	Backend   Role = "backend"   // where spans are stored
	Database  Role = "database"  // its data
	Platform  Role = "platform"  // what invokes the program's functions: shown, not charged
	Load      Role = "load"      // the load generator: shown, not charged
	Sink      Role = "sink"      // the counting receiver: shown, not charged
	Engine    Role = "engine"    // what a container engine runs beside a container: shown, not charged
)

// row is one role.
type row struct {
	role    Role
	onApp   bool // its processes share the app's CPUs, so they count towards its utilisation
	harness bool // the harness's own: shown, not charged
	named   bool // of these, one that a process of a workload can be given
	helper  bool // there for tracing, or for others of the system: no program under test, nor its data
}

var table = []row{
	{role: App, onApp: true}, {role: Sidecar, onApp: true, helper: true}, {role: Collector, helper: true}, {role: Backend, helper: true}, {role: Database},
	{role: Platform, harness: true, named: true}, {role: Load, harness: true}, {role: Sink, harness: true}, {role: Engine, harness: true},
}

func of(r Role) row {
	i := slices.IndexFunc(table, func(one row) bool { return one.role == r })
	if i < 0 {
		return row{role: r}
	}
	return table[i]
}

// Harness reports whether a role is the harness's own. An unknown role is not: its cost is charged.
func (r Role) Harness() bool { return of(r).harness }

// OnApp reports whether processes of a role run on the app's CPUs.
func (r Role) OnApp() bool { return of(r).onApp }

// Helper reports whether the memory of a role is shown apart: it is neither the program's nor its data.
func (r Role) Helper() bool { return of(r).helper }

// Named are the roles that a process of a workload can be given, in the order of the table.
func Named() []Role { return where(func(one row) bool { return !one.harness || one.named }) }

// OnApp are the roles whose processes run on the app's CPUs.
func OnApp() []Role { return where(func(one row) bool { return one.onApp }) }

func where(is func(row) bool) []Role {
	var out []Role
	for _, one := range table {
		if is(one) {
			out = append(out, one.role)
		}
	}
	return out
}

// Charge says whose cost a figure is: of one role, of one service, of a role of a service, or, zero, of everybody but
// the harness. A service is a process of the workload together with what stands beside it; it has the process's name.
type Charge struct {
	Role    Role
	Service string
}

// Of reports whether a process of a role and a service is charged.
func (c Charge) Of(r Role, service string) bool {
	if c.Service != "" && service != c.Service {
		return false
	}
	if c.Role == "" {
		return !r.Harness()
	}
	return r == c.Role
}
