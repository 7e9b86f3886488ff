// What must be on the machine already.

package artifact

import (
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/tracetax/tracetax/internal/config"
)

// Missing returns a sentence for each need that this machine does not meet:
// what is missing, and how to get it.
func Missing(needs []config.Need) []string {
	var missing []string
	for _, need := range needs {
		switch {
		case need.Reason != "":
			missing = append(missing, need.Reason)
		case need.Command == "":
		case executable(need) == "":
			missing = append(missing, sentence(need))
		}
	}
	return missing
}

// executable is the file that meets a need for a command: that of the PATH, or the last
// of those off it; "" where there is none.
func executable(need config.Need) string {
	if path, err := exec.LookPath(need.Command); err == nil {
		return path
	}
	if path := Instead([]config.Need{need}); path != "" {
		return path
	}
	if need.Also == "" {
		return ""
	}
	found, err := filepath.Glob(need.Also)
	if err != nil || len(found) == 0 { // an error is that of a pattern, which was checked when it was read
		return ""
	}
	return found[len(found)-1]
}

// Instead is the program that stands in for what a build makes, where a command that the build needs is not there; "" where
// all are, or there is none.
func Instead(needs []config.Need) string {
	for _, need := range needs {
		if need.Instead == "" {
			continue
		}
		if _, err := exec.LookPath(need.Command); err == nil {
			continue
		}
		if path, err := exec.LookPath(need.Instead); err == nil {
			return path
		}
	}
	return ""
}

func sentence(need config.Need) string {
	text := fmt.Sprintf("%s is not installed, or not on the PATH", need.Command)
	if need.Install != "" {
		text += ": " + need.Install
	}
	return text
}
