package prepare

// The user's files that a variant's commands run: another program of the same name is another experiment.

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
	"strconv"
	"strings"

	"github.com/mattn/go-shellwords"
	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/userenv"
)

// written lists the suffixes of files that programs write themselves: their contents do not identify the program.
var written = []string{".db", ".lock", ".log", ".out", ".pid", ".sqlite", ".sqlite3"}

// Programs returns the files that a plan's commands run, as found in PATH, and those among their arguments, each with its
// SHA-256, except unreadable ones. Words that a run fills in, such as {build}, are known by their sources. dir: the workload's folder.
func Programs(plan *config.Plan, dir string) (map[string]string, error) {
	out := map[string]string{}
	for _, p := range plan.Processes {
		if p.Service != nil || p.InImage() {
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
				if err != nil || i > 0 && i < len(p.Run) { // an argument with the name of a program is none
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
			if errors.Is(err, fs.ErrPermission) { // a program may be executable but not readable, such as sudo
				continue
			}
			if out[path] = sum; err != nil {
				return nil, fmt.Errorf("process %s: reading what its command runs: %w", p.Name, err)
			}
		}
	}
	return out, nil
}

// filled returns a text with {dir} replaced by the workload's folder.
func filled(text, dir string) string { return strings.ReplaceAll(text, "{dir}", dir) }

// scripted returns the words of the script of sh -c.
func scripted(command []string) []string {
	if len(command) < 3 || !strings.HasSuffix(filepath.Base(command[0]), "sh") || !strings.HasPrefix(command[1], "-") || !strings.HasSuffix(command[1], "c") {
		return nil
	}
	parser := shellwords.NewParser()
	parser.ParseEnv, parser.ParseBacktick = false, false
	words, err := parser.Parse(command[2])
	if err != nil {
		return strings.Fields(command[2]) // the shell parses it; most words are found all the same
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

// Shadowed returns the packages of a variant's processes that its tracer replaces by other versions. Only Python needs it: a
// tracer for Node.js resolves its packages beside itself, and one for Java has a class loader of its own.
func Shadowed(ctx context.Context, ask Asker, v config.Variant, plan *config.Plan, f Folders, shell []string) ([]finding.Shadowed, error) {
	if v.Tracer.Language != "python" || v.Tracer.Artifact.Python == "" {
		return nil, nil
	}
	if ask == nil {
		ask = inImage(f.Images)
	}
	var out []finding.Shadowed
	for _, p := range plan.Processes {
		if !p.Traced || p.Brought() || p.Service != nil {
			continue
		}
		unknown := func(why string) { out = append(out, finding.Shadowed{Variant: v.Name, Process: p.Name, Unknown: why}) }
		if p.InImage() {
			said, err := ask(ctx, p, artifact.Distributions)
			if err != nil {
				unknown(err.Error())
				continue
			}
			found, err := artifact.ShadowedOf(said, f.Tracer)
			if err != nil {
				return nil, err
			}
			out = append(out, shadowedIn(v.Name, p.Name, found)...)
			continue
		}
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
		out = append(out, shadowedIn(v.Name, p.Name, found)...)
	}
	return out, nil
}

func shadowedIn(variant, process string, found []artifact.Shadow) (out []finding.Shadowed) {
	for _, one := range found {
		out = append(out, finding.Shadowed{Variant: variant, Process: process, Package: one.Package, Own: one.Own, Tracer: one.Tracer})
	}
	return out
}

// interpreter returns the Python that a command runs; "" if none is found.
func interpreter(command []string, dir string) string { return started(command, dir, isPython) }

// workersFlags are how commands of servers name the number of their workers.
var workersFlags = map[string][]string{
	"uvicorn": {"--workers"}, "fastapi": {"--workers"}, "granian": {"--workers"}, "gunicorn": {"--workers", "-w"},
	"hypercorn": {"--workers", "-w"}, "puma": {"--workers", "-w"}, "uwsgi": {"--processes", "-p"}, "pm2": {"--instances", "-i"},
}

// workersVariable names the workers of gunicorn, uvicorn and puma, among others, where no flag does.
const workersVariable = "WEB_CONCURRENCY"

// Workers returns the most workers that the command or the environment of a process names; 1 where none does. Others are known
// only once it runs.
func Workers(processes []program.Process) int {
	most := 1
	for _, p := range processes {
		words := strings.Fields(strings.Join(p.Run, " "))
		for at, word := range words {
			for _, flag := range workersFlags[filepath.Base(word)] {
				most = max(most, numberBehind(words[at+1:], flag))
			}
			if number, err := strconv.Atoi(p.Env[workersVariable]); err == nil && workersFlags[filepath.Base(word)] != nil {
				most = max(most, number)
			}
		}
	}
	return most
}

// numberBehind returns the number of a flag, as --workers 4, --workers=4 or -w4; 0 where there is none.
func numberBehind(words []string, flag string) int {
	for at, word := range words {
		text, is := strings.CutPrefix(word, flag)
		if is && text == "" && at+1 < len(words) {
			text = words[at+1]
		}
		if number, err := strconv.Atoi(strings.TrimPrefix(text, "=")); is && err == nil {
			return number
		}
	}
	return 0
}

// started returns the program of a kind that a command runs: its own, the one in the first line of its script, or the one that a
// shell execs; "" if none is found.
func started(command []string, dir string, is func(path string) bool) string {
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
		if is(path) {
			return path
		}
		first := firstLine(path)
		if fields := strings.Fields(strings.TrimPrefix(first, "#!")); strings.HasPrefix(first, "#!") && len(fields) > 0 {
			if filepath.Base(fields[0]) == "env" && len(fields) > 1 {
				fields = fields[1:]
			}
			if is(fields[0]) {
				return fields[0]
			}
		}
	}
	return ""
}

func isPython(path string) bool {
	return slices.ContainsFunc([]string{"python", "pypy"}, func(p string) bool { return strings.HasPrefix(filepath.Base(path), p) })
}

// firstLine returns the first line of a script; "" if the file is too short, or cannot be read.
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

// Environment returns a program's environment: the user's shell, the plan's variables, and the defaults of the switches of
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
	return userenv.PastProxies(append(env, SwitchedOff(env, p)...)), nil
}

// SwitchedOff returns the variables, NAME=value, that switch off tracers in the code of a process, unless env or the plan sets
// them.
func SwitchedOff(env []string, p program.Process) []string {
	if !p.Off {
		return nil
	}
	var out []string
	for _, off := range userenv.Off {
		name, _, _ := strings.Cut(off, "=")
		_, said := p.Env[name]
		if !said && !slices.ContainsFunc(env, func(pair string) bool { return strings.HasPrefix(pair, name+"=") }) {
			out = append(out, off)
		}
	}
	return out
}

// Missing programs: each attempt of a run would only find them missing again.

// absent describes the programs of a variant's processes that this machine lacks: those of the workload, and those that the
// tracer brings. Programs around them, a tracer's wrap, are checked as its needs.
func absent(of *config.Experiment, v config.Variant) []string {
	w := of.Workload
	e := &config.Experiment{Workload: w, Operations: w.Operations}
	none := config.Variant{Name: program.NoTracer, Tracer: &program.Tracer{Name: program.NoTracer}}
	var missing []string
	for i, one := range []config.Variant{none, v} {
		plan, err := e.Plan(one)
		if err != nil {
			return missing // the caller that asks for the plan reports it
		}
		for _, p := range plan.Processes {
			if i > 0 && !p.Brought() || p.InImage() || setsPath(p, v) || needed(slices.Concat(w.Needs, v.Needs()), p) || madeBefore(w, p) {
				continue
			}
			if p.Brought() {
				p.Name = p.Placed.Name // 31 sidecars of one kind lack the same program
			}
			if note := noProgram(p, w.Dir, programs(of)); note != "" && !slices.Contains(missing, note) {
				missing = append(missing, note)
			}
		}
	}
	return missing
}

// programs maps programs to the way to get them, from the tracers of all variants of an experiment.
func programs(e *config.Experiment) map[string]string {
	out := map[string]string{}
	for _, v := range e.Variants {
		maps.Copy(out, v.Tracer.Programs)
	}
	return out
}

// needed reports whether one of needs is the program of a process: it gives the way to get it.
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

// starters start another program, a later word of their command.
var starters = []string{"chrt", "env", "ionice", "nice", "numactl", "setsid", "stdbuf", "taskset", "timeout"}

// noStarted returns a note if the program that a starter starts is missing, and the way to get it is known.
func noStarted(p program.Process, starter string, known map[string]string) string {
	if !slices.Contains(starters, starter) {
		return ""
	}
	for _, word := range p.Run[1:] {
		_, err := exec.LookPath(word)
		switch {
		case err == nil || strings.ContainsRune(word, filepath.Separator): // the program itself, or its PATH differs
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

// noProgram returns a note if the program of a process is missing; "" if it is there, or if only the run can tell, such as for
// a program built for it. known: the way to get some.
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
		return "" // its folder is made for the run, like that of a built-in workload
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
