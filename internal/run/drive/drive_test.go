package drive

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/load/engine"
	"github.com/tracetax/tracetax/internal/record"
)

// What operations take tells nothing at a rate, unless the workload times them itself.
func TestTook(t *testing.T) {
	open, closed := Segment{Rate: 10, Load: config.Load{Connections: 8}}, Segment{Load: config.Load{Connections: 4, Streams: 2}}
	driven := func(call float64) record.Load {
		return record.Load{WallSeconds: 3, Driven: &record.Driven{CallSeconds: call, Threads: 2}}
	}
	asked := record.Load{WallSeconds: 3}
	for name, test := range map[string]struct {
		by      Driver
		segment Segment
		did     record.Load
		want    float64
	}{
		"open":                              {&Requests{}, open, asked, 0},
		"closed":                            {&Requests{}, closed, asked, 24},
		"driven":                            {&Orders{}, Segment{}, driven(2.5), 2.5},
		"driven at a rate":                  {&Orders{}, open, driven(0.5), 0.5},
		"driven, without a sum":             {&Orders{}, Segment{}, driven(0), 6},
		"driven at a rate, without a sum":   {&Orders{}, open, driven(0), 0},
		"nobody says over how many threads": {&Requests{}, Segment{}, asked, 3},
	} {
		if got := test.by.Took(test.segment, test.did); got != test.want {
			t.Errorf("%s: %g s, want %g", name, got, test.want)
		}
	}
}

// A segment says when it ends and how fast it goes; its purpose, how many operations are made at a time.
func TestTask(t *testing.T) {
	r := &Requests{Run{
		Processes: []program.Process{{Name: "app", Role: "app"}}, Late: time.Millisecond,
		Values: func(program.Process) map[string]string { return nil },
		Front:  func(string) string { return "127.0.0.1:80" },
	}}
	s := Segment{
		Operation: program.Operation{Name: "get", Method: "GET", URL: "/", Timeout: 3 * time.Second, Rate: 9},
		Load:      config.Load{Connections: 4, Timeout: time.Second, Rate: 8, Duration: time.Hour, Calls: 7},
		Rate:      2, Duration: time.Minute, Count: 5, Seed: 6,
	}
	for _, purpose := range []Purpose{Warm, First, Learn, Probe, Window} {
		s.Purpose = purpose
		task, err := r.task(s)
		if err != nil {
			t.Fatal(err)
		}
		connections := 4
		if purpose == First || purpose == Learn {
			connections = 1
		}
		if task.Rate != 2 || task.Duration != time.Minute || task.Count != 5 || task.Seed != 6 || task.Timeout != 3*time.Second ||
			task.Late != time.Millisecond || task.Connections != connections || len(task.Operations) != 1 {
			t.Errorf("purpose %d: %+v", purpose, task)
		}
	}
}

// Stretches go on with the rows of data where the one before ended: windows that began again would ask for the same few rows.
func TestRowsGoOn(t *testing.T) {
	rows := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(rows, []byte("id\n0\n1\n2\n3\n4\n5\n6\n7\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.URL.Path[1:])
	}))
	defer server.Close()
	generator, err := engine.NewGenerator()
	if err != nil {
		t.Fatal(err)
	}
	defer generator.Close()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go func() { outW.CloseWithError(load.Serve(t.Context(), inR, outW, generator)) }()
	remote, err := load.NewRemote(inW, outR)
	if err != nil {
		t.Fatal(err)
	}
	r := &Requests{Run{
		Processes: []program.Process{{Name: "app", Role: "app"}}, Remote: remote,
		Values: func(program.Process) map[string]string { return nil },
		Front:  func(string) string { return server.Listener.Addr().String() },
	}}
	for name, want := range map[string]string{"a": "0 1 2 3 4 5 6 7 0", "b": "0 1 2 3 4 5 6 7 0"} { // each has its own
		mu.Lock()
		seen = nil
		mu.Unlock()
		for _, count := range []uint64{1, 3, 5} {
			prepared, err := r.Prepare(t.Context(), Segment{
				Operation: program.Operation{Name: name, Method: "GET", URL: "/{data.id}", Data: rows}, Purpose: Learn, Count: count,
				Load: config.Load{Timeout: 10 * time.Second},
			})
			if err == nil {
				_, err = prepared.Run(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		mu.Lock()
		got := strings.Join(seen, " ")
		mu.Unlock()
		if got != want {
			t.Errorf("%s: rows %s, want %s", name, got, want)
		}
	}
	if err := remote.Close(); err != nil {
		t.Error(err)
	}
}

// What can never be made is found before anything is.
func TestCheck(t *testing.T) {
	mix := Segment{Operation: program.Operation{Name: "mix", Mix: []program.Share{{Operation: program.Operation{Name: "call"}, Weight: 1}}}}
	if err := (&Orders{}).Check(mix); err == nil || !strings.Contains(err.Error(), "operation mix") {
		t.Errorf("a mix by orders: %v", err)
	}
	if err := (&Orders{}).Check(Segment{Operation: program.Operation{Name: "call"}}); err != nil {
		t.Error(err)
	}
	r := &Requests{Run{Processes: []program.Process{{Name: "app", Role: "app"}}, Values: func(program.Process) map[string]string { return nil }, Front: func(string) string { return "127.0.0.1:80" }}}
	if err := r.Check(Segment{Operation: program.Operation{Name: "get", URL: "http://{nobody.port}/"}}); err == nil || !strings.Contains(err.Error(), "operation get") {
		t.Errorf("a placeholder that stands for nothing: %v", err)
	}
}

// What a server that speaks HTTP/2 alone answers wrongly is told by that name.
func TestWrongOfHTTP2(t *testing.T) {
	var only http.Protocols
	only.SetUnencryptedHTTP2(true)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.Protocols = &only
	server.Start()
	defer server.Close()
	r := &Requests{Run{
		Processes: []program.Process{{Name: "app", Role: "app"}},
		Values:    func(program.Process) map[string]string { return nil },
		Front:     func(string) string { return server.Listener.Addr().String() },
	}}
	for name, c := range map[string]struct {
		operation program.Operation
		completed uint64
		failed    string
		want      bool
	}{
		"none is answered": {program.Operation{Name: "get", URL: "/"}, 0, "connection closed", true},
		"some are":         {program.Operation{Name: "get", URL: "/"}, 1, "connection closed", false},
		"one is, wrongly":  {program.Operation{Name: "get", URL: "/"}, 0, "status 404", false},
		"a call":           {program.Operation{Name: "get", URL: "/a.B/C", GRPC: true}, 0, "connection closed", false},
	} {
		err := r.Wrong(c.operation, record.Load{Started: 2, Failed: 1, Completed: c.completed, Errors: map[string]uint64{c.failed: 1}})
		if errors.Is(err, engine.ErrOnlyHTTP2) != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Each driver that a workload may name can be made, and none is made that it cannot name.
func TestEachDriverHasAMaker(t *testing.T) {
	for _, row := range program.Drivers {
		made, err := Of(row.Name, Run{})
		if err != nil || made == nil {
			t.Errorf("%s: %v; it needs a constructor in makers", row.Name, err)
		}
	}
	if len(makers) != len(program.Drivers) {
		t.Errorf("%d drivers are made, and workloads may name %d", len(makers), len(program.Drivers))
	}
	if made, err := Of("", Run{}); err != nil {
		t.Error(err)
	} else if _, is := made.(*Requests); !is {
		t.Errorf("where no driver is named, operations are made by %T", made)
	}
}
