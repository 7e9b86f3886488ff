// Node packages, pinned by a package-lock.json.

package artifact

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/quote"
)

// npmPackages are the packages of a package-lock.json, its package.json beside it.
func npmPackages(ctx context.Context, files fs.FS, lock string) (packages, error) {
	pins, err := readLock(files, lock)
	if err != nil {
		return packages{}, err
	}
	manifest := path.Join(path.Dir(lock), "package.json")
	wants, err := readLock(files, manifest)
	if err != nil {
		return packages{}, err
	}
	if err := checkNPMLock(pins); err != nil {
		return packages{}, fmt.Errorf("%s: %w", lock, err)
	}
	version, err := nodeVersion(ctx)
	if err != nil {
		return packages{}, err
	}
	return packages{
		kind: "npm", what: "the npm packages of " + lock, parts: []string{version, string(wants), string(pins)},
		about: []string{lock, manifest},
		install: func(ctx context.Context, at site) error {
			err := errors.Join(
				os.WriteFile(filepath.Join(at.dir, "package.json"), wants, 0o644),
				os.WriteFile(filepath.Join(at.dir, "package-lock.json"), pins, 0o644))
			if err != nil {
				return err
			}
			return explainNPM(npmInstall(ctx, at))
		},
	}, nil
}

// npmInstall fills the folder node_modules. Scripts of packages are not run: what they
// would fetch or compile is not pinned.
func npmInstall(ctx context.Context, at site) error {
	args := []string{"npm", "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"}
	return command{at: at, args: args, dir: at.dir}.run(ctx)
}

// nodeVersion says for which packages with parts for one platform are good.
func nodeVersion(ctx context.Context) (string, error) {
	const ask = "process.stdout.write([process.platform, process.arch, process.versions.modules].join(' '))"
	version, err := command{args: []string{"node", "-e", ask}}.output(ctx)
	if err != nil {
		return "", fmt.Errorf("asking node for its version: %w (install Node.js 18 or newer, with npm)", err)
	}
	return version, nil
}

// npmLock is as much of a package-lock.json as it takes to see that all is pinned.
type npmLock struct {
	Version  int `json:"lockfileVersion"`
	Packages map[string]struct {
		Resolved  string `json:"resolved"`
		Integrity string `json:"integrity"`
		Link      bool   `json:"link"`
		InBundle  bool   `json:"inBundle"`
	} `json:"packages"`
}

// checkNPMLock complains of a lock that leaves a package open: npm itself installs
// what has no checksum without a word.
func checkNPMLock(text []byte) error {
	var lock npmLock
	if err := json.Unmarshal(text, &lock); err != nil {
		return fmt.Errorf("this is not a package-lock.json: %w", err)
	}
	if lock.Version < 2 {
		return fmt.Errorf("lockfileVersion is %d; make it again with npm 7 or later ('make locks')", lock.Version)
	}
	for _, name := range slices.Sorted(maps.Keys(lock.Packages)) {
		switch p := lock.Packages[name]; {
		case name == "" || p.Link || p.InBundle: // the folder itself, or a part of a package that has a checksum
		case !strings.HasPrefix(name, "node_modules/"): // a folder beside it, to which a link points
			return fmt.Errorf("%s is a folder of its own; only packages of a registry are pinned", quote.Line(name))
		case !strings.HasPrefix(p.Integrity, "sha512-") && !strings.HasPrefix(p.Integrity, "sha256-") && !strings.HasPrefix(p.Integrity, "sha384-"):
			return fmt.Errorf("%s has no checksum (integrity: sha512-…); make the lock again ('make locks')", quote.Line(strings.TrimPrefix(name, "node_modules/")))
		}
	}
	return nil
}

var (
	npmNetwork   = regexp.MustCompile(`code (ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|E50[0-9]|UNABLE_TO_GET_ISSUER\w*|SELF_SIGNED\w*)`)
	npmIntegrity = regexp.MustCompile(`code EINTEGRITY`)
	npmRefused   = regexp.MustCompile(`code (E40[0-9]|E451|ETARGET)`)
	npmUnsound   = regexp.MustCompile(`code EUSAGE`)
	npmTarball   = regexp.MustCompile(`https?://\S*?/((?:@[^/\s]+(?:/|%2[fF]))?([^/\s@]+))/-/([^/\s'"]+)\.tgz`)
	npmWanted    = regexp.MustCompile(`No matching version found for (\S+?)\.?(\s|$)|'(\S+@\S+)' is not in this registry`)
)

// explainNPM puts in front of npm's words which package failed and what to do.
func explainNPM(err error) error {
	var failed *commandError
	if !errors.As(err, &failed) {
		return err
	}
	switch out := failed.output; {
	case npmIntegrity.MatchString(out):
		return fmt.Errorf("%s is not the file that was pinned: its checksum differs: %w", npmCulprit(out), err)
	case npmNetwork.MatchString(out):
		return fmt.Errorf("the npm registry cannot be reached (npm's own settings say which it is): %w", err)
	case npmRefused.MatchString(out):
		return fmt.Errorf("the registry does not have (or refuses) %s: %w", npmCulprit(out), err)
	case npmUnsound.MatchString(out):
		return fmt.Errorf("package.json and package-lock.json do not say the same (make the lock again: 'make locks'): %w", err)
	}
	return err
}

// npmCulprit is name@version of the package that npm complains of, if its
// words tell.
func npmCulprit(output string) string {
	if m := npmWanted.FindStringSubmatch(output); m != nil {
		return m[1] + m[3]
	}
	m := npmTarball.FindStringSubmatch(output)
	if m == nil {
		return "a package"
	}
	name := strings.NewReplacer("%2f", "/", "%2F", "/").Replace(m[1])
	return name + "@" + strings.TrimPrefix(m[3], path.Base(name)+"-")
}
