// The name of a program, from the command that starts it.

package config

import (
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Programs are what the executables of a language's programs begin with; of a language that
// compiles to programs of their own there are none.
var Programs = map[string][]string{
	"java": {"java"}, "python": {"python", "pypy", "gunicorn", "uwsgi"}, "node": {"node", "nodejs", "bun", "deno"},
}

var notName = regexp.MustCompile(`[^a-z0-9_-]+`)

// programName is a name for a process, from its command.
func programName(command []string) string {
	if len(command) == 0 {
		return "own"
	}
	command = behindEnv(command)
	program := command[0]
	if replaced := execed(command); replaced != "" {
		program = replaced
	}
	base := strings.ToLower(filepath.Base(program))
	name := strings.TrimLeft(notName.ReplaceAllString(strings.TrimSuffix(base, filepath.Ext(base)), "-"), "0123456789-_")
	if len(name) > 40 {
		name = name[:40]
	}
	if name == "" {
		return "own"
	}
	return name
}

var (
	shell      = regexp.MustCompile(`^(sh|bash|dash|ash|ksh|zsh)$`)
	shellFlags = regexp.MustCompile(`^-[a-z]*c[a-z]*$`)
	execWords  = regexp.MustCompile(`(?:^|[\s;&|({])exec((?:[ \t]+[^\s;&|<>]+)+)`)
	assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)
	plainWord  = regexp.MustCompile(`^[A-Za-z_./{][A-Za-z0-9_./{}+-]*$`)
)

// behindEnv is the command that env starts with variables, or the command itself.
func behindEnv(command []string) []string {
	if path.Base(command[0]) != "env" {
		return command
	}
	for i, w := range command[1:] {
		switch {
		case assignment.MatchString(w):
		case strings.HasPrefix(w, "-"): // a flag of env, which may have a word of its own
			return command
		default:
			return command[i+1:]
		}
	}
	return command
}

// execed is the program that a script of sh -c replaces the shell with, or "".
func execed(command []string) string {
	if len(command) < 3 || !shell.MatchString(path.Base(command[0])) || !shellFlags.MatchString(command[1]) {
		return ""
	}
	for _, found := range execWords.FindAllStringSubmatch(command[2], -1) {
		for _, w := range strings.Fields(found[1]) {
			w = strings.Trim(w, `"'`)
			if w == "env" || assignment.MatchString(w) {
				continue
			}
			if plainWord.MatchString(w) {
				return w
			}
			break
		}
	}
	return ""
}
