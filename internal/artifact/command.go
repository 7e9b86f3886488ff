// Commands that make artefacts: their output is shown as it comes, and its end is
// kept for the error.
package artifact

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// command is a program to be run to its end.
type command struct {
	args     []string
	dir      string
	env      []string  // added to the environment of tracetax
	progress io.Writer // gets all output; may be nil
}

// commandError is a command that failed, with what it wrote.
type commandError struct {
	args   []string
	err    error
	output string
}

func (e *commandError) Error() string {
	output := colour.ReplaceAllString(e.output, "")
	return fmt.Sprintf("%s: %v\n%s", strings.Join(e.args, " "), e.err, strings.TrimRight(output, "\n"))
}

// colour is what programs write to a terminal beside their words: mvn does so
// whatever it is told, and an error may end in a file.
var colour = regexp.MustCompile("\x1b\\[[0-9;]*m")

// plain passes on what is written to it, without colours.
type plain struct{ to io.Writer }

func (p plain) Write(b []byte) (int, error) {
	text := colour.ReplaceAll(b, nil)
	if len(text) == 0 {
		return len(b), nil
	}
	if _, err := p.to.Write(text); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (e *commandError) Unwrap() error { return e.err }

// run runs the command, ending it and its children when ctx ends.
func (c command) run(ctx context.Context) error {
	tail := &tail{limit: 16 << 10}
	var out io.Writer = tail
	if c.progress != nil {
		out = io.MultiWriter(tail, plain{c.progress})
	}
	cmd := c.prepare(ctx)
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return &commandError{args: c.args, err: err, output: tail.String()}
	}
	return nil
}

// output runs the command and returns what it wrote to its standard output.
func (c command) output(ctx context.Context) (string, error) {
	var out, errOut bytes.Buffer
	cmd := c.prepare(ctx)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Run(); err != nil {
		return "", &commandError{args: c.args, err: err, output: errOut.String()}
	}
	return strings.TrimSpace(out.String()), nil
}

func (c command) prepare(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Dir = c.dir
	cmd.Env = append(os.Environ(), c.env...)
	// A group of its own, so that compilers which the command started end with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
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
