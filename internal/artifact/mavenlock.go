// Lists of pinned Maven artefacts.

package artifact

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tracetax/tracetax/internal/excerpt"
)

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
			return nil, fmt.Errorf("%s:%d: %s is taken by what else may stand in the folder; give it another name: as FILENAME", name, i+1, excerpt.Quoted(top))
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
		return coordinate{}, fmt.Errorf("%s is not group:artifact:version, perhaps with :type and :classifier (a line is %s)", excerpt.Quoted(words[0]), lockForm)
	}
	for _, p := range parts {
		if !coordinateWord.MatchString(p) {
			return coordinate{}, fmt.Errorf("%s: the parts of a coordinate have letters, digits, dots, - and _", excerpt.Quoted(words[0]))
		}
	}
	c := coordinate{group: parts[0], artifact: parts[1], version: parts[2], kind: "jar"}
	if strings.HasSuffix(c.version, "-SNAPSHOT") || c.version == "LATEST" || c.version == "RELEASE" {
		return c, fmt.Errorf("%s: a version that may become another one cannot be pinned", excerpt.Quoted(words[0]))
	}
	if len(parts) > 3 {
		c.kind = parts[3]
	}
	if len(parts) > 4 {
		c.classifier = parts[4]
	}
	if len(words) < 2 || !digestWord.MatchString(words[1]) {
		return c, fmt.Errorf("%s: its checksum is missing, sha256: and 64 hexadecimal digits ('make locks' prints it)", excerpt.Line(c.String()))
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
				return c, fmt.Errorf("%s: %s is not the name of a file in the folder", excerpt.Line(c.String()), excerpt.Quoted(c.as))
			}
		default:
			return c, fmt.Errorf("%s: unexpected %s (a line is %s)", excerpt.Line(c.String()), excerpt.Quoted(words[0]), lockForm)
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
