package run_test

import (
	"bufio"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/record"
	"golang.org/x/sys/unix"
)

// A command that has its program started elsewhere is not measured in the place of that: the run ends as soon as it is ready.
func TestAnotherProgramAnswers(t *testing.T) {
	t.Parallel()
	asked := filepath.Join(t.TempDir(), "port")
	if err := unix.Mkfifo(asked, 0o600); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(asked, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	go func() { // the engine, which starts the program where it is asked for
		port, err := bufio.NewReader(pipe).ReadString('\n')
		if err != nil {
			return // nothing was asked for: the run says why
		}
		listener, err := net.Listen("tcp", "127.0.0.1:"+strings.TrimSpace(port))
		if err != nil {
			t.Error(err)
			return
		}
		<-t.Context().Done()
		listener.Close()
	}()
	conductor, q := request(t, record.Calibration, "/work")
	q.Plan.Processes[0].Run = []string{"sh", "-c", "echo {port} >" + asked + "; exec sleep 60"}
	r, err := conductor.Run(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Failure; f == nil || f.Stage != "ready" || f.Code != string(process.OtherProgram) || f.Process != "app" {
		t.Fatalf("%+v", f)
	}
}

// Where it cannot be seen who answers, the run says so.
func TestWhoAnswersCannotBeSeen(t *testing.T) {
	t.Parallel()
	for _, hidden := range []bool{true, false} {
		conductor, q := request(t, record.Calibration, "/work")
		if hidden {
			q.Name += "-hidden"
			conductor.Hide()
		}
		r, err := conductor.Run(t.Context(), q)
		if err != nil || r.Failed() {
			t.Fatal(err, r.Failure)
		}
		if unseen := slices.Equal(r.Start.Unseen, []string{"app"}); unseen != hidden {
			t.Errorf("hidden: %t, unseen %q", hidden, r.Start.Unseen)
		}
	}
}
