package cli

// This file says before a run what would make its figures hard to use.

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/tracetax/tracetax/internal/config"
)

// windowDelays is how many delays of a tracer a window is to last (docs/warnings.md,
// window-short).
const windowDelays = 5

// hints are what is better changed before an experiment is run. With line it came
// from flags, and the advice names flags.
func hints(e *config.Experiment, line bool) []string {
	return slices.Concat(notBeside(e), shortWindows(e, line), earlyReady(e, line))
}

// notBeside says why variants are measured one after the other, where they might be paired.
func notBeside(e *config.Experiment) []string {
	why := e.Beside()
	if why == "" || e.Design.Order != config.Apart || len(e.Variants) < 2 {
		return nil
	}
	return []string{"the variants of a block are measured one after the other (order apart), which tells less in the same time: " + why}
}

// shortWindows says of which variants the window is too short for the delays of the tracer and of the hops behind it.
func shortWindows(e *config.Experiment, line bool) []string {
	if e.Design.Quick { // on purpose; whether it matters is told with the result
		return nil
	}
	var out []string
	for _, v := range e.Variants {
		plan, err := e.Plan(v)
		if err != nil || plan.Silent || e.Load.Duration <= 0 || e.Load.Duration >= windowDelays*plan.Passed() {
			continue
		}
		longer, shorter := windowDelays*plan.Passed(), e.Load.Duration/windowDelays-plan.Passing
		advice := fmt.Sprintf("load: {duration: %s}", longer)
		if line {
			advice = fmt.Sprintf("--duration %s", longer)
		}
		setting := delaySetting(v.Tracer)
		switch {
		case setting == "" || shorter <= 0: // the hops alone are too slow for the window
		case line:
			advice += fmt.Sprintf(", or a shorter delay: --variant '%s:tracer=%s,%s=%s'", v.Name, v.Tracer.Name, setting, shorter)
		default:
			advice += fmt.Sprintf(", or a shorter delay among the variant's settings: {%s: %s}", setting, shorter)
		}
		out = append(out, fmt.Sprintf("variant %s: the window of %s is shorter than %d times %s, so that it may miss a part of the cost; %s",
			v.Name, e.Load.Duration, windowDelays, plan.SaysPassed(), advice))
	}
	return out
}

// delaySetting is the name of the setting by which a tracer's user chooses how long it holds a span; "" where none does.
func delaySetting(t *config.Tracer) string {
	for _, setting := range t.Settings {
		if setting.Meaning == "delay" {
			return setting.Name
		}
	}
	return ""
}

// masters are servers whose first process listens before the program is loaded.
var masters = []string{"gunicorn", "hypercorn", "puma", "unicorn", "uwsgi"}

// earlyReady says which processes answer on their port before they are ready.
func earlyReady(e *config.Experiment, line bool) []string {
	var out []string
	for _, p := range e.Workload.Processes {
		if len(p.Run) == 0 || p.Ready != "" || !slices.Contains(masters, filepath.Base(p.Run[0])) {
			continue
		}
		advice := "ready: \"http://127.0.0.1:{port}/…\", a request that it answers well"
		if line {
			advice = "--ready /…, a path that it answers well"
		}
		out = append(out, fmt.Sprintf("process %s: %s listens before it has loaded the program, so that the start-up time would look short and the first operation long; %s",
			p.Name, filepath.Base(p.Run[0]), advice))
	}
	return out
}

// printHints writes the hints on experiments, each once.
func printHints(to io.Writer, experiments []*config.Experiment, line bool) {
	var told []string
	for _, e := range experiments {
		for _, text := range hints(e, line) {
			if !slices.Contains(told, text) {
				told = append(told, text)
				fmt.Fprintln(to, wrapped("note: "+text, widthOf(to)))
			}
		}
	}
}
