package artifact

// Reading lists of pinned packages.

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// readLock reads a lock file of a folder.
func readLock(files fs.FS, name string) ([]byte, error) {
	text, err := fs.ReadFile(files, path.Clean(strings.ReplaceAll(name, "\\", "/")))
	if err != nil {
		return nil, fmt.Errorf("reading the list of pinned packages: %w", err)
	}
	return text, nil
}
