package prepare

import (
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
)

// A process waits for those that it calls, for the first hop of its spans, and for what stands around it; others start with it.
func TestLevels(t *testing.T) {
	process := func(name string, words ...string) program.Process { return program.Process{Name: name, Run: words} }
	placed := func(name, of string, front bool, words ...string) program.Process {
		p := program.Process{Name: name, Run: words, Placed: program.Placed{Name: name, Of: of, Front: front}}
		if of != "" {
			p.Name += "@" + of
		}
		return p
	}
	hop := program.Process{Name: "edge", Run: []string{"{port}"}, Service: &program.Service{}}
	store := program.Process{Name: "store", Run: []string{"{port}"}, Service: &program.Service{}}
	for name, c := range map[string]struct {
		plan config.Plan
		want string
	}{
		"one": {config.Plan{Processes: []program.Process{process("app", "{port}")}}, "app"},
		"a graph, callees first": {config.Plan{Processes: []program.Process{
			process("db", "{port}"), process("cache", "{port}"), process("cart", "{port} {db.port}"), process("list", "{port} {cache.port} {db.port}"),
			process("web", "{port}", "{cart.port}", "{list.port.admin}"),
		}}, "db cache, cart list, web"},
		"two that call each other":        {config.Plan{Processes: []program.Process{process("a", "{port} {b.port}"), process("b", "{port} {a.port}")}}, "a, b"},
		"a name that begins as another's": {config.Plan{Processes: []program.Process{process("db", "{port}"), process("db2", "{port}"), process("app", "{port} {db2.port}")}}, "db db2, app"},
		"one that is not told its port":   {config.Plan{Processes: []program.Process{process("a", "{port}"), process("fixed", "9000"), process("b", "{port}")}}, "a fixed, b"},
		"a further port alone":            {config.Plan{Processes: []program.Process{process("a", "{port.admin}"), process("b", "{port}")}}, "a, b"},
		"hops": {config.Plan{Via: []string{"edge"}, To: "store", Processes: []program.Process{
			store, hop, process("db", "{port}"), process("app", "{port}", "{sink.otlp.grpc}", "{db.port}"),
		}}, "store db, edge, app"},
		"sidecars and proxies": {config.Plan{Processes: []program.Process{
			placed("agent", "cart", false, "{port}"), process("cart", "{port}"), placed("inner", "cart", true, "{port} {beside.port}"),
			placed("outer", "cart", true, "{port} {beside.port}"), placed("agent", "list", false, "{port}"), process("list", "{port}"),
			process("web", "{port} {cart.port}"),
		}}, "agent@cart agent@list, cart list, inner@cart, outer@cart, web"},
		"once a run": {config.Plan{Processes: []program.Process{placed("capture", "", false, "{port}"), process("a", "{port}"), process("b", "{port}")}}, "capture, a b"},
	} {
		t.Run(name, func(t *testing.T) {
			var levels []string
			for _, level := range Levels(&c.plan) {
				var names []string
				for _, p := range level {
					names = append(names, p.Name)
				}
				levels = append(levels, strings.Join(names, " "))
			}
			if got := strings.Join(levels, ", "); got != c.want {
				t.Errorf("levels %q, want %q", got, c.want)
			}
		})
	}
	if got := Levels(&config.Plan{}); slices.Concat(got...) != nil {
		t.Errorf("of nothing: %v", got)
	}
}
