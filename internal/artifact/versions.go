// What the commands that programs need say of their own version.
package artifact

import (
	"context"
	"strings"

	"github.com/tracetax/tracetax/internal/spec"
)

// Versions returns the first line of what each needed command says of its
// version; for one that does not answer, that it is not known.
func Versions(ctx context.Context, needs []spec.Need) map[string]string {
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
		versions[need.Command], _, _ = strings.Cut(strings.TrimSpace(said), "\n")
	}
	return versions
}
