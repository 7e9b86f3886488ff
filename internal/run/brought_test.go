package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// frontBurns is the CPU that the sidecar below uses for each request, in µs.
const frontBurns = "2000"

// front stands before another program: it burns CPU for each request and passes it on. It writes into a file when it
// ends, as every process does whose end is looked at here. From the request on that is named it dies.
func front(args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: args[1]})
	var passed atomic.Int64
	server := &http.Server{Addr: args[0], Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if passed.Add(1) == 30 && len(args) > 3 {
			fmt.Println("out of memory, or so")
			os.Exit(7)
		}
		burn(frontBurns)
		proxy.ServeHTTP(w, r)
	})}
	go func() {
		<-ctx.Done()
		fmt.Printf("passed %d\n", passed.Load())
		if err := ending(args[2], "front"); err != nil {
			fmt.Println(err)
		}
		server.Close() //nolint:errcheck // it ends
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ending adds a name to a file.
func ending(file, name string) error {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, name)
	return errors.Join(err, f.Close())
}

// beside is a process that writes into a file that it begins, and that it ends.
func beside(name, of, file string) program.Process {
	p := program.Process{
		Name: name, Role: "collector", Placed: program.Placed{Name: name, Of: of}, Patience: 20 * time.Second, Ready: "log:^ready", Dir: "{tmp}",
		Run: []string{"sh", "-c", `echo "+$1" >> "$0"; trap 'echo "$1" >> "$0"; exit 0' TERM; echo ready; while :; do sleep 0.02; done`, file, name},
	}
	if of != "" {
		p.Name += "@" + of
	}
	return p
}

// What a tracer brings is started and stopped in order, requests go through what stands in front, and what each uses is
// told by the service beside which it stands.
func TestBrought(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	ends := filepath.Join(t.TempDir(), "ends")
	app := q.Plan.Processes[0]
	app.Run = []string{"sh", "-c", `echo "+app" >> "$0"; trap 'kill -TERM $p; wait $p; echo app >> "$0"; echo sent 9; exit 0' TERM; "$@" & p=$!; while kill -0 $p; do wait $p; done`,
		ends, app.Run[0], "service", "127.0.0.1:{port}", "{sink.otlp.grpc}"}
	app.Env = map[string]string{"AGENT": "{agent.port} {agent.port.admin} {hub.port}"}
	agent := beside("agent", "app", ends)
	agent.Env = map[string]string{"ADMIN": "{port.admin}"}
	other := app
	other.Name, other.Run, other.Env, other.Traced = "other", []string{self, "service", "127.0.0.1:{port}", ""}, map[string]string{"TO": "{app.port}"}, false
	q.Plan.Processes = []program.Process{
		beside("hub", "", ends), agent, app,
		{Name: "proxy@app", Role: "sidecar", Placed: program.Placed{Name: "proxy", Of: "app", Front: true}, Patience: 20 * time.Second, Dir: "{tmp}",
			Run: []string{self, "front", "127.0.0.1:{port}", "127.0.0.1:{beside.port}", ends}},
		other,
	}
	q.Plan.Says = []program.Saying{
		{What: program.SaysDropped, Log: `passed (?P<n>\d+)`, Take: "last"}, // which the sidecar says, and the app does not
		{What: program.SaysFailed, Log: `passed (?P<n>\d+)`, Take: "last", Absent: program.AbsentUnknown},
		{What: program.SaysSent, Log: `^sent (?P<n>\d+)`, Take: "last", Absent: program.AbsentUnknown}, // which only the app says
	}
	r := made(t, conductor, q)
	if said := r.Tracer; said.Dropped == nil || *said.Dropped != 141 || said.Failed != nil || said.Sent == nil || *said.Sent != 9 || said.SentBy != record.ByLog {
		t.Errorf("dropped %v, failed %v, sent %v; want the sidecar's 141, unknown, which the app does not say, and the app's 9", said.Dropped, said.Failed, said.Sent)
	}
	phase := r.Phases[0]
	if phase.Load.Completed != 100 || phase.Sink.Spans != 200 {
		t.Errorf("%d operations, of which %d spans came; want 100, 200", phase.Load.Completed, phase.Sink.Spans)
	}
	text, err := os.ReadFile(ends)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Fields(string(text)), []string{"+hub", "+agent", "+app", "front", "app", "agent", "hub"}; !slices.Equal(got, want) {
		t.Errorf("processes began and ended in the order %v, want %v", got, want)
	}
	services := map[string]string{}
	for _, u := range phase.Usage {
		services[u.Process] = u.Service
		if least := 0.002 * float64(phase.Load.Completed); u.Process == "proxy@app" && (u.CPUSeconds < least || u.CPUSeconds > 3*least) {
			t.Errorf("the sidecar used %g CPU seconds, and burns %g", u.CPUSeconds, least)
		}
	}
	for _, m := range r.Memory {
		if m.Service != services[m.Process] || m.Steady == 0 {
			t.Errorf("memory of %s: of service %q, %d bytes", m.Process, m.Service, m.Steady)
		}
	}
	for name, want := range map[string]string{"hub": "", "agent@app": "app", "app": "", "proxy@app": "app", "other": ""} {
		if got, known := services[name]; !known || got != want {
			t.Errorf("%s is of service %q (there: %t), want %q", name, got, known, want)
		}
	}
	log, err := os.ReadFile(filepath.Join(conductor.Logs, q.Name, "proxy@app.log"))
	if err != nil || !strings.Contains(string(log), "passed 141\n") { // the first, 40 warm, 100
		t.Errorf("the sidecar's log is %q, %v", log, err)
	}
}

// What a tracer brings is at fault by its own name and its own words.
func TestBroughtAtFault(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		run  []string
		says string
		is   string
	}{
		"dies":            {[]string{self, "front", "127.0.0.1:{port}", "127.0.0.1:{beside.port}", os.DevNull, "dies"}, "out of memory, or so", "exit status 7"},
		"is never ready":  {[]string{"sh", "-c", "echo thinking of 127.0.0.1:{port}; exec sleep 60"}, "thinking", "process proxy@app is not ready"},
		"ends at once":    {[]string{"sh", "-c", "echo no licence for {port}; exit 3"}, "no licence", "proxy@app"},
		"is not there":    {[]string{"no-such-program-anywhere", "{port}"}, "", "no-such-program-anywhere"},
		"says too little": {[]string{"sh", "{agent.port}"}, "", "{agent.port}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conductor, q := request(t, record.Measured, "/work")
			patience := 20 * time.Second
			if name == "is never ready" {
				patience = 300 * time.Millisecond
			}
			q.Plan.Processes = append(q.Plan.Processes, program.Process{Name: "proxy@app", Role: "sidecar", Patience: patience, Dir: "{tmp}", Run: c.run,
				Placed: program.Placed{Name: "proxy", Of: "app", Front: true}})
			r, err := conductor.Run(t.Context(), q)
			if err != nil || !r.Failed() {
				t.Fatalf("%v, failed: %t", err, r.Failed())
			}
			if f := r.Failure; f.Process != "proxy@app" || !strings.Contains(strings.Join(f.Log, "\n"), c.says) || !strings.Contains(f.Message, c.is) {
				t.Errorf("at fault is %q with the log %q: %s", f.Process, f.Log, f.Message)
			}
		})
	}
}

// What has no port is ready when it has started.
func TestBroughtWithoutPort(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Calibration, "/work")
	watcher := beside("watcher", "app", os.DevNull)
	watcher.Ready = ""
	q.Plan.Processes = slices.Insert(q.Plan.Processes, 0, watcher)
	made(t, conductor, q)
}

// What is not traced where a variant is on some processes alone is built as without a tracer.
func TestPlainBuild(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Calibration, "/work")
	q.Folders.Build, q.Folders.Plain = "/built/with", "/built/without"
	other := program.Process{Name: "other", Role: "app", Patience: 20 * time.Second, Ready: `log:^from /built/without$`, Run: []string{"sh", "-c", "echo from {build}; exec sleep 60"}}
	app := &q.Plan.Processes[0]
	app.Run = append([]string{"sh", "-c", `echo from "$0"; exec "$@"`, "{build}"}, app.Run...)
	q.Plan.Processes = append(q.Plan.Processes, other)
	made(t, conductor, q)
	log, err := os.ReadFile(filepath.Join(conductor.Logs, q.Name, "app.log"))
	if err != nil || !strings.HasPrefix(string(log), "from /built/with\n") {
		t.Errorf("%q, %v", log, err)
	}
}

// captured is what the tracer packets has its processes say, of files that the processes of a test write.
var captured = program.Packets{Captured: `^(?P<n>\d+) packets? captured`, Dropped: `^(?P<n>\d+) packets? dropped by kernel`, Files: "{tmp}/*.pcap"}

// What is captured of packets is told by all that capture them, at their end; what one does not tell nobody knows.
func TestPackets(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		words             [2]string
		captured, dropped int // −1: unknown
	}{
		"all say it":      {[2]string{`12 packets captured\n24 packets received by filter\n0 packets dropped by kernel`, `1 packet captured\n3 packets dropped by kernel`}, 13, 3},
		"one does not":    {[2]string{`12 packets captured\n0 packets dropped by kernel`, `good bye`}, -1, -1},
		"one half of it":  {[2]string{`12 packets captured\n0 packets dropped by kernel`, `5 packets captured`}, 17, -1},
		"others' figures": {[2]string{`tcpdump: 12 packets captured`, `7 packets dropped by kernel`}, -1, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conductor, q := request(t, record.Calibration, "/work")
			q.Plan.Packets = captured
			for i, words := range c.words {
				one := beside(fmt.Sprint("capture", i), "", os.DevNull)
				one.Run = []string{"sh", "-c", `printf 1234567 >"$0/{process}.pcap"; trap 'printf "$1\n"; exit 0' TERM; echo ready; while :; do sleep 0.02; done`, "{tmp}", words}
				q.Plan.Processes = slices.Insert(q.Plan.Processes, 0, one)
			}
			p := made(t, conductor, q).Packets
			if p == nil || p.Bytes != 14 || !told(p.Captured, c.captured) || !told(p.Dropped, c.dropped) || (p.Unreported != "") != (c.captured < 0 || c.dropped < 0) {
				t.Errorf("%+v; want %d captured, %d dropped, 14 bytes", p, c.captured, c.dropped)
			}
		})
	}
}

func told(n *uint64, want int) bool {
	return n == nil && want < 0 || n != nil && want >= 0 && *n == uint64(want)
}

// A capture sees the packets of its own run alone, though those of another one of its block pass the same device: that has
// twenty times as many operations.
func TestPacketsOfAnotherRun(t *testing.T) {
	t.Parallel()
	if err := exec.Command("tcpdump", "-i", "lo", "-L").Run(); err != nil {
		if os.Getenv("TRACETAX_REQUIRE_PROGRAMS") == "1" {
			t.Fatal(err)
		}
		t.Skipf("tcpdump may not capture packets here: %v", err)
	}
	conductor, a, b := pair(t, "/work", "/work")
	for _, q := range []*run.Request{&a, &b} {
		q.Plan.Processes[0].Run[3] = "" // it has no sink
		q.Plan.Silent = true
	}
	a.Plan.Packets, a.Captures, conductor.Results = captured, 3, t.TempDir()
	a.Plan.Packets.Behind = time.Second // otherwise tcpdump leaves the packets of its last second unread when it ends
	a.Plan.Processes = slices.Insert(a.Plan.Processes, 0, program.Process{
		Name: "tcpdump", Role: "collector", Placed: program.Placed{Name: "tcpdump"}, Patience: 20 * time.Second, Ready: "log:listening on lo", Dir: "{tmp}",
		Run: []string{"tcpdump", "-i", "lo", "-n", "-Z", "root", "-w", "{tmp}/{process}.pcap", "{packets}"},
	})
	b.Phases[0].Load.Rate *= 20
	records, err := conductor.Block(t.Context(), []run.Request{a, b})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if r.Failed() {
			t.Fatalf("%s failed at %s: %s %q", r.Variant, r.Failure.Stage, r.Failure.Message, r.Failure.Log)
		}
	}
	many := records[1].Phases[0].Load.Completed
	p, operations := records[0].Packets, records[0].Phases[0].Warmup.Completed+records[0].Phases[0].Load.Completed
	if many < 10*operations {
		t.Fatalf("the other run made %d operations, and this one %d: nothing is tested", many, operations)
	}
	// A request and its answer are at least two packets, and with all that belongs to a connection of its own ten.
	if p == nil || p.Captured == nil || p.Dropped == nil || *p.Captured < 2*operations || *p.Captured > 10*operations || *p.Dropped > 0 || p.Bytes < 24 {
		t.Errorf("of %d operations: %+v, %d captured, %d dropped", operations, p, *p.Captured, *p.Dropped)
	}
	kept := filepath.Join(conductor.Results, record.Captures, "none-3")
	if info, err := os.Stat(kept + ".pcap"); err != nil || info.Size() != p.Bytes {
		t.Errorf("kept: %v, %v; want %d bytes", info, err, p.Bytes)
	}
	var beside record.Capture
	if text, err := os.ReadFile(kept + ".json"); err != nil || json.Unmarshal(text, &beside) != nil {
		t.Fatalf("beside it: %v %s", err, text)
	}
	app := slices.IndexFunc(beside.Processes, func(c record.Captured) bool { return c.Role == "app" })
	if app < 0 || len(beside.Processes) != 2 || beside.Processes[app].Address == "" || len(beside.Processes[app].Ports) == 0 ||
		!slices.Equal(beside.Files, []string{"none-3.pcap"}) || beside.Block != 3 || beside.Variant != "none" || len(beside.Phases) != 1 ||
		!told(beside.Dropped, 0) {
		t.Errorf("%+v", beside)
	}
	if phase := beside.Phases[0]; phase.Operation != records[0].Phases[0].Operation || phase.End.Sub(phase.Begin).Seconds() < records[0].Phases[0].Load.WallSeconds {
		t.Errorf("phase %+v of %+v", phase, records[0].Phases[0])
	}
}
