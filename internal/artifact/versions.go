// What the commands that programs need say of their own version.

package artifact

import (
	"context"
	"regexp"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
)

// colours are what some programs write around their version even where nobody looks.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Versions returns the first line of what each needed command says of its
// version; for one that does not answer, that it is not known.
func Versions(ctx context.Context, needs []config.Need) map[string]string {
	versions := map[string]string{}
	for _, need := range needs {
		if need.Command == "" {
			continue
		}
		args := []string{need.Command, "--version"}
		if file := executable(need); file != "" {
			args[0] = file
		}
		if need.Command == "go" {
			args[1] = "version"
		}
		said, err := command{args: args}.output(ctx)
		if err != nil {
			said = "not known"
		}
		first, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
		versions[need.Command] = strings.TrimSpace(colours.ReplaceAllString(first, ""))
	}
	return versions
}
