package tree_test

import (
	"fmt"
	"testing"

	"github.com/tracetax/tracetax/lab/graphs/packets/tree"
)

// A million calls are to take a second or so of CPU: see calls/s.
func BenchmarkParents(b *testing.B) {
	g := shop()
	for _, l := range []load{
		{connections: 1, operations: 125_000}, {connections: 16, operations: 125_000, ids: callIDs},
		{connections: 16, operations: 125_000, ids: traceIDs},
		{connections: 4, operations: 125_000}, {connections: 16, operations: 125_000}, {connections: 64, operations: 125_000},
	} {
		l.seed = 1
		calls, _ := simulate(g, l)
		b.Run(fmt.Sprintf("connections=%d/ids=%d", l.connections, l.ids), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				tree.Parents(calls, tree.Options{Name: named(g)})
			}
			b.ReportMetric(float64(len(calls)*b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}
