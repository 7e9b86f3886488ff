// Package build owns which build of tracetax this is: its version, and whether two binaries are of the same code. It must not know
// what rests on that.
package build

import (
	"crypto/sha256"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	"golang.org/x/mod/semver"
)

// source is the version that the sources lead to. A linker's -X replaces it where sources have no repository around them.
var source = "0.1.0-dev"

// short is how many digits of a revision or an identity a version has.
const short = 12

// Version is that of this build, such as 0.2.0. Builds of different code have different ones: one that is of no version and no clean
// commit has the identity of its binary behind it.
var Version = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	return of(source, info, identity)
})

// of is the version of a build: that of the module where 'go install …@version' made it, or of a tagged commit; else the one of the
// source, with the revision, and with the identity of the binary where files were changed or the revision is unknown.
func of(source string, info *debug.BuildInfo, identity func() string) string {
	revision, changed := commit(info)
	switch {
	case isVersion(info) && (revision == "" || semver.Prerelease(info.Main.Version) == ""):
		return strings.TrimPrefix(info.Main.Version, "v")
	case revision == "":
		return source + "+build." + identity()
	case changed:
		return source + "+" + revision[:short] + ".changed." + identity()
	}
	return source + "+" + revision[:short]
}

// isVersion reports whether a build is of a version of the module: v1.2.3, or of a commit without a tag v0.0.0-TIME-REVISION. Behind
// a + it has changed files.
func isVersion(info *debug.BuildInfo) bool {
	return info != nil && semver.IsValid(info.Main.Version) && semver.Build(info.Main.Version) == ""
}

// commit is the revision of a build, "" where it is unknown, and whether files were changed since.
func commit(info *debug.BuildInfo) (revision string, changed bool) {
	if info == nil {
		return "", false
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= short:
			revision = s.Value
		case s.Key == "vcs.modified":
			changed = s.Value == "true"
		}
	}
	return revision, changed
}

// Revision is the commit of a build, "" where it is unknown.
func Revision(info *debug.BuildInfo) string {
	revision, _ := commit(info)
	return revision
}

// Setting is a setting of a build, such as GOARCH; "" where it is unknown.
func Setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// Same returns nil if two builds are of the same code, for whatever machines, and else why they are not, or why nobody can know.
func Same(one, other *debug.BuildInfo) error {
	if one == nil || other == nil {
		return errors.New("one has no record of its build")
	}
	for _, info := range []*debug.BuildInfo{one, other} {
		revision, changed := commit(info)
		switch {
		case changed:
			return fmt.Errorf("one is of changed files on top of %s: commit them and build both again", revision)
		case revision == "" && !isVersion(info):
			return errors.New("one is of unknown sources: build both in a clone, or take both from a release")
		}
	}
	for _, pair := range [][3]string{
		{"program", one.Path, other.Path},
		{"version", one.Main.Version, other.Main.Version},
		{"commit", Revision(one), Revision(other)},
		{"Go", one.GoVersion, other.GoVersion},
	} {
		if pair[1] != pair[2] {
			return fmt.Errorf("%s %q and %q", pair[0], pair[1], pair[2])
		}
	}
	return nil
}

// identity tells the running binary from all others: 12 digits. Go's linker leaves a digest in binaries for Linux; elsewhere the
// whole file is read.
func identity() string {
	path, err := os.Executable()
	if err != nil {
		return "unknown"
	}
	file, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer file.Close()
	digest := sha256.New()
	if binary, err := elf.NewFile(file); err == nil {
		if note := binary.Section(".note.go.buildid"); note != nil {
			if text, err := note.Data(); err == nil && len(text) > short {
				digest.Write(text)
				return fmt.Sprintf("%x", digest.Sum(nil))[:short]
			}
		}
	}
	if _, err := io.Copy(digest, io.NewSectionReader(file, 0, 1<<40)); err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%x", digest.Sum(nil))[:short]
}
