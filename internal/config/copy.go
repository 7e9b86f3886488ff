// Writing the files of a workload or tracer into a folder.

package config

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// embedSuffix ends the name of a file that cannot be embedded under its own.
const embedSuffix = ".embed"

// CopyFiles writes the tree into dir, which is made if need be. X.embed becomes
// X; programs and scripts (*.sh, or with a first line #!) become executable.
func CopyFiles(tree fs.FS, dir string) error {
	return fs.WalkDir(tree, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("copying files to %s: %w", dir, err)
		}
		to := filepath.Join(dir, filepath.FromSlash(strings.TrimSuffix(p, embedSuffix)))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		text, err := fs.ReadFile(tree, p)
		if err != nil {
			return fmt.Errorf("copying %s: %w", p, err)
		}
		info, err := d.Info()
		if err != nil {
			return fmt.Errorf("copying %s: %w", p, err)
		}
		mode := fs.FileMode(0o644)
		if info.Mode()&0o111 != 0 || strings.HasSuffix(p, ".sh") || bytes.HasPrefix(text, []byte("#!")) {
			mode = 0o755
		}
		return os.WriteFile(to, text, mode)
	})
}
