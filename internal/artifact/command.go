// Commands that make artefacts: their output goes to a log, and its end is kept for the
// error. Each has a keeper, so that none outlives tracetax.

package artifact

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/tracetax/tracetax/internal/process"
)

// outputLimit is how many bytes of a command's output an error keeps, the last ones.
const outputLimit = 16 << 10

// command is a program to be run to its end.
type command struct {
	at   site // nothing where it leaves nothing behind, as when it is asked for its version
	args []string
	dir  string
	env  []string // added to the environment of tracetax
}

// run runs the command, ending it and all that it started when ctx ends.
func (c command) run(ctx context.Context) error {
	tail := &tail{limit: outputLimit}
	var out io.Writer = tail
	log := ""
	if c.at.log != nil {
		if _, err := fmt.Fprintf(c.at.log, "$ %s\n", strings.Join(c.args, " ")); err != nil {
			return err
		}
		out, log = io.MultiWriter(tail, c.at.log), c.at.log.path
	}
	err := c.job(nil, out).Run(ctx)
	if err != nil && ctx.Err() == nil {
		return &commandError{args: c.args, err: err, output: tail.String(), log: log}
	}
	return err
}

// output runs the command and returns what it wrote to its standard output.
func (c command) output(ctx context.Context) (string, error) {
	var out bytes.Buffer
	errOut := &tail{limit: outputLimit}
	err := c.job(&out, errOut).Run(ctx)
	if err != nil && ctx.Err() == nil {
		err = &commandError{args: c.args, err: err, output: errOut.String()}
	}
	return strings.TrimSpace(out.String()), err
}

func (c command) job(out, errOut io.Writer) process.Job {
	env := os.Environ()
	if c.at.scratch != nil {
		env = append(env, c.at.scratch.env()...)
	}
	return process.Job{
		Name: "make", Args: c.args, Dir: c.dir, Env: append(env, c.env...),
		Stdout: out, Stderr: errOut, Held: c.at.held,
	}
}

// tail keeps the last bytes that were written to it.
type tail struct {
	limit int
	kept  []byte
	cut   bool
}

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	if over := len(t.kept) - t.limit; over > 0 {
		t.kept = t.kept[over:]
		t.cut = true
	}
	return len(b), nil
}

func (t *tail) String() string {
	if t.cut {
		return "…" + string(t.kept)
	}
	return string(t.kept)
}
