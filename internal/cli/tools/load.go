// Package tools owns the commands of one part of tracetax alone, for people and as the processes that the conductor of a run
// drives: load, the load generator, and sink, the receiver. It must not know of experiments and results, nor how operations
// are made and spans received.
package tools

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
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/load/engine"
	"github.com/tracetax/tracetax/internal/load/feed"
	"github.com/tracetax/tracetax/internal/record"
)

// NewLoad is the load generator alone.
func NewLoad(s console.Streams) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "load URL",
		Short: "Send requests to a server, at a rate or as fast as it answers, and time them",
		Long: `Request one URL of a server and time the answers. With --rate, operations start by a
schedule, whatever the server does (an open loop), and each latency counts from the
scheduled start. With --connections alone, that many stay busy (a closed loop).

URLs: http:// and https:// (HTTP/1.1), grpc://HOST:PORT/package.Service/Method and
grpcs:// (a unary call). {data.COLUMN} in the path, the query, a header or the body
is a column of --data-file; each operation takes the next row.

"Overloaded" means that the server did not keep up with the rate; the rate reached
follows. "Bounded by the generator" means that the generator was the limit.`,
		Example: `  tracetax load http://127.0.0.1:8080/ --rate 400/s --duration 20s
  tracetax load http://127.0.0.1:8080/ --connections 8
  tracetax load https://127.0.0.1:8443/orders --insecure --body @order.json --header 'Content-Type: application/json'
  tracetax load 'http://127.0.0.1:8080/users/{data.id}' --data-file users.csv --rate 400/s
  tracetax load grpc://127.0.0.1:50051/shop.Cart/Add --protoset shop.pb --data '{"item": "tea"}' --rate 400/s`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				return nil
			}
			return console.UsageError(errors.New("want one URL, such as http://127.0.0.1:8080/ (see 'tracetax load --help')"))
		},
		RunE: func(c *cobra.Command, args []string) error {
			task, err := o.task(args[0])
			if err != nil {
				return console.UsageError(err)
			}
			return runLoad(c.Context(), s, task, o)
		},
	}
	o.flags(c.Flags())
	return c
}

// NewLoadAgent is the generator as a process that the conductor starts and drives, or that conductors on other machines connect with.
func NewLoadAgent(s console.Streams) *cobra.Command {
	var listen, variable string
	c := &cobra.Command{
		Use:  "load",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if listen != "" {
				return admitConductors(c.Context(), listen, variable, s.Err)
			}
			unshareThreads(runtime.NumCPU())
			g, err := engine.NewGenerator()
			if err != nil {
				return err
			}
			defer g.Close()
			return load.Serve(c.Context(), s.In, s.Out, g)
		},
	}
	c.Flags().StringVar(&listen, "listen", "",
		"`address` to listen on: each connection that begins with the token has a generator (default: stdin)")
	c.Flags().StringVar(&variable, "token-env", "TRACETAX_TOKEN", "`variable` with the token")
	return c
}

// admitConductors has a process of its own, this command without an address, be the generator of each connection.
func admitConductors(ctx context.Context, listen, variable string, errOut io.Writer) error {
	token := os.Getenv(variable)
	if token == "" {
		return console.UsageError(fmt.Errorf("the variable %s has no token", variable))
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding the tracetax program for load generators: %w", err)
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("listening for conductors: %w", err)
	}
	return load.Admit(ctx, l, token, func(ctx context.Context, c *net.TCPConn) {
		if err := generateOn(ctx, self, c, errOut); err != nil && ctx.Err() == nil {
			fmt.Fprintln(errOut, "tracetax:", err)
		}
	})
}

// generateOn starts the generator of a connection, and waits for its end.
func generateOn(ctx context.Context, self string, c *net.TCPConn, errOut io.Writer) error {
	both, err := c.File()
	if err != nil {
		return fmt.Errorf("starting a load generator: %w", err)
	}
	defer both.Close()
	generator := exec.CommandContext(ctx, self, "agent", "load")
	generator.Stdin, generator.Stdout, generator.Stderr = both, both, errOut
	if err := generator.Run(); err != nil {
		return fmt.Errorf("generating load: %w", err)
	}
	return nil
}

// unshareThreads lets so many event loops run beside the rest of the program
// without waiting for each other, even where the process may use one CPU only:
// the kernel shares that out better than the runtime does.
func unshareThreads(loops int) {
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), loops+2))
}

func runLoad(ctx context.Context, s console.Streams, task load.Task, o options) error {
	unshareThreads(task.Threads)
	g, err := engine.NewGenerator()
	if err != nil {
		return err
	}
	defer g.Close()
	// What reading the data files costs is no cost of an operation.
	if err := g.Prepare(ctx, task); err != nil {
		return loadError(err)
	}
	done := loadResult{task: task}
	if o.warmup > 0 {
		warm := task
		warm.Duration, warm.Count = o.warmup, 0
		stop := watchLoad(s.Err, g, "warming up", o.warmup)
		l, err := g.Do(ctx, warm)
		stop()
		done.warmedUp = l.Connected
		if err != nil {
			return loadError(err)
		}
	}
	stop := watchLoad(s.Err, g, "asking", task.Duration)
	before := ownCPU()
	var loadErr error
	done.load, loadErr = g.Do(ctx, task)
	done.cpu = ownCPU().since(before, task.Threads)
	stop()
	if loadErr != nil && ctx.Err() == nil {
		return loadError(loadErr)
	}
	return showLoad(s, done, o.asJSON, loadErr)
}

// loadError marks a wrong data file as the user's error.
func loadError(err error) error {
	var wrong *feed.DataError
	if errors.As(err, &wrong) {
		return console.UsageError(wrong)
	}
	return err
}

// loadResult is a load and its outcome.
type loadResult struct {
	task     load.Task
	load     record.Load
	cpu      load.CPUTime
	warmedUp uint64 // connections opened in the warm-up
}

// showLoad prints the result, also that of a load given up half way, and returns
// stopped or what else the exit status should tell of.
func showLoad(s console.Streams, done loadResult, asJSON bool, stopped error) error {
	sum, err := load.Summarize(done.task, done.load, done.cpu)
	if err != nil {
		return err
	}
	if asJSON {
		e := json.NewEncoder(s.Out)
		e.SetIndent("", "  ")
		err = e.Encode(struct {
			Summary load.Summary `json:"summary"`
			Load    record.Load  `json:"load"`
		}{sum, done.load})
	} else {
		err = printLoad(s.Out, done, sum)
	}
	switch {
	case err != nil:
		return fmt.Errorf("printing the result: %w", err)
	case stopped != nil:
		return stopped
	case done.load.Completed == 0:
		return errors.New("no operation was answered as expected")
	}
	return nil
}

// This file reads what this process itself uses while it makes load.

// ownUse is the CPU that this process has used until a moment.
type ownUse struct {
	ran     time.Duration
	threads load.Threads // nil where the system does not tell
}

func ownCPU() ownUse {
	var u syscall.Rusage
	// Cannot fail: the arguments are right.
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	own := ownUse{ran: time.Duration(u.Utime.Nano() + u.Stime.Nano())}
	if threads, err := load.ReadCPU(os.Getpid()); err == nil {
		own.threads = threads
	}
	return own
}

// since is what was used after before, by so many event loops in the main.
func (u ownUse) since(before ownUse, loops int) load.CPUTime {
	used := load.CPUTime{Ran: u.ran - before.ran}
	if u.threads != nil && before.threads != nil {
		used.Waited = u.threads.Since(before.threads, loops).Waited
	}
	return used
}

// This file says how a load came by its connections, and what had none.

// openedText says how many connections were opened, also those that the warm-up
// left open.
func openedText(done loadResult) string {
	if done.warmedUp == 0 {
		return fmt.Sprintf("%d connections opened", done.load.Connected)
	}
	return fmt.Sprintf("%d connections opened in the warm-up, %d after it", done.warmedUp, done.load.Connected)
}

// unreachable reports whether no connection could be opened, and none was open.
func unreachable(l record.Load) bool { return l.Started == 0 && l.Connected == 0 && l.TimedOut > 0 }

// neverSentText says what operations that were never sent had waited for.
func neverSentText(l record.Load) string {
	switch {
	case unreachable(l):
		return "no connection could be opened within their time-out"
	case l.Started == 0:
		return "no connection that was opened got through its handshake within their time-out"
	}
	return "no connection came free within their time-out"
}

// This file reads the files that flags name.

// readRegular reads a file that is looked at before it is opened: to open a named
// pipe blocks until another process writes, and no signal ends that.
func readRegular(name string) ([]byte, error) {
	if err := checkRegular(name); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

// checkRegular is an error that names the file, where it is none or no regular one.
func checkRegular(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", name)
	}
	return nil
}

// This file is the message of a gRPC call on the command line.

// message fills in what is gRPC's alone.
func (o *options) message(r *load.Request) error {
	if o.body != "" || o.method != "" || o.status != 0 {
		return errors.New("--body, --method and --status are for http:// and https:// only; the message of a gRPC call is --data")
	}
	var err error
	switch {
	case o.protoset != "":
		if r.Schema, err = readRegular(o.protoset); err != nil {
			return fmt.Errorf("--protoset: %w", err)
		}
		r.Body = []byte("{}")
		if o.data != "" {
			r.Body, err = textOrFile("--data", o.data)
		}
	case strings.HasPrefix(o.data, "@"):
		r.Body, err = textOrFile("--data", o.data)
	case o.data != "":
		return errors.New("--data in JSON needs the types of the service: give --protoset FILE (from protoc --descriptor_set_out=FILE --include_imports); a message in protobuf is @FILE")
	}
	return err
}
