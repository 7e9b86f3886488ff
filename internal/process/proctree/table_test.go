package proctree

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
)

func FuzzParseStat(f *testing.F) {
	f.Add("12 (a) b) S 3 4 5 6")
	f.Add("1 () Z")
	f.Fuzz(func(_ *testing.T, text string) {
		_, _ = parseStat(text) // must not panic
	})
}

func TestParseStat(t *testing.T) {
	got, err := parseStat("12 (a) b c) S 3 4 5 6 7")
	if want := (stat{state: 'S', parent: 3, session: 5}); err != nil || got != want {
		t.Errorf("got %+v, want %+v; error %v", got, want, err)
	}
}

// A kernel that does not list children says the same in another way.
func TestDescendantsByScan(t *testing.T) {
	c := exec.Command("sh", "-c", `sh -c 'sleep 600 & echo up; wait' & wait`)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // all of the group
		_ = c.Wait()                                      // it was killed
	})
	if said, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("it says %q, %v", said, err)
	}
	want, err := Descendants(os.Getpid())
	if err != nil || len(want) != 3 {
		t.Fatalf("the lists of children are %v, error %v; want 3 processes", want, err)
	}
	got, err := descendantsByScan(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("a scan finds %v, the lists of children %v", got, want)
	}
}
