package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/record"
)

// newLoad is the load generator alone.
func newLoad(s streams) *cobra.Command {
	var o loadOptions
	c := &cobra.Command{
		Use:   "load URL",
		Short: "Ask a server at a rate, or as fast as it answers, and time it",
		Long: `Ask a server for one URL and time the answers. With --rate, operations start when
the schedule says so, whatever the server does (an open loop), and each latency
counts from that moment; with --connections, that many are kept busy (a closed loop).`,
		Example: `  tracetax load http://127.0.0.1:8080/ --rate 400/s --duration 20s
  tracetax load http://127.0.0.1:8080/ --connections 8
  tracetax load http://127.0.0.1:8080/orders --method POST --body @order.json --header 'Content-Type: application/json'`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError(errors.New("want one URL, such as http://127.0.0.1:8080/ (see 'tracetax load --help')"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			task, err := o.task(args[0])
			if err != nil {
				return usageError(err)
			}
			return runLoad(c.Context(), s, task, o)
		},
	}
	o.flags(c.Flags())
	return c
}

// newAgentLoad is the generator as a process that the conductor starts and drives.
func newAgentLoad(s streams) *cobra.Command {
	return &cobra.Command{
		Use:  "load",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			unshareThreads(runtime.NumCPU())
			return load.Serve(c.Context(), s.in, s.out)
		},
	}
}

// unshareThreads lets so many event loops run beside the rest of the program
// without waiting for each other, even where the process may use one CPU only:
// the kernel shares that out better than the runtime does.
func unshareThreads(loops int) {
	runtime.GOMAXPROCS(max(runtime.GOMAXPROCS(0), loops+2))
}

func runLoad(ctx context.Context, s streams, task load.Task, o loadOptions) error {
	unshareThreads(task.Threads)
	g, err := load.NewGenerator()
	if err != nil {
		return err
	}
	defer g.Close()
	if o.warmup > 0 {
		warm := task
		warm.Duration, warm.Count = o.warmup, 0
		stop := watchLoad(s.err, g, "warming up", o.warmup)
		_, err := g.Do(ctx, warm)
		stop()
		if err != nil {
			return err
		}
	}
	stop := watchLoad(s.err, g, "asking", task.Duration)
	before := cpuTime()
	l, loadErr := g.Do(ctx, task)
	cpu := cpuTime() - before
	stop()
	if loadErr != nil && ctx.Err() == nil {
		return loadErr
	}
	return showLoad(s, task, l, cpu, o.asJSON, loadErr)
}

// showLoad prints the result, also that of a load given up half way, and returns
// stopped or what else the exit status should tell of.
func showLoad(s streams, task load.Task, l record.Load, cpu time.Duration, asJSON bool, stopped error) error {
	sum, err := load.Summarize(task, l, cpu)
	if err != nil {
		return err
	}
	if asJSON {
		e := json.NewEncoder(s.out)
		e.SetIndent("", "  ")
		err = e.Encode(struct {
			Summary load.Summary `json:"summary"`
			Load    record.Load  `json:"load"`
		}{sum, l})
	} else {
		err = printLoad(s.out, task, l, sum)
	}
	switch {
	case err != nil:
		return fmt.Errorf("printing the result: %w", err)
	case stopped != nil:
		return stopped
	case l.Completed == 0:
		return errors.New("no operation was answered as expected")
	}
	return nil
}
