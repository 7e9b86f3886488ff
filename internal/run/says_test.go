// What a tracer says on a page of counters.

package run_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
)

// worked is how many requests the service answered.
var worked atomic.Uint64

// counters is the page of a tracer that counts what it gives to exports, and drops three.
func counters(w http.ResponseWriter, _ *http.Request) {
	fmt.Fprintf(w, "# TYPE tracer_spans_sent counter\ntracer_spans_sent{} %d\ntracer_spans_dropped 3\n", 2*worked.Load())
}

// A tracer's page is read before the processes stop, and what its log says besides adds up.
func TestTracerSaysItOnAPage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		page, counter string
		absent        string
		unreported    string
	}{
		"page and log": {page: "http://127.0.0.1:{port}/counters", counter: "tracer_spans_dropped"},
		"no page":      {page: "http://127.0.0.1:{port}/nothing", counter: "tracer_spans_dropped", unreported: "its page of counters cannot be read: the answer is 404 Not Found"},
		"none of it":   {page: "http://127.0.0.1:{port}/counters", counter: "other_spans_dropped", absent: program.AbsentNone, unreported: "the page of counters of process app has none of those that tracer.yaml names"},
		"another page": {page: "http://127.0.0.1:{port}/counters", counter: "other_spans_dropped", unreported: "the page of counters of process app has none of those that tracer.yaml names"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conductor, q := request(t, record.Measured, "/work")
			q.Plan.Processes[0].Page = c.page
			q.Plan.Says = append(q.Plan.Says, program.Saying{What: program.SaysDropped, Metrics: c.counter, Absent: c.absent})
			if c.unreported == "" {
				q.Plan.Says = append(q.Plan.Says, program.Saying{What: program.SaysSent, Metrics: "tracer_spans_sent"})
			}
			r := made(t, conductor, q)
			said := r.Tracer
			if said.Unreported != c.unreported || !strings.HasPrefix(said.Source, "metrics and log") {
				t.Errorf("%+v; want unreported %q", said, c.unreported)
			}
			switch {
			case c.unreported != "" && (said.Dropped != nil || said.Sent != nil):
				t.Errorf("%+v: the log's part of what was dropped is taken for all of it", said)
			case c.unreported == "" && (said.Dropped == nil || *said.Dropped != 10 || said.Sent == nil || *said.Sent != r.Life.Spans || said.SentBy != record.ByMetrics):
				t.Errorf("dropped %v, sent %v; want 3 and 7 of the log, and %d", said.Dropped, said.Sent, r.Life.Spans)
			}
		})
	}
}

// What a tracer brings has a page of its own, which is read at the host of the process that it is beside. A figure that one of
// several does not tell is not known.
func TestBroughtSaysItOnAPage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		counter string
		dropped bool // is known
	}{"it tells what it dropped": {"tracer_spans_dropped", true}, "it does not": {"other_spans_dropped", false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conductor, q := request(t, record.Measured, "/work")
			app := &q.Plan.Processes[0]
			agent := *app
			agent.Name, agent.Host, agent.Traced, agent.Placed = "agent@app", "127.1.0.9", false, program.Placed{Name: "agent", Of: app.Name}
			agent.Run, agent.Ready = []string{os.Args[0], "service", "{host}:{port}", ""}, ""
			agent.Page = "http://127.1.0.9:{port}/counters"
			agent.Says = []program.Saying{{What: program.SaysDropped, Metrics: c.counter}, {What: program.SaysCalls, Metrics: "tracer_spans_sent"}}
			app.Page = "http://127.0.0.1:{port}/counters"
			q.Plan.Processes = append(q.Plan.Processes, agent)
			q.Plan.Says = []program.Saying{{What: program.SaysDropped, Metrics: "tracer_spans_dropped"}, {What: program.SaysSent, Metrics: "tracer_spans_sent"}}
			said := made(t, conductor, q).Tracer
			if said.Calls == nil || *said.Calls != 0 || said.Sent == nil || *said.Sent == 0 || said.SentBy != record.ByMetrics {
				t.Errorf("calls %v, sent %v by %s; want the 0 of what was brought, and what the tracer sent", said.Calls, said.Sent, said.SentBy)
			}
			if known := said.Dropped != nil; known != c.dropped || known && *said.Dropped != 6 {
				t.Errorf("dropped %v; want 3 of each, known: %t", said.Dropped, c.dropped)
			}
		})
	}
}
