// Files of a tracer that are filled in for this run alone.
package run

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/tracetax/tracetax/internal/spec"
)

// writeTemplates fills the plan's templates in and writes them to {templates}.
func (s *stage) writeTemplates() error {
	for _, name := range slices.Sorted(maps.Keys(s.request.Plan.Templates)) {
		text, err := spec.Expand(s.request.Plan.Templates[name], s.values)
		if err != nil {
			return fmt.Errorf("template %s: %w", name, err)
		}
		path := filepath.Join(s.values["templates"], filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("making the folder for templates: %w", err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return fmt.Errorf("writing the template %s: %w", name, err)
		}
	}
	return nil
}
