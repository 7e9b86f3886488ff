package traces_test

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/lab/graphs/traces"
)

// A trace that lacks what the others of its kind have is left out, and no service appears because of it.
func TestSpansThatAreMissing(t *testing.T) {
	const (
		root   = "a server GET+/x 0 100 id=1 http.method=GET http.route=/x "
		client = "a client GET 10 50 id=2 parent=1 http.method=GET server.address=b "
		server = "b server GET+/y 20 30 id=3 parent=2 http.method=GET http.route=/y "
	)
	for name, c := range map[string]struct {
		odd  string
		of   int // whole ones
		want string
		left string // "": nothing
	}{
		"the served span":            {root + client, 9, "a.x{b.y}", "1 trace (span of the called service missing)"},
		"the caller's spans":         {server, 19, "a.x{b.y}", "1 trace (parent missing)"},
		"the root":                   {client + server, 19, "a.x{b.y}", "1 trace (parent missing)"},
		"a service that is down":     {root + client + "error=true", 9, "a.x{b.y}, a.x-2{b-2.GET}", ""},
		"often called by others":     {server, 1, "b.y, a.x{b.y}", ""},
		"a span that is there twice": {root + client + server + server, 9, "a.x{b.y}", "1 span (an id that another span has)"},
		"two calls with one id": {root + client + server + strings.Replace(server, "20 30", "60 20", 1), 9, "a.x{b.y}",
			"1 trace (different spans of one id)"},
		"two spans with one id": {root + client + server + strings.Replace(server, "/y", "/z", 2), 9, "a.x{b.y}",
			"1 trace (different spans of one id)"},
		"no answer in a capture": {root + "tracetax.ended=false", 9, "a.x{b.y}", "1 trace (a call without an answer)"},
		"more calls, perhaps":    {root + "tracetax.whole=false", 9, "a.x{b.y}", "1 trace (a parent that is only likely)"},
	} {
		t.Run(name, func(t *testing.T) {
			r, g := imported(t, handmade(t, append(repeat(root+client+server, c.of), c.odd)...), traces.Options{})
			var got []string
			for _, o := range g.Operations {
				got = append(got, calls(g, o.Call))
			}
			summary := r.Summary()
			if ops := strings.Join(got, ", "); ops != c.want || !strings.Contains(summary, c.left) || c.left == "" && len(r.LeftOut.Traces) > 0 {
				t.Errorf("operations %s, want %s\n%s", ops, c.want, summary)
			}
		})
	}
}
