package prepare

// Which files of the user's a variant's commands run: another program of the same name is another experiment.

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mattn/go-shellwords"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
)

// written end the names of files that programs write themselves: what is in them says nothing of the program.
var written = []string{".db", ".lock", ".log", ".out", ".pid", ".sqlite", ".sqlite3"}

// Programs are the files that the commands of a plan run, as they are found in PATH, and those among their arguments, each
// with its SHA-256, but those that may not be read. What a run fills in, such as {build}, is known by what it was made of. dir is the workload's folder.
func Programs(plan *config.Plan, dir string) (map[string]string, error) {
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
			if path == "" || len(config.Placeholders(path)) > 0 {
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
			sum, err := hash(path)
			if errors.Is(err, fs.ErrPermission) { // a program may be run that may not be read, such as sudo
				continue
			}
			if out[path] = sum; err != nil {
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

// Shadowed are the packages of the processes of a variant that its tracer replaces by other versions. It is asked of Python
// alone: a tracer for Node.js resolves its packages beside itself, and one for Java has a class loader of its own.
func Shadowed(ctx context.Context, v config.Variant, plan *config.Plan, f Folders, shell []string) ([]finding.Shadowed, error) {
	if v.Tracer.Language != "python" || v.Tracer.Artifact.Python == "" {
		return nil, nil
	}
	var out []finding.Shadowed
	for _, p := range plan.Processes {
		if !p.Traced || p.Brought() || p.Service != nil {
			continue
		}
		unknown := func(why string) { out = append(out, finding.Shadowed{Variant: v.Name, Process: p.Name, Unknown: why}) }
		own := p.Run[min(len(v.Tracer.Wrap), len(p.Run)):]
		dir := filled(p.Dir, f.Source)
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(f.Source, dir)
		}
		python := interpreter(own, dir)
		if python == "" {
			unknown("its command names no Python")
			continue
		}
		env := slices.Clone(shell)
		if path, set := p.Env["PYTHONPATH"]; set {
			path, err := config.Expand(path, map[string]string{"dir": f.Source, "build": f.Build, "workload": f.Workload, "tracer": f.Tracer})
			if err != nil {
				unknown("its PYTHONPATH is filled in by the run")
				continue
			}
			env = append(env, "PYTHONPATH="+path)
		}
		found, err := artifact.Shadowed(ctx, python, env, dir, f.Tracer)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			unknown(strings.SplitN(err.Error(), "\n", 2)[0])
		}
		for _, one := range found {
			out = append(out, finding.Shadowed{Variant: v.Name, Process: p.Name, Package: one.Package, Own: one.Own, Tracer: one.Tracer})
		}
	}
	return out, nil
}

// interpreter is the Python that a command runs: its program, the one that its script names in its first line, or what a shell
// replaces itself with; "" where none is seen.
func interpreter(command []string, dir string) string {
	for _, word := range slices.Concat(command[:min(1, len(command))], scripted(command)) {
		if word == "exec" || word == "env" || strings.Contains(word, "=") {
			continue
		}
		path, err := exec.LookPath(filled(word, dir))
		if err != nil && strings.ContainsRune(word, filepath.Separator) {
			path, err = filepath.Join(dir, word), nil
		}
		if err != nil {
			continue
		}
		if isPython(path) {
			return path
		}
		first := firstLine(path)
		if fields := strings.Fields(strings.TrimPrefix(first, "#!")); strings.HasPrefix(first, "#!") && len(fields) > 0 {
			if filepath.Base(fields[0]) == "env" && len(fields) > 1 {
				fields = fields[1:]
			}
			if isPython(fields[0]) {
				return fields[0]
			}
		}
	}
	return ""
}

func isPython(path string) bool {
	return slices.ContainsFunc([]string{"python", "pypy"}, func(p string) bool { return strings.HasPrefix(filepath.Base(path), p) })
}

// firstLine is that of a file, as far as it is one of a script; "" where it cannot be read.
func firstLine(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	start := make([]byte, 256)
	n, err := io.ReadFull(file, start)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return ""
	}
	line, _, _ := strings.Cut(string(start[:n]), "\n")
	return line
}
