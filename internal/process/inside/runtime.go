package inside

// Which virtual machine a program runs on, as far as its files tell: of several that are
// installed, the one that the program was really started with.

import (
	"bufio"
	"bytes"
	"strconv"
	"strings"
)

// javaText reads the release file that lies in every JDK since 8: the version of the run
// time, and who made it. "" where it says no version.
func javaText(release []byte) string {
	values := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(release)); lines.Scan(); {
		name, text, _ := strings.Cut(lines.Text(), "=")
		if value, err := strconv.Unquote(strings.TrimSpace(text)); err == nil {
			values[name] = value
		}
	}
	version := values["JAVA_RUNTIME_VERSION"]
	if version == "" {
		version = values["JAVA_VERSION"]
	}
	switch {
	case version == "":
		return ""
	case values["IMPLEMENTOR"] == "":
		return "java " + version
	}
	return "java " + version + " (" + values["IMPLEMENTOR"] + ")"
}
