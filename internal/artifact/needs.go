// What must be on the machine already.
package artifact

import (
	"fmt"
	"os/exec"

	"github.com/tracetax/tracetax/internal/spec"
)

// Missing returns a sentence for each need that this machine does not meet:
// what is missing, and how to get it.
func Missing(needs []spec.Need) []string {
	var missing []string
	for _, need := range needs {
		switch {
		case need.Reason != "":
			missing = append(missing, need.Reason)
		case need.Command == "":
		case !onPath(need.Command):
			missing = append(missing, sentence(need))
		}
	}
	return missing
}

func onPath(command string) bool {
	_, err := exec.LookPath(command)
	return err == nil
}

func sentence(need spec.Need) string {
	text := fmt.Sprintf("%s is not installed, or not on the PATH", need.Command)
	if need.Install != "" {
		text += ": " + need.Install
	}
	return text
}
