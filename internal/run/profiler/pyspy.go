// py-spy, for Python. It stops the process for each sample, so it takes few.

package profiler

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/process/output"
	"github.com/tracetax/tracetax/internal/process/proctree"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/record"
)

const pySpy = "py-spy"

// leastPySpy is an interval at which samples do not slow a program down much.
const leastPySpy = 5 * time.Millisecond

// sampling matches the line that py-spy writes when it begins.
var sampling = output.MustCompile(`Sampling process`)

// startPySpy starts py-spy on a program and its descendants, such as workers of a server. For CPU time it samples the thread
// that has the interpreter's lock: of the others it takes those that wait for a queue for running. It does not see work without
// the lock, in the kernel and in native code.
func startPySpy(ctx context.Context, o Order, t target) (*Recording, error) {
	folder, err := o.Packages.folder(pySpy)
	if err != nil {
		return nil, err
	}
	root, err := rootOf(o, t)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(o.Folder, "speedscope.json")
	rate := int(prime(int64(time.Second / max(o.Interval, leastPySpy))))
	args := []string{filepath.Join(folder, "bin", pySpy), "record", "--pid", strconv.Itoa(root), "--subprocesses",
		"--rate", strconv.Itoa(rate), "--format", "speedscope", "--full-filenames", "--threads", "--output", file}
	args = append(args, map[string]string{record.ForCPU: "--gil", record.ForWall: "--idle"}[o.Of])
	p, err := o.Start(ctx, process.Command{Name: o.Name, CPUs: o.CPUs, Args: args})
	if err != nil {
		return nil, err
	}
	if err := awaitLine(ctx, p, sampling); err != nil {
		_, stopErr := p.Stop(ctx, 0)
		return nil, errors.Join(err, stopErr)
	}
	return &Recording{Interval: time.Second / time.Duration(rate), Partial: true, stop: func(ctx context.Context) (*profile.Profile, error) {
		if err := finish(ctx, p, interrupt(p)); err != nil {
			return nil, err
		}
		text, err := os.Open(file)
		if err != nil {
			return nil, fmt.Errorf("reading its samples: %w%s", err, said(p))
		}
		defer text.Close() // nothing was written
		out, err := profile.Read(profile.Speedscope, text)
		if err != nil {
			return nil, fmt.Errorf("reading its samples: %w", err)
		}
		return out, nil
	}}, nil
}

// rootOf returns the Python that started all the others, or, if there is none, their common starter: a platform that has an
// environment for each function.
func rootOf(o Order, t target) (int, error) {
	first := slices.Min(t.pids)
	below, err := proctree.Descendants(first)
	if err != nil {
		return 0, fmt.Errorf("listing what process %d has started: %w", first, err)
	}
	for _, pid := range t.pids {
		if pid != first && !slices.Contains(below, pid) {
			return o.PIDs[0], nil
		}
	}
	return first, nil
}

// awaitLine waits until a profiler reports that it takes samples.
func awaitLine(ctx context.Context, p *process.Process, line *process.Pattern) error {
	found, stop := p.Log().Await(ctx, line)
	defer stop()
	patience := time.NewTimer(startPatience)
	defer patience.Stop()
	select {
	case <-found:
		return nil
	case <-p.Done():
		return ended(p)
	case <-patience.C:
		return fmt.Errorf("it took no samples within %v%s", startPatience, said(p))
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
