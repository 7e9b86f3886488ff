package process

// Commands that are run to their end, such as builds: under a keeper like the
// processes of a run, but without a launcher, as nobody charges their cost.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/tracetax/tracetax/internal/process/cgroup"
	"github.com/tracetax/tracetax/internal/process/keeper"
	"github.com/tracetax/tracetax/internal/process/output"
)

// jobGrace is how long what a command leaves in the background has to end by itself.
const jobGrace = 2 * time.Second

// Job is a command that is run to its end.
type Job struct {
	Name   string     // for errors and for the keeper's mark: letters, digits, '.', '_' and '-'
	Args   []string   // the program and its arguments
	Env    []string   // the whole environment, as in Command; nil is tracetax's own
	Dir    string     // working directory; "" is tracetax's own
	Stdout io.Writer  // gets its standard output; nil: that goes where Stderr goes, in the order of writing
	Stderr io.Writer  // gets its standard error; nil throws it away
	Held   []*os.File // the keeper holds them open too, the program does not: a lock lasts until nothing of the job is left
	Self   []string   // command of this tracetax, as in Options
}

// jobs counts the jobs of this tracetax.
var jobs atomic.Int64

// JobError is the end of a job that did not succeed.
type JobError struct{ Exit Exit }

// Error says how it ended: "exit status 1", "killed by SIGKILL".
func (e *JobError) Error() string { return e.Exit.String() }

// Run runs the job until nothing of it is left: what it leaves in the background
// is ended with it. When ctx ends, all of it is killed, and the error is the cause.
// When tracetax dies, its keeper kills it.
func (j Job) Run(ctx context.Context) error {
	p, err := j.start(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	said, left := j.finish(ctx, p)
	left = errors.Join(left, p.release())
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), left)
	}
	if e := p.Exit(); e.Code != 0 || e.Signal != 0 || e.Lost {
		return errors.Join(&JobError{e}, said, left)
	}
	return errors.Join(said, left)
}

func (j Job) start(ctx context.Context) (*Process, error) {
	c := Command{Name: j.Name, Args: j.Args, Env: j.Env, Dir: j.Dir, Piped: j.Stdout != nil}
	if err := c.check(); err != nil {
		return nil, err
	}
	self, err := selfOr(j.Self)
	if err != nil {
		return nil, err
	}
	mark := fmt.Sprintf("%s%d-job-%d/%s", cgroup.Prefix, os.Getpid(), jobs.Add(1), j.Name)
	env := c.environment(mark)
	path, err := lookUp(c.Args[0], c.Dir, env)
	if err != nil {
		return nil, err
	}
	p := newProcess(c, mark, output.Pass(j.Stderr), &cgroup.Group{}, nil)
	p.held = j.Held
	if err := p.launch(ctx, self, keeper.Assignment{Name: j.Name, Path: path, Args: c.Args, Env: env, Dir: c.Dir}); err != nil {
		return nil, errors.Join(err, p.release())
	}
	return p, nil
}

// finish takes in the output until the job has ended, and ends what it left. said
// is why the output is not whole, left why something may still run.
func (j Job) finish(ctx context.Context, p *Process) (said, left error) {
	copied := make(chan error, 1)
	if j.Stdout == nil {
		copied <- nil
	} else {
		_ = p.stdin.Close() // it has nothing to read
		go func() {
			_, err := io.Copy(j.Stdout, p.stdout)
			copied <- err
		}()
	}
	select {
	case <-p.exited:
	case <-ctx.Done():
	}
	_, left = p.Stop(ctx, jobGrace)
	if j.Stdout != nil {
		// Nobody is left who writes: what is in the pipe is there by now.
		_ = p.stdout.SetReadDeadline(time.Now().Add(jobGrace))
	}
	return errors.Join(<-copied, p.log.Err()), left
}

// selfOr is the command of this tracetax, its own executable where nothing is given.
func selfOr(self []string) ([]string, error) {
	if self != nil {
		return self, nil
	}
	own, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding the own executable: %w", err)
	}
	return []string{own}, nil
}
