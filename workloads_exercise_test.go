package tracetax_test

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink"
)

// exercise starts the processes of p, makes every operation, stops them gracefully,
// and returns what a sink counted and what the tracer admits to have lost.
func exercise(t *testing.T, p prepared) (record.Counts, uint64) {
	t.Helper()
	server, err := sink.Start(sink.Config{Listen: protocol.Addresses{protocol.OTLPGRPC: "127.0.0.1:0", protocol.OTLPHTTP: "127.0.0.1:0"}, Checking: true})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	ports, err := process.FreePorts(len(p.plan.Processes))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"sink.otlp.grpc": server.Addresses()[protocol.OTLPGRPC], "sink.otlp.http": server.Addresses()[protocol.OTLPHTTP]}
	for name, dir := range p.folders {
		values[name] = dir
	}
	for i, process := range p.plan.Processes {
		values[process.Name+".port"] = strconv.Itoa(ports[i])
	}
	var running []*child
	for i, process := range p.plan.Processes {
		values["port"], values["process"] = strconv.Itoa(ports[i]), process.Name
		running = append(running, start(t, process, values))
	}
	for i, c := range running {
		c.awaitReady(t, "http://127.0.0.1:"+strconv.Itoa(ports[i])+"/healthz")
	}
	for _, operation := range p.plan.Operations {
		ask(t, operation, "http://127.0.0.1:"+values[operation.Process+".port"]+operation.URL)
	}
	var lost uint64
	for _, c := range slices.Backward(running) {
		lost += admittedBy(t, p.plan.Says, c.stop(t))
	}
	return server.Snapshot().Counts, lost
}

// child is a process of the workload.
type child struct {
	cmd    *exec.Cmd
	output *strings.Builder
	ended  chan error
}

func start(t *testing.T, process program.Process, values map[string]string) *child {
	t.Helper()
	expand := func(text string) string {
		out, err := program.Expand(text, values)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	var args []string
	for _, arg := range process.Run {
		args = append(args, expand(arg))
	}
	c := &child{cmd: exec.Command(args[0], args[1:]...), output: &strings.Builder{}, ended: make(chan error, 1)}
	c.cmd.Dir = values["dir"]
	c.cmd.Env = os.Environ()
	for name, value := range process.Env {
		c.cmd.Env = append(c.cmd.Env, name+"="+expand(value))
	}
	c.cmd.Stdout, c.cmd.Stderr = c.output, c.output
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) }) // where the test ended early
	go func() { c.ended <- c.cmd.Wait() }()
	return c
}

// patience bounds every wait.
const patience = time.Minute

func (c *child) awaitReady(t *testing.T, url string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		select {
		case err := <-c.ended:
			t.Fatalf("%s ended: %v\n%s", c.cmd, err, c.output)
		default:
		}
		response, err := http.Get(url)
		if err != nil {
			continue
		}
		response.Body.Close()
		if response.StatusCode == http.StatusNoContent {
			return
		}
	}
	t.Fatalf("%s is not ready", c.cmd)
}

// stop ends the process gracefully and returns what it wrote.
func (c *child) stop(t *testing.T) string {
	t.Helper()
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-c.ended:
		if err != nil {
			t.Errorf("%s: %v\n%s", c.cmd, err, c.output)
		}
	case <-time.After(patience):
		t.Fatalf("%s does not stop", c.cmd)
	}
	return c.output.String()
}

// ask makes an operation as often as said, several at a time.
func ask(t *testing.T, operation program.Operation, url string) {
	t.Helper()
	const clients = 4
	var wait sync.WaitGroup
	for range clients {
		wait.Go(func() {
			for range requests / clients {
				request, err := http.NewRequestWithContext(t.Context(), operation.Method, url, nil)
				if err != nil {
					t.Error(err)
					return
				}
				response, err := http.DefaultClient.Do(request)
				if err != nil {
					t.Error(err)
					return
				}
				_, err = io.Copy(io.Discard, response.Body)
				if response.Body.Close(); err != nil || !slices.Contains(operation.Status, response.StatusCode) {
					t.Errorf("%s %s answers %s (%v)", operation.Method, url, response.Status, err)
					return
				}
			}
		})
	}
	wait.Wait()
}

// admittedBy adds up what a process says that it lost.
func admittedBy(t *testing.T, says []program.Saying, log string) uint64 {
	t.Helper()
	var lost uint64
	for _, saying := range says {
		pattern := regexp.MustCompile(saying.Log)
		found := pattern.FindAllStringSubmatch(log, -1)
		if len(found) == 0 {
			continue
		}
		n, err := strconv.ParseUint(found[len(found)-1][pattern.SubexpIndex("n")], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		lost += n
	}
	return lost
}
