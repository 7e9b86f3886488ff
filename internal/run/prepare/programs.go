package prepare

// Which files of the user's a variant's commands run: another program of the same name is another experiment.

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mattn/go-shellwords"

	"github.com/tracetax/tracetax/internal/spec"
)

// written end the names of files that programs write themselves: what is in them says nothing of the program.
var written = []string{".db", ".lock", ".log", ".out", ".pid", ".sqlite", ".sqlite3"}

// Programs are the files that the commands of a plan run, as they are found in PATH, and those among their arguments, each
// with its SHA-256. What a run fills in, such as {build}, is known by what it was made of. dir is the workload's folder.
func Programs(plan *spec.Plan, dir string) (map[string]string, error) {
	out := map[string]string{}
	for _, p := range plan.Processes {
		if p.Service != nil {
			continue
		}
		at := filled(p.Dir, dir)
		if !filepath.IsAbs(at) {
			at = filepath.Join(dir, at)
		}
		for i, word := range slices.Concat(p.Run, scripted(p.Run)) {
			path := filled(word, dir)
			if _, value, is := strings.Cut(path, "="); is && strings.HasPrefix(path, "-") { // --config=shop.yaml
				path = value
			}
			if path == "" || len(spec.Placeholders(path)) > 0 {
				continue
			}
			if !strings.ContainsRune(path, filepath.Separator) && (i == 0 || !regular(filepath.Join(at, path))) {
				found, err := exec.LookPath(path)
				if err != nil || i > 0 && i < len(p.Run) { // an argument that is called like a program is none
					continue
				}
				path = found
			}
			if !filepath.IsAbs(path) {
				path = filepath.Join(at, path)
			}
			if !regular(path) || i > 0 && slices.Contains(written, filepath.Ext(path)) {
				continue
			}
			var err error
			if out[path], err = hash(path); err != nil {
				return nil, fmt.Errorf("process %s: reading what its command runs: %w", p.Name, err)
			}
		}
	}
	return out, nil
}

// filled is a text with the workload's folder in it.
func filled(text, dir string) string { return strings.ReplaceAll(text, "{dir}", dir) }

// scripted are the words of the script of sh -c.
func scripted(command []string) []string {
	if len(command) < 3 || !strings.HasSuffix(filepath.Base(command[0]), "sh") || !strings.HasPrefix(command[1], "-") || !strings.HasSuffix(command[1], "c") {
		return nil
	}
	parser := shellwords.NewParser()
	parser.ParseEnv, parser.ParseBacktick = false, false
	words, err := parser.Parse(command[2])
	if err != nil {
		return strings.Fields(command[2]) // it is the shell's to read; most words are found all the same
	}
	return words
}

func regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func hash(path string) (sum string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
