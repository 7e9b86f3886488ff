// The folders of built-in workloads and services, written out for programs that
// run from them.

package artifact

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/tracetax/tracetax/internal/config"
)

// Source returns a folder that holds files as they are written out.
func (s *Store) Source(ctx context.Context, files fs.FS) (string, error) {
	return s.written(ctx, "source", "the workload", files)
}

// Service returns the folder that {service} stands for: it holds the files of a
// service as they are written out.
func (s *Store) Service(ctx context.Context, files fs.FS) (string, error) {
	return s.written(ctx, "service", "the service", files)
}

// Tracer returns the folder that {tracer} stands for where a tracer pins no packages: it holds the tracer's own files.
func (s *Store) Tracer(ctx context.Context, files fs.FS) (string, error) {
	return s.written(ctx, "tracer", "the tracer", files)
}

func (s *Store) written(ctx context.Context, shelf, whose string, files fs.FS) (string, error) {
	k := newKey(shelf)
	if err := k.addFiles(files, func(string) bool { return false }); err != nil {
		return "", fmt.Errorf("reading the files of %s: %w", whose, err)
	}
	return s.obtain(ctx, shelf, k.text(), func(_ context.Context, at site) error { return config.CopyFiles(files, at.dir) })
}
