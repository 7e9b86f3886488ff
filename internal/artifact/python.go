// Python packages, pinned by a requirements file with hashes.

package artifact

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// pythonPackages are the packages of a requirements file with hashes.
func (s *Store) pythonPackages(ctx context.Context, files fs.FS, requirements string) (packages, error) {
	pins, err := readLock(files, requirements)
	if err != nil {
		return packages{}, err
	}
	version, err := pythonVersion(ctx)
	if err != nil {
		return packages{}, err
	}
	var fitting []string
	if s.python != nil {
		version, fitting, pins = s.python.String()+" in an image", s.python.flags(), s.python.applying(pins)
	}
	return packages{
		kind: "python", what: "the Python packages of " + requirements, parts: []string{version, string(pins)},
		about: []string{"requirements.in", requirements},
		install: func(ctx context.Context, at site) error {
			if err := pipInstall(ctx, pins, at, fitting); err != nil {
				return explainPip(err, version)
			}
			return nil
		},
	}, nil
}

// pythonVersion says for which Python packages are good: implementation,
// version, ABI and platform. Where it is installed does not matter.
func pythonVersion(ctx context.Context) (string, error) {
	const ask = "import sys, sysconfig; print(sys.implementation.cache_tag, sysconfig.get_config_var('SOABI'), sysconfig.get_platform())"
	version, err := command{args: []string{"python3", "-c", ask}}.output(ctx)
	if err != nil {
		return "", fmt.Errorf("asking python3 for its version: %w (install Python 3.10 or newer as python3)", err)
	}
	return version, nil
}

func pipInstall(ctx context.Context, pins []byte, at site, fitting []string) error {
	lock := at.scratch.path("requirements.txt")
	if err := os.WriteFile(lock, pins, 0o644); err != nil {
		return err
	}
	// Only wheels: what a source distribution would compile is not pinned.
	args := []string{"python3", "-m", "pip", "install", "--require-hashes", "--no-deps", "--only-binary=:all:",
		"--no-input", "--no-warn-script-location", "--disable-pip-version-check", "--target", at.dir, "-r", lock}
	args = append(args, fitting...)
	env := []string{"PIP_USER=0", "PIP_ROOT_USER_ACTION=ignore", "PYTHONPATH="}
	return command{at: at, args: args, env: env}.run(ctx)
}

var (
	pipMissing   = regexp.MustCompile(`No module named pip`)
	pipNoVersion = regexp.MustCompile(`No matching distribution found for ([^\s(]+)`)
	pipRefused   = regexp.MustCompile(`(?m)(\d{3} (?:Client|Server) Error:.*?for url:? *\S*/([^/\s#]+))`)
	pipNetwork   = regexp.MustCompile(`(?i)NewConnectionError|NameResolutionError|ConnectTimeout|Max retries exceeded`)
	pipHash      = regexp.MustCompile(`(?s)DO NOT MATCH THE HASHES.*?\n\s+(\S+==\S+|\S+) from`)
)

// explainPip puts in front of pip's words which package failed and what to do.
func explainPip(err error, version string) error {
	var failed *commandError
	if !errors.As(err, &failed) {
		return err
	}
	if pipMissing.MatchString(failed.output) {
		return fmt.Errorf("python3 has no pip (install your system's python3-pip, or run python3 -m ensurepip): %w", err)
	}
	if m := pipHash.FindStringSubmatch(failed.output); m != nil {
		return fmt.Errorf("%s is not the file that was pinned: its checksum differs: %w", m[1], err)
	}
	if m := pipRefused.FindStringSubmatch(failed.output); m != nil {
		return fmt.Errorf("the package index refuses %s: %w", m[2], err)
	}
	if pipNetwork.MatchString(failed.output) {
		return fmt.Errorf("the package index cannot be reached (pip's own settings say which it is): %w", err)
	}
	if m := pipNoVersion.FindStringSubmatch(failed.output); m != nil {
		return fmt.Errorf("the package index has no %s for %s (another version of Python may do): %w",
			m[1], strings.Join(strings.Fields(version), " "), err)
	}
	return err
}

// Which packages of a Python program its tracer replaces by versions of its own, as its folder goes in front of the
// program's.

// Shadow is a package that a program has in one version, and gets in another with its tracer.
type Shadow struct{ Package, Own, Tracer string }

// Distributions is a program of Python that lists the distributions that it finds, the first of each name, as a program of the
// user does.
const Distributions = `
import importlib.metadata as m
for d in m.distributions():
    name = d.metadata["Name"]
    if name: print("package", name, d.version)
`

// Shadowed compares the packages that a program's interpreter finds, in its environment and folder, with those in the
// folder of its tracer.
func Shadowed(ctx context.Context, python string, env []string, dir, folder string) ([]Shadow, error) {
	said, err := command{args: []string{python, "-c", Distributions}, env: env, dir: dir}.output(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking %s for the packages that it finds: %w", python, err)
	}
	return ShadowedOf(said, folder)
}

// ShadowedOf is Shadowed of an interpreter elsewhere, by what Distributions printed there.
func ShadowedOf(said, folder string) ([]Shadow, error) {
	own := map[string]string{}
	for line := range strings.Lines(said) {
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[0] != "package" {
			continue
		}
		if name := pythonName([]byte(fields[1])); own[name] == "" {
			own[name] = fields[2]
		}
	}
	infos, err := filepath.Glob(filepath.Join(folder, "*.dist-info"))
	if err != nil {
		return nil, fmt.Errorf("listing the packages in %s: %w", folder, err)
	}
	var out []Shadow
	for _, info := range infos {
		name, version, _ := strings.Cut(strings.TrimSuffix(filepath.Base(info), ".dist-info"), "-")
		if before := own[pythonName([]byte(name))]; before != "" && before != version {
			out = append(out, Shadow{pythonName([]byte(name)), before, version})
		}
	}
	slices.SortFunc(out, func(a, b Shadow) int { return strings.Compare(a.Package, b.Package) })
	return out, nil
}
