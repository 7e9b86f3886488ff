// Profiling a program from its first instruction on: by its environment, since a profiler cannot attach so early.

package profiler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/process/inspect"
	"github.com/tracetax/tracetax/internal/profile"
)

// startInterval is the time between two samples of a start; a start happens only once.
const startInterval = time.Millisecond / 2

// Beginning profiles the start of a process. Its environment is set before the process starts, and it is read once, after the
// first answer.
type Beginning struct {
	Profiler string
	set      map[string]string // variables, put before their present values
	kind     inspect.Kind
	read     func(ctx context.Context, pid int, log *process.Log, rules *profile.Rules) (map[string]int64, error)
}

// watchers are the profilers of a start, by language.
var watchers = map[string]func(folder string, packages Packages) (*Beginning, error){
	"python": func(string, Packages) (*Beginning, error) { return watchImports(), nil },
	"java":   watchJVM,
	"node":   func(folder string, _ Packages) (*Beginning, error) { return watchNode(folder) },
}

// Watch prepares the profiler of the start of a program in a language, with a folder of its own.
func Watch(language, folder string, packages Packages) (*Beginning, error) {
	watch, known := watchers[language]
	if !known {
		return nil, fmt.Errorf("the start is watched of programs in Python, Java and Node alone, not in %s", language)
	}
	return watch(folder, packages)
}

// Environment adds the profiler's variables to an environment.
func (b *Beginning) Environment(env []string) []string {
	env = slices.Clone(env)
	for name, value := range b.set {
		i := slices.IndexFunc(env, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
		if i < 0 {
			env = append(env, name+"="+value)
		} else if old := env[i][len(name)+1:]; old != value {
			env[i] = strings.TrimRight(name+"="+value+" "+old, " ")
		}
	}
	return env
}

// Read returns the durations of the parts of the start, in nanoseconds.
func (b *Beginning) Read(ctx context.Context, pids []int, log *process.Log, rules *profile.Rules) (map[string]int64, error) {
	pid := 0
	for _, one := range pids {
		if inspect.KindOf(one) == b.kind && (pid == 0 || one < pid) {
			pid = one
		}
	}
	if pid == 0 {
		return nil, fmt.Errorf("%s: none of its programs is %s", b.Profiler, b.kind)
	}
	parts, err := b.read(ctx, pid, log, rules)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Profiler, err)
	}
	return parts, nil
}

// watchImports lets Python report the time of its imports.
func watchImports() *Beginning {
	return &Beginning{
		Profiler: "Python's import times", kind: inspect.Python, set: map[string]string{"PYTHONPROFILEIMPORTTIME": "1"},
		read: func(ctx context.Context, _ int, log *process.Log, rules *profile.Rules) (map[string]int64, error) {
			imports := rules.Imports()
			if err := log.Lines(ctx, func(line string) error { imports.Line(line); return nil }); err != nil {
				return nil, fmt.Errorf("reading them: %w", err)
			}
			if imports.Lines == 0 {
				return nil, errors.New("it told none: is its environment left alone (no -E, no -I), and does stderr go to the log?")
			}
			return imports.Parts(), nil
		},
	}
}

// watchJVM loads async-profiler before all other agents.
func watchJVM(folder string, packages Packages) (*Beginning, error) {
	at, err := packages.folder(asyncProfiler)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", asyncProfiler, err)
	}
	library, interval := filepath.Join(at, asyncProfiler, architectures[runtime.GOARCH], "libasyncProfiler.so"), offBeat(startInterval)
	return &Beginning{
		Profiler: asyncProfiler, kind: inspect.Java,
		set: map[string]string{"JAVA_TOOL_OPTIONS": fmt.Sprintf("-agentpath:%s=start,event=cpu,interval=%d,threads", library, interval.Nanoseconds())},
		read: func(ctx context.Context, pid int, _ *process.Log, rules *profile.Rules) (map[string]int64, error) {
			file := filepath.Join(folder, "collapsed.txt")
			if err := (attached{pid}).load(ctx, library, "stop,collapsed,threads,file="+file); err != nil {
				return nil, err
			}
			return readStart(profile.Collapsed, file, interval, rules)
		},
	}, nil
}

// nodeScript starts Node's own profiler before the program's first line, and stops it on a signal.
const nodeScript = `'use strict'
const { Session } = require('node:inspector')
const { renameSync, writeFileSync } = require('node:fs')
const file = %s + process.pid
const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.setSamplingInterval', { interval: %d })
session.post('Profiler.start')
process.once('SIGUSR2', () => session.post('Profiler.stop', (problem, result) => {
  writeFileSync(file + '.part', JSON.stringify(problem ? { problem } : result.profile))
  renameSync(file + '.part', file)
  session.disconnect()
}))
`

func watchNode(folder string) (*Beginning, error) {
	script, prefix, interval := filepath.Join(folder, "watch.cjs"), filepath.Join(folder, "start.cpuprofile."), offBeat(startInterval)
	name, err := json.Marshal(prefix)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", nodeProfiler, err)
	}
	if err := os.WriteFile(script, fmt.Appendf(nil, nodeScript, name, interval.Microseconds()), 0o644); err != nil {
		return nil, fmt.Errorf("%s: writing what starts it: %w", nodeProfiler, err)
	}
	return &Beginning{
		Profiler: nodeProfiler, kind: inspect.Node, set: map[string]string{"NODE_OPTIONS": "--require " + script},
		read: func(ctx context.Context, pid int, _ *process.Log, rules *profile.Rules) (map[string]int64, error) {
			file := prefix + strconv.Itoa(pid)
			if err := syscall.Kill(pid, syscall.SIGUSR2); err != nil {
				return nil, fmt.Errorf("asking for its samples by SIGUSR2: %w", err)
			}
			deadline := time.NewTimer(stopPatience)
			defer deadline.Stop()
			for look := time.NewTicker(20 * time.Millisecond); ; {
				if _, err := os.Stat(file); err == nil {
					look.Stop()
					return readStart(profile.CPUProfile, file, interval, rules)
				}
				select {
				case <-look.C:
				case <-ctx.Done():
					return nil, context.Cause(ctx)
				case <-deadline.C:
					return nil, fmt.Errorf("it left no samples within %v of SIGUSR2", stopPatience)
				}
			}
		},
	}, nil
}

// readStart reads the profile of a start; interval: the time between samples.
func readStart(format profile.Format, file string, interval time.Duration, rules *profile.Rules) (map[string]int64, error) {
	text, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("reading its samples: %w", err)
	}
	defer text.Close() // nothing was written
	p, err := profile.Read(format, text)
	if err != nil {
		return nil, fmt.Errorf("reading its samples: %w", err)
	}
	if p.Apart > 0 {
		interval = p.Apart
	}
	parts := rules.Start(p)
	for part, samples := range parts {
		parts[part] = samples * interval.Nanoseconds()
	}
	return parts, nil
}
