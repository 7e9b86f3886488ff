package ledger

import "testing"

// Where the sink still received when the run was over, more may have come than it counted:
// nothing of that run is exact, whatever the figures say.
func TestUnquietIsNotExact(t *testing.T) {
	run := Run{Phases: []Stretch{phase("json", 100, ids(300, 100)), phase("db", 100, ids(500, 100))}}
	for _, unquiet := range []bool{false, true} {
		other := run
		other.Unquiet = unquiet
		for _, l := range Account("otel", AppToSink, []string{"db", "json"}, three(1), []Run{run, other}) {
			if l.Exact == unquiet {
				t.Errorf("%s: unquiet is %t, exact is %t", l.Operation, unquiet, l.Exact)
			}
		}
	}
	if !together([]Run{run, {Unquiet: true}}).Unquiet {
		t.Error("together they are said to be quiet")
	}
}
