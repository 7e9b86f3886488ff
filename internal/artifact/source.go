// The folder of a built-in workload, written out for programs that run from it.
package artifact

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/tracetax/tracetax/internal/spec"
)

// Source returns a folder that holds files as they are written out.
func (s *Store) Source(ctx context.Context, files fs.FS) (string, error) {
	k := newKey("source")
	if err := k.addFiles(files, func(string) bool { return false }); err != nil {
		return "", fmt.Errorf("reading the files of the workload: %w", err)
	}
	return s.obtain(ctx, "source", k.text(), func(_ context.Context, dir string) error { return spec.CopyFiles(files, dir) })
}
