// Folders for work that is thrown away afterwards: sources to be compiled, lists for
// package managers, and what these put into their folder for temporary files.

package artifact

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

const (
	scratchName = "tracetax-make-" // begins the names of scratch folders and their locks
	lockEnding  = ".lock"          // the lock of the folder X is X.lock
)

// scratch is a folder among the machine's temporary files. The lock beside it lasts as
// long as anybody works there; what has no such lock any more is swept by whoever
// comes next.
type scratch struct {
	dir  string
	lock *os.File
}

// newScratch makes a folder. Its lock is taken before there is a folder, so that
// none is ever taken for a leftover.
func newScratch() (*scratch, error) {
	for {
		file, err := os.CreateTemp("", scratchName+"*"+lockEnding)
		if err != nil {
			return nil, fmt.Errorf("making a folder for temporary files: %w", err)
		}
		held, err := tryFlock(file)
		if err == nil && held {
			held, err = stands(file)
		}
		if err == nil && !held { // swept between the two steps
			err = file.Close()
			if err == nil {
				continue
			}
		}
		w := &scratch{dir: strings.TrimSuffix(file.Name(), lockEnding), lock: file}
		if err == nil {
			err = errors.Join(os.Mkdir(w.dir, 0o700), os.Mkdir(w.temporary(), 0o700))
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("making a folder for temporary files: %w", err), w.remove())
		}
		return w, nil
	}
}

// temporary is where commands put their temporary files.
func (w *scratch) temporary() string { return filepath.Join(w.dir, "tmp") }

// env tells commands of it. Go has a variable of its own, which would go before.
func (w *scratch) env() []string {
	return []string{"TMPDIR=" + w.temporary(), "GOTMPDIR=" + w.temporary()}
}

// path is a name in the folder.
func (w *scratch) path(name string) string { return filepath.Join(w.dir, name) }

func (w *scratch) remove() error {
	return errors.Join(removeAll(w.dir), os.Remove(w.lock.Name()), w.lock.Close())
}

// sweepScratch removes the scratch folders that nobody works in any more.
func sweepScratch() error {
	entries, err := os.ReadDir(os.TempDir())
	errs := []error{err}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), scratchName) || !strings.HasSuffix(entry.Name(), lockEnding) {
			continue
		}
		name := filepath.Join(os.TempDir(), entry.Name())
		file, err := os.OpenFile(name, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
			continue // somebody else's, or gone
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		left := &scratch{dir: strings.TrimSuffix(name, lockEnding), lock: file}
		free, err := tryFlock(file)
		if err == nil && free {
			free, err = stands(file) // or somebody else has swept it
		}
		switch {
		case err != nil:
			errs = append(errs, err, file.Close())
		case !free:
			errs = append(errs, file.Close()) // somebody is at work there
		default:
			errs = append(errs, left.remove())
		}
	}
	return errors.Join(errs...)
}

// stands reports whether the file still bears its name.
func stands(file *os.File) (bool, error) {
	mine, err := file.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Lstat(file.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(mine, named), err
}

// removeAll removes a folder with all that is in it, folders that nobody may write to
// included: the Go command makes such.
func removeAll(dir string) error {
	err := os.RemoveAll(dir)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	walkErr := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = os.Chmod(path, 0o700)
		}
		return err
	})
	return errors.Join(walkErr, os.RemoveAll(dir))
}
