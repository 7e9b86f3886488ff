// This file puts into words what stands beside a figure, which blocks are left out, and how an experiment ended.

package wording

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// Notes puts what stands beside a figure into words; each of the notes gets its own.
func Notes(notes []finding.Reason) string {
	var parts []string
	for i := range notes {
		notes[i].Text = Reason(notes[i])
		parts = append(parts, notes[i].Text)
	}
	return strings.Join(parts, "; ")
}

// besideText is one of them, or what a warning tells.
func besideText(r finding.Reason) string {
	figure := func(name string) string { return figureText(r, name) }
	switch r.Code {
	case finding.NoteHarness:
		return "part of the harness: shown, not charged"
	case finding.NoteWithin:
		return "values vary from block to block by more than the difference, which is taken within blocks: the two values are centres over all blocks"
	case finding.NoteBracket:
		return "each search brackets its rate between two probes up to " + finding.FormatBound(r.Figure("share"), "1", true) + " apart; the interval covers both ends"
	case finding.NoteSittings:
		return "sittings differ by more than their blocks do: " + strings.Join(centres(r), ", ")
	case finding.NoteNodesApart:
		return "nodes differ by more than their blocks do: " + strings.Join(centres(r), ", ")
	case finding.NoteNodes:
		return nodesText(r)
	case finding.NoteSharedCPU:
		return "the programs shared their CPUs: " + OnlyCPU
	case finding.NoteOtherRate:
		return "not at the same rate: " + overloadText(r)
	case finding.NoteLossy:
		return r.Variant + " lost " + figure("share") + " of its spans, and did less work than tracing all of them"
	case finding.NoteMayBeLossy:
		return r.Variant + " may have lost up to " + figure("share") + " of its spans, and may have done less work" + because(r)
	case finding.NotePerSpan:
		low, high := r.Figure("low"), r.Figure("high")
		if low < high {
			return fmt.Sprintf("added CPU over the %.4g to %.4g expected spans per operation: the interval covers both ends", low, high)
		}
		return "added CPU over the expected " + spanNumber(low) + " per operation"
	case finding.NotePerTrace:
		return "added CPU over the traces that came"
	case finding.NoteAdded:
		return "what tracing adds to the time per call, over depth " + levels(r.Figures)
	case finding.NoteLine:
		return "of the time per call, over depth " + levels(r.Figures)
	case finding.NoteLineLost:
		return "up to " + figure("share") + " of the spans of a depth were lost: the line shows less work"
	case finding.NoteLineMayLose:
		return "up to " + figure("share") + " of the spans of a depth may have been lost: the line may show less work"
	case finding.NoteMeanSlope:
		return bentText(r) + "; the slope is a mean over all levels"
	case finding.DoubtBelow:
		return fmt.Sprintf("block %.0f: the idle rate over the drain is more than the window used", r.Figure("block"))
	case finding.DoubtRanFirst:
		return orderText(r, "where it ran before "+r.Against, "where it ran after it")
	case finding.DoubtRightNext:
		return orderText(r, "where "+r.Against+" ran right after it", "elsewhere")
	case finding.DoubtRightPrev:
		return orderText(r, "where it ran right after "+r.Against, "elsewhere")
	case finding.SpoiltSteal:
		return fmt.Sprintf("the host took %s of the CPU time that programs wanted while %s ran", figure("share"), r.Variant)
	case finding.SpoiltWindows:
		return fmt.Sprintf("other programs, or the host, disturbed %.0f of %.0f windows of an operation", r.Figure("disturbed"), r.Figure("windows"))
	case finding.StopPrecise:
		return "stopped after " + Blocks(int(r.Figure("blocks"))) + " at the precision of " + precision(r)
	case finding.StopMost:
		return "reached the most, " + Blocks(int(r.Figure("blocks"))) + ", before the precision of " + precision(r)
	}
	return because(r)
}

// centres are the centres of groups of blocks.
func centres(r finding.Reason) (out []string) {
	for _, f := range r.Figures {
		out = append(out, finding.FormatEstimate(finding.Interval{Estimate: f.Value}, f.Unit, f.Unit == "1"))
	}
	return out
}

// nodesText returns how far ratios differ between the nodes of a cluster, and between the blocks of one.
func nodesText(r finding.Reason) string {
	part := func(name string) string { return finding.FormatBound(r.Figure(name), "1", true) }
	if r.Figure("between") == 0 {
		return fmt.Sprintf("%.0f nodes differ by no more than the blocks of one do (standard deviation %s)", r.Figure("nodes"), part("within"))
	}
	return fmt.Sprintf("%.0f nodes differ by %s, and the blocks of one by %s (standard deviations of the ratio)", r.Figure("nodes"), part("between"), part("within"))
}

// because returns the reason why the number of lost spans is unknown.
func because(r finding.Reason) string {
	code := r.Because
	if code == "" {
		code = r.Code
	}
	switch code {
	case finding.LossNumber:
		return ", because the expected number is unknown"
	case finding.LossVaries:
		return ", because their number per operation varies"
	case finding.LossFailed:
		return ", because operations failed or were sent again"
	case finding.LossSurplus:
		return ", because more came than expected: the number is wrong, or something else traces"
	case finding.LossCrossed:
		return ", because spans came late: they may belong to another operation"
	case finding.LossUnmade:
		return ", because the number of spans made is unknown"
	case finding.LossNoProbe:
		return ", because the records have no probe at the rate found"
	}
	return ""
}

// UnknownLoss returns how many spans may have been lost, and why the number is unknown.
func UnknownLoss(l finding.LossUnknown) string {
	return "up to " + finding.FormatValue(l.LostMost, "1") + " of the spans may have been lost" + because(finding.Reason{Because: l.Why})
}

// orderText is the difference in one order of runs, and in the others.
func orderText(r finding.Reason, where, otherwise string) string {
	told := func(f finding.Figure) string {
		return finding.FormatInterval(finding.Interval{Estimate: f.Value}, f.Unit, f.Unit == "1")
	}
	if len(r.Figures) < 2 {
		return "the order of the runs makes a difference"
	}
	return "the order of the runs makes a difference: " + MetricOf(r.Metric, "") + ", " + told(r.Figures[0]) + " " + where + ", " + told(r.Figures[1]) + " " + otherwise
}

// overloadText returns the share of the rate that a variant reached.
func overloadText(r finding.Reason) string {
	if len(r.Figures) == 0 {
		return r.Variant + " could not hold the rate"
	}
	text := r.Variant + " could not hold " + figureText(r, "offered") + ": " + figureText(r, "reached") + " reached"
	if least := r.Figure("least"); least > 0 {
		text += ", at least " + finding.FormatInterval(finding.Interval{Estimate: least}, "1", true)
	}
	return text
}

// bentText returns the cost of a further call below the two deepest levels, and between them.
func bentText(r finding.Reason) string {
	if len(r.Figures) == 0 {
		return "no straight line"
	}
	depth := func(name string) string { return fmt.Sprintf("%.6g", r.Figure(name)) }
	return fmt.Sprintf("no straight line: a further call costs %s at depth %s to %s, and %s at %s to %s",
		figureText(r, "below"), depth("first"), depth("before"), figureText(r, "between"), depth("before"), depth("last"))
}

func levels(figures []finding.Figure) string {
	var depths []string
	for _, f := range figures {
		depths = append(depths, fmt.Sprintf("%.6g", f.Value))
	}
	return strings.Join(depths, ", ")
}

func spanNumber(n float64) string {
	if n == 1 {
		return "1 span"
	}
	return fmt.Sprintf("%.4g spans", n)
}

func precision(r finding.Reason) string {
	return "±" + finding.FormatBound(r.Figure("precision"), "1", true) + ", of " + finding.MetricName(r.Metric)
}

// figureText is a figure of a reason as it is shown.
func figureText(r finding.Reason, name string) string {
	for _, f := range r.Figures {
		if f.Name == name {
			return finding.FormatValue(f.Value, f.Unit)
		}
	}
	return finding.Missing
}

// MetricOf is the name of a metric and of the role or service that it is charged to: "" is all.
func MetricOf(name, charged string) string {
	if charged == "" {
		return finding.MetricName(name)
	}
	return finding.MetricName(name) + " of " + charged
}

// Scatter returns whether more blocks would make an interval narrower, or more windows.
func Scatter(s finding.Scatter) string {
	share, rest := fmt.Sprintf("%.0f %%", 100*s.FromRounds), ", the rest from fresh processes"
	if s.FromRounds >= 0.995 {
		share, rest = "All", ""
	}
	text := fmt.Sprintf("blocks differ by %s. %s of that variance comes from their windows (%.0f rounds a block, which differ by %s)%s. ",
		finding.FormatBound(s.Blocks, "1", true), share, s.Windows, finding.FormatBound(s.Rounds, "1", true), rest)
	switch {
	case s.FromRounds >= 0.5:
		return text + "More windows (a longer duration) help as much as more blocks."
	case s.FromRounds >= 0.2:
		return text + "More blocks help more than more windows (a longer duration)."
	}
	return text + "More blocks help, more windows hardly."
}

// Answers are "200: 1,845 · 500: 205 (10.0 %)".
func Answers(a finding.Answers) string {
	all := uint64(0)
	for _, n := range a.Statuses {
		all += n
	}
	var parts []string
	for i, status := range slices.Sorted(maps.Keys(a.Statuses)) {
		text := strconv.Itoa(status) + ": " + number(float64(a.Statuses[status]))
		if i > 0 {
			text += " (" + finding.FormatValue(float64(a.Statuses[status])/float64(all), "1") + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " · ")
}
