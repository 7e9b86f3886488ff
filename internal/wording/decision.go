package wording

import (
	"fmt"
	"math"
	"strings"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
)

// cpus is the unit of what a way adds at a rate.
const cpus = "CPU"

// Carries is in a consequence that says how many operations a CPU carries.
const Carries = " carries "

// Consequence is what a way of tracing means at the rate: the CPU that it takes, and the operations that one CPU carries. It is
// "" where the cost is not known.
func Consequence(d *finding.Decision, w *finding.Way) string {
	if w == nil || w.CPU == nil {
		return ""
	}
	text := fmt.Sprintf("At %s %s takes %s", Rate(d), w.Variant, finding.FormatInterval(*w.CPU, cpus, false))
	if d.Carries == nil || w.Carries == nil {
		return text + "."
	}
	own := finding.FormatValue(d.Rate/d.Carries.Estimate, cpus)
	return fmt.Sprintf("%s, beside %s of %s. A CPU that does nothing else"+Carries+"%s with it, and %s without.",
		text, own, d.Baseline, Carried(w.Carries), Carried(d.Carries))
}

// Busy is how busy a machine of so many CPUs is at the rate, without tracing and with the way that keeps every trace; "" where that
// is not known.
func Busy(d *finding.Decision, cpus float64) string {
	w := d.Way(d.Whole)
	if w == nil || w.CPU == nil || d.Carries == nil || cpus <= 0 {
		return ""
	}
	own := d.Rate / d.Carries.Estimate
	share := func(used float64) string { return finding.FormatValue(used/cpus, "1") }
	text := fmt.Sprintf("A machine of %g CPUs, as this one, is %s busy with this at %s, and %s with %s", cpus, share(own), Rate(d), share(own+w.CPU.Estimate), w.Variant)
	if own+w.CPU.Estimate < roomy*cpus {
		return text + ": if that is all it does, no more machines are needed."
	}
	return text + "."
}

// roomy is the share of its CPUs that a machine may use and have room for more.
const roomy = 0.5

// Rate is the rate of a decision: "200/s".
func Rate(d *finding.Decision) string {
	if d.Rate == math.Trunc(d.Rate) {
		return finding.FormatCount(int64(d.Rate)) + "/s"
	}
	return finding.FormatValue(d.Rate, "1/s")
}

// Carried is a number of operations/s with its interval; missing where it is not known.
func Carried(i *finding.Interval) string {
	if i == nil {
		return finding.Missing
	}
	size, ends := finding.FormatMeasured(*i, "1/s")
	return strings.TrimSpace(size + " " + ends)
}

// Decided is the answer of a decision in a sentence.
func Decided(d *finding.Decision) string {
	whole := ""
	if text := Consequence(d, d.Way(d.Whole)); text != "" {
		whole = "Cheapest that keeps every trace: " + d.Whole + ". " + text
	}
	parts := []string{budgetText(d), whole}
	switch maybe := d.Way(d.Perhaps); {
	case d.Whole != "":
	case maybe != nil:
		parts[1] = fmt.Sprintf("Not known: whether %s keeps every span (%s). If it does, a%s",
			maybe.Variant, missing(maybe), strings.TrimPrefix(Consequence(d, maybe), "A"))
	default:
		parts[1] = "Nothing that was measured keeps every trace, loses no span and holds the rate."
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// missing is how much of its spans a way may have lost, and why nobody knows.
func missing(w *finding.Way) string {
	return "up to " + finding.FormatValue(w.Lost, "1") + " may be missing" + because(finding.Reason{Code: w.Why})
}

// budgetText is what a budget leaves; "" where there is none.
func budgetText(d *finding.Decision) string {
	var open []string
	any := false
	for _, w := range d.Ways {
		any = any || w.InBudget != finding.None
		if didItsWork(&w) && w.InBudget == finding.CannotTell {
			open = append(open, w.Variant)
		}
	}
	text := ""
	switch w := d.Way(d.Choice); {
	case !any:
		return ""
	case w != nil:
		text = fmt.Sprintf("Within the budget: %s, which keeps %s of the traces.", w.Variant, finding.FormatValue(float64(w.Kept), "1"))
	case len(open) > 0:
		text = "Within the budget: nothing that was measured."
	default:
		text = "Within the budget: nothing that was measured" + nearest(d) + "."
	}
	if len(open) > 0 {
		text += " Inconclusive: " + strings.Join(open, ", ") + "."
	}
	return text
}

// didItsWork reports whether a way lost nothing, and held the rate: of others a remark tells.
func didItsWork(w *finding.Way) bool {
	return w.Standing == finding.OnFrontier || w.Standing == finding.Dominated || w.Standing == finding.NotPlaced
}

// nearest is the cheapest way of those that did their work, for whom nothing is within the budget; "" where none has a figure.
func nearest(d *finding.Decision) string {
	var best *finding.Way
	for i := range d.Ways {
		w := &d.Ways[i]
		if didItsWork(w) && w.Relative != nil && (best == nil || w.Relative.Estimate < best.Relative.Estimate) {
			best = w
		}
	}
	if best == nil {
		return ""
	}
	return fmt.Sprintf("; the cheapest, %s, adds %s", best.Variant, finding.FormatInterval(*best.Relative, "1", true))
}

// Remarks are sentences on the ways beside the answer, in their order.
func Remarks(d *finding.Decision) []string {
	var out []string
	if d.Reached > 0 {
		out = append(out, fmt.Sprintf("%s itself cannot hold %s: it reached %s. Nothing is compared; lower the rate.",
			d.Baseline, Rate(d), finding.FormatValue(d.Reached, "1/s")))
	}
	for i := range d.Ways {
		if text := remark(d, &d.Ways[i]); text != "" {
			out = append(out, text)
		}
	}
	return append(out, missedText(d)...)
}

// missedText says who did not hold the rate in some runs.
func missedText(d *finding.Decision) []string {
	var who []string
	add := func(variant string, m *finding.Missed) {
		if m != nil {
			who = append(who, fmt.Sprintf("%s in %d of %d runs", variant, m.Missed, m.Runs))
		}
	}
	add(d.Baseline, d.Missed)
	for _, w := range d.Ways {
		add(w.Variant, w.Missed)
	}
	if who == nil {
		return nil
	}
	return []string{"Not at " + Rate(d) + ": " + strings.Join(who, ", ") +
		". Lower the rate, or repeat it on a machine that does nothing else."}
}

// remark is the sentence on a way; "" where there is nothing to say.
func remark(d *finding.Decision, w *finding.Way) string {
	share := finding.FormatValue(w.Lost, "1")
	chosen := ""
	if w.Picks && w.Kept.Known() {
		chosen = fmt.Sprintf("it kept %s, chosen by what is in them", finding.FormatValue(float64(w.Kept), "1"))
	}
	if chosen != "" && w.Failed != nil {
		chosen += fmt.Sprintf(", where %s of the requests failed", finding.FormatValue(*w.Failed, "1"))
	}
	switch w.Standing {
	case finding.Dominated:
		if chosen != "" {
			return fmt.Sprintf("%s costs more CPU than %s; what it saves is traces to store: %s.", w.Variant, w.By, chosen)
		}
		return fmt.Sprintf("%s costs more than %s, and shows no more.", w.Variant, w.By)
	case finding.LosesSpans:
		return fmt.Sprintf("%s loses %s of its spans: no choice, whatever it costs.", w.Variant, share)
	case finding.MayLoseSpans:
		return strings.TrimSpace(toldOf(d, w) + " " + savesText(d, w))
	case finding.CannotHold:
		return fmt.Sprintf("%s cannot hold %s: it reached %s.", w.Variant, Rate(d), finding.FormatValue(w.Reached, "1/s"))
	}
	if w.Standing == finding.NotPlaced && !w.Kept.Known() && d.Reached == 0 {
		return fmt.Sprintf("How many traces %s keeps is not known: no span of it came. If it traces by itself, send its spans to the sink, "+
			"as with env.OTEL_EXPORTER_OTLP_ENDPOINT=http://{sink.otlp.http}.", w.Variant)
	}
	if w.CPU != nil && w.CPU.Low == nil {
		return fmt.Sprintf("%s has no interval: %d blocks are too few, 6 or more have one.", w.Variant, d.Blocks)
	}
	if chosen != "" {
		return fmt.Sprintf("%s decides on traces once they are there: %s.", w.Variant, chosen)
	}
	return savesText(d, w)
}

// toldOf says of a way that may lose spans what is not known; of the one that the answer names, what would tell it.
func toldOf(d *finding.Decision, w *finding.Way) string {
	if w.Variant != d.Perhaps {
		return fmt.Sprintf("Not known: whether %s loses spans (%s).", w.Variant, missing(w))
	}
	text := fmt.Sprintf("Whether %s loses spans its own log may say (in logs/ of the results)", w.Variant)
	if w.Why == finding.LossNumber || w.Why == finding.LossVaries {
		text += fmt.Sprintf(", and the account does if each operation makes as many, and you name the number: "+
			"--set 'workload.operations.%s.spans=5'", d.Operation)
	}
	return text + "."
}

// savesText is the sentence on what a way saves of what the way costs that keeps every trace; "" where there is no such way, or it
// has no interval.
func savesText(d *finding.Decision, w *finding.Way) string {
	full := d.Fullest()
	switch {
	case full == nil || full == w || !w.Kept.Known() || w.CPU == nil || w.CPU.Low == nil:
		return ""
	case w.Saves == nil:
		return fmt.Sprintf("What %s saves is not known: %s itself is not sure to cost anything, or cost nothing in a block. "+
			"More blocks may tell it.", w.Variant, full.Variant)
	case w.Saves.Low == nil:
		return ""
	case float64(w.Kept) >= finding.Lossless:
		return beside(d, w, full.Variant)
	}
	size, ends := finding.FormatMeasured(*w.Saves, "1")
	if *w.Saves.Low <= 0 && *w.Saves.High >= 0 {
		return fmt.Sprintf("Whether %s, which keeps %s of the traces, saves anything is undecided: %s %s of what %s costs. %s",
			w.Variant, finding.FormatValue(float64(w.Kept), "1"), size, ends, full.Variant, moreText(d, w))
	}
	return fmt.Sprintf("%s keeps %s of the traces, and saves %s %s of what %s costs.",
		w.Variant, finding.FormatValue(float64(w.Kept), "1"), size, ends, full.Variant)
}

// beside is the sentence on a way that keeps every trace, beside the cheapest that does; with the sign of what it saves, as in the
// table.
func beside(d *finding.Decision, w *finding.Way, full string) string {
	size, ends := finding.FormatMeasured(*w.Saves, "1")
	saves := fmt.Sprintf("it saves %s %s of what %s costs", size, ends, full)
	switch {
	case *w.Saves.High < 0:
		return fmt.Sprintf("%s costs more than %s: %s.", w.Variant, full, saves)
	case *w.Saves.Low > 0:
		return fmt.Sprintf("%s costs less than %s within blocks: %s.", w.Variant, full, saves)
	}
	return fmt.Sprintf("Whether %s costs more or less than %s is undecided: %s. %s", w.Variant, full, saves, moreText(d, w))
}

// wide is the width of an interval, a share of what a way costs, in which two ways are not about the same.
const wide = 0.4

// moreText says how many blocks may tell a way from the one that keeps every trace.
func moreText(d *finding.Decision, w *finding.Way) string {
	switch more := w.Needs - d.Blocks; {
	case w.Needs == 0 && *w.Saves.High-*w.Saves.Low > wide:
		return "Blocks differ too much for any reasonable number of them to tell it: measure it on a machine that does nothing else, " +
			"or with a longer --duration."
	case w.Needs == 0:
		return "They cost about the same: no reasonable number of blocks tells them apart."
	case d.Seconds > 0:
		return fmt.Sprintf("About %s more may tell (%.0f min): measure it again with --blocks %d.",
			Blocks(more), math.Ceil(float64(more)*d.Seconds/60), w.Needs)
	default:
		return fmt.Sprintf("About %s more may tell: measure it again with --blocks %d.", Blocks(more), w.Needs)
	}
}

// Answer is a decision in one line: what it is of, and what every trace costs.
func Answer(d *finding.Decision) string {
	w := d.Way(d.Whole)
	if maybe := d.Way(d.Perhaps); maybe != nil && maybe.Relative != nil {
		return fmt.Sprintf("%s: %s costs %s CPU; not known: whether it keeps every span (%s).",
			DecisionTitle(d), maybe.Variant, finding.FormatInterval(*maybe.Relative, "1", true), missing(maybe))
	}
	if w == nil || w.Relative == nil || w.CPU == nil {
		return DecisionTitle(d) + ": nothing that was measured keeps every trace, loses no span and holds the rate."
	}
	text := fmt.Sprintf("%s: every trace (%s) costs %s CPU", DecisionTitle(d), w.Variant, finding.FormatInterval(*w.Relative, "1", true))
	if c := d.Way(d.Choice); c != nil && c != w && c.Relative != nil {
		text += fmt.Sprintf("; within the budget, %s costs %s", c.Variant, finding.FormatInterval(*c.Relative, "1", true))
	}
	return text + "."
}

// DecisionTitle names a decision: "GET /orders at 200/s".
func DecisionTitle(d *finding.Decision) string {
	at := cell.AtOf(d.Operation, d.Parameter)
	if name, _, swept := at.Level.Swept(); swept && name == "rate" {
		return d.Operation + " at " + Rate(d)
	}
	return at.String() + " at " + Rate(d)
}
