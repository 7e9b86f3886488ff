// Package artifact owns what has to be made before a program can run: pinned
// language packages from their registry, and builds of a program's sources. Both
// are kept in the user's cache, each in a folder that is named after everything
// it was made from, so that it is made once and used offline from then on. The
// package does not know what the folders are for.
package artifact

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Variable names the environment variable that moves the cache.
const Variable = "TRACETAX_CACHE"

// Store is a cache of artefacts. Any number of processes may use one at once.
type Store struct{ dir string }

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

// site is where a folder is being made.
type site struct {
	dir     string // what is made goes here
	scratch *scratch
	log     *commandLog // of what commands say
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
