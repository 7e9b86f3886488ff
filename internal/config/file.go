// Files that an operation names: request data, and the types of a gRPC service.
// They stay where they are, so that what is kept of them is a digest.

package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// File is where a file that an operation names is: names of built-in workloads
// are relative to their folder, of which source is the copy that a run has.
func File(name, source string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(source, filepath.FromSlash(name))
}

// Digests are the SHA-256 of the files that the experiment's operations name, in
// hexadecimal, by their names. The error says which cannot be read.
func (e *Experiment) Digests() (map[string]string, error) {
	out := map[string]string{}
	var files fs.FS
	if e.Workload != nil {
		files = e.Workload.Files
	}
	for _, name := range namedFiles(e.Operations) {
		if _, done := out[name]; done {
			continue
		}
		digest, err := digestOf(files, name)
		if err != nil {
			return nil, fmt.Errorf("reading %s for its digest: %w", name, err)
		}
		out[name] = digest
	}
	return out, nil
}

func namedFiles(operations []Operation) []string {
	var out []string
	for _, o := range operations {
		for _, name := range []string{o.Data, o.Protoset} {
			if name != "" {
				out = append(out, name)
			}
		}
		for _, share := range o.Mix {
			out = append(out, namedFiles([]Operation{share.Operation})...)
		}
	}
	return out
}

func digestOf(files fs.FS, name string) (string, error) {
	f, err := openNamed(files, name)
	if err != nil {
		return "", err
	}
	defer f.Close() // nothing was written
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// openNamed opens a file of the machine, or one of the folder of a built-in
// workload.
func openNamed(files fs.FS, name string) (fs.File, error) {
	if filepath.IsAbs(name) {
		return openRegular(name)
	}
	if files == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	f, err := files.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return files.Open(name + embedSuffix) // the copy that a run has is without it
	}
	return f, err
}

// errNoFile is a folder, a named pipe or a device in the place of a file.
var errNoFile = errors.New("not a regular file")

// openRegular opens a file of the machine, nothing else: to open a named pipe
// waits until somebody writes.
func openRegular(name string) (fs.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("opening %s: %w", printable(name), errNoFile)
	}
	return os.Open(name)
}

// readNamed reads a file of the folder of a built-in workload: a body.
func readNamed(files fs.FS, name string) ([]byte, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fmt.Errorf("%q is not in the folder of this workload", printable(name))
	}
	return readLimited(files, path.Clean(name))
}

// readBeside reads a file of a folder of a tree: one that stands beside a built-in
// experiment.
func readBeside(tree fs.FS, folder, name string) ([]byte, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, fmt.Errorf("%q is not in the folder of this experiment", printable(name))
	}
	return readLimited(tree, path.Join(folder, name))
}

func readLimited(files fs.FS, name string) ([]byte, error) {
	f, err := openNamed(files, name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, maxBody+1))
	if err == nil && len(text) > maxBody {
		return nil, fmt.Errorf("%q is not a file of at most %d bytes", name, maxBody)
	}
	return text, err
}

// fileName reads the name of a file beside this one. It comes to be absolute, or, in
// a built-in workload, relative to its folder; "" where there is no such file.
func (s *source) fileName(n *node, key string) string {
	name := s.line(n)
	if s.folder == "" && s.files == nil {
		s.fail(n.at, "%s: there is no folder to read %q from; write the workload into the experiment", key, printable(name))
		return ""
	}
	whole, err := s.beside(name)
	if err != nil {
		s.fail(n.at, "%s: %v", key, err)
		return ""
	}
	f, err := openNamed(s.files, whole)
	if err != nil {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			s.fail(n.at, "%s: there is no file %q beside this one", key, printable(name))
		case errors.Is(err, errNoFile):
			s.fail(n.at, "%s: %q is not a file", key, printable(name))
		default:
			s.fail(n.at, "%s: %v", key, err)
		}
		return ""
	}
	defer f.Close() // nothing was written
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		s.fail(n.at, "%s: %q is not a file", key, printable(name))
		return ""
	}
	return whole
}

// beside is the whole name of a file beside this one.
func (s *source) beside(name string) (string, error) {
	native := filepath.FromSlash(name)
	switch {
	case s.files != nil && !filepath.IsLocal(native):
		return "", fmt.Errorf("%q is not in the folder of this workload", printable(name))
	case s.files != nil:
		return path.Clean(name), nil
	case !filepath.IsAbs(native):
		native = filepath.Join(s.folder, native)
	}
	return filepath.Abs(native)
}
