package node_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/process/supervisor"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/usage/node"
)

// TestMain makes the test binary the keeper of the programs that tests start.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "agent" && os.Args[2] == "keep" {
		if err := supervisor.Keep(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// The cgroups of a node and the processes of a container say the same of what it used, its children that have ended too.
func TestBesideAgreesWithTheNode(t *testing.T) {
	const container = "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
	l, err := process.NewLauncher(process.Options{Name: "beside", LogDir: t.TempDir(), Self: []string{os.Args[0]}, Accounting: process.AccountingAuto})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	if l.Accounting() == process.AccountingClock {
		t.Skip("no cgroups for the programs: this needs root or a delegated cgroup")
	}
	began := time.Now()
	const burn = `burn() { i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done; }; burn; (burn; true); echo done; exec sleep 60`
	p, err := l.Start(t.Context(), process.Command{Name: container, Role: role.App, Args: []string{"sh", "-c", burn}})
	if err != nil {
		t.Fatal(err)
	}
	check, err := process.ParseCheck("log:done")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Ready(t.Context(), check); err != nil {
		t.Fatal(err)
	}
	beside := node.NewBeside()
	a, err := node.New("/sys/fs/cgroup").Read(container)
	if err != nil {
		t.Fatal(err)
	}
	b, err := beside.Read(container)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the node says %v and %d bytes, the processes %v and %d bytes", a.CPU, a.Memory, b.CPU, b.Memory)
	const tick = 10 * time.Millisecond // to which the kernel tells the time of children that have ended
	if off := (a.CPU - b.CPU).Abs(); a.CPU < 20*tick || off > a.CPU/100+2*tick {
		t.Errorf("the node says %v, the processes %v", a.CPU, b.CPU)
	}
	if b.Source != "clock" || b.Memory == 0 || b.Since.Before(began.Add(-time.Second)) || b.Since.After(time.Now()) {
		t.Errorf("read %+v", b)
	}
	if _, err := p.Stop(t.Context(), time.Second); err != nil {
		t.Fatal(err)
	}
	gone := (*node.GoneError)(nil)
	if _, err := beside.Read(container); !errors.As(err, &gone) {
		t.Errorf("after its end: %v", err)
	}
}
