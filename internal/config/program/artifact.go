// What has to be made or fetched before a program runs.

package program

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Need is a program that has to be on the machine.
type Need struct {
	_       struct{} `called:"a need"`
	Command string   `yaml:"command"`           // looked up on the PATH
	Also    string   `yaml:"also" as:"pattern"` // a pattern of files that do as well, off the PATH: /usr/lib/postgresql/*/bin/postgres
	Instead string   `yaml:"instead"`           // of a service: a program of the PATH that does as well as what its build makes
	Install string   `yaml:"install"`           // how to get it
	Try     string   `yaml:"try"`               // arguments with which the command has to succeed here, to see whether it may do its work
	Else    string   `yaml:"otherwise"`         // what to do where it does not
	Reason  string   `yaml:"reason"`            // instead of a command: why it cannot be had
}

func (need *Need) Finish(s *Source, n *Node) {
	if need.Command == "" && need.Reason == "" {
		s.Fail(n.At, "a need names a command, or a reason why it cannot be had")
	}
	if need.Try != "" && (need.Command == "" || need.Else == "") {
		s.Fail(n.Get("try").At, "try is of a command, and needs otherwise: what to do where the command does not succeed")
	}
}

// Artifact names files that pin packages, relative to the folder. They are installed into a folder of their own.
type Artifact struct {
	_      struct{} `called:"artifact"`
	Python string   `yaml:"python" as:"lockfile" means:"a requirements file with hashes"`     // requirements with hashes
	Maven  string   `yaml:"maven" as:"lockfile" means:"a list of coordinates with checksums"` // lines group:artifact:version[:type[:classifier]] sha256:HEX [as FILENAME] [unpack]
	NPM    string   `yaml:"npm" as:"lockfile" means:"a package-lock.json"`                    // package-lock.json, beside package.json
	NuGet  string   `yaml:"nuget" as:"projects"`                                              // a folder of .NET projects, each with packages.lock.json in its own folder
}

func (a *Artifact) Finish(s *Source, n *Node) {
	if manifest := path.Join(path.Dir(a.NPM), "package.json"); a.NPM != "" && s.Files != nil && !isFile(s.Files, manifest) {
		s.Fail(n.Get("npm").At, "npm: there is no %s beside %s", path.Base(manifest), Printable(a.NPM))
	}
}

// Build is commands in a copy of the folder.
type Build struct {
	_   struct{}          `called:"a build"`
	Run [][]string        `yaml:"run" as:"commands" always:"true"` // the commands, one after the other; {build} is where the result goes
	Env map[string]string `yaml:"env"`                             // their environment variables
}

func (b *Build) Begin(s *Source, _ *Node) { s.Known = buildPlaceholders }

// lockFile reads the name of a file that pins packages, in the folder of a
// built-in workload or tracer.
func (s *Source) lockFile(n *Node, key, what string) string {
	before := len(s.Problems)
	name := s.Line(n)
	switch {
	case len(s.Problems) > before:
	case name == "" || !filepath.IsLocal(name):
		s.Fail(n.At, "%s must name %s in this folder, not %q", key, what, Printable(name))
	case s.Files != nil && !isFile(s.Files, name):
		s.Fail(n.At, "%s: there is no file %q in this folder", key, Printable(name))
	default:
		return path.Clean(filepath.ToSlash(name))
	}
	return ""
}

// Needs are the package managers that fetch these packages.
func (a Artifact) Needs() []Need { return a.needs(nil) }

// needs are the needs of who has these packages: what is there already, and the
// package managers that fetch them.
func (a Artifact) needs(there []Need) []Need {
	for _, one := range []struct {
		lock string
		need Need
	}{
		{a.Python, Need{Command: "python3", Install: "install Python 3.10 or newer with pip (Debian: python3 and python3-pip)"}},
		{a.Maven, Need{Command: "mvn", Install: "install Maven 3.8 or newer, which fetches the packages (Debian: maven)"}},
		{a.NPM, Need{Command: "npm", Install: "install Node.js 18 or newer with npm"}},
		{a.NuGet, Need{Command: "dotnet", Install: "install the .NET 10 SDK, from https://dotnet.microsoft.com/download"}},
	} {
		if one.lock != "" && !slices.ContainsFunc(there, func(n Need) bool { return n.Command == one.need.Command }) {
			there = append(there, one.need)
		}
	}
	return there
}

// pattern reads a pattern of whole paths.
func (s *Source) pattern(n *Node) string {
	text := s.Line(n)
	if _, err := filepath.Match(text, ""); err != nil || !filepath.IsAbs(text) {
		s.Fail(n.At, "%q is not a pattern of whole paths such as /usr/lib/postgresql/*/bin/postgres", Printable(text))
	}
	return text
}

func isFile(files fs.FS, name string) bool {
	info, err := fs.Stat(files, path.Clean(filepath.ToSlash(name)))
	return err == nil && info.Mode().IsRegular()
}

// What a workload, a tracer or a service needs of the machine.

// Distinct drops the needs that are in the list before.
func Distinct(needs []Need) []Need {
	var out []Need
	for _, n := range needs {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// The folder of .NET projects that a workload or tracer names.

// NuGetLock pins the packages of a .NET project, beside it.
const NuGetLock = "packages.lock.json"

// projects reads the name of a folder of .NET projects with pinned packages.
func (s *Source) projects(n *Node) string {
	before := len(s.Problems)
	name := s.Line(n)
	switch {
	case len(s.Problems) > before:
	case name == "" || name == "." || !filepath.IsLocal(name):
		s.Fail(n.At, "nuget must name a folder of projects in this folder, not %q", Printable(name))
	case s.Files != nil && len(pinnedProjects(s.Files, path.Clean(filepath.ToSlash(name)))) == 0:
		s.Fail(n.At, "nuget: no folder in %q has a %s", Printable(name), NuGetLock)
	default:
		return path.Clean(filepath.ToSlash(name))
	}
	return ""
}

func pinnedProjects(files fs.FS, folder string) []string {
	found, err := fs.Glob(files, folder+"/*/"+NuGetLock)
	if err != nil {
		return nil // a name that is a broken pattern is no folder's
	}
	return found
}

// Folders that several built-in workloads share, such as a Go module, or several tracers: each stands
// in the folder of everyone that names it.

// sharedFolders are the folders below workloads/shared or tracers/shared, by name. Where several
// trees have the same name, the last one wins.
func (c *Catalog) sharedFolders(of string) (map[string]fs.FS, error) {
	dir := path.Join(of, "shared")
	out := map[string]fs.FS{}
	for _, layer := range c.Layers {
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

// SharedPrograms are the folders that workloads share.
func (c *Catalog) SharedPrograms() (map[string]fs.FS, error) { return c.sharedFolders("workloads") }

// share reads the names of shared folders, and puts them into the own one of a workload or a tracer.
func (s *Source) share(n *Node) []string {
	if s.shared == nil {
		s.Fail(n.At, "shared is for workloads and tracers of a catalog, which have a folder shared beside them")
		return nil
	}
	folders, err := s.shared()
	if err != nil {
		s.Fail(n.At, "%v", err)
		return nil
	}
	names := s.Texts(n)
	both := beside{s.Files, map[string]fs.FS{}}
	for _, name := range names {
		if _, err := fs.Stat(both, name); err == nil {
			s.Fail(n.At, "there is %q in this folder already", Printable(name))
		} else if folders[name] == nil {
			s.Fail(n.At, "%s", Unknown("shared folder", Printable(name), slices.Collect(maps.Keys(folders))))
		} else {
			both.shared[name] = folders[name]
		}
	}
	s.Files = both
	return names
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

// Writing the files of a workload or tracer into a folder.

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
