package prepare

// Programs that are not there: each attempt of a run would only find it out again.

import (
	"cmp"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
)

// absent says which programs of the processes of a variant are not on this machine: those of the workload, and those that
// the tracer brings. What stands around them, a tracer's wrap, is looked for by its needs.
func absent(of *config.Experiment, v config.Variant) []string {
	w := of.Workload
	e := &config.Experiment{Workload: w, Operations: w.Operations}
	none := config.Variant{Name: config.NoTracer, Tracer: &config.Tracer{Name: config.NoTracer}}
	var missing []string
	for i, one := range []config.Variant{none, v} {
		plan, err := e.Plan(one)
		if err != nil {
			return missing // which whoever asks for the plan hears
		}
		for _, p := range plan.Processes {
			if i > 0 && !p.Brought() || setsPath(p, v) || needed(slices.Concat(w.Needs, v.Tracer.Needs), p) || madeBefore(w, p) {
				continue
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
func needed(needs []config.Need, p config.Process) bool {
	return slices.ContainsFunc(needs, func(n config.Need) bool { return len(p.Run) > 0 && n.Command == p.Run[0] })
}

// madeBefore reports whether the workload's command before each run may make the program of a process.
func madeBefore(w *config.Workload, p config.Process) bool {
	return len(w.Prepare) > 0 && len(p.Run) > 0 && strings.ContainsRune(p.Run[0], filepath.Separator)
}

// setsPath reports whether a process of a variant has another PATH than tracetax.
func setsPath(p config.Process, v config.Variant) bool {
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
func noStarted(p config.Process, starter string, known map[string]string) string {
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

func notOnPath(p config.Process, program string, known map[string]string) string {
	how := cmp.Or(known[program], "install it")
	return fmt.Sprintf("process %s: there is no program %q on the PATH: %s, or give its whole path", p.Name, program, how)
}

// noProgram says that the program of a process is not there; "" if it is, or if
// that shows in the run only, such as of a program that is built for it. Of some it is known how to get them.
func noProgram(p config.Process, dir string, known map[string]string) string {
	if len(p.Run) == 0 || len(config.Placeholders(p.Run[0])) > 0 {
		return ""
	}
	program, err := config.Expand(p.Run[0], nil)
	if err != nil {
		return ""
	}
	if !strings.ContainsRune(program, filepath.Separator) {
		if _, err := exec.LookPath(program); err != nil {
			return notOnPath(p, program, known)
		}
		return noStarted(p, program, known)
	}
	if !filepath.IsAbs(program) && (dir == "" || len(config.Placeholders(p.Dir)) > 0) {
		return "" // its folder is made for the run, as that of a built-in workload is
	}
	file := program
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
