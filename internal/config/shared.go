// Folders that several built-in workloads share, such as a Go module, or several tracers: each stands
// in the folder of everyone that names it.

package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// sharedFolders are the folders below workloads/shared or tracers/shared, by name. Where several
// trees have the same name, the last one wins.
func (c *Catalog) sharedFolders(of string) (map[string]fs.FS, error) {
	dir := path.Join(of, "shared")
	out := map[string]fs.FS{}
	for _, layer := range c.layers {
		entries, err := fs.ReadDir(layer, dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("listing the folders that %s share: %w", of, err)
		}
		for _, entry := range entries {
			if !entry.IsDir() {
				continue
			}
			if out[entry.Name()], err = fs.Sub(layer, path.Join(dir, entry.Name())); err != nil {
				return nil, fmt.Errorf("opening a folder that %s share: %w", of, err)
			}
		}
	}
	return out, nil
}

// share reads the names of shared folders, and puts them into the own one of a workload or a tracer.
func (s *source) share(n *node) {
	if s.shared == nil {
		s.fail(n.at, "shared is for workloads and tracers of a catalog, which have a folder shared beside them")
		return
	}
	folders, err := s.shared()
	if err != nil {
		s.fail(n.at, "%v", err)
		return
	}
	both := beside{s.files, map[string]fs.FS{}}
	for _, name := range s.texts(n) {
		if _, err := fs.Stat(both, name); err == nil {
			s.fail(n.at, "there is %q in this folder already", printable(name))
		} else if folders[name] == nil {
			s.fail(n.at, "%s", unknown("shared folder", printable(name), slices.Collect(maps.Keys(folders))))
		} else {
			both.shared[name] = folders[name]
		}
	}
	s.files = both
}

// beside is a folder with others in it, by name.
type beside struct {
	fs.FS
	shared map[string]fs.FS
}

func (b beside) Open(name string) (fs.File, error) {
	first, rest, deep := strings.Cut(name, "/")
	switch shared, ok := b.shared[first]; {
	case ok && deep:
		return shared.Open(rest)
	case ok:
		return shared.Open(".")
	}
	return b.FS.Open(name)
}

// ReadDir lists the shared folders among the folder's own files, for fs.WalkDir.
func (b beside) ReadDir(name string) ([]fs.DirEntry, error) {
	if name != "." {
		return fs.ReadDir(struct{ fs.FS }{b}, name) // by Open
	}
	out, err := fs.ReadDir(b.FS, name)
	if err != nil {
		return nil, err
	}
	for _, shared := range b.shared {
		info, err := fs.Stat(shared, ".")
		if err != nil {
			return nil, err
		}
		out = append(out, fs.FileInfoToDirEntry(info))
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}
