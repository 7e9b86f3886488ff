// Linux's perf, for programs that are machine code, with the kernel's work for them.

package profiler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/process/inspect"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/quote"
)

const perf = "perf"

// startPerf starts perf with the CPU's clock: hardware counters are missing in many virtual machines. Go keeps frame pointers;
// other compilers may not, so their stacks are copied and unwound afterwards.
func startPerf(ctx context.Context, o Order, t target) (*Recording, error) {
	if _, err := exec.LookPath(perf); err != nil {
		return nil, errors.New("it is not installed (Debian: linux-perf; Ubuntu: linux-tools-generic)")
	}
	orders, answers := filepath.Join(o.Folder, "orders"), filepath.Join(o.Folder, "answers")
	data := filepath.Join(o.Folder, "perf.data")
	control, err := openControl(orders, answers)
	if err != nil {
		return nil, err
	}
	interval := offBeat(max(o.Interval, time.Millisecond/5))
	stacks := "fp"
	if t.kind != inspect.Go {
		interval = offBeat(max(interval, 2*time.Millisecond)) // 8 kB each
		stacks = "dwarf,8192"
	}
	p, err := o.Start(ctx, process.Command{
		Name: o.Name, CPUs: o.CPUs,
		Args: []string{perf, "record", "--delay=-1", "--control=fifo:" + orders + "," + answers, "-e", timersOf(interval),
			"--call-graph", stacks, "--no-buildid", "--no-buildid-cache", "-p", joined(t.pids), "-o", data},
	})
	if err != nil {
		return nil, errors.Join(err, control.close())
	}
	if err := control.order(ctx, p, "enable", startPatience); err != nil {
		_, stopErr := p.Stop(ctx, 0)
		return nil, errors.Join(err, stopErr, control.close())
	}
	return &Recording{Interval: interval, stop: func(ctx context.Context) (*profile.Profile, error) {
		err := finish(ctx, p, func() error { return control.write("stop") })
		if err = errors.Join(err, control.close()); err != nil {
			return nil, err
		}
		out, err := readPerf(ctx, o, data)
		if err == nil {
			out.Divide(int64(len(timers))) // each timer covers the whole time
		}
		return out, err
	}}, nil
}

// timers are the periods of the timers that sample a thread together, relative to their mean. A single timer counts the CPU
// time of a thread, and each request takes about the same: if that is near the period, or a part of it, the timer hits the same
// functions again and again.
var timers = [...]float64{0.83, 0.95, 1.07, 1.21}

// timersOf returns events of perf that together have this interval between samples.
func timersOf(interval time.Duration) string {
	var events []string
	for _, part := range timers {
		period := offBeat(time.Duration(part * float64(len(timers)) * float64(interval)))
		events = append(events, fmt.Sprintf("cpu-clock/period=%d,name=cpu-clock/", period.Nanoseconds()))
	}
	return strings.Join(events, ",")
}

func joined(pids []int) string {
	texts := make([]string, len(pids))
	for i, pid := range pids {
		texts[i] = strconv.Itoa(pid)
	}
	return strings.Join(texts, ",")
}

// readPerf prints the samples with perf, with names, and parses them.
func readPerf(ctx context.Context, o Order, data string) (*profile.Profile, error) {
	read, write := io.Pipe()
	var errOut bytes.Buffer
	done := make(chan error, 1)
	go func() {
		err := process.Job{
			Name: o.Name, Args: []string{perf, "script", "--no-inline", "--force", "-F", "comm,tid,time,period,event,ip,sym,dso", "-i", data}, Stdout: write, Stderr: &errOut, Self: o.Self,
		}.Run(ctx)
		write.CloseWithError(err)
		done <- err
	}()
	p, err := profile.Read(profile.Perf, read)
	read.CloseWithError(err) // the rest of its output
	if jobErr := <-done; jobErr != nil && (err == nil || ctx.Err() != nil) {
		return nil, fmt.Errorf("reading its samples: %w; its last line: %s", jobErr, quote.Line(lastLine(errOut.String())))
	}
	if err != nil {
		return nil, fmt.Errorf("reading its samples: %w", err)
	}
	if share := nameless(p); share > mostNameless {
		return nil, fmt.Errorf("%.0f %% of its samples have no function with a name: leave the program its symbols (Go: no -ldflags=-s; otherwise no strip)", 100*share)
	}
	return p, nil
}

// mostNameless is the share of samples without any name above which the others are of no use.
const mostNameless = 0.5

// nameless returns the share of the samples without a name other than the kernel's.
func nameless(p *profile.Profile) float64 {
	var of int64
	for _, s := range p.Samples {
		if !slices.ContainsFunc(s.Stack, func(i int32) bool {
			f := p.Frames[i]
			return f.Name != "[unknown]" && !strings.Contains(f.File, "kernel")
		}) {
			of += s.Count
		}
	}
	return float64(of) / float64(max(1, p.Count))
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// control gives perf orders by a named pipe, and gets its answers by another one.
type control struct{ orders, answers *os.File }

func openControl(orders, answers string) (c control, err error) {
	for _, one := range []struct {
		path string
		file **os.File
	}{{orders, &c.orders}, {answers, &c.answers}} {
		if err := syscall.Mkfifo(one.path, 0o600); err != nil {
			return c, errors.Join(fmt.Errorf("making a pipe for its orders: %w", err), c.close())
		}
		// Open for both, or each side would wait for the other.
		if *one.file, err = os.OpenFile(one.path, os.O_RDWR|syscall.O_NONBLOCK, 0); err != nil {
			return c, errors.Join(fmt.Errorf("opening a pipe for its orders: %w", err), c.close())
		}
	}
	return c, nil
}

func (c control) close() error {
	var errs []error
	for _, file := range []*os.File{c.orders, c.answers} {
		if file != nil {
			errs = append(errs, file.Close())
		}
	}
	return errors.Join(errs...)
}

func (c control) write(order string) error {
	_, err := io.WriteString(c.orders, order+"\n")
	return err
}

// order gives an order, and waits until it is carried out.
func (c control) order(ctx context.Context, p *process.Process, order string, patience time.Duration) error {
	if err := c.write(order); err != nil {
		return fmt.Errorf("giving it the order %s: %w", order, err)
	}
	if err := c.answers.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	answered := make(chan error, 1)
	go func() {
		_, err := c.answers.Read(make([]byte, 16))
		answered <- err
	}()
	select {
	case err := <-answered:
		if err != nil {
			return fmt.Errorf("it did not carry out the order %s: %w%s", order, err, said(p))
		}
		return nil
	case <-p.Done():
	case <-ctx.Done():
	}
	// What it answered before it ended is in the pipe.
	if err := c.answers.SetReadDeadline(time.Now().Add(lastWord)); err != nil {
		return err
	}
	err := <-answered
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return ended(p)
	}
	return nil
}

// lastWord is how long a pipe is read whose writer has ended.
const lastWord = 100 * time.Millisecond
