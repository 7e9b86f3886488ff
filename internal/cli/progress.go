//go:build linux

package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tracetax/tracetax"
	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/report"
	"github.com/tracetax/tracetax/internal/session"
)

// progress tells on stderr how an experiment goes: on a terminal in one line
// that is written over, elsewhere with a line for every block, and for a run where
// nothing was written for a while.
type progress struct {
	to         io.Writer
	width      int // of the terminal; 0 where it is none
	experiment *config.Experiment
	workload   string // its name, where the experiment has several
	headline   string
	block      int // the last one that was told of
	most       int // runs in all, when there were most
	open       bool
	told       map[string]string // where a failure was first told of
	again      *again            // failures that are not told of yet; nil: none
	written    time.Time         // when the last line was
	now        func() time.Time
	promised   time.Duration // that all of it was foreseen to take; 0: nothing was
	decides    bool          // the command is decide
}

// silence is the longest time without a line if there is no terminal.
const silence = 30 * time.Second

func newProgress(to io.Writer, e *config.Experiment) *progress {
	p := &progress{to: to, experiment: e, now: time.Now}
	p.width = widthOf(to)
	return p
}

// Observe gets every run that begins and ends.
func (p *progress) Observe(e experiment.Event) {
	if e.Record != nil {
		p.ended(e)
		return
	}
	p.tellRepeated()
	if !e.Waits.IsZero() {
		d := p.experiment.Design
		p.line(fmt.Sprintf("sitting %d of %d begins at %s; Ctrl-C ends the wait, and --resume goes on", d.SittingOf(e.Next.Block)+1, d.Sittings, e.Waits.Format("15:04")))
		return
	}
	p.groups(e)
	p.overdue(e)
	// Runs that are given up leave the sum: they count as past, so the number
	// of all does not fall.
	p.most = max(p.most, e.Total)
	e.Done, e.Total = p.most-(e.Total-e.Done), p.most
	text := begun(e, p.experiment)
	if run, rest, _ := strings.Cut(text, between); p.workload != "" {
		text = run + between + p.workload + between + rest
	}
	if p.width > 0 {
		p.status(text, p.headline)
		return
	}
	if p.headline != "" {
		text += " · " + p.headline
	}
	if e.Next.Block != p.block || e.Next.Block == 0 || p.now().Sub(p.written) >= silence {
		p.block, p.written = e.Next.Block, p.now()
		p.line(text)
	}
}

// begun says which run begins, and how many there are still to be.
func begun(e experiment.Event, of *config.Experiment) string {
	d := of.Design
	most := ""
	if e.Open {
		most = "at most "
	}
	text := fmt.Sprintf("run %d of %s%d · ", e.Done+1, most, e.Total)
	switch next := e.Next; {
	case next.Kind == record.Calibration && of.Workload != nil && len(of.Workload.Verify) > 0:
		text += "checking the answers of " + next.Variant
	case next.Kind == record.Calibration:
		text += "learning how many spans " + next.Variant + " makes"
	case next.Purpose == record.ForWarmup:
		text += "finding how long " + next.Variant + " takes to get steady"
	case next.Kind == record.Pilot:
		text += "finding what load " + next.Variant + " can take"
	case d.Most > 0:
		text += fmt.Sprintf("block %d, at most %d · %s", next.Block, d.Most, variants(next))
	case next.Block > d.Blocks:
		text += fmt.Sprintf("block %d, in the place of one that was spoiled · %s", next.Block, variants(next))
	default:
		text += fmt.Sprintf("block %d/%d · %s", next.Block, d.Blocks, variants(next))
	}
	if e.Besides > 0 {
		text += fmt.Sprintf(" · and %d more on other nodes", e.Besides)
	}
	if e.Left > 0 {
		text += " · " + most + about(e.Left) + " left"
	}
	return text
}

// variants lists the variants of a run and of the runs beside it.
func variants(next design.Run) string {
	var names []string
	for _, r := range next.All() {
		names = append(names, r.Variant)
	}
	return strings.Join(names, ", ")
}

// where a run was, for a line about its failure.
func where(r *record.Record) string {
	switch r.Kind {
	case record.Calibration:
		return "calibration"
	case record.Pilot:
		return "pilot"
	}
	return fmt.Sprintf("block %d", r.Block)
}

func (p *progress) ended(e experiment.Event) {
	if r := e.Record; r.Failed() {
		again := "is tried once more"
		if r.Attempt > 1 && (len(r.Harness.With) == 0 || failures(e) > 1) {
			again = "is left out"
		}
		if e.Ends != nil {
			again = "ends the experiment"
		}
		if r.Failure.Stage != record.StageBlock { // only the variant that failed is shown, not those that ended with it
			p.failed(r, again, e.Ends != nil)
		}
		return
	}
	p.tellRepeated()
	p.deaf(e.Record)
	p.headline = analysis.Headline(p.experiment, e.History)
}

// failures counts the failures of the run itself so far: an attempt is one of the whole block.
func failures(e experiment.Event) int {
	n := 0
	for i := range e.History {
		r := &e.History[i]
		if r.Failed() && r.Failure.Stage != record.StageBlock && r.Kind == e.Record.Kind && r.Purpose == e.Record.Purpose && r.Block == e.Record.Block && r.Variant == e.Record.Variant {
			n++
		}
	}
	return n
}

// groups reports, before the first block, that the memory does not hold all of its variants at once.
func (p *progress) groups(e experiment.Event) {
	const key = "groups"
	if _, told := p.told[key]; told || e.Next.Block == 0 || e.Fit == 0 {
		return
	}
	p.tell(key, key)
	text := fmt.Sprintf("memory suffices for %d of the %d variants at the same time, by what they held so far: each block is made in groups, each with %s; it takes longer, and fewer variants (--variants), or less memory for each, need none",
		e.Fit, len(p.experiment.Variants), p.experiment.Variants[0].Name)
	if e.Fit == 1 {
		text = "memory does not suffice for two variants at the same time, by what they held so far: they are run one after the other, and intervals are wider"
	}
	p.line(wrapped("groups: "+text, p.width))
}

// deaf reports, once for each variant, the processes that did not end when they were asked to, and the first time what to do.
func (p *progress) deaf(r *record.Record) {
	key := "deaf\n" + r.Variant
	if _, told := p.told[key]; told || len(r.Stop.Deaf) == 0 {
		return
	}
	p.tell(key, r.Variant)
	text := fmt.Sprintf("%s did not end on SIGTERM and was killed (%s)", strings.Join(r.Stop.Deaf, ", "), r.Variant)
	const why = "deaf"
	if _, told := p.told[why]; told {
		p.line(wrapped(text, p.width))
		return
	}
	p.tell(why, r.Variant)
	text += "; later runs do not wait for that: have it end, or its last spans may be missing"
	for _, v := range p.experiment.Variants {
		if v.Name == r.Variant && v.Tracer != nil && v.Tracer.Ends != "" {
			text += " (" + v.Tracer.Name + ": " + v.Tracer.Ends + ")"
		}
	}
	p.line(wrapped(text, p.width))
}

// tell notes where something was first told of.
func (p *progress) tell(key, at string) {
	if p.told == nil {
		p.told = map[string]string{}
	}
	p.told[key] = at
}

// failed reports a failure, the first time with the output of the process.
func (p *progress) failed(r *record.Record, again string, ends bool) {
	at := where(r) + ", " + r.Variant
	lead := fmt.Sprintf("%s failed (%s) and %s: ", at, r.Failure.Stage, again)
	key := r.Failure.Cause()
	if first, known := p.told[key]; known {
		p.repeat(r, again, first)
		return
	}
	p.tellRepeated()
	p.tell(key, at)
	if ends {
		p.line(strings.TrimSuffix(lead, ": ")) // the command ends with its reason
	} else {
		p.line(wrapped(lead+r.Failure.Message, p.width))
	}
	for _, text := range r.Failure.Log {
		p.line("    " + r.Failure.Process + " | " + text)
	}
}

// again are failures of one moment that say the same as an earlier one.
type again struct {
	stage, comes, as string // at which they failed, what comes next, and where it was told
	where            string
	variants         []string
}

// repeat holds a failure back that says what another one did: those of a moment are told in one line.
func (p *progress) repeat(r *record.Record, comes, as string) {
	if one := p.again; one != nil && one.stage == r.Failure.Stage && one.comes == comes && one.as == as && one.where == where(r) {
		one.variants = append(one.variants, r.Variant)
		return
	}
	p.tellRepeated()
	p.again = &again{stage: r.Failure.Stage, comes: comes, as: as, where: where(r), variants: []string{r.Variant}}
}

// tellRepeated reports the failures that were held back.
func (p *progress) tellRepeated() {
	one := p.again
	if p.again = nil; one == nil {
		return
	}
	if len(one.variants) > 1 {
		one.comes = strings.NewReplacer("is ", "are ", "ends ", "end ").Replace(one.comes)
	}
	names := strings.Join(one.variants, ", ")
	p.line(fmt.Sprintf("%s, %s failed (%s) and %s: again: same as in %s", one.where, names, one.stage, one.comes, one.as))
}

// End reports what was held back, and closes the line that is being written over.
func (p *progress) End() {
	p.tellRepeated()
	p.closeLine()
}

func (p *progress) closeLine() {
	if p.open {
		fmt.Fprint(p.to, "\r\x1b[K")
		p.open = false
	}
}

// status writes the line over: how far it is, and the headline. Where both have no
// room, the block and the variant go; of the headline the figure at its end stays.
func (p *progress) status(text, headline string) {
	if parts := strings.Split(text, between); headline != "" && p.room(text) < utf8.RuneCountInString(headline) && len(parts) > 3 {
		text = parts[0] + between + parts[len(parts)-1]
	}
	runes := []rune(headline)
	switch room := p.room(text); {
	case headline == "":
	case len(runes) <= room:
		text += between + headline
	case room > leastHeadline:
		text += between + "…" + string(runes[len(runes)-room+1:])
	}
	if runes := []rune(text); len(runes) >= p.width {
		text = string(runes[:p.width-2]) + "…"
	}
	fmt.Fprint(p.to, "\r\x1b[K"+text)
	p.open = true
}

// room returns the columns that a text leaves for a headline.
func (p *progress) room(text string) int {
	return p.width - 1 - utf8.RuneCountInString(text) - utf8.RuneCountInString(between)
}

const between = " · "

// leastHeadline is the shortest useful part of a headline, in columns.
const leastHeadline = 16

func (p *progress) line(text string) {
	p.closeLine()
	fmt.Fprintln(p.to, strings.TrimRight(text, " "))
}

// The progress of a session, for its user.

// listener writes how a session goes, line by line.
type listener struct {
	to      io.Writer
	decides bool // for the command decide
}

// sessionOptions returns the options of a session that reports its progress to a stream.
func sessionOptions(to io.Writer, accounting string) session.Options {
	profilers, err := fs.Sub(tracetax.Files, "profilers")
	if err != nil {
		panic(err) // the name is not valid
	}
	return session.Options{Tool: Version(), Source: builtOf(), Accounting: accounting, Profilers: profilers, Progress: to, Listener: listener{to: to}}
}

// builtOf returns the sources of this build, if Go recorded them.
func builtOf() *artifact.Checkout {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	var of artifact.Checkout
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			of.Commit = s.Value
		case "vcs.modified":
			of.Dirty = s.Value == "true"
		}
	}
	if of.Commit == "" {
		return nil
	}
	return &of
}

// LeftOut names variants that cannot run here.
func (l listener) LeftOut(all []session.Lack) {
	for _, line := range lacks(all) {
		l.note("cannot run here" + line)
	}
}

// CutOff says that a run is missing.
func (l listener) CutOff(path string, bytes int64) {
	tellCutOff(l.to, path, bytes)
}

// Watch reports every run.
func (l listener) Watch(e *config.Experiment, part bool) session.Watcher {
	p := newProgress(l.to, e)
	p.decides = l.decides
	if long, err := mostForeseen(e); err == nil { // the session tells of an error
		p.promised = long
	}
	if part {
		p.workload = e.Workload.Name
	}
	return p
}

func (l listener) note(text string) { note(l.to, text) }

// print shows the result on stdout: a table, that of its causes where only these were asked for, or the findings alone.
func print(s console.Streams, doc *finding.Document, asJSON, causes bool) error {
	switch {
	case asJSON:
		return report.JSON(s.Out, doc)
	case causes:
		return report.Causes(s.Out, doc, TerminalOptions(s.Out, false))
	}
	return report.Terminal(s.Out, doc, TerminalOptions(s.Out, false))
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
