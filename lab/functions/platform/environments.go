package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/process/cgroup"
)

// Environments are the children of this process: one COMMAND each, with the variables that Lambda gives a runtime.
type Environments struct {
	Command []string  // the program and its arguments
	Scratch string    // each gets a folder below it, for TMPDIR
	Log     io.Writer // what they write, and what there is to say of them

	nest   *cgroup.Nest // nil: their memory is not limited
	write  sync.Mutex
	told   *json.Encoder
	fork   chan func() // work of the thread that forks, which has to last as long as its children
	living map[string]*child
	mu     sync.Mutex
	all    sync.WaitGroup
}

// child is one of them.
type child struct {
	id      string
	command *exec.Cmd
	group   *cgroup.Group // nil: it has none
	folder  string

	mu   sync.Mutex // held while it is signalled, and when it has been waited for
	gone bool
}

// Serve takes orders at the platform's address until ctx ends or the platform does, and leaves no environment.
func (e *Environments) Serve(ctx context.Context, address string) error {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return fmt.Errorf("reaching the platform: %w", err)
	}
	defer connection.Close()
	stop := context.AfterFunc(ctx, func() { connection.Close() })
	defer stop()
	if e.nest, err = cgroup.NewNest(); err != nil {
		fmt.Fprintf(e.Log, "tracetax: the memory of environments is not limited: %v\n", err)
	}
	e.told, e.living, e.fork = json.NewEncoder(connection), map[string]*child{}, make(chan func())
	go func() {
		runtime.LockOSThread() // the kernel ends children with the thread that forked them
		for f := range e.fork {
			f()
		}
	}()
	defer close(e.fork)
	fmt.Fprintln(e.Log, "tracetax: ready for invocations")
	err = e.obey(json.NewDecoder(connection))
	e.endAll()
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

func (e *Environments) obey(lines *json.Decoder) error {
	for {
		var o order
		if err := lines.Decode(&o); err != nil {
			return err
		}
		e.mu.Lock()
		c := e.living[o.ID]
		e.mu.Unlock()
		switch {
		case o.Do == orderStart:
			e.start(o)
		case c == nil: // it has ended, which was told
		case o.Do == orderFreeze:
			c.signal(syscall.SIGSTOP)
		case o.Do == orderThaw:
			c.signal(syscall.SIGCONT)
		case o.Do == orderEnd:
			c.kill()
		}
	}
}

func (e *Environments) tell(r report) {
	e.write.Lock()
	defer e.write.Unlock()
	_ = e.told.Encode(r) // a connection that takes no line is at its end, which is dealt with where it is read
}

// start forks an environment, or returns the reason why it cannot.
func (e *Environments) start(o order) {
	c, at, err := e.forked(o)
	if err != nil {
		e.tell(report{What: toldEnded, ID: o.ID, End: Ended{Status: err.Error()}})
		return
	}
	e.mu.Lock()
	e.living[o.ID] = c
	e.mu.Unlock()
	e.tell(report{What: toldStarted, ID: o.ID, PID: c.command.Process.Pid, At: at})
	e.all.Go(func() { e.await(c) })
}

func (e *Environments) forked(o order) (c *child, at int64, err error) {
	c = &child{id: o.ID}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.clean())
		}
	}()
	if c.folder, err = os.MkdirTemp(e.Scratch, "environment-"); err != nil {
		return c, 0, fmt.Errorf("making its scratch folder: %w", err)
	}
	c.command = exec.Command(e.Command[0], e.Command[1:]...)
	root, err := os.Getwd()
	if err != nil {
		return c, 0, fmt.Errorf("finding the folder of the functions: %w", err)
	}
	c.command.Env = append(os.Environ(), variables(o, root, c.folder)...)
	c.command.Stdout, c.command.Stderr = e.Log, e.Log
	c.command.SysProcAttr, c.command.WaitDelay = apart(), time.Second

	if e.nest != nil {
		if c.group, err = e.nest.Create(o.ID, o.Function.Memory<<20); err != nil {
			return c, 0, err
		}
	}
	forked := make(chan struct{})
	e.fork <- func() {
		defer close(forked)
		err = e.nest.Within(c.group, c.command.SysProcAttr, func() error {
			at = now()
			return c.command.Start()
		})
	}
	<-forked
	if err != nil {
		return c, 0, fmt.Errorf("starting %s: %w", e.Command[0], err)
	}
	return c, at, nil
}

// variables are the environment variables that Lambda gives a runtime.
func variables(o order, root, scratch string) []string {
	f := o.Function
	return []string{
		"AWS_LAMBDA_RUNTIME_API=" + o.API,
		"AWS_LAMBDA_FUNCTION_NAME=" + f.Name,
		"AWS_LAMBDA_FUNCTION_VERSION=" + version,
		fmt.Sprintf("AWS_LAMBDA_FUNCTION_MEMORY_SIZE=%d", f.Memory),
		"AWS_LAMBDA_LOG_GROUP_NAME=/aws/lambda/" + f.Name,
		"AWS_LAMBDA_LOG_STREAM_NAME=" + o.ID,
		"AWS_LAMBDA_INITIALIZATION_TYPE=on-demand",
		"AWS_REGION=" + region,
		"AWS_DEFAULT_REGION=" + region,
		"_HANDLER=" + f.Handler,
		"LAMBDA_TASK_ROOT=" + root,
		"TMPDIR=" + scratch,
	}
}

// await reports the end of one.
func (e *Environments) await(c *child) {
	err := c.command.Wait()
	c.mu.Lock()
	c.gone = true
	c.mu.Unlock()
	c.killRest()
	end := Ended{Status: "exit status 0"}
	if err != nil {
		end.Status = err.Error()
	}
	end.OutOfMemory = c.group != nil && cgroup.OutOfMemory(c.group.At["memory"])
	e.mu.Lock()
	delete(e.living, c.id)
	e.mu.Unlock()
	if err := c.clean(); err != nil {
		fmt.Fprintf(e.Log, "tracetax: %v\n", err)
	}
	e.tell(report{What: toldEnded, ID: c.id, End: end})
}

// signal signals the environment's process group, unless its leader has been waited for: the number could belong to somebody
// else by then.
func (c *child) signal(s syscall.Signal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gone {
		_ = syscall.Kill(-c.command.Process.Pid, s) // it may have ended a moment ago
	}
}

// kill ends one, a frozen one too. What it has not sent by then is lost, as with Lambda, which tells a function nothing.
func (c *child) kill() { c.signal(syscall.SIGKILL) }

// killRest ends what the environment's process has left behind.
func (c *child) killRest() {
	_ = syscall.Kill(-c.command.Process.Pid, syscall.SIGKILL) // mostly there is nothing left; a group keeps its number while it lasts
	if c.group == nil {
		return
	}
	for range 1000 { // what does not go by then is told by the removal of the group
		pids, err := cgroup.PIDs(c.group.Dirs)
		if err != nil || len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(time.Millisecond) // the kernel tells nobody when a group is empty
	}
}

// clean removes what the environment had.
func (c *child) clean() error {
	var errs []error
	if c.folder != "" {
		errs = append(errs, os.RemoveAll(c.folder))
	}
	if c.group != nil {
		errs = append(errs, cgroup.Remove(c.group.Dirs))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("cleaning up behind the environment %s: %w", c.id, err)
	}
	return nil
}

// endAll ends all that there are.
func (e *Environments) endAll() {
	e.mu.Lock()
	for _, c := range e.living {
		c.kill()
	}
	e.mu.Unlock()
	e.all.Wait()
}

// Check says what keeps environments from being started.
func (e *Environments) Check() error {
	if len(e.Command) == 0 {
		return errors.New("say what an environment runs: tracetax agent environments -- COMMAND")
	}
	if _, err := exec.LookPath(e.Command[0]); err != nil {
		return fmt.Errorf("the program of environments: %w", err)
	}
	if e.Scratch == "" {
		e.Scratch = os.TempDir()
	}
	return nil
}

// The messages between the platform and the parent process of the environments: JSON objects, one a line, over a
// connection that the latter makes. Its end ends all environments.

// What the platform orders.
const (
	orderStart  = "start"  // Function, API
	orderFreeze = "freeze" // stop it, until
	orderThaw   = "thaw"   // … it goes on
	orderEnd    = "end"
)

// order is a line of the platform.
type order struct {
	Do       string   `json:"do"`
	ID       string   `json:"id"` // of the environment: its function's name and a number
	Function Function `json:"function,omitzero"`
	API      string   `json:"api,omitempty"` // where its Runtime API is: host:port
}

// The messages of the other side.
const (
	toldStarted = "started" // PID, At
	toldEnded   = "ended"   // End
)

// report is a line of it.
type report struct {
	What string `json:"what"`
	ID   string `json:"id"`
	PID  int    `json:"pid,omitempty"`
	At   int64  `json:"at,omitempty"` // ns of the monotonic clock, just before the fork
	End  Ended  `json:"end,omitzero"`
}

// Ended says how an environment's process came to its end, or that it could not be started.
type Ended struct {
	Status      string `json:"status"`
	OutOfMemory bool   `json:"outOfMemory,omitempty"`
}

// environmentID names an environment of a function.
func environmentID(function string, number int) string { return fmt.Sprintf("%s-%d", function, number) }
