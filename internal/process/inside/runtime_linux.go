package inside

import (
	"os"
	"path/filepath"
	"strconv"
)

// Runtime is the virtual machine that the first of the processes runs on that has one, such as
// "java 17.0.15+6 (Debian)"; "" where nobody can tell: it is told of Java alone.
func Runtime(pids []int) string {
	for _, pid := range pids {
		program, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
		if err != nil || filepath.Base(program) != "java" {
			continue
		}
		release, err := os.ReadFile(filepath.Join(filepath.Dir(program), "..", "release"))
		if err != nil {
			continue
		}
		if text := javaText(release); text != "" {
			return text
		}
	}
	return ""
}
