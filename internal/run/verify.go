// The workload's own check of its answers.

package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/excerpt"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/shell"
)

// Bounds of a check.
const (
	verifyPatience = 5 * time.Minute
	verifyLines    = 200 // that are kept of what it says
)

// verify runs the workload's check in a calibration run, where it disturbs no
// figure. That it finds something wrong is the failure of the run.
func (s *stage) verify(ctx context.Context) error {
	if s.request.Kind != record.Calibration || len(s.request.Plan.Verify) == 0 {
		return nil
	}
	args, err := expandCommand(s.launcher.Self(), s.request.Plan.Verify, s.values)
	if err != nil {
		return fmt.Errorf("the workload's check: %w", err)
	}
	check, err := s.launcher.Start(ctx, process.Command{
		Name: "tracetax-verify", Role: role.Load, Args: args, Env: shell.PastProxies(s.shell), Dir: s.request.Folders.Source, CPUs: s.placement.Harness,
	})
	if err != nil {
		return fmt.Errorf("the workload's check: %w", err)
	}
	patience := time.NewTimer(verifyPatience)
	defer patience.Stop()
	select {
	case <-check.Done():
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-patience.C:
		return fmt.Errorf("the workload's check (%s) has not ended after %v%s", strings.Join(args, " "), verifyPatience, said(check))
	}
	exit := check.Exit()
	if _, err := check.Stop(ctx, grace); err != nil { // so that all it wrote is in its log
		return fmt.Errorf("ending the workload's check: %w", err)
	}
	lines := check.Log().Tail(verifyLines)
	if exit.Code != 0 {
		return fmt.Errorf("the workload's answers are not what they must be (%s, %s): %s", strings.Join(args, " "), exit, excerpt.Lines(lines, "\n"))
	}
	s.record.Start.Verified = lines
	return nil
}

// expandCommand is a command with its placeholders filled in; {tracetax} as a word
// of its own may be several words.
func expandCommand(self, words []string, values map[string]string) ([]string, error) {
	var args []string
	for _, word := range words {
		if word == "{tracetax}" {
			args = append(args, self...)
			continue
		}
		text, err := config.Expand(word, values)
		if err != nil {
			return nil, err
		}
		args = append(args, text)
	}
	return slices.Clip(args), nil
}
