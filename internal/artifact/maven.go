// Files of Maven repositories, fetched by the machine's own mvn, so its
// mirrors, proxies and credentials are used.

package artifact

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tracetax/tracetax/internal/quote"
)

// mavenPlugin copies files out of repositories.
const mavenPlugin = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1"

// mavenPackages are the files of a list of coordinates.
func mavenPackages(_ context.Context, files fs.FS, lock string) (packages, error) {
	text, err := readLock(files, lock)
	if err != nil {
		return packages{}, err
	}
	all, err := readMavenLock(lock, string(text))
	if err != nil {
		return packages{}, err
	}
	var parts []string
	for _, c := range all {
		parts = append(parts, c.String(), c.digest, c.as, fmt.Sprint(c.unpack))
	}
	return packages{
		kind: "maven", what: "the Maven artefacts of " + lock, parts: parts, about: []string{lock},
		install: func(ctx context.Context, at site) error { return mavenInstall(ctx, all, at) },
	}, nil
}

// mavenInstall puts all files into place, those to be unpacked in folders.
func mavenInstall(ctx context.Context, all []coordinate, at site) error {
	if err := mavenFetch(ctx, all, at); err != nil {
		return err
	}
	fetched := mavenFetched(at)
	for i, c := range all {
		if err := c.place(filepath.Join(fetched, c.fetchedAs(i)), at.dir); err != nil {
			return err
		}
	}
	return nil
}

// fetchedAs is a file name that no other coordinate of the list has.
func (c coordinate) fetchedAs(i int) string { return fmt.Sprintf("%d-%s", i, c.file()) }

// mavenFetched is the folder into which mvn copies.
func mavenFetched(at site) string { return at.scratch.path("fetched") }

// mavenFetch fetches all at once; if that fails, it fetches one after the other, and
// those at fault are named.
func mavenFetch(ctx context.Context, all []coordinate, at site) error {
	some := map[int]coordinate{}
	for i, c := range all {
		some[i] = c
	}
	err := mavenCopy(ctx, some, at)
	if err == nil || ctx.Err() != nil {
		return err
	}
	var failed *commandError
	if !errors.As(err, &failed) || mavenBroken(failed.output) != "" || len(all) == 1 {
		return explainMaven(err, all[0])
	}
	var each []error
	for i, c := range all {
		if err := mavenCopy(ctx, map[int]coordinate{i: c}, at); err != nil {
			if ctx.Err() != nil {
				return err
			}
			each = append(each, explainMaven(err, c))
		}
	}
	return errors.Join(each...) // nil where a second try went well
}

// mavenCopy has mvn copy files.
func mavenCopy(ctx context.Context, some map[int]coordinate, at site) error {
	pom := at.scratch.path("pom.xml")
	text, err := xml.MarshalIndent(stubPom(some, mavenFetched(at)), "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(pom, text, 0o644); err != nil {
		return err
	}
	// -U: that a file was not there at an earlier time is not believed.
	args := []string{"mvn", "--batch-mode", "--no-transfer-progress", "--quiet", "-U", "--file", pom, mavenPlugin + ":copy"}
	return command{at: at, args: args, dir: at.scratch.dir}.run(ctx)
}

// project is as much of a pom.xml as it takes to copy files.
type project struct {
	XMLName    xml.Name  `xml:"http://maven.apache.org/POM/4.0.0 project"`
	Model      string    `xml:"modelVersion"`
	GroupID    string    `xml:"groupId"`
	ArtifactID string    `xml:"artifactId"`
	Version    string    `xml:"version"`
	Packaging  string    `xml:"packaging"`
	Plugin     pomPlugin `xml:"build>plugins>plugin"`
}

type pomPlugin struct {
	GroupID    string    `xml:"groupId"`
	ArtifactID string    `xml:"artifactId"`
	Version    string    `xml:"version"`
	To         string    `xml:"configuration>outputDirectory"`
	Items      []pomItem `xml:"configuration>artifactItems>artifactItem"`
}

type pomItem struct {
	GroupID    string `xml:"groupId"`
	ArtifactID string `xml:"artifactId"`
	Version    string `xml:"version"`
	Type       string `xml:"type"`
	Classifier string `xml:"classifier,omitempty"`
	As         string `xml:"destFileName"`
}

func stubPom(some map[int]coordinate, to string) project {
	plugin := strings.Split(mavenPlugin, ":")
	p := project{
		Model: "4.0.0", GroupID: "tracetax", ArtifactID: "fetch", Version: "1", Packaging: "pom",
		Plugin: pomPlugin{GroupID: plugin[0], ArtifactID: plugin[1], Version: plugin[2], To: to},
	}
	for i, c := range some {
		p.Plugin.Items = append(p.Plugin.Items, pomItem{c.group, c.artifact, c.version, c.kind, c.classifier, c.fetchedAs(i)})
	}
	return p
}

// place checks a fetched file and puts it, or what it holds, into dir.
func (c coordinate) place(file, dir string) error {
	in, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("mvn said that it copied %s, but: %w", c, err)
	}
	defer in.Close() // nothing was written
	sum := sha256.New()
	if _, err := io.Copy(sum, in); err != nil {
		return fmt.Errorf("reading %s: %w", c, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != c.digest {
		return fmt.Errorf("%s is not the file that was pinned: its SHA-256 is %s, not %s", c, got, c.digest)
	}
	to := filepath.Join(dir, filepath.FromSlash(c.as))
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if c.unpack {
		if err := unpack(file, to); err != nil {
			return fmt.Errorf("unpacking %s: %w", c, err)
		}
		return nil
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return writeFile(to, 0o644, in)
}

func writeFile(name string, mode fs.FileMode, from io.Reader) error {
	out, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, from)
	return errors.Join(err, out.Close())
}

var (
	mavenNetwork = regexp.MustCompile(`(?i)unknown host|unknownhostexception|name or service not known|temporary failure in name resolution|connection refused|connect(ion)? timed out|read timed out|no route to host|network is unreachable|connection reset|PKIX path building|status: 5\d\d|status code: 5\d\d`)
	mavenAbsent  = regexp.MustCompile(`(?i)could not find artifact|was not found in|not authorized|forbidden|unauthorized|status(?: code)?:? 40[0-9]|could not resolve|failure to (?:find|transfer)|could not transfer`)
	mavenOffline = regexp.MustCompile(`(?i)in offline mode`)
	mavenNoJava  = regexp.MustCompile(`(?i)JAVA_HOME.*not.*(?:defined|set)|java: (?:command )?not found`)
	mavenPlugins = regexp.MustCompile(`(?i)plugin (\S+) or one of its dependencies could not be resolved|PluginResolutionException`)
)

// mavenBroken returns the reason why mvn does not work at all; "" if it does.
func mavenBroken(output string) string {
	switch {
	case mavenNoJava.MatchString(output):
		return "mvn finds no Java (install a JDK, or set JAVA_HOME)"
	case mavenOffline.MatchString(output):
		return "mvn is in offline mode by its own settings"
	case mavenNetwork.MatchString(output):
		return "the Maven registry cannot be reached (mvn's own settings say which it is)"
	case mavenPlugins.MatchString(output):
		return "the registry does not have (or refuses) " + mavenPlugin + ", with which tracetax has mvn fetch"
	}
	return ""
}

// explainMaven puts in front of mvn's words what failed and what to do.
func explainMaven(err error, c coordinate) error {
	var failed *commandError
	if !errors.As(err, &failed) {
		return fmt.Errorf("fetching %s: %w", c, err)
	}
	if broken := mavenBroken(failed.output); broken != "" {
		return fmt.Errorf("%s: %w", broken, err)
	}
	if mavenAbsent.MatchString(failed.output) {
		return fmt.Errorf("the registry does not have (or refuses) %s: %w", c, err)
	}
	return fmt.Errorf("fetching %s: %w", c, err)
}

// Lists of pinned Maven artefacts.

// coordinate is one pinned file of a Maven repository.
type coordinate struct {
	group, artifact, version string
	kind                     string // Maven's type: "jar" where none is given
	classifier               string
	digest                   string // SHA-256 in hexadecimal
	as                       string // name of the file, or of the folder it is unpacked into
	unpack                   bool
}

// String is the coordinate as one writes it: group:artifact:version[:type[:classifier]].
func (c coordinate) String() string {
	text := c.group + ":" + c.artifact + ":" + c.version
	if c.kind != "jar" || c.classifier != "" {
		text += ":" + c.kind
	}
	if c.classifier != "" {
		text += ":" + c.classifier
	}
	return text
}

// file is the name that Maven gives the file.
func (c coordinate) file() string {
	return c.stem() + "." + c.kind
}

func (c coordinate) stem() string {
	if c.classifier != "" {
		return c.artifact + "-" + c.version + "-" + c.classifier
	}
	return c.artifact + "-" + c.version
}

const lockForm = "group:artifact:version[:type[:classifier]] sha256:HEX [as FILENAME] [unpack]"

// readMavenLock reads a list of coordinates, one a line:
//
//	group:artifact:version[:type[:classifier]] sha256:HEX [as FILENAME] [unpack]
//
// What follows # is a comment. Without "as" a file is called as Maven calls it,
// and what is unpacked stands in a folder of that name without its type. Name is
// the list's, for errors, which give the line.
func readMavenLock(name, text string) ([]coordinate, error) {
	var out []coordinate
	taken := map[string]int{}
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		c, err := readCoordinate(words)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
		top, _, _ := strings.Cut(c.as, "/")
		if at, ok := taken[c.as]; ok {
			return nil, fmt.Errorf("%s:%d: %s would stand where that of line %d stands; give one of them another name: as FILENAME", name, i+1, c.as, at)
		}
		if top == filesFolder || top == "node_modules" {
			return nil, fmt.Errorf("%s:%d: %s is taken by what else may stand in the folder; give it another name: as FILENAME", name, i+1, quote.Quoted(top))
		}
		taken[c.as] = i + 1
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: there is no line such as %s", name, lockForm)
	}
	return out, nil
}

var (
	coordinateWord = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
	digestWord     = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	fileWord       = regexp.MustCompile(`^[A-Za-z0-9_.+@/-]+$`)
)

func readCoordinate(words []string) (coordinate, error) {
	parts := strings.Split(words[0], ":")
	if len(parts) < 3 || len(parts) > 5 {
		return coordinate{}, fmt.Errorf("%s is not group:artifact:version, perhaps with :type and :classifier (a line is %s)", quote.Quoted(words[0]), lockForm)
	}
	for _, p := range parts {
		if !coordinateWord.MatchString(p) {
			return coordinate{}, fmt.Errorf("%s: the parts of a coordinate have letters, digits, dots, - and _", quote.Quoted(words[0]))
		}
	}
	c := coordinate{group: parts[0], artifact: parts[1], version: parts[2], kind: "jar"}
	if strings.HasSuffix(c.version, "-SNAPSHOT") || c.version == "LATEST" || c.version == "RELEASE" {
		return c, fmt.Errorf("%s: a version that may become another one cannot be pinned", quote.Quoted(words[0]))
	}
	if len(parts) > 3 {
		c.kind = parts[3]
	}
	if len(parts) > 4 {
		c.classifier = parts[4]
	}
	if len(words) < 2 || !digestWord.MatchString(words[1]) {
		return c, fmt.Errorf("%s: its checksum is missing, sha256: and 64 hexadecimal digits ('make locks' prints it)", quote.Line(c.String()))
	}
	c.digest = strings.TrimPrefix(words[1], "sha256:")
	return c.options(words[2:])
}

// options reads what follows the checksum.
func (c coordinate) options(words []string) (coordinate, error) {
	for len(words) > 0 {
		switch {
		case words[0] == "unpack" && !c.unpack:
			c.unpack, words = true, words[1:]
		case words[0] == "as" && c.as == "" && len(words) > 1:
			c.as, words = words[1], words[2:]
			if !fileWord.MatchString(c.as) || !filepath.IsLocal(c.as) || path.Clean(c.as) != c.as || c.as == "." {
				return c, fmt.Errorf("%s: %s is not the name of a file in the folder", quote.Line(c.String()), quote.Quoted(c.as))
			}
		default:
			return c, fmt.Errorf("%s: unexpected %s (a line is %s)", quote.Line(c.String()), quote.Quoted(words[0]), lockForm)
		}
	}
	if c.as == "" {
		c.as = c.file()
		if c.unpack {
			c.as = c.stem()
		}
	}
	return c, nil
}
