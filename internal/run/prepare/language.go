package prepare

// The language that a program is written in, by its command.

import (
	"cmp"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config/program"
)

// LanguageOf returns the language of what a command runs in the folder dir, by the name of the program, and of a shell script by
// the program that a line of it begins with; "" where that does not tell it, as of a program that is compiled.
func LanguageOf(command []string, dir string) string {
	found := ""
	started(command, dir, func(path string) bool {
		if found = languageNamed(filepath.Base(path)); found == "" {
			found = inScript(path)
		}
		return found != ""
	})
	return found
}

// languageNamed is the language of the programs of a name, as java or python3.12; "" of others.
func languageNamed(name string) string {
	for language, names := range program.Programs {
		if slices.ContainsFunc(names, func(one string) bool { return strings.HasPrefix(name, one) }) {
			return language
		}
	}
	if name == "dotnet" {
		return name
	}
	return ""
}

// longestScript is how much of a shell script is looked at, in bytes.
const longestScript = 64 << 10

// inScript is the language of the last program that a line of a shell script begins with, behind exec and variables; "" where none
// tells it, or the file is no shell script.
func inScript(path string) string {
	shell := func(word string) bool { return strings.HasSuffix(word, "sh") } // also behind env, and before -e
	if first := firstLine(path); !strings.HasPrefix(first, "#!") || !slices.ContainsFunc(strings.Fields(first), shell) {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, longestScript))
	if err != nil {
		return ""
	}
	found := ""
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		replaced := false
		for len(words) > 0 && (words[0] == "exec" || words[0] == "env" || strings.Contains(words[0], "=")) {
			replaced, words = replaced || words[0] == "exec", words[1:]
		}
		if len(words) == 0 {
			continue
		}
		word := strings.Trim(words[0], `"'`)
		name := strings.TrimRight(filepath.Base(word), "0123456789.") // python3.12; javac is another
		language := languageNamed(name)
		if name != "dotnet" && !slices.Contains(program.Programs[language], name) {
			language = ""
		}
		if at, err := exec.LookPath(word); language == "" && replaced && err == nil { // such as uvicorn, which is a script of Python
			if first := strings.Fields(strings.TrimPrefix(firstLine(at), "#!")); len(first) > 0 {
				language = languageNamed(filepath.Base(first[len(first)-1]))
			}
		}
		found = cmp.Or(language, found)
	}
	return found
}
