package usage

import (
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/readings"
	"github.com/tracetax/tracetax/internal/record"
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
	if r, _, err := readClocks(s); !errors.Is(err, errTorn) || r.CPU != 0 {
		t.Errorf("of processes that ended while they were read %v is known; error %v", r.CPU, err)
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
	if _, _, err := readClocks(s); err != nil {
		t.Errorf("of a zombie: %v", err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

// A process that left its cgroup where its clocks could not be read is an error that names it.
func TestLeavingUnseen(t *testing.T) {
	whole := func(outside ...string) readings.Counters {
		return readings.Counters{Source: "cgroup v1", Clocks: &readings.Clocks{}, Outside: outside}
	}
	torn := readings.Counters{Source: "cgroup v1"}
	for name, test := range map[string]struct {
		reads []readings.Counters
		fails bool
	}{
		"stays":             {[]readings.Counters{torn, whole(), torn}, false},
		"leaves":            {[]readings.Counters{whole(), whole("sh (process 7)")}, false},
		"leaves after torn": {[]readings.Counters{torn, whole("sh (process 7)")}, true},
		"clocks alone":      {[]readings.Counters{{Source: record.ByClock}, {Source: record.ByClock}}, false},
	} {
		m := NewMeter(make([]Target, 1))
		var err error
		for _, r := range test.reads {
			err = m.sighted(0, r)
		}
		if (err != nil) != test.fails || err != nil && !strings.Contains(err.Error(), "sh (process 7)") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
