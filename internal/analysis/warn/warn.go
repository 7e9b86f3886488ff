// Package warn owns the closed list of warnings, with their words: what the harness says against itself. It must not know
// how a figure is made. docs/warnings.md has the same list for readers.
package warn

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/effect"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/words"
)

// Severities.
const (
	note    = "note"    // good to know
	warning = "warning" // may have bent the result
	spoiled = "spoiled" // something was left out, or should have been
)

// resultsPlace stands for the results folder in an advice.
const resultsPlace = "{results}"

// check is one warning of the list.
type check struct {
	code, severity string
	advice         string
	find           func(*looker) []hit
}

// checks lists all warnings, in the order in which they are told.
var checks = []check{
	{"interrupted", warning, "go on with: tracetax run --resume " + resultsPlace, (*looker).findInterrupted},
	{"quick", note, "run without --quick for numbers to act on", (*looker).findQuick},
	{"rate-declared", note, "run without --quick for the rate that the experiment asks for", (*looker).findDeclaredRate},
	{"faults-injected", note, "this checks the harness; for a result about a program take faults out of the experiment", (*looker).findFaults},
	{"variant-left-out", warning, "install what is missing, or read 'tracetax show' of the tracer; the other variants are not touched by it", (*looker).findLeftOut},
	{"too-few-blocks", warning, "ask for at least 6 blocks (design: {blocks: 10}), and see why runs failed if some did", (*looker).findFewBlocks},
	{"precision-not-reached", warning, "allow more blocks (design: {blocks: 8..60}), or ask for less precision", (*looker).findImprecise},
	{"stopped-early", note, "nothing to do; a smaller precision, or a fixed number of blocks, makes more", (*looker).findStoppedEarly},
	{"pilot", note, "the rate is this machine's: to repeat the experiment elsewhere at the same rate, name it (load: {rate: …})", (*looker).findPilot},
	{"woven", note, "read the differences in CPU and memory; for latency, and for figures of one variant alone, write order: windows", (*looker).findWoven},
	{"groups", note, "nothing to do where each is compared with the baseline; against each other compare variants on a machine with more memory, or fewer at once (--variants)", (*looker).findGroups},
	{"failed-runs", warning, "see the last log lines in the results folder under logs/; what failed twice is not tried again by --resume: mend it, and measure again", (*looker).findFailed},
	{"spoiled-blocks", spoiled, "run on a machine that does nothing else; the other blocks count as they are", (*looker).findDropped},
	{"spoiled-kept", spoiled, "more blocks are spoiled than may be left out, and these count: repeat the experiment on a quieter machine", (*looker).findKept},
	{"windows-left-out", note, "nothing to do: the other windows count as they are, and spans are told of all of them", (*looker).findDisturbed},
	{"overloaded", warning, "lower the rate until every variant holds it, or measure capacity instead", (*looker).findOverloaded},
	{"generator-bound", warning, "ask with more CPUs for the load generator, or give the service less", (*looker).findGeneratorBound},
	{"search-limit", warning, "let the search go further (load: {capacity: {from: …, max: …}})", (*looker).findSearchLimit},
	{"search-saturated", warning, "see what binds it (a lock, a pool, one thread, another process on its CPUs); a limit on latency finds the capacity of such a service (load: {capacity: {p99: 20ms}})", (*looker).findSaturated},
	{"search-unsteady", warning, "make the probes longer (load: {duration: …}), or run on a quieter machine", (*looker).findUnsteady},
	{"database-busy", warning, "give the database more CPUs: what is measured is partly the database, not the program", (*looker).findDatabaseBusy},
	{"generator-late", warning, "give the load generator a CPU of its own, or lower the rate", (*looker).findLate},
	{"lag-differs", warning, "give the load generator a CPU of its own, so that it is equally late with every variant", (*looker).findLags},
	{"harness-shared-cpu", warning, "run where CPUs can be set apart (two or more, with the right to set affinity or a cpuset)", (*looker).findShared},
	{"left-cgroup", warning, "have its processes stay in the cgroup that they are started in: its limits and CPUs do not hold outside, and throttling is not seen there", (*looker).findLeavers},
	{"limits-unmet", warning, "give tracetax the right to do it (root, or a delegated cgroup), or take the limit out of the file", (*looker).findUnmet},
	{"sink-busy", warning, "lower the rate or the sampling: the sink itself may have held the tracer up", (*looker).findSinkBusy},
	{"harness-busy", note, "nothing to do if the effect is large; otherwise report it: tracetax should use less", (*looker).findHarnessBusy},
	{"cpu-stolen", warning, "use a machine whose CPUs are not shared with others", (*looker).findStolen},
	{"busy-neighbour", warning, "stop what else runs on the machine, and repeat: it slows the program down, and what is blocked or lost may be its doing", (*looker).findNeighbours},
	{"load-average", warning, "stop what else runs on the machine before the experiment", (*looker).findBusyStart},
	{"clock-accounting", note, "CPU is read from the processes' clocks: what very short-lived children use is seen at their end only, and throttling is not seen. With the right to make cgroups it is exact", (*looker).findClock},
	{"other-runtime", note, "look at it against a variant on the same runtime (against: …): over the baseline it costs the difference between the two as well", (*looker).findRuntimes},
	{"throttled", warning, "raise the app's CPU quota or lower the rate: latency is the quota's, not the tracer's", (*looker).findThrottled},
	{"log-full", warning, "have it write less, or to a file of its own: while the pipe was full it waited for tracetax, so that its latency, its rate and what it uses are not its own", (*looker).findFullLogs},
	{"spinning", warning, "compare at capacity, where nothing spins, or with spinning off (.NET: env: {DOTNET_ThreadPool_UnfairSemaphoreSpinLimit: 0})", (*looker).findSpinning},
	{"window-short", warning, "measure at least 5 times as long as the tracer holds spans back (--duration, or load: {duration: …})", (*looker).findShortWindow},
	{"hop-waits-long", warning, "measure at least 5 times as long as it waits (load: {duration: …}), or let it wait less: its work for the window is done in the drain", (*looker).findLongWaits},
	{"hop-room-small", warning, "give it more room (traces: …), or let it wait less: the oldest traces are thrown away undecided", (*looker).findLittleRoom},
	{"spans-late", warning, "let it wait longer than the tracers hold spans (wait: …), or shorten their delay: of traces that were left out those spans are in no count, and told as lost inside it", (*looker).findLateSpans},
	{"never-steady", warning, "the figures still hold a part of the warm-up: allow a longer one (load: {warmup: auto..60s}), or raise the rate, at which code gets warm sooner", (*looker).findNeverSteady},
	{"never-quiet", warning, "the tracer still sent when patience ended, so some of its cost is not counted: shorten its delay or lower the rate", (*looker).findNeverQuiet},
	{"never-calm", warning, "find what the program goes on doing after its load: what it does later than that is not counted", (*looker).findNeverCalm},
	{"idle-unknown", warning, "have the program be ready later (ready: …), and read what is used idle (load: {idle: 1s}): the processes' own housekeeping while they are drained is charged to the operations", (*looker).findIdleUnknown},
	{"idle-differs", warning, "find what the program still does when it is ready, or goes on doing after its load: its own housekeeping while it is drained is charged to the operations", (*looker).findIdleDiffers},
	{"low-rate", note, "what processes use when idle is a large part of the CPU per operation: raise the rate to see the cost of operations", (*looker).findLowRate},
	{"cpu-negative", warning, "lengthen the window or the idle time before it: noise is as large as the work", (*looker).findBelow},
	{"modes", warning, "look at every block's dot in the report; more blocks do not help before the cause is found", (*looker).findModes},
	{"carry-over", warning, "find what a run leaves to the next one (a cache, a hot CPU, a database that grows) and clear it; the order is balanced, so that the figure is hardly bent by it, but its interval is wider", (*looker).findCarryOver},
	{"no-straight-line", warning, "read what each depth costs by itself, in the table and in the picture of the report", (*looker).findBends},
	{"operations-failed", warning, "compare only variants that do the same work: see why operations fail", (*looker).findFailedOperations},
	{"redirected", warning, "what is measured is the redirect: ask for what it leads to, log in by steps, or say that it is right (status: 302)", (*looker).findRedirected},
	{"delayed-acknowledgement", note, "40 ms are how long Linux puts an acknowledgement off: a server that writes head and body apart, with Nagle's algorithm on, waits for it (Python's http.server, for one). Switch TCP_NODELAY on, or write an answer at once", (*looker).findDelayedAcknowledgement},
	{"answers-differ", warning, "find out why: what a variant answers in another way it may do with less work, or with more; no verdict is given on it", (*looker).findOtherWork},
	{"expectation-unknown", note, "declare how many spans an operation makes (operations: {NAME: {spans: 3}})", (*looker).findUnknown},
	{"nothing-traced", warning, "see whether the tracer instruments the program and reaches the sink (its own log; class versions, plugins, the methods that it is told of): what is compared is not the cost of tracing", (*looker).findNothingTraced},
	{"traces-elsewhere", warning, "switch its tracing off (docs/warnings.md says how), or send its spans to the sink ({sink.otlp.grpc}, {sink.otlp.http}); what listens there and is no receiver of spans belongs into the workload, or at another port", (*looker).findElsewhere},
	{"own-sampler", warning, "say which share it samples (env: {OTEL_TRACES_SAMPLER: parentbased_traceidratio, OTEL_TRACES_SAMPLER_ARG: \"0.1\"}, even if it does not read them): then the load generator asks it for so many traces; as it is, the cost is that of tracing every operation", (*looker).findOwnSampler},
	{"baseline-own", note, "see that nothing in it traces: switch on in the other variants what is to be measured", (*looker).findOwnBaseline},
	{"tracer-in-launcher", note, "start the program itself, without the launcher, unless the launcher is part of what is measured: what the tracer does in it counts as the program's", (*looker).findLaunchers},
	{"packages-differ", warning, "give the program the versions that the tracer has (or pin the tracer's to the program's), so that both variants run the same libraries", (*looker).findShadowed},
	{"packages-unknown", note, "name the interpreter in the command itself (python3 app.py, or a script with #!): then it can be asked", (*looker).findUnknownPackages},
	{"no-spans", warning, "the tracer is there and instruments nothing of this operation, so what it costs here is not what tracing costs: see which libraries it knows, and its messages under " + resultsPlace + "/logs", (*looker).findNoSpans},
	{"calibration-differs", warning, "correct the declared number of spans per operation, or find out why the tracer makes another number", (*looker).findCalibration},
	{"spans-lost", warning, "the cost is that of a tracer that throws spans away: lower the rate, or enlarge its queue, until nothing is lost", (*looker).findLost},
	{"spans-unaccounted", warning, "spans are missing that nobody admits to have lost: see the tracer's own log", (*looker).findUnaccounted},
	{"sink-refused", warning, "what was in them is missing, and nobody knows how many spans that was: lower the rate if datagrams came too fast; otherwise see the tracer's own log, and report it", (*looker).findRefused},
	{"spans-surplus", warning, "more spans came than were expected: something else traces, or the number per operation is wrong", (*looker).findSurplus},
	{"sampling-off", warning, "the share of sampled traces is not what was asked for: check how the tracer samples", (*looker).findSampling},
	{"duplicates", note, "spans came more than once: the exporter sent them again, which costs", (*looker).findDuplicates},
	{"evicted", warning, "the sink had to forget span ids, so duplicates may be missed: lower the rate or shorten the window", (*looker).findEvicted},
	{"waited-for-tracer", note, "nothing to do: the first operation came after that, and the wait is in no figure", (*looker).findWaited},
	{"backend-differs", warning, "see how many it keeps (tracetax show of the backend): what it forgot after it had stored it cannot be found by those who ask it, and is in no count of lost spans; what went to the sink has another address in a configuration ({sink.…} is the backend's)", (*looker).findBackend},
	{"killed-at-stop", warning, "a process did not end when asked, so its tracer may not have flushed: see why it hangs", (*looker).findKilled},
}

// Codes are those of all warnings, in the order in which they are told.
func Codes() []string {
	var out []string
	for _, c := range checks {
		out = append(out, c.code)
	}
	return out
}

// All runs all checks on findings that are made; results is the folder, as a user names it.
func All(made *effect.Maker, results string, leftOut []finding.LeftOut, shadowed []finding.Shadowed) []finding.Warning {
	s := &looker{made, results, leftOut, shadowed}
	out := []finding.Warning{}
	for _, c := range checks {
		for _, h := range c.find(s) {
			advice := strings.ReplaceAll(c.advice, resultsPlace, words.Quoted(results))
			out = append(out, finding.Warning{Code: c.code, Severity: c.severity, Text: h.text, Advice: advice, Where: h.where})
		}
	}
	return out
}

// Who looks, and what was seen where.

// looker is what the checks look at.
type looker struct {
	*effect.Maker
	results string // the folder, as a user names it
	leftOut []finding.LeftOut

	shadowed []finding.Shadowed
}

// hit is one thing that a check found.
type hit struct{ text, where string }

// place names where something was seen.
func place(at cell.At, variant string) string {
	switch {
	case at == cell.At{}:
		return variant
	case variant == "":
		return at.String()
	}
	return at.String() + ", " + variant
}

// perVariant makes one hit a variant of what is true of some of its runs; text
// gets the worst value.
func (s *looker) perVariant(threshold float64, of func(*dataset.Run) float64, text func(worst float64) string) []hit {
	var hits []hit
	for _, v := range s.Variants {
		worst, n := 0.0, 0
		runs := s.RunsOf(v.Name)
		for _, r := range runs {
			if value := of(r); value > threshold {
				worst, n = max(worst, value), n+1
			}
		}
		if n > 0 {
			hits = append(hits, hit{fmt.Sprintf("%s (%d of %d runs)", text(worst), n, len(runs)), v.Name})
		}
	}
	return hits
}

// perCell makes one hit a cell and variant of what is true of some phases.
func (s *looker) perCell(threshold float64, of func(*dataset.Phase) float64, text func(worst float64) string) []hit {
	var hits []hit
	for _, at := range s.Cells() {
		for _, v := range s.Variants {
			worst, n := 0.0, 0
			phases := s.PhasesOf(v.Name, at)
			for _, p := range phases {
				if value := of(p); value > threshold {
					worst, n = max(worst, value), n+1
				}
			}
			if n > 0 {
				hits = append(hits, hit{fmt.Sprintf("%s (%d of %d runs)", text(worst), n, len(phases)), place(at, v.Name)})
			}
		}
	}
	return hits
}
