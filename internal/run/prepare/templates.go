// Files of a tracer that are filled in for this run alone.

package prepare

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/tracetax/tracetax/internal/config"
)

// Templates fills in the templates of a plan, by file name, and writes them to a folder.
func Templates(templates map[string]string, values map[string]string, folder string) error {
	for _, name := range slices.Sorted(maps.Keys(templates)) {
		text, err := config.Expand(templates[name], values)
		if err != nil {
			return fmt.Errorf("template %s: %w", name, err)
		}
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("making the folder for templates: %w", err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return fmt.Errorf("writing the template %s: %w", name, err)
		}
	}
	return nil
}
