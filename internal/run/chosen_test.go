// Operations that bring the ids of their traces, to programs that take them and to others that do not.

package run_test

import (
	"context"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"testing"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
)

// Variables of the service: takes makes its traces those of the requests, swaps has every tenth be one of other work, of the same
// name and size, in the place of the operation's.
const (
	takes = "TAKES_TRACEPARENT"
	swaps = "SWAPS_EVERY_TENTH"
)

// samplesItself makes the service sample this share of what nobody has decided on.
const samplesItself = "SAMPLES_ITSELF"

func ownSampler() trace.Sampler {
	share := 1.
	if text := os.Getenv(samplesItself); text != "" {
		var err error
		if share, err = strconv.ParseFloat(text, 64); err != nil {
			panic(err)
		}
	}
	return trace.ParentBased(trace.TraceIDRatioBased(share))
}

var asked atomic.Uint64

// chosen is the context of a request's span.
func chosen(r *http.Request) context.Context {
	n := asked.Add(1)
	if os.Getenv(takes) == "" || os.Getenv(swaps) != "" && n%10 == 0 {
		return r.Context()
	}
	return propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
}

// account is the ledger of a measured run of the service, whose operations are declared to make two spans, by what a calibration
// teaches besides.
func account(t *testing.T, variables ...string) (finding.Ledger, record.Record) {
	t.Helper()
	made := func(kind record.Kind, env ...string) record.Record {
		conductor, q := request(t, kind, "/work")
		q.Name += string(kind)
		q.Plan.Says, q.Plan.Processes[0].Env = nil, map[string]string{}
		for _, name := range env {
			q.Plan.Processes[0].Env[name] = "1"
		}
		r, err := conductor.Run(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if r.Failed() {
			t.Fatalf("failed at %s: %s %q", r.Failure.Stage, r.Failure.Message, r.Failure.Log)
		}
		return r
	}
	var calm []string
	for _, name := range variables {
		if name != swaps {
			calm = append(calm, name)
		}
	}
	learnt := ledger.Learn([]record.Record{made(record.Calibration, calm...)}, 1, false)
	r := made(record.Measured, variables...)
	tracing := ledger.Tracing{Sampling: 1, Spans: map[string]ledger.PerOperation{"work": ledger.Declare(2, 2, learnt["work"])}}
	return ledger.Account("otel", ledger.AppToSink, []string{"work"}, tracing, []ledger.Run{ledger.FromRecord(&r)})[0], r
}

// Other work of the operation's own name, as many spans as are lost of the operations', makes up for none of them.
func TestOtherWorkOfTheSameNameHidesNoLoss(t *testing.T) {
	t.Parallel()
	l, r := account(t, takes, swaps)
	if r.Life.Orphans != 0 || r.Life.Roots != 141 {
		t.Errorf("%d orphans, %d roots: the generator's span is missed by nobody", r.Life.Orphans, r.Life.Roots)
	}
	if ledger.Spans(l, ledger.Unaccounted) != 28 || ledger.Spans(l, ledger.Background) != 28 || ledger.Spans(l, ledger.Delivered) != 252 || !l.Exact {
		t.Errorf("of 140 operations 14 lost their two spans: %+v", l)
	}
}

// Where a program takes the ids and nothing is lost, that is exact; where it takes none the account says so.
func TestIgnoredTraceparentIsNotExact(t *testing.T) {
	t.Parallel()
	if l, _ := account(t, takes); !l.Exact || len(l.Outcome) != 1 || l.Outcome[0].Code != finding.PageNothingLost {
		t.Errorf("with the ids: %+v", l)
	}
	l, _ := account(t)
	if l.Exact || l.Outcome[len(l.Outcome)-1].Code != finding.PageForeign || l.Outcome[len(l.Outcome)-1].Figure("traces") != 140 {
		t.Errorf("without: %+v", l)
	}
}

// What is no operation brings ids too, so its spans are of the start and not of other work.
func TestReadinessBringsATrace(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	q.Plan.Processes[0].Env = map[string]string{takes: "1"}
	q.Plan.Processes[0].Ready = "http://127.0.0.1:{port}/work"
	r, err := conductor.Run(t.Context(), q)
	if err != nil || r.Failed() {
		t.Fatalf("%v, %+v", err, r.Failure)
	}
	if own, _ := r.Start.Sink.Own.Traces("work"); own != int64(r.Start.Probes)+1 || r.Life.Foreign != 0 {
		t.Errorf("of %d readiness requests and the first operation %d traces have ids of the generator's; %d others",
			r.Start.Probes, own, r.Life.Foreign)
	}
}

// A program that follows its caller traces all that it is asked for, whatever its own sampler takes: what it takes is seen where
// nobody asks it.
func TestOwnSamplerIsSeen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		share         string
		takes, silent bool // the ids; that nobody says which share
		came          int  // of those that were not asked for; -1: none was made
		fewer         bool
	}{
		"samples none by itself": {"0", true, true, 0, true},
		"samples all by itself":  {"1", true, true, 30, false},
		"takes no ids":           {"1", false, true, 30, false},
		"its share is declared":  {"0", true, false, -1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conductor, q := request(t, record.Calibration, "/work")
			q.Plan.Processes[0].Env, q.Plan.Undeclared = map[string]string{samplesItself: c.share}, c.silent
			if c.takes {
				q.Plan.Processes[0].Env[takes] = "1"
			}
			r, err := conductor.Run(t.Context(), q)
			if err != nil || r.Failed() {
				t.Fatalf("%v, %+v", err, r.Failure)
			}
			if r.Phases[0].Sink.Traces != 20 || r.Stop.Sink.Spans != 0 {
				t.Errorf("%d traces came of 20 operations that asked for them; %d spans at the stop", r.Phases[0].Sink.Traces, r.Stop.Sink.Spans)
			}
			came := -1
			if u := r.Unasked; u != nil {
				if came = int(u.Sink.Traces); u.Operation != "work" || u.Completed != 30 || u.Sink.Own != nil {
					t.Errorf("without ids: %+v", u)
				}
			}
			traced, of, fewer := ledger.ByItself([]record.Record{r}, ledger.Learn([]record.Record{r}, 1, false))
			if came != c.came || fewer != c.fewer || came >= 0 && (traced != uint64(came) || of != 30) {
				t.Errorf("%d came without ids; %d of %d, fewer %t", came, traced, of, fewer)
			}
		})
	}
}
