package platform

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/proctree"
)

// site is a platform with a process of environments, which is the test binary again.
type site struct {
	t        testing.TB
	url      string
	supplier *exec.Cmd
	log      *bytes.Buffer // to be read when the supplier has ended
}

func newSite(t testing.TB, functions ...Function) *site {
	t.Helper()
	p, err := New(functions)
	if err != nil {
		t.Fatal(err)
	}
	front, control := listen(t), listen(t)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- p.Serve(ctx, front, control) }()
	s := &site{t: t, url: "http://" + front.Addr().String(), log: &bytes.Buffer{}}
	s.supplier = exec.Command(ownCommand()[0], control.Addr().String())
	s.supplier.Env = append(os.Environ(), "TEST_PROGRAM=supplier", "TMPDIR="+t.TempDir())
	s.supplier.Stderr = s.log
	if err := s.supplier.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
		_ = s.supplier.Wait() // it ends with the platform, or was killed by the test
		if t.Failed() {
			t.Logf("the environments said:\n%s", s.log)
		}
	})
	// Until it is there, nothing can be invoked.
	await(t, func() bool { return s.ask(functions[0].Name, `{}`).status != http.StatusServiceUnavailable }, "the process with the environments")
	return s
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// answer is what a client sees.
type answer struct {
	status  int
	body    string
	failure string // X-Amz-Function-Error
	timing  map[string]float64
}

var entry = regexp.MustCompile(`([a-z]+);dur=([0-9.]+)`)

// ask invokes a function; headers are NAME: VALUE.
func (s *site) ask(name, event string, headers ...string) answer {
	s.t.Helper()
	q, err := http.NewRequest("POST", s.url+"/2015-03-31/functions/"+name+"/invocations", strings.NewReader(event))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		q.Header.Set(name, value)
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		s.t.Error(err)
		return answer{}
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	a := answer{status: r.StatusCode, body: string(body), failure: r.Header.Get("X-Amz-Function-Error"), timing: map[string]float64{}}
	for _, m := range entry.FindAllStringSubmatch(r.Header.Get("Server-Timing"), -1) {
		a.timing[m[1]], _ = strconv.ParseFloat(m[2], 64)
	}
	return a
}

// seen is what the function of these tests answers.
type seen struct {
	PID, Count int
	Tmp        string
}

func (a answer) seen(t *testing.T) seen {
	t.Helper()
	var s seen
	if err := json.Unmarshal([]byte(a.body), &s); err != nil || a.status != 200 {
		t.Fatalf("it answered %d %s: %v", a.status, a.body, err)
	}
	return s
}

func (a answer) words(t *testing.T) (kind, message string) {
	t.Helper()
	var w struct{ ErrorType, ErrorMessage string }
	if err := json.Unmarshal([]byte(a.body), &w); err != nil {
		t.Fatalf("it answered %d %s: %v", a.status, a.body, err)
	}
	return w.ErrorType, w.ErrorMessage
}

var hello = Function{Name: "hello", Handler: "app.handler", Memory: 128, Timeout: 20 * time.Second}

func TestWarmAndCold(t *testing.T) {
	s := newSite(t, hello)
	first := s.ask("hello", `{}`)
	warm := s.ask("hello", `{}`)
	cold := s.ask("hello", `{}`, "Tracetax-Start: cold")
	again := s.ask("hello", `{}`)
	a, b, c, d := first.seen(t), warm.seen(t), cold.seen(t), again.seen(t)
	if a.PID != b.PID || b.PID != d.PID || d.Count != a.Count+2 {
		t.Errorf("warm invocations were served by %+v, %+v, %+v", a, b, d)
	}
	if c.PID == a.PID || c.Count != 0 || c.Tmp == a.Tmp {
		t.Errorf("a cold start was served by %+v, the warm environment is %+v", c, a)
	}
	if cold.timing["init"] <= 0 || warm.timing["init"] != 0 {
		t.Errorf("a cold start took %v ms to start, a warm one %v", cold.timing["init"], warm.timing["init"])
	}
	if !proctree.Running(c.PID) {
		t.Error("a cold environment has ended with its answer, so that nothing can be sent behind it")
	}
	awaitGone(t, c.PID)
	await(t, func() bool { _, err := os.Stat(c.Tmp); return os.IsNotExist(err) }, "the scratch folder %s to be removed", c.Tmp)
}

// The benchmark's time is the handler's; the platform's own lies around it.
func TestTimings(t *testing.T) {
	s := newSite(t, hello)
	a := s.ask("hello", `{"do":"sleep","millis":20}`)
	if b, f := a.timing["benchmark"], a.timing["function"]; b < 20 || f < b {
		t.Errorf("of 20 ms of sleep the benchmark has %v ms, in %v ms that the function had", b, f)
	}
	const burnt = 30
	s.ask("hello", fmt.Sprintf(`{"do":"burn after","millis":%d}`, burnt))
	with := s.ask("hello", `{}`).timing["after"]
	without := s.ask("hello", `{}`).timing["after"]
	if with < burnt || without >= burnt {
		t.Errorf("%d ms were burnt behind an answer, and %v ms are told; of none %v ms", burnt, with, without)
	}
}

func TestSeveralEnvironments(t *testing.T) {
	s := newSite(t, hello)
	const many = 3
	pids := make([]int, many)
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			a := s.ask("hello", `{"do":"sleep","millis":300}`, "Tracetax-Environments: 3")
			var seen seen
			if err := json.Unmarshal([]byte(a.body), &seen); err != nil {
				t.Error(err, a.body)
			}
			pids[i] = seen.PID
		})
	}
	all.Wait()
	if pids[0] == pids[1] || pids[1] == pids[2] || pids[0] == pids[2] {
		t.Errorf("three at once were served by %v", pids)
	}
}

func TestFailures(t *testing.T) {
	quick := Function{Name: "quick", Handler: "app.handler", Memory: 128, Timeout: 200 * time.Millisecond}
	s := newSite(t, hello, quick, Function{Name: "dies", Handler: "dies", Memory: 128, Timeout: time.Second}, Function{Name: "unable", Handler: "unable", Memory: 128, Timeout: time.Second})
	before := s.ask("hello", `{}`).seen(t)
	for _, test := range []struct {
		function, event string
		kind, says      string
		survives        bool
	}{
		{"hello", `{"do":"throw"}`, "Boom", "it threw", true},
		{"hello", `no JSON`, "Runtime.UnmarshalError", "no JSON", true},
		{"hello", `{"do":"large","mb":7}`, "Function.ResponseSizeTooLarge", "6291556 bytes", true},
		{"hello", `{"do":"exit"}`, "Runtime.ExitError", "exit status 3", false},
		{"quick", `{"do":"sleep","millis":60000}`, "Sandbox.Timedout", "Task timed out after 0.20 seconds", false},
		{"dies", `{}`, "Runtime.ExitError", "exit status 3", false},
		{"unable", `{}`, "Runtime.ImportModuleError", "no module", false},
	} {
		a := s.ask(test.function, test.event)
		kind, message := a.words(t)
		if a.status != http.StatusBadGateway || a.failure != "Unhandled" || kind != test.kind || !strings.Contains(message, test.says) {
			t.Errorf("%s of %s: %d, %s: %s; want %s with %q", test.event, test.function, a.status, kind, message, test.kind, test.says)
		}
		after := s.ask("hello", `{}`).seen(t)
		if same := after.PID == before.PID; test.function == "hello" && same != test.survives {
			t.Errorf("behind %s the environment is the same: %t", test.event, same)
		}
		before = after
	}
}

func TestMemoryIsLimited(t *testing.T) {
	if _, err := cgroup.NewNest(); err != nil {
		t.Skipf("memory cannot be limited here: %v", err)
	}
	s := newSite(t, hello)
	if a := s.ask("hello", `{"do":"hold","mb":20}`); a.status != 200 {
		t.Errorf("20 of 128 MB: %d %s", a.status, a.body)
	}
	a := s.ask("hello", `{"do":"hold","mb":200}`)
	if kind, message := a.words(t); kind != "Runtime.OutOfMemory" || !strings.Contains(message, "128 MB") {
		t.Errorf("200 of 128 MB: %d, %s: %s", a.status, kind, message)
	}
	s.ask("hello", `{}`).seen(t)
}

// What is refused never comes to a function.
func TestRefused(t *testing.T) {
	s := newSite(t, hello)
	for _, test := range []struct {
		name, event string
		headers     []string
		status      int
	}{
		{"nobody", `{}`, nil, 404},
		{"..%2Fhello", `{}`, nil, 404},
		{"hello", `{}`, []string{"Tracetax-Environments: 0"}, 400},
		{"hello", `{}`, []string{"X-Amz-Invocation-Type: Event"}, 400},
		{"hello", `"` + strings.Repeat("x", maxEvent) + `"`, nil, 413},
	} {
		if a := s.ask(test.name, test.event, test.headers...); a.status != test.status {
			t.Errorf("%s with %v: %d %.100s, want %d", test.name, test.headers, a.status, a.body, test.status)
		}
	}
	if seen := s.ask("hello", `{}`).seen(t); seen.Count != 1 { // the first one awaited the environments
		t.Errorf("the function has seen %d events before, want 1", seen.Count)
	}
}

// A frozen environment stands still, goes on for the next invocation, and ends by a kill like every other.
func TestFreeze(t *testing.T) {
	s := newSite(t, hello)
	first := s.ask("hello", `{}`, "Tracetax-Freeze: on").seen(t)
	awaitState(t, first.PID, "T")
	second := s.ask("hello", `{}`, "Tracetax-Freeze: on").seen(t)
	if second.PID != first.PID || second.Count != first.Count+1 {
		t.Errorf("first %+v, then %+v", first, second)
	}
	awaitState(t, first.PID, "T")
	if err := s.supplier.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	awaitGone(t, first.PID)
	await(t, func() bool { return s.ask("hello", `{}`).status == http.StatusServiceUnavailable }, "the platform to miss its environments")
}

// A cold environment ends a while after its answer, however often its runtime asks for more.
func TestLingeringEnds(t *testing.T) {
	p, err := New([]Function{{Name: "f", Timeout: time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	of := p.pools["f"]
	of.invoke(&invocation{id: "a", ask: ask{cold: true}, result: make(chan result, 1)})
	e := of.take()[0].environment
	r := &instance{platform: p, pool: of, environment: e, id: "f-1", work: make(chan *invocation, 1), ended: make(chan struct{})}
	e.runtime, p.living[r.id] = r, r
	next := func() {
		ctx, hangUp := context.WithCancel(context.Background())
		hangUp()
		r.next(&recorder{header: http.Header{}}, httptest.NewRequest("GET", "/", nil).WithContext(ctx))
	}
	next()
	if !r.done("a", func() result { return result{status: http.StatusOK} }) {
		t.Fatal("the invocation cannot be answered")
	}
	next()
	next() // again, while it lingers
	select {
	case <-r.ended:
	case <-time.After(10 * linger):
		t.Error("it is still there")
	}
}

// What an environment started ends with it.
func TestChildrenEnd(t *testing.T) {
	s := newSite(t, hello)
	a := s.ask("hello", `{"do":"leave a child"}`, "Tracetax-Start: cold")
	child, err := strconv.Atoi(a.body)
	if err != nil {
		t.Fatal(err, a)
	}
	awaitGone(t, child)
}

// A client that hangs up takes nothing with it.
func TestClientHangsUp(t *testing.T) {
	s := newSite(t, hello)
	ctx, hangUp := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer hangUp()
	q, err := http.NewRequestWithContext(ctx, "POST", s.url+"/2015-03-31/functions/hello/invocations", strings.NewReader(`{"do":"sleep","millis":200}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := http.DefaultClient.Do(q); err == nil {
		t.Error("a client that hangs up had an answer")
	}
	if seen := s.ask("hello", `{}`).seen(t); seen.Count != 2 {
		t.Errorf("the function has seen %d events, want the one of the client that is gone too", seen.Count)
	}
}

func awaitGone(t *testing.T, pid int) {
	t.Helper()
	await(t, func() bool { return !proctree.Running(pid) }, "process %d to end", pid)
}

func awaitState(t *testing.T, pid int, want string) {
	t.Helper()
	await(t, func() bool {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, rest, _ := strings.Cut(string(text), ") ")
		return err == nil && strings.HasPrefix(rest, want)
	}, "process %d to be in state %s", pid, want)
}

func await(t testing.TB, is func() bool, what string, of ...any) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("20 s were not enough for "+what, of...)
		}
	}
}

// What a warm invocation takes beside the function.
func BenchmarkInvocation(b *testing.B) {
	s := newSite(b, hello)
	var beside time.Duration
	for b.Loop() {
		begun := time.Now()
		a := s.ask("hello", `{}`)
		if a.status != http.StatusOK {
			b.Fatal(a)
		}
		beside += time.Since(begun) - time.Duration(a.timing["benchmark"]*1e6)
	}
	b.ReportMetric(float64(beside.Microseconds())/float64(b.N), "µs-beside/op")
}

// Whatever an environment sends, the platform stands.
func FuzzRuntimeAPI(f *testing.F) {
	f.Add("GET", "/2018-06-01/runtime/invocation/next", []byte(nil))
	f.Add("POST", "/2018-06-01/runtime/invocation/x/response", []byte(`{"a":1}`))
	f.Add("POST", "/2018-06-01/runtime/invocation/x/error", []byte(`{`))
	f.Add("POST", "/2018-06-01/runtime/init/error", []byte(`{"errorType":"x"}`))
	f.Fuzz(func(t *testing.T, method, path string, body []byte) {
		if !strings.HasPrefix(path, "/") {
			return
		}
		q, err := http.NewRequest(method, "http://127.0.0.1"+path, bytes.NewReader(body))
		if err != nil {
			return
		}
		p, err := New([]Function{hello})
		if err != nil {
			t.Fatal(err)
		}
		pool := p.pools["hello"]
		i := &invocation{id: "x", ask: ask{environments: 1}, result: make(chan result, 1)}
		e := &environment{id: 1, state: busy, current: i}
		e.runtime = &instance{platform: p, pool: pool, environment: e, id: "hello-1", work: make(chan *invocation, 1), ended: make(chan struct{})}
		pool.environments = []*environment{e}
		ctx, end := context.WithCancel(context.WithValue(t.Context(), runtimeKey{}, e.runtime))
		end() // a request for an invocation is not to wait for one
		w := &recorder{header: http.Header{}}
		p.runtimes.Handler.ServeHTTP(w, q.WithContext(ctx))
		if answered := len(i.result) == 1; answered != (e.current == nil) {
			t.Errorf("%s %q: its client has an answer: %t, and the environment has an invocation: %t", method, path, answered, e.current != nil)
		}
		if w.status == 0 && len(w.header) > 0 {
			t.Errorf("%s %q: no status", method, path)
		}
	})
}

type recorder struct {
	header http.Header
	status int
}

func (r *recorder) Header() http.Header    { return r.header }
func (r *recorder) WriteHeader(status int) { r.status = status }
func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return len(b), nil
}
