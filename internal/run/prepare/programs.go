package prepare

// Which files of the user's a variant's commands run: another program of the same name is another experiment.

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mattn/go-shellwords"
	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/shell"
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
			if path == "" || len(program.Placeholders(path)) > 0 {
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
			path, err := program.Expand(path, map[string]string{"dir": f.Source, "build": f.Build, "workload": f.Workload, "tracer": f.Tracer})
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

// firstLine is that of a script; "" if the file is none, or cannot be read.
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

// Environment is what a program gets of the user's shell, what the plan sets, and what neither says of the switches of
// tracers and of proxies.
func Environment(of []string, p program.Process, values map[string]string) ([]string, error) {
	var env []string
	front := map[string]string{}
	for _, pair := range of {
		name, value, _ := strings.Cut(pair, "=")
		if _, replaced := p.Env[name]; !replaced {
			env = append(env, pair)
		} else if value != "" && slices.Contains(p.Inherit, name) {
			front[name] = value + program.Between(name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Env)) {
		value, err := program.Expand(p.Env[name], values)
		if err != nil {
			return nil, fmt.Errorf("environment variable %s: %w", name, err)
		}
		env = append(env, name+"="+front[name]+value)
	}
	return shell.PastProxies(append(env, SwitchedOff(env, p)...)), nil
}

// SwitchedOff are the variables, NAME=value, by which tracers in the code of a process are switched off that has env besides
// what the plan sets.
func SwitchedOff(env []string, p program.Process) []string {
	if !p.Off {
		return nil
	}
	var out []string
	for _, off := range shell.Off {
		name, _, _ := strings.Cut(off, "=")
		_, said := p.Env[name]
		if !said && !slices.ContainsFunc(env, func(pair string) bool { return strings.HasPrefix(pair, name+"=") }) {
			out = append(out, off)
		}
	}
	return out
}

// Programs that are not there: each attempt of a run would only find it out again.

// absent says which programs of the processes of a variant are not on this machine: those of the workload, and those that
// the tracer brings. What stands around them, a tracer's wrap, is looked for by its needs.
func absent(of *config.Experiment, v config.Variant) []string {
	w := of.Workload
	e := &config.Experiment{Workload: w, Operations: w.Operations}
	none := config.Variant{Name: program.NoTracer, Tracer: &program.Tracer{Name: program.NoTracer}}
	var missing []string
	for i, one := range []config.Variant{none, v} {
		plan, err := e.Plan(one)
		if err != nil {
			return missing // which the caller that asks for the plan reports
		}
		for _, p := range plan.Processes {
			if i > 0 && !p.Brought() || setsPath(p, v) || needed(slices.Concat(w.Needs, v.Tracer.Needs), p) || madeBefore(w, p) {
				continue
			}
			if p.Brought() {
				p.Name = p.Placed.Name // one beside each of 31 lacks the same
			}
			if note := noProgram(p, w.Dir, programs(of)); note != "" && !slices.Contains(missing, note) {
				missing = append(missing, note)
			}
		}
	}
	return missing
}

// programs are those that tracers of an experiment, of whichever variants, say how to get.
func programs(e *config.Experiment) map[string]string {
	out := map[string]string{}
	for _, v := range e.Variants {
		maps.Copy(out, v.Tracer.Programs)
	}
	return out
}

// needed reports whether one of needs is the program of a process: it says how to get it.
func needed(needs []program.Need, p program.Process) bool {
	return slices.ContainsFunc(needs, func(n program.Need) bool { return len(p.Run) > 0 && n.Command == p.Run[0] })
}

// madeBefore reports whether the workload's command before each run may make the program of a process.
func madeBefore(w *program.Workload, p program.Process) bool {
	return len(w.Prepare) > 0 && len(p.Run) > 0 && strings.ContainsRune(p.Run[0], filepath.Separator)
}

// setsPath reports whether a process of a variant has another PATH than tracetax.
func setsPath(p program.Process, v config.Variant) bool {
	for _, env := range []map[string]string{p.Env, v.Env, v.Tracer.Env} {
		if _, set := env["PATH"]; set {
			return true
		}
	}
	return false
}

// starters are programs that start another, which is a later word of their command.
var starters = []string{"chrt", "env", "ionice", "nice", "numactl", "setsid", "stdbuf", "taskset", "timeout"}

// noStarted says that the program which a starter is to start is not there, where it is known how to get it.
func noStarted(p program.Process, starter string, known map[string]string) string {
	if !slices.Contains(starters, starter) {
		return ""
	}
	for _, word := range p.Run[1:] {
		_, err := exec.LookPath(word)
		switch {
		case err == nil || strings.ContainsRune(word, filepath.Separator): // that is the program, or its PATH is another
			return ""
		case known[word] != "":
			return notOnPath(p, word, known)
		}
	}
	return ""
}

func notOnPath(p program.Process, executable string, known map[string]string) string {
	how := cmp.Or(known[executable], "install it")
	return fmt.Sprintf("process %s: there is no program %q on the PATH: %s, or give its whole path", p.Name, executable, how)
}

// noProgram says that the program of a process is not there; "" if it is, or if
// that shows in the run only, such as of a program that is built for it. Of some it is known how to get them.
func noProgram(p program.Process, dir string, known map[string]string) string {
	if len(p.Run) == 0 || len(program.Placeholders(p.Run[0])) > 0 {
		return ""
	}
	executable, err := program.Expand(p.Run[0], nil)
	if err != nil {
		return ""
	}
	if !strings.ContainsRune(executable, filepath.Separator) {
		if _, err := exec.LookPath(executable); err != nil {
			return notOnPath(p, executable, known)
		}
		return noStarted(p, executable, known)
	}
	if !filepath.IsAbs(executable) && (dir == "" || len(program.Placeholders(p.Dir)) > 0) {
		return "" // its folder is made for the run, as that of a built-in workload is
	}
	file := executable
	if !filepath.IsAbs(file) {
		at := p.Dir
		if !filepath.IsAbs(at) {
			at = filepath.Join(dir, at)
		}
		file = filepath.Join(at, file)
	}
	if _, err := exec.LookPath(file); err != nil {
		return fmt.Sprintf("process %s: there is no program %s that can be started: correct the path, or build it first", p.Name, file)
	}
	return ""
}
