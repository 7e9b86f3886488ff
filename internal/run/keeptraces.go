// The file of the spans of a run: how many it has, and how many it lacks.

package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// writePatience bounds the wait for a disk.
const writePatience = 30 * time.Second

// keepTraces waits until the sink has written the run's spans, and records how many the file has and lacks. A file without any
// goes.
func (s *stage) keepTraces(ctx context.Context) error {
	if s.request.KeepTraces == 0 {
		return nil
	}
	to := record.KeptTraces{File: s.keptName()}
	written, err := await(ctx, poll, writePatience, func() (bool, error) {
		seen, err := s.agents.sink.Snapshot(ctx)
		if err != nil || seen.Kept == nil {
			return true, err
		}
		to.Spans, to.Lost, to.Error = seen.Kept.Kept, seen.Kept.Lost, seen.Kept.Error
		if to.Received = seen.Counts.Spans; seen.Kept.Waiting > 0 {
			to.Lost += seen.Kept.Waiting
			return false, nil
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("asking the sink what it kept: %w", err)
	}
	if !written && to.Error == "" {
		to.Error = "the sink has not written all of them in time"
	}
	if to.Spans == 0 && written {
		to.File = ""
		if err := os.Remove(filepath.Join(s.results, filepath.FromSlash(s.keptName()))); err != nil {
			return fmt.Errorf("keeping traces: %w", err)
		}
	}
	s.record.Kept = &to
	return nil
}
