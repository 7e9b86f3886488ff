// Commands of the workload's around a run: one before its first process starts, one once the last has ended. Nothing of
// what they use is measured.

package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/excerpt"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/run/logs"
	"github.com/tracetax/tracetax/internal/shell"
)

// Bounds of these commands.
const (
	preparePatience = 10 * time.Minute
	cleanupPatience = time.Minute
	hookLines       = 20       // of what a command said that an error has, the last ones
	hookBytes       = 16 << 10 // in which they are looked for
)

// variantVariable is the environment variable that tells such a command whose run it is.
const variantVariable = "TRACETAX_VARIANT"

// cleanUp runs the command after the run, whatever became of that: a run that failed or was interrupted leaves as much behind.
// failed is what it ended with.
func (s *stage) cleanUp(ctx context.Context, c *Conductor, failed error) error {
	err := s.hook(context.WithoutCancel(ctx), c, "cleanup", s.request.Plan.Cleanup, cleanupPatience)
	if err != nil && failed == nil {
		s.name = "cleanup"
	}
	s.unclean = err
	return err
}

// uncleaned is what the command after the run failed of, nil where it did not: for a run that was interrupted, which
// leaves no record to say it.
func (s *stage) uncleaned() error {
	if s.unclean == nil {
		return nil
	}
	return errors.New(logs.Replacer(s.request.Plan.Secrets).Replace(s.unclean.Error()))
}

// hook runs one of the commands to its end.
func (s *stage) hook(ctx context.Context, c *Conductor, what string, words []string, patience time.Duration) error {
	if len(words) == 0 {
		return nil
	}
	f := s.request.Folders
	args, err := expandCommand(c.Self, words, map[string]string{
		"dir": f.Source, "build": f.Build, "workload": f.Workload, "tracer": f.Tracer, "tmp": s.scratch,
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	path := filepath.Join(c.Logs, s.request.Name, "tracetax-"+what+".log")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the log of %s: %w", what, err)
	}
	log, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("making the log of %s: %w", what, err)
	}
	s.hookLogs = append(s.hookLogs, path)
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("it has not ended after %v", patience))
	defer cancel()
	err = process.Job{
		Name: "tracetax-" + what, Args: args, Env: append(shell.PastProxies(s.shell), variantVariable+"="+s.request.Plan.Variant),
		Dir: f.Source, Stderr: log, Self: c.Self,
	}.Run(ctx)
	if err = errors.Join(err, log.Close()); err == nil {
		return nil
	}
	said, readErr := lastOf(path)
	text := excerpt.Lines(said, "\n")
	if text != "" {
		text = ":\n" + text
	}
	return errors.Join(fmt.Errorf("the workload's %s command (%s): %w%s", what, strings.Join(args, " "), err, text), readErr)
}

// lastOf are the last lines of a file.
func lastOf(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() // nothing was written
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	end, err := io.ReadAll(io.NewSectionReader(file, max(0, info.Size()-hookBytes), hookBytes))
	if err != nil {
		return nil, err
	}
	text := strings.TrimRight(string(end), "\n")
	if text == "" {
		return nil, nil
	}
	lines := strings.Split(text, "\n")
	return lines[max(0, len(lines)-hookLines):], nil
}
