package run_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// pair is a duet of the service without tracing and with it.
func pair(t *testing.T, pathA, pathB string) (*run.Conductor, run.Request, run.Request) {
	t.Helper()
	conductor, a := request(t, record.Measured, pathA)
	_, b := request(t, record.Measured, pathB)
	a.Name, a.Plan.Variant = "001-none-1", "none"
	return conductor, a, b
}

func TestDuet(t *testing.T) {
	conductor, a, b := pair(t, "/work", "/work")
	ra, rb, err := conductor.Duet(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []record.Record{ra, rb} {
		if r.Failed() {
			t.Fatalf("%s failed at %s: %s %q", r.Variant, r.Failure.Stage, r.Failure.Message, r.Failure.Log)
		}
		phase := r.Phases[0]
		if phase.Load.Completed != 100 || phase.Sink.Spans != 200 || r.Life.Spans != 282 {
			t.Errorf("%s: %d operations, %d spans in the window, %d in all; want 100, 200, 282", r.Variant, phase.Load.Completed, phase.Sink.Spans, r.Life.Spans)
		}
		if r.Harness.Placement != "duet" {
			t.Errorf("%s: placement %q", r.Variant, r.Harness.Placement)
		}
	}
	if ra.Variant != "none" || ra.Harness.Partner != "otel" || rb.Variant != "otel" || rb.Harness.Partner != "none" {
		t.Errorf("%s beside %s, %s beside %s", ra.Variant, ra.Harness.Partner, rb.Variant, rb.Harness.Partner)
	}
	sides := [2][2]string{}
	for i, q := range []run.Request{a, b} {
		text, err := os.ReadFile(filepath.Join(conductor.Logs, q.Name, "app.log"))
		if err != nil {
			t.Fatal(err)
		}
		sides[i] = [2]string{word(string(text), "begins on CPUs "), word(string(text), "ends on CPUs ")}
	}
	t.Logf("sides: %v", sides)
	if sides[0][0] == "" || sides[0][0] == sides[0][1] || sides[0][0] != sides[1][1] || sides[1][0] != sides[0][1] {
		t.Errorf("the sides of the programs, at first and at last: %v; want them swapped", sides)
	}
}

// word is what follows name in a line of text.
func word(text, name string) string {
	_, rest, _ := strings.Cut(text, name)
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

// Where one run fails the other does too, and says of whom.
func TestDuetOfWhichOneDies(t *testing.T) {
	conductor, a, b := pair(t, "/work", "/die")
	ra, rb, err := conductor.Duet(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	if !rb.Failed() || rb.Failure.Process != "app" || !strings.Contains(rb.Failure.Message, "9") {
		t.Errorf("the one that died: %+v", rb.Failure)
	}
	if !ra.Failed() || ra.Failure.Process != "" || !strings.Contains(ra.Failure.Message, "otel") {
		t.Errorf("the other one: %+v", ra.Failure)
	}
	if rb.Failed() && strings.Contains(strings.Join(rb.Failure.Log, " "), "s3cret") || strings.Contains(ra.Failure.Message, "s3cret") {
		t.Error("a secret is in a record")
	}
}

func TestDuetThatDoesNotFit(t *testing.T) {
	conductor, a, b := pair(t, "/work", "/work")
	b.Phases = append(b.Phases, b.Phases[0])
	ra, rb, err := conductor.Duet(t.Context(), a, b)
	if err != nil || !ra.Failed() || !rb.Failed() || !strings.Contains(ra.Failure.Message+rb.Failure.Message, "1 and 2 phases") {
		t.Errorf("%v, %+v, %+v", err, ra.Failure, rb.Failure)
	}
}

func TestDuetInterrupted(t *testing.T) {
	conductor, a, b := pair(t, "/work", "/work")
	ctx, cancel := context.WithCancelCause(t.Context())
	because := errors.New("enough")
	timer := time.AfterFunc(700*time.Millisecond, func() { cancel(because) })
	defer timer.Stop()
	if _, _, err := conductor.Duet(ctx, a, b); !errors.Is(err, because) {
		t.Errorf("an interrupted duet gave %v", err)
	}
}
