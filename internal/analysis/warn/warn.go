// Package warn owns the closed list of warnings about a measurement, with their words. It must not know
// how a figure is made. docs/warnings.md has the same list for readers.
package warn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/analysis/dataset"
	"github.com/tracetax/tracetax/internal/analysis/effect"
	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/wording"
)

// Severities.
const (
	note    = "note"    // good to know
	warning = "warning" // may have bent the result
	spoiled = "spoiled" // something counts that should have been left out
)

// resultsPlace stands for the results folder in an advice.
const resultsPlace = "{results}"

// check is one warning of the list.
type check struct {
	code, severity string
	advice         string
	find           func(*checker) []hit
}

// ofMachine holds warnings with one cause for all places: only the worst is shown. So it is for those that count runs.
var ofMachine = map[string]bool{"generator-late": true, "sink-busy": true, "harness-busy": true, "cpu-stolen": true, "busy-neighbour": true}

// checks lists all warnings, in the order of the report.
var checks = []check{
	{"interrupted", warning, "go on with: tracetax run --resume " + resultsPlace, (*checker).findInterrupted},
	{"quick", note, "run without --quick for numbers to act on", (*checker).findQuick},
	{"rate-declared", note, "run without --quick for the rate that the experiment asks for", (*checker).findDeclaredRate},
	{"faults-injected", note, "to measure a program, take faults out of the experiment", (*checker).findFaults},
	{"variant-left-out", warning, "install what is missing, or read 'tracetax show' of the tracer; the other variants are not affected", (*checker).findLeftOut},
	{"too-few-blocks", warning, "make at least 6 blocks (design: {blocks: 10}); if runs failed, see why", (*checker).findFewBlocks},
	{"precision-not-reached", warning, "allow more blocks (design: {blocks: 8..60}), or ask for less precision", (*checker).findImprecise},
	{"stopped-early", note, "nothing to do; a smaller precision, or a fixed number of blocks, makes more", (*checker).findStoppedEarly},
	{"pilot", note, "to repeat the experiment at this rate on another machine, name the rate (load: {rate: …})", (*checker).findPilot},
	{"woven", note, "compare CPU and memory; for latency, and for figures of one variant alone, use order: windows", (*checker).findWoven},
	{"groups", note, "nothing to do for comparisons with the baseline; to compare variants with each other, use a machine with more memory or fewer variants (--variants)", (*checker).findGroups},
	{"failed-runs", warning, "see the last log lines in the results folder under logs/; what failed twice is not tried again by --resume: mend it, and measure again", (*checker).findFailed},
	{"spoiled-blocks", note, "nothing to do: the other blocks count; a machine that does nothing else spoils none", (*checker).findDropped},
	{"spoiled-kept", spoiled, "repeat the experiment on a quieter machine: too many blocks are spoiled to leave all of them out, so these count", (*checker).findKept},
	{"windows-left-out", note, "nothing to do: the other windows count, and the ledger covers all of them", (*checker).findDisturbed},
	{"overloaded", warning, "lower the rate until every variant holds it, or measure capacity instead", (*checker).findOverloaded},
	{"generator-bound", warning, "give the load generator more CPUs, or the service fewer", (*checker).findGeneratorBound},
	{"search-limit", warning, "widen the search (load: {capacity: {from: …, max: …}})", (*checker).findSearchLimit},
	{"search-saturated", warning, "see what limits it (a lock, a pool, one thread, another process on its CPUs); search under a latency limit instead (load: {capacity: {p99: 20ms}})", (*checker).findSaturated},
	{"search-unsteady", warning, "make the probes longer (load: {duration: …}), or use a quieter machine", (*checker).findUnsteady},
	{"database-busy", warning, "give the database more CPUs: the figures are partly those of the database", (*checker).findDatabaseBusy},
	{"generator-late", warning, "give the load generator its own CPU, or lower the rate", (*checker).findLate},
	{"lag-differs", warning, "give the load generator its own CPU: it must be equally late with every variant", (*checker).findLags},
	{"delayed-acknowledgement", warning, "set TCP_NODELAY in the server, or let it write an answer in one piece: it writes two, and its kernel holds the second back until this one's acknowledgement, which Linux delays (uvicorn --workers: install uvloop, or use gunicorn -k uvicorn_worker.UvicornWorker; Python's http.server: disable_nagle_algorithm = True in the handler); CPU is not affected", (*checker).findPutOff},
	{"harness-shared-cpu", warning, "use two or more CPUs, with the right to set affinity or a cpuset", (*checker).findShared},
	{"program-unseen", warning, "run tracetax as root or as the program's user: CPU and memory may be those of another program, and get no verdict", (*checker).findUnseen},
	{"left-cgroup", warning, "keep its processes in the cgroup that they start in: outside, no limit holds and throttling is not seen", (*checker).findLeavers},
	{"limits-unmet", warning, "give tracetax the right to set it (root, or a delegated cgroup), or take the limit out of the file", (*checker).findUnmet},
	{"sink-busy", warning, "lower the rate or the sampling: the sink may have slowed the tracer down", (*checker).findSinkBusy},
	{"harness-busy", note, "nothing to do if the effect is large; otherwise report it: tracetax should use less", (*checker).findHarnessBusy},
	{"cpu-stolen", warning, "use a machine whose CPUs are not shared with others", (*checker).findStolen},
	{"busy-neighbour", warning, "stop the other programs and repeat: they slow the program down, and may cause blocked time and losses", (*checker).findNeighbours},
	{"load-average", warning, "stop the other programs before the experiment", (*checker).findBusyStart},
	{"starts-beside", note, "to compare start-up times and first operations, use order: apart", (*checker).findBeside},
	{"clock-accounting", note, "give tracetax the right to make cgroups for exact CPU: process clocks show short-lived children only at their end, and no throttling", (*checker).findClock},
	{"other-runtime", note, "compare it with a variant on the same runtime (against: …): its cost over the baseline includes the difference between the runtimes", (*checker).findRuntimes},
	{"throttled", warning, "raise the app's CPU quota or lower the rate: the quota determines the latency, not the tracer", (*checker).findThrottled},
	{"log-full", warning, "let it write less, or to a file: it waited for tracetax to read its log, which changes its latency, rate and use", (*checker).findFullLogs},
	{"spinning", warning, "compare at capacity, where nothing spins, or with spinning off (.NET: env: {DOTNET_ThreadPool_UnfairSemaphoreSpinLimit: 0})", (*checker).findSpinning},
	{"window-short", warning, "make the load as long as the tracer holds spans, in windows 5 times as long (--duration, or load: {duration: …})", (*checker).findShortWindow},
	{"hop-waits-long", warning, "make the window at least 5 times as long as it waits (load: {duration: …}), or shorten its wait: part of its work falls into the drain", (*checker).findLongWaits},
	{"hop-room-small", warning, "give it more room (traces: …), or shorten its wait: it throws the oldest traces away undecided", (*checker).findLittleRoom},
	{"spans-late", warning, "lengthen its wait beyond the delays of the tracers (wait: …), or shorten these: of traces that it left out, late spans are in no count, and are shown as lost inside it", (*checker).findLateSpans},
	{"never-steady", warning, "allow a longer warm-up (load: {warmup: auto..60s}), or raise the rate, which warms code sooner: the figures contain a part of the warm-up", (*checker).findNeverSteady},
	{"first-dearer", warning, "warm up longer (load: {warmup_all: 60s}): a runtime that compiles while it runs needs seconds of CPU, and variants share it", (*checker).findFirstDearer},
	{"still-compiling", warning, "warm up longer (load: {warmup: 80s at 1000/s}): a program that is still compiled costs several times what it costs later, and a traced one has more to compile", (*checker).findCompiling},
	{"never-quiet", warning, "shorten the tracer's delay or lower the rate: it still sent when the wait ended, and some of its cost is not counted", (*checker).findNeverQuiet},
	{"never-calm", warning, "find what the program still does after its load: later work is not counted", (*checker).findNeverCalm},
	{"idle-unknown", warning, "let the program be ready later (ready: …), and measure idle use (load: {idle: 1s}): operations are charged for the processes' own work during the drain", (*checker).findIdleUnknown},
	{"constant-arrivals", warning, "leave arrivals out: requests then come at random moments, at the same rate", (*checker).findConstant},
	{"constant-calls", warning, "have the program start operations at random moments: the word moments of docs/self-driving.md", (*checker).findConstantCalls},
	{"in-turn", note, "take fewer variants, if CPU is to be sharper, or a lower rate if the real one is lower: the load of all variants has to fit into 60 % of the CPUs", (*checker).findInTurn},
	{"rested", warning, "choose another order (design: {order: woven}, or apart): in windows each program rests while others have the load", (*checker).findRested},
	{"works-apart", warning, "choose another order (design: {order: woven}, or apart): a program that works by itself, or late for its operations, is charged for that in windows", (*checker).findAway},
	{"works-beside", warning, "choose another order (design: {order: apart}), or fewer variants: what a tracer sends late is done while another variant is timed", (*checker).findBesideLoad},
	{"idle-differs", warning, "find what the program still does when it is ready, or after its load: operations are charged for its own work during the drain", (*checker).findIdleDiffers},
	{"low-rate", note, "idle use is a large part of the CPU per operation; a higher rate shows what operations cost by themselves", (*checker).findLowRate},
	{"cpu-negative", warning, "lengthen the window or the idle time before it: the noise is as large as the work", (*checker).findBelow},
	{"sittings-differ", warning, "make 6 sittings or more (design: {blocks: 12, sittings: 6}): the interval is then one over sittings, and holds for other hours too", (*checker).findSittings},
	{"nodes-differ", warning, "see what is different on them (the CPUs, other pods), measure on nodes of one kind (target: {kubernetes: {selector: …}}), or on six or more without a precision: the interval is then one over nodes, and holds for others too", (*checker).findNodes},
	{"modes", warning, "look at the dots of all blocks in the report; more blocks do not help before the cause is found", (*checker).findModes},
	{"carry-over", warning, "find what a run leaves behind (a cache, a hot CPU, a growing database) and clear it; the order is balanced, which widens the interval and hardly biases the figure", (*checker).findCarryOver},
	{"causes-disagree", warning, "believe the difference, which is measured: what the steps add lies in other stages too, in the program, or in the runtime (tracetax report --all)", (*checker).findCausesDisagree},
	{"no-straight-line", warning, "read the cost of each depth, in the table or the chart of the report", (*checker).findBends},
	{"operations-failed", warning, "see why operations fail: variants that do different work cannot be compared", (*checker).findFailedOperations},
	{"redirected", warning, "request the page that it leads to, log in by steps, or allow the redirect (status: 302): the cost is that of the redirect", (*checker).findRedirected},
	{"few-connections", note, "measure one worker, whose cost per operation holds for each, or raise the rate: at a rate a connection is opened only when all others are busy, with every variant, and in production callers have more", (*checker).findFewConnections},
	{"answers-differ", warning, "find out why: a variant that answers differently may do less work, or more; there is no verdict", (*checker).findOtherWork},
	{"expectation-unknown", note, "declare how many spans an operation makes (operations: {NAME: {spans: 3}})", (*checker).findUnknown},
	{"nothing-traced", warning, "see whether the tracer instruments the program and reaches the sink (its log, class versions, plugins, configured methods): the difference is not the cost of tracing", (*checker).findNothingTraced},
	{"traces-elsewhere", warning, "switch its tracing off (see docs/warnings.md), or send its spans to the sink ({sink.otlp.grpc}, {sink.otlp.http}); if no receiver of spans listens there, make that program a process of the workload, or use another port", (*checker).findElsewhere},
	{"own-sampler", warning, "declare the share that it samples (env: {OTEL_TRACES_SAMPLER: parentbased_traceidratio, OTEL_TRACES_SAMPLER_ARG: \"0.1\"}, even if it does not read them); now the cost is that of tracing every operation", (*checker).findOwnSampler},
	{"callers-sample", note, "nothing to do: the cost is that of an operation that its caller samples", (*checker).findCallers},
	{"baseline-own", note, "make sure that nothing in it traces: switch tracing on in the other variants instead", (*checker).findOwnBaseline},
	{"tracer-in-launcher", note, "start the program without the launcher, unless you want to measure both: the report charges the program for the tracer in the launcher", (*checker).findLaunchers},
	{"library-not-traced", warning, "take a version of the library that the tracer knows, or a newer tracer: the cost is that of tracing without it", (*checker).findMissed},
	{"packages-differ", warning, "install the tracer's versions for the program, or pin the tracer to the program's: both variants must run the same libraries", (*checker).findShadowed},
	{"packages-unknown", note, "name the interpreter in the command (python3 app.py, or a script with #!): tracetax asks it", (*checker).findUnknownPackages},
	{"no-spans", warning, "see which libraries the tracer knows, and its messages under " + resultsPlace + "/logs: it instruments nothing of this operation, and the difference is not the cost of tracing", (*checker).findNoSpans},
	{"calibration-differs", warning, "correct the declared number of spans per operation, or find out why the tracer makes another number", (*checker).findCalibration},
	{"spans-lost", warning, "lower the rate, or enlarge the tracer's queue, until nothing is lost: a tracer that drops spans does less work", (*checker).findLost},
	{"spans-unaccounted", warning, "see the tracer's own log: spans are missing, and nobody reports a loss", (*checker).findUnaccounted},
	{"traces-not-kept", note, "let the tracer send OTLP to the sink; where the disk was too slow, lower the rate or its sampling", (*checker).findUnkept},
	{"packets-beside", warning, "measure it with order: apart: so the whole of its cost is in the difference", (*checker).findPacketsBeside},
	{"packets-dropped", warning, "enlarge the buffer (settings: {buffer: 32768}), keep less of each packet (snaplen), or lower the rate: what drops packets does less work", (*checker).findPacketsDropped},
	{"sink-refused", warning, "lower the rate if datagrams came too fast; otherwise see the tracer's own log, and report it: nobody knows how many spans were in them", (*checker).findRefused},
	{"spans-surplus", warning, "see what else traces, or correct the number of spans per operation: more came than expected", (*checker).findSurplus},
	{"sampling-off", warning, "check how the tracer samples: the share of sampled traces is not the configured one", (*checker).findSampling},
	{"duplicates", note, "see why the exporter sent spans again: it costs, but loses nothing", (*checker).findDuplicates},
	{"evicted", warning, "lower the rate or shorten the window: the sink forgot span ids, and may miss duplicates", (*checker).findEvicted},
	{"waited-for-tracer", note, "nothing to do: no figure contains the wait", (*checker).findWaited},
	{"backend-differs", warning, "see how many spans it keeps (tracetax show of the backend): spans that it forgot after storing are in no count of losses; spans that went to the sink have its address in a configuration ({sink.…} is the backend's)", (*checker).findBackend},
	{"killed-at-stop", warning, "see why the process does not end: a deployment waits for it too, and a tracer that is killed before it flushes loses spans", (*checker).findKilled},
}

// otherPods is what to do in a cluster about what disturbs a node.
const otherPods = "see what else runs on its node ('kubectl get pods -A --field-selector spec.nodeName=NODE'), or name a quieter one " +
	"(target: {kubernetes: {node: …}})"

// inPods is the advice about programs in pods, where it is another one.
var inPods = map[string]string{
	"harness-shared-cpu": "leave its node more CPUs, or have load made on other nodes (target: {kubernetes: {generators: 2}})",
	"busy-neighbour":     otherPods,
	"load-average":       otherPods,
}

// Codes returns the codes of all warnings, in the order of the report.
func Codes() []string {
	var out []string
	for _, c := range checks {
		out = append(out, c.code)
	}
	return out
}

// All runs all checks on findings that are made; results is the folder, as a user names it.
func All(made *effect.Estimator, results string, leftOut []finding.LeftOut, shadowed []finding.Shadowed) []finding.Warning {
	s := &checker{made, results, leftOut, shadowed}
	out := []finding.Warning{}
	for _, c := range checks {
		hits := c.find(s)
		if ofMachine[c.code] || !slices.ContainsFunc(hits, func(h hit) bool { return h.of == 0 }) {
			hits = merged(hits)
		}
		for _, h := range hits {
			advice := strings.ReplaceAll(c.advice, resultsPlace, wording.Quoted(results))
			if other := inPods[c.code]; other != "" && s.ofPods() {
				advice = other
			}
			out = append(out, finding.Warning{Code: c.code, Severity: c.severity, Text: h.said(), Advice: advice, Where: h.where})
		}
	}
	fold(out)
	return out
}

// Who looks, and what was seen where.

// checker is the input of the checks.
type checker struct {
	*effect.Estimator
	results string // the folder, as a user names it
	leftOut []finding.LeftOut

	shadowed []finding.Shadowed
}

// ofPods reports whether the programs ran in pods.
func (s *checker) ofPods() bool {
	return s.Any(func(r *dataset.Run) bool { return r.Harness.Node != "" })
}

// hit is one thing that a check found.
type hit struct {
	text, where string
	worst       float64 // severity, for hits that merge
	runs, of    int     // in how many runs it was so; 0: not counted
	at          cell.At // of what it was true in these runs
	counted     string  // what is counted; "": runs
}

func seen(text, where string) hit { return hit{text: text, where: where} }

func (h hit) said() string {
	if h.of == 0 {
		return h.text
	}
	return fmt.Sprintf("%s (%d of %d %s)", h.text, h.runs, h.of, cmp.Or(h.counted, "runs"))
}

// mostPlaces are named of one warning.
const mostPlaces = 3

// merged makes one hit of several: the worst, with the places of all. A run has a phase for each operation, and a hit that was
// not counted may have been so in all of them.
func merged(hits []hit) []hit {
	if len(hits) < 2 {
		return hits
	}
	one := slices.MaxFunc(hits, func(a, b hit) int { return cmp.Compare(a.worst, b.worst) })
	one.runs, one.of = 0, 0
	var places []string
	for _, h := range hits {
		one.runs, one.of = one.runs+h.runs, one.of+h.of
		if h.at != hits[0].at {
			one.counted = "phases"
		}
		places = append(places, h.where)
	}
	if slices.ContainsFunc(hits, func(h hit) bool { return h.of == 0 }) {
		one.of = 0
	}
	one.where = fewPlaces(places)
	return []hit{one}
}

// fewPlaces names the first of some places, and counts the others.
func fewPlaces(places []string) string {
	if more := len(places) - mostPlaces; more > 1 {
		places = append(slices.Clip(places[:mostPlaces]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(places, "; ")
}

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
func (s *checker) perVariant(threshold float64, of func(*dataset.Run) float64, text func(worst float64) string) []hit {
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
			hits = append(hits, hit{text: text(worst), where: v.Name, worst: worst, runs: n, of: len(runs)})
		}
	}
	return hits
}

// perCell makes one hit a cell and variant of what is true of some phases.
func (s *checker) perCell(threshold float64, of func(*dataset.Phase) float64, text func(worst float64) string) []hit {
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
				hits = append(hits, hit{text: text(worst), where: place(at, v.Name), worst: worst, runs: n, of: len(phases), at: at})
			}
		}
	}
	return hits
}
