// Package artifact owns what has to be made before a program can run: pinned
// language packages from their registry, and builds of a program's sources. Both
// are kept in the user's cache, each in a folder that is named after everything
// it was made from, so it is made once and used offline from then on. The
// package does not know what the folders are for.
package artifact

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Variable names the environment variable that moves the cache.
const Variable = "TRACETAX_CACHE"

// Store is a cache of artefacts. Any number of processes may use one at once.
type Store struct {
	dir    string
	python *Interpreter // that Python packages have to fit; nil: this machine's python3
	looks  bool         // nothing is made
}

// ErrLacking says that the cache of Look lacks something.
var ErrLacking = errors.New("the cache lacks it")

// Look returns the store in dir, as of Open, which makes nothing: what it lacks is an ErrLacking.
func Look(dir string) (*Store, error) {
	dir, err := locate(dir)
	if err != nil {
		return nil, fmt.Errorf("finding the cache: %w (set %s to a folder)", err, Variable)
	}
	return &Store{dir: dir, looks: true}, nil
}

// For returns a view of the store whose Python packages fit an interpreter that is elsewhere, such as in an image.
func (s *Store) For(python Interpreter) *Store {
	return &Store{dir: s.dir, python: &python, looks: s.looks}
}

// Open returns the store in dir, which is made if it is not there. With dir ""
// that is $TRACETAX_CACHE or, without it, "tracetax" in the user's cache.
func Open(dir string) (*Store, error) {
	dir, err := locate(dir)
	if err != nil {
		return nil, fmt.Errorf("finding a place for the cache: %w (set %s to a folder)", err, Variable)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the cache: %w (set %s to another folder)", err, Variable)
	}
	return &Store{dir: dir}, nil
}

// DefaultDir is the folder that Open("") takes; "" where the system has no place
// for caches, which Open then says.
func DefaultDir() string {
	dir, err := locate("")
	if err != nil {
		return ""
	}
	return dir
}

// Dir is the store's folder, an absolute path.
func (s *Store) Dir() string { return s.dir }

func locate(dir string) (string, error) {
	if dir == "" {
		dir = os.Getenv(Variable)
	}
	if dir != "" {
		return filepath.Abs(dir)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "tracetax"), nil
}

// site is a folder that is being made.
type site struct {
	dir     string // what is made goes here
	scratch *scratch
	log     *commandLog // the output of commands
	held    []*os.File  // locks that last until every command has ended, even where tracetax has not lived to see it
}

// obtain returns the folder kind/key. If it is not there, make fills a new folder,
// which then takes that name in one step: a folder that bears it is complete.
// Of several processes that want the same folder, one makes it and the others wait.
func (s *Store) obtain(ctx context.Context, kind, key string, make func(ctx context.Context, at site) error) (_ string, err error) {
	shelf := filepath.Join(s.dir, kind)
	final := filepath.Join(shelf, key)
	if complete(final) {
		return final, nil
	}
	if s.looks {
		return "", ErrLacking
	}
	if err := os.MkdirAll(shelf, 0o755); err != nil {
		return "", err
	}
	held, err := lock(ctx, final+lockEnding)
	if err != nil {
		return "", fmt.Errorf("waiting for another tracetax that makes %s: %w", final, err)
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	if complete(final) {
		return final, nil
	}
	if err := sweepParts(final); err != nil {
		return "", err
	}
	return final, fill(ctx, final, held, s.newLog(kind, key), make)
}

// fill makes the folder final by way of one with a temporary name. held is the lock
// on it.
func fill(ctx context.Context, final string, held *os.File, log *commandLog, make func(ctx context.Context, at site) error) (err error) {
	w, err := newScratch()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.remove(), log.Close()) }()
	dir, err := os.MkdirTemp(filepath.Dir(final), filepath.Base(final)+partName)
	if err != nil {
		return err
	}
	err = make(ctx, site{dir: dir, scratch: w, log: log, held: []*os.File{held, w.lock}})
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err == nil {
		err = os.Rename(dir, final)
	}
	if err != nil {
		return errors.Join(err, removeAll(dir))
	}
	return nil
}

func complete(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// The names of folders: a digest of everything that a folder is made from.

// key is a digest of a list of parts, each set off from the next by its length.
type key struct{ hash hash.Hash }

func newKey(kind string) key {
	k := key{sha256.New()}
	k.add(kind)
	return k
}

func (k key) add(parts ...string) {
	for _, part := range parts {
		fmt.Fprintf(k.hash, "%d:%s", len(part), part)
	}
}

// addFiles adds the names and contents of all files, in the order of their names.
func (k key) addFiles(files fs.FS, skip func(name string) bool) error {
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || skip(name) {
			return err
		}
		file, err := files.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		content := sha256.New()
		if _, err := io.Copy(content, file); err != nil {
			return err
		}
		k.add(name, string(content.Sum(nil)))
		return nil
	})
}

// text is the digest, short enough for a path and long enough to be unique.
func (k key) text() string {
	const length = 24
	return hex.EncodeToString(k.hash.Sum(nil))[:length]
}

// What a tracetax that died left half made.

// partName stands between the name of a folder that is being made and a number.
const partName = ".part-"

// Sweep removes what those who died left half made: folders of the store, and those
// for temporary files. What a living tracetax is making stays. The error says what
// could not be removed; it is in nobody's way.
func (s *Store) Sweep() error {
	shelves, err := os.ReadDir(s.dir)
	errs := []error{err}
	for _, shelf := range shelves {
		if !shelf.IsDir() {
			continue
		}
		parts, err := partsIn(filepath.Join(s.dir, shelf.Name()), "")
		errs = append(errs, err)
		for _, part := range parts {
			final, _, _ := strings.Cut(filepath.Base(part), partName)
			errs = append(errs, sweepUnlessMade(filepath.Join(filepath.Dir(part), final)))
		}
	}
	if err := errors.Join(append(errs, sweepScratch())...); err != nil {
		return fmt.Errorf("removing what an earlier tracetax left half made: %w", err)
	}
	return nil
}

// partsIn lists the unfinished folders on a shelf: of that key, or of all with "".
func partsIn(shelf, key string) ([]string, error) {
	entries, err := os.ReadDir(shelf)
	var parts []string
	for _, entry := range entries {
		of, _, unfinished := strings.Cut(entry.Name(), partName)
		if unfinished && (key == "" || key == of) {
			parts = append(parts, filepath.Join(shelf, entry.Name()))
		}
	}
	return parts, err
}

// sweepUnlessMade removes the parts of final unless it is being made.
func sweepUnlessMade(final string) error {
	file, err := os.OpenFile(final+lockEnding, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	free, err := tryFlock(file)
	if err == nil && free {
		err = sweepParts(final)
	}
	return errors.Join(err, file.Close())
}

// sweepParts removes all parts of final. The caller holds the lock, so nobody is at
// work there.
func sweepParts(final string) error {
	left, err := partsIn(filepath.Dir(final), filepath.Base(final))
	if err != nil {
		return err
	}
	for _, dir := range left {
		if err := removeAll(dir); err != nil {
			return fmt.Errorf("removing an unfinished folder: %w", err)
		}
	}
	return nil
}

// Folders for work that is thrown away afterwards: sources to be compiled, lists for
// package managers, and what these put into their folder for temporary files.

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

// temporary is the folder for temporary files of commands.
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

// sweepScratch removes the scratch folders that are not in use.
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
			continue // another's, or gone
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		left := &scratch{dir: strings.TrimSuffix(name, lockEnding), lock: file}
		free, err := tryFlock(file)
		if err == nil && free {
			free, err = stands(file) // or another process has swept it
		}
		switch {
		case err != nil:
			errs = append(errs, err, file.Close())
		case !free:
			errs = append(errs, file.Close()) // it is in use
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
