//go:build linux

package usage

import (
	"errors"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/role"
)

// shortLived is a program of processes of which each has ended when it is to be read.
type shortLived struct {
	starts func() (int, error)
	asked  int
}

func (*shortLived) Name() string                    { return "short" }
func (*shortLived) Role() role.Role                 { return "app" }
func (*shortLived) Groups() map[string]string       { return nil }
func (*shortLived) Reaped() (syscall.Rusage, error) { return syscall.Rusage{}, nil }
func (*shortLived) LogFull() time.Duration          { return 0 }

func (s *shortLived) Pids() ([]int, error) {
	s.asked++
	pid, err := s.starts()
	return []int{pid}, err
}

// ended is a process that has ended and was waited for.
func endedProcess() (int, error) {
	c := exec.Command("true")
	err := c.Run()
	return c.Process.Pid, err
}

// A reading in whose middle a process ended is taken for none.
func TestTornReading(t *testing.T) {
	s := &shortLived{starts: endedProcess}
	if r, err := readClocks(s); !errors.Is(err, errTorn) || r.cpu != 0 {
		t.Errorf("of processes that ended while they were read %v is known; error %v", r.cpu, err)
	}
	if s.asked != 2*patience {
		t.Errorf("it was begun %d times, want %d", s.asked/2, patience)
	}
}

// A process that has ended and that nobody waits for tears nothing: its clock stands still.
func TestZombieTearsNothing(t *testing.T) {
	c := exec.Command("sh", "-c", "exit 0")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err == nil { // until it has ended
		t.Fatal("it wrote something")
	}
	s := &shortLived{starts: func() (int, error) { return c.Process.Pid, nil }}
	if _, err := readClocks(s); err != nil {
		t.Errorf("of a zombie: %v", err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}
