package run_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/run"
)

// level is a service that goes no further than the others of its level: it listens when all of them have begun, and ends when all
// of them are told to. Whom it calls has to be there when it begins.
func level(args []string) error {
	address, dir, name, peers, calls, fault := args[0], args[1], args[2], strings.Fields(args[3]), strings.Fields(args[4]), args[5]
	told, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	for _, one := range calls {
		c, err := net.Dial("tcp", one)
		if err != nil {
			return fmt.Errorf("%s is not there yet: %w", one, err)
		}
		if err := c.Close(); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, name+".pid"), []byte(strconv.Itoa(os.Getpid())), 0o644); err != nil {
		return err
	}
	if err := meet(told, dir, "+", name, peers); err != nil {
		return err
	}
	switch fault {
	case "dies":
		return errors.New("the disk is full")
	case "is never ready":
		<-told.Done()
		return nil
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /work", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "done") })
	server := &http.Server{Addr: address, Handler: mux}
	ended := make(chan error, 1)
	go func() {
		<-told.Done()
		err := meet(context.Background(), dir, "-", name, peers)
		ended <- errors.Join(err, server.Shutdown(context.Background()))
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-ended
}

// meet writes down that a service has come to a point, and waits until others have.
func meet(ctx context.Context, dir, point, name string, peers []string) error {
	events := filepath.Join(dir, "events")
	if err := ending(events, point+name); err != nil {
		return err
	}
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for {
		text, err := os.ReadFile(events)
		if err != nil {
			return err
		}
		came := strings.Fields(string(text))
		if !slices.ContainsFunc(peers, func(peer string) bool { return !slices.Contains(came, point+peer) }) {
			return nil
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// leveled is a run of three stores, which wait for each other, and of two services that call them and wait for each other. Its
// faults are of the stores.
func leveled(t *testing.T, faults map[string]string) (conductor *run.Conductor, q run.Request, dir string) {
	t.Helper()
	conductor, q = request(t, record.Measured, "/work")
	dir = t.TempDir()
	store := func(name, peers string) program.Process {
		return program.Process{Name: name, Role: role.Database, Patience: 20 * time.Second, Run: []string{self, "level", "127.0.0.1:{port}", dir, name, peers, "", faults[name]}}
	}
	service := func(name, peer string) program.Process {
		return program.Process{Name: name, Role: role.App, Patience: 20 * time.Second, Run: []string{
			self, "level", "127.0.0.1:{port}", dir, name, peer, "127.0.0.1:{db.port} 127.0.0.1:{cache.port}", "",
		}}
	}
	q.Plan.Processes = []program.Process{store("db", "cache queue"), store("cache", "db queue"), service("app", "web"), store("queue", "db cache"), service("web", "app")}
	q.Plan.Says, q.Plan.Silent = nil, true
	q.First.Process, q.Phases[0].Operation.Process = "app", "app"
	return conductor, q, dir
}

// Processes that wait for nobody start at the same time, and then those that call them; they stop the other way round.
func TestLevelsStartTogether(t *testing.T) {
	t.Parallel()
	conductor, q, dir := leveled(t, nil)
	r := made(t, conductor, q)
	if r.Stop.Killed { // one waited for another in vain
		t.Errorf("killed: %v", r.Stop.Deaf)
	}
	text, err := os.ReadFile(filepath.Join(dir, "events"))
	if err != nil {
		t.Fatal(err)
	}
	came := strings.Fields(string(text))
	if len(came) != 10 {
		t.Fatalf("it came to %v, want five beginnings and five ends", came)
	}
	for i, want := range []string{"+cache +db +queue", "+app +web", "-app -web", "-cache -db -queue"} {
		of := came[[]int{0, 3, 5, 7}[i]:[]int{3, 5, 7, 10}[i]]
		slices.Sort(of)
		if got := strings.Join(of, " "); got != want {
			t.Errorf("at place %d came %s, want %s; all: %v", i, got, want, came)
		}
	}
	var used []string
	for _, u := range r.Phases[0].Usage {
		used = append(used, u.Process)
	}
	if want := []string{"tracetax-sink", "tracetax-load", "db", "cache", "app", "queue", "web"}; !slices.Equal(used, want) {
		t.Errorf("what was used is told of %v, want the order of the plan, %v", used, want)
	}
}

// Where one of a level fails, the run names it, ends the others, and starts none of the next level.
func TestLevelThatFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		faults   map[string]string
		patience time.Duration
		says     string
	}{
		"dies":           {map[string]string{"db": "dies", "queue": "is never ready"}, 20 * time.Second, "exit status 1"},
		"is never ready": {map[string]string{"db": "is never ready"}, 300 * time.Millisecond, "process db is not ready"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conductor, q, dir := leveled(t, c.faults)
			q.Plan.Processes[0].Patience = c.patience
			r, err := conductor.Run(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if f := r.Failure; f == nil || f.Process != "db" || f.Stage != "ready" || !strings.Contains(f.Message, c.says) {
				t.Fatalf("failure %+v, want one of db that says %q", f, c.says)
			}
			if name == "dies" && !slices.Contains(r.Failure.Log, "the disk is full") {
				t.Errorf("its log is %q", r.Failure.Log)
			}
			for _, p := range q.Plan.Processes {
				text, err := os.ReadFile(filepath.Join(dir, p.Name+".pid"))
				if errors.Is(err, os.ErrNotExist) {
					continue // it never began
				}
				if err != nil || p.Role == role.App {
					t.Fatalf("%s began, of the level after the one that failed (%v)", p.Name, err)
				}
				pid, err := strconv.Atoi(string(text))
				if err != nil {
					t.Fatal(err)
				}
				if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
					t.Errorf("%s is still there: %v", p.Name, err)
				}
			}
		})
	}
}
