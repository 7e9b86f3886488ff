//go:build linux

package cli

// This file says before a run what would make its figures hard to use.

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/session"
	"github.com/tracetax/tracetax/internal/userenv"
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

// shortWindows lists the variants with a window too short for the delays of the tracer and of the hops behind it.
func shortWindows(e *config.Experiment, line bool) []string {
	if e.Design.Quick { // on purpose; the result says whether it matters
		return nil
	}
	delays := time.Duration(windowDelays)
	if e.Design.Order == config.Paired || e.Design.Order == config.Woven {
		delays = 1 // a drain ends what all have at once
	}
	var out []string
	for _, v := range e.Variants {
		plan, err := e.Plan(v)
		window := e.Loaded()
		if err != nil || plan.Silent || window <= 0 || window >= delays*plan.Passed() {
			continue
		}
		longer, shorter := delays*plan.Passed(), window/delays-plan.Passing
		enough := time.Duration(float64(longer) * e.Shortest().Seconds() / window.Seconds()).Round(time.Millisecond)
		advice := fmt.Sprintf("load: {duration: %s}", enough)
		if line {
			advice = fmt.Sprintf("--duration %s", enough)
		}
		setting := delaySetting(v.Tracer)
		switch {
		case setting == "" || shorter <= 0: // the hops alone are too slow for the window
		case line:
			advice += fmt.Sprintf(", or a shorter delay: --variant '%s:tracer=%s,%s=%s'", v.Name, v.Tracer.Name, setting, shorter)
		default:
			advice += fmt.Sprintf(", or a shorter delay among the variant's settings: {%s: %s}", setting, shorter)
		}
		out = append(out, fmt.Sprintf("variant %s: the window of %s is shorter than %s%s, and may miss a part of the cost; %s",
			v.Name, window, severalTimes(delays), plan.SaysPassed(), advice))
	}
	return out
}

// severalTimes is "5 times ", and nothing of one.
func severalTimes(n time.Duration) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf("%d times ", n)
}

// delaySetting is the name of the setting by which a tracer's user chooses how long it holds a span; "" where none does.
func delaySetting(t *program.Tracer) string {
	for _, setting := range t.Settings {
		if setting.Meaning == "delay" {
			return setting.Name
		}
	}
	return ""
}

// masters lists servers that listen before they load the program.
var masters = []string{"gunicorn", "hypercorn", "puma", "unicorn", "uwsgi"}

// earlyReady says which processes answer on their port before they are ready.
func earlyReady(e *config.Experiment, line bool) []string {
	var out, servers []string
	names := map[string][]string{}
	for _, p := range e.Workload.Processes {
		if len(p.Run) == 0 || p.Ready != "" || !slices.Contains(masters, filepath.Base(p.Run[0])) {
			continue
		}
		server := filepath.Base(p.Run[0])
		if names[server] == nil {
			servers = append(servers, server)
		}
		names[server] = append(names[server], p.Name)
	}
	for _, server := range servers {
		of := names[server]
		advice := "ready: \"http://127.0.0.1:{port}/…\", a request that it answers well"
		if line {
			advice = "--ready /…, a path that it answers well"
		}
		who := "process"
		if len(of) > 1 {
			who = "processes"
		}
		out = append(out, fmt.Sprintf("%s %s: %s listens before it has loaded the program: the start-up time would look short, and the first operation long; %s",
			who, strings.Join(of, ", "), server, advice))
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

// This file says before a run whether its blocks are enough for any verdict, and its settings lose no spans.

// outlooks names the verdicts for which the blocks are, or may become, too few, and those which
// settings lose spans. hopeless is what it says where no budget could ever be told.
func outlooks(e *config.Experiment) (hopeless string, told []string) {
	headline, budgets := analysis.Foresee(e)
	if budgets.Hopeless() {
		hopeless = outlookText(budgets, "on the budget")
	} else if budgets.Short() {
		told = append(told, outlookText(budgets, "on the budget"))
	}
	if headline.Short() {
		told = append(told, outlookText(headline, "on "+finding.MetricName(headline.Metric)))
	}
	told = append(told, e.Beyond()...)
	return hopeless, told
}

// warnOfBlocks writes the outlooks of what can run here, each once.
func warnOfBlocks(to io.Writer, experiments []*config.Experiment) {
	var seen []string
	for _, e := range experiments {
		hopeless, told := outlooks(session.Runnable(e))
		if hopeless != "" {
			told = append([]string{hopeless}, told...)
		}
		for _, text := range told {
			if !slices.Contains(seen, text) {
				seen = append(seen, text)
				fmt.Fprintln(to, wrapped("warning: "+text, widthOf(to)))
			}
		}
	}
}

// outlookText says what a family of claims needs, and what comes of it with the blocks that
// are planned.
func outlookText(o analysis.Outlook, about string) string {
	text := fmt.Sprintf("%s %s at once need %s", counted(o.Claims, "claim"), about, counted(o.Needs, "block"))
	if o.Claims == 1 {
		text = fmt.Sprintf("1 claim %s needs %s", about, counted(o.Needs, "block"))
	}
	advice := fmt.Sprintf("ask for %d (design: {blocks: %d}, --blocks %d)", o.Needs, o.Needs, o.Needs)
	if o.Claims > 1 {
		advice += ", or for fewer variants or operations"
	}
	switch {
	case !o.Hopeless():
		return fmt.Sprintf("%s, and the experiment may end after %d: no verdict would be possible then; make %d the least (design: {blocks: %d..%d})",
			text, o.Least, o.Needs, o.Needs, max(o.Most, o.Needs+1))
	case o.Joint:
		return fmt.Sprintf("%s, and %d are planned: that something costs can be told if it is clear, that it costs nothing cannot; %s", text, o.Most, advice)
	}
	return fmt.Sprintf("%s, and %d %s planned: no verdict will be possible; %s", text, o.Most, isAre(o.Most), advice)
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func counted(n int, one string) string { return fmt.Sprintf("%d %s", n, console.Noun(n, one)) }

// This file says what was left out of a run, and how it ends for that.

// omission is a workload, or a variant of one, that was left out.
type omission struct {
	what   string
	reason string
	err    error // of a workload; nil for a variant
}

// omissions are the variants that the result of a workload leaves out; with several
// workloads its name is said.
func omissions(workload string, several bool, left []finding.LeftOut) []omission {
	var out []omission
	for _, one := range left {
		what := "variant " + one.Variant
		if several {
			what += " of " + workload
		}
		out = append(out, omission{what: what, reason: one.Reason})
	}
	return out
}

// tellOmissions names what was left out, at the end, where it is read.
func tellOmissions(to io.Writer, all []omission) {
	what := map[string][]string{}
	var order []string
	for _, one := range all {
		if what[one.reason] == nil {
			order = append(order, one.reason)
		}
		what[one.reason] = append(what[one.reason], one.what)
	}
	for _, reason := range order {
		fmt.Fprintln(to, wrapped(fmt.Sprintf("left out: %s: %s", strings.Join(what[reason], ", "), reason), widthOf(to)))
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// This file is about variables of the user's shell that belong to tracers: programs get
// none of them but those that --keep-env names.

// checkKeptEnv complains of names that no run could keep to good use, and puts them in order.
func checkKeptEnv(names []string, experiments []*config.Experiment) ([]string, error) {
	for _, name := range names {
		if name == "" || strings.ContainsAny(name, "= ") {
			return nil, fmt.Errorf("--keep-env takes the name of a variable, such as OTEL_RESOURCE_ATTRIBUTES, not %q", name)
		}
		if _, set := os.LookupEnv(name); !set {
			return nil, fmt.Errorf("--keep-env %s: the variable is not set; set it, or leave the flag out", name)
		}
		for _, e := range experiments {
			if err := e.CheckKept(name); err != nil {
				return nil, fmt.Errorf("--keep-env %s: %w", name, err)
			}
		}
	}
	out := slices.Clone(names)
	slices.Sort(out)
	return slices.Compact(out), nil
}

// tellKeptAway says what of the user's shell the programs do not get.
func tellKeptAway(to io.Writer, keep []string) {
	_, away := userenv.Environment(os.Environ(), keep)
	if len(away) == 0 {
		return
	}
	var names []string
	for _, a := range away {
		names = append(names, a.String())
	}
	fmt.Fprintln(to, wrapped("note: the programs do not get what would trace them all, also the baseline, from your shell: "+strings.Join(names, ", ")+
		" (--keep-env NAME keeps a variable, and env: of the experiment sets one)", widthOf(to)))
}
