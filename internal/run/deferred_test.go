// What a tracer does at its flush, after the operations, is part of what they cost.

package run_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

const (
	deferral  = 300 * time.Millisecond // after the last span, until the exporter works and sends
	perSpan   = time.Millisecond       // of CPU, many times what the service uses for the operation itself
	perExport = 10                     // spans, so few that the sink is not long without one on a busy machine
	perWindow = 50                     // operations in a window; each makes two spans
)

// deferringExporter keeps what it is given until nothing has come for a while, or for as long after the first. It then uses
// CPU for each span, and sends all.
type deferringExporter struct {
	trace.SpanExporter
	work string        // µs of CPU for each span
	wait time.Duration // after the first; 0: after the last
	last bool          // once all have been sent, rather than before

	mu    sync.Mutex
	kept  []trace.ReadOnlySpan
	timer *time.Timer
}

// maybeDeferring is the exporter, a deferring one if the test says so.
func maybeDeferring(e trace.SpanExporter) trace.SpanExporter {
	work := os.Getenv("DEFERS")
	if work == "" {
		return e
	}
	wait, _ := time.ParseDuration(os.Getenv("DEFERS_FOR"))
	return &deferringExporter{SpanExporter: e, work: work, wait: wait, last: os.Getenv("DEFERS_LAST") != ""}
}

func (d *deferringExporter) ExportSpans(_ context.Context, spans []trace.ReadOnlySpan) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	first := len(d.kept) == 0
	d.kept = append(d.kept, spans...) // the batch processor uses its slice again
	switch {
	case d.wait > 0 && first:
		time.AfterFunc(d.wait, d.flush)
		return nil
	case d.wait > 0:
		return nil
	}
	if d.timer == nil {
		d.timer = time.AfterFunc(deferral, d.flush)
	}
	d.timer.Reset(deferral)
	return nil
}

func (d *deferringExporter) flush() {
	if err := d.send(context.Background()); err != nil {
		fmt.Println(err) // into the log of the service: the test sees that spans are missing
	}
}

func (d *deferringExporter) send(ctx context.Context) error {
	d.mu.Lock()
	spans := d.kept
	d.kept = nil
	d.mu.Unlock()
	if d.last {
		defer d.workOff(spans)
	}
	for some := range slices.Chunk(spans, perExport) {
		if !d.last {
			d.workOff(some)
		}
		if err := d.SpanExporter.ExportSpans(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

func (d *deferringExporter) workOff(spans []trace.ReadOnlySpan) {
	for range spans {
		burn(d.work)
	}
	fmt.Printf("worked off %d spans\n", len(spans))
}

func (d *deferringExporter) Shutdown(ctx context.Context) error {
	return errors.Join(d.send(ctx), d.SpanExporter.Shutdown(ctx))
}

// deferringRequest is a short run of a service that works for its spans when the window is over.
func deferringRequest(t *testing.T) (*run.Conductor, run.Request) {
	t.Helper()
	conductor, q := request(t, record.Measured, "/work")
	q.Plan.Delay = 2 * time.Second // and more, where the machine is busy: a drain ends when all spans have come
	q.Plan.Processes[0].Env = map[string]string{"DEFERS": strconv.FormatInt(perSpan.Microseconds(), 10)}
	q.Spans = map[string]program.Number{"work": {Low: 2, High: 2}}
	q.Phases[0].Load.Rate, q.Phases[0].Load.Duration, q.Phases[0].Load.Warmup = 200, perWindow*time.Second/200, 0
	return conductor, q
}

// charged checks that a window is charged with what the service did for its spans, all of it
// after the window's last operation unless the machine is very busy.
func charged(t *testing.T, conductor *run.Conductor, name string, p record.Phase) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(conductor.Logs, name, "app.log"))
	if err != nil {
		t.Fatal(err)
	}
	if worked, first := workedOff(t, string(text)), 2; worked != first+2*perWindow {
		t.Fatalf("the service worked off %d spans, want %d of its first operation and %d of the window:\n%s", worked, first, 2*perWindow, text)
	}
	app := slices.IndexFunc(p.Usage, func(u record.Usage) bool { return u.Role == "app" })
	if app < 0 {
		t.Fatalf("nothing is charged to the app: %+v", p.Usage)
	}
	used, least := p.Usage[app].CPUSeconds, 2*perWindow*perSpan.Seconds()
	t.Logf("%.3f s are charged, of which %.3f s were used at the flush", used, least)
	if p.Load.Started != perWindow || p.Sink.Spans != 2*perWindow || !p.Quiet {
		t.Errorf("%d operations, %d spans, quiet %t; want %d, %d, true", p.Load.Started, p.Sink.Spans, p.Quiet, perWindow, 2*perWindow)
	}
	if used < least {
		t.Errorf("%.3f s are charged to the app, which used %.3f s at its flush alone: the last reading is before the flush", used, least)
	}
}

// workedOff adds up what the service says that it worked off.
func workedOff(t *testing.T, log string) int {
	t.Helper()
	sum := 0
	for _, part := range strings.Split(log, "worked off ")[1:] {
		n, err := strconv.Atoi(strings.Fields(part)[0])
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}

func TestDeferredCostIsTheWindows(t *testing.T) {
	t.Parallel()
	conductor, q := deferringRequest(t)
	r := made(t, conductor, q)
	charged(t, conductor, q.Name, r.Phases[0])
}

// So is what it does once its last span has been sent.
func TestCostBehindTheLastSpan(t *testing.T) {
	t.Parallel()
	conductor, q := deferringRequest(t)
	q.Plan.Processes[0].Env["DEFERS_LAST"] = "yes"
	r := made(t, conductor, q)
	charged(t, conductor, q.Name, r.Phases[0])
}

// So are runs that are made together: what one works off while another has the load is its own.
func TestDeferredCostInABlock(t *testing.T) {
	t.Parallel()
	conductor, a := deferringRequest(t)
	_, b := deferringRequest(t)
	a.Name, a.Plan.Variant = strings.Replace(a.Name, "otel", "none", 1), "none"
	a.Order, b.Order = config.Windows, config.Windows
	a.Phases[0].Turns, b.Phases[0].Turns = []int{0, 3}, []int{1, 2}
	a.Phases[0].Window, b.Phases[0].Window = a.Phases[0].Load.Duration/2, b.Phases[0].Load.Duration/2
	records, err := conductor.Block(t.Context(), []run.Request{a, b})
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]record.Record{a.Name: records[0], b.Name: records[1]} {
		if r.Failed() {
			t.Fatalf("%s failed at %s: %s %q", r.Variant, r.Failure.Stage, r.Failure.Message, r.Failure.Log)
		}
		charged(t, conductor, name, r.Phases[0])
	}
}

// Of a search, the window is the probe that it chose.
func TestDeferredCostOfAProbe(t *testing.T) {
	t.Parallel()
	conductor, q := deferringRequest(t)
	l := q.Phases[0].Load
	l.Rate = 0
	q.Phases[0].Load = l
	q.Phases[0].Search = given{goal(config.RateSearch{Goal: config.GoalCPU, CPU: 0.75, From: 200}), []float64{200}}
	r := made(t, conductor, q)
	charged(t, conductor, q.Name, r.Phases[0])
}
