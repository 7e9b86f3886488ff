package run

import (
	"os"
	"testing"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/process"
)

// launched starts a shell script as a process of a run.
func launched(t *testing.T, l *process.Launcher, name, script string) *process.Process {
	t.Helper()
	p, err := l.Start(t.Context(), process.Command{Name: name, Role: "app", Args: []string{"sh", "-c", script}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func launcher(t *testing.T) *process.Launcher {
	t.Helper()
	l, err := process.NewLauncher(process.Options{Name: "failure", LogDir: t.TempDir(), Self: []string{os.Args[0]}, Accounting: process.AccountingClock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// A process that ends because another one did is not at fault, although its end may be
// heard of first.
func TestTheFirstThatEndedIsAtFault(t *testing.T) {
	l := launcher(t)
	goesOn := launched(t, l, "goes-on", "sleep 60")
	fails := launched(t, l, "fails", "echo out of ideas; exit 3")
	<-fails.Done()
	follows := launched(t, l, "follows", "echo my backend is gone; exit 1")
	<-follows.Done()
	for _, apps := range [][]Process{{local{goesOn}, local{follows}, local{fails}}, {local{goesOn}, local{fails}, local{follows}}} {
		s := &stage{apps: apps, agents: agents{sinkProcess: goesOn}}
		if died := s.diedFirst(follows.Died()); died.Process != "fails" || died.Exit.Code != 3 {
			t.Errorf("at fault is %s (%s), want the one that ended first", died.Process, died.Exit)
		}
	}
}

func TestOwnerOf(t *testing.T) {
	processes := []program.Process{{Name: "postgres", Role: "database"}, {Name: "front", Role: "app"}, {Name: "back", Role: "app"}}
	read, write := program.Operation{Name: "read"}, program.Operation{Name: "write", Process: "back"}
	mix := func(all ...program.Operation) (o program.Operation) {
		for _, one := range all {
			o.Mix = append(o.Mix, program.Share{Operation: one})
		}
		return o
	}
	for name, c := range map[string]struct {
		operation program.Operation
		want      string
	}{
		"the first of the app": {read, "front"}, "a named one": {write, "back"}, "a mix of one": {mix(write, write), "back"}, "a mix of several": {mix(read, write), ""},
	} {
		if got := ownerOf(c.operation, processes); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
