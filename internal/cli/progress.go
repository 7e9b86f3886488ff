package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

// progress tells on stderr how an experiment goes: on a terminal in one line
// that is written over, elsewhere with a line for every block.
type progress struct {
	to         io.Writer
	width      int // of the terminal; 0 where it is none
	experiment *spec.Experiment
	headline   string
	block      int // the last one that was told of
	open       bool
}

func newProgress(to io.Writer, e *spec.Experiment) *progress {
	p := &progress{to: to, experiment: e}
	if file, ok := to.(*os.File); ok {
		p.width = terminalWidth(file)
	}
	return p
}

// observe is told of every run that begins and ends.
func (p *progress) observe(e experiment.Event) {
	if e.Record != nil {
		p.ended(e)
		return
	}
	text := begun(e, p.experiment.Design)
	if p.headline != "" {
		text += " · " + p.headline
	}
	if p.width > 0 {
		p.status(text)
	} else if e.Next.Block != p.block || e.Next.Block == 0 {
		p.block = e.Next.Block
		p.line(text)
	}
}

// begun says which run begins, and how many there are still to be.
func begun(e experiment.Event, d spec.Design) string {
	most := ""
	if e.Open {
		most = "at most "
	}
	text := fmt.Sprintf("run %d of %s%d · ", e.Done+1, most, e.Total)
	switch next := e.Next; {
	case next.Kind == record.Calibration:
		text += "learning how many spans " + next.Variant + " makes"
	case next.Kind == record.Pilot:
		text += "finding what load " + next.Variant + " can take"
	case d.Most > 0:
		text += fmt.Sprintf("block %d, at most %d · %s", next.Block, d.Most, beside(next))
	default:
		text += fmt.Sprintf("block %d/%d · %s", next.Block, d.Blocks, beside(next))
	}
	if e.Left > 0 {
		text += " · " + most + about(e.Left) + " left"
	}
	return text
}

// beside is the variants of a run: two in a duet.
func beside(next design.Run) string {
	if next.Partner == nil {
		return next.Variant
	}
	return next.Variant + " beside " + next.Partner.Variant
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
		if r.Attempt > 1 {
			again = "is left out"
		}
		p.line(fmt.Sprintf("%s, %s failed (%s) and %s: %s", where(r), r.Variant, r.Failure.Stage, again, r.Failure.Message))
		for _, text := range r.Failure.Log {
			p.line("    " + r.Failure.Process + " | " + text)
		}
		return
	}
	p.headline = analysis.Headline(p.experiment, e.History)
}

// end closes the line that is being written over.
func (p *progress) end() {
	if p.open {
		fmt.Fprint(p.to, "\r\x1b[K")
		p.open = false
	}
}

func (p *progress) status(text string) {
	if runes := []rune(text); len(runes) >= p.width {
		text = string(runes[:p.width-2]) + "…"
	}
	fmt.Fprint(p.to, "\r\x1b[K"+text)
	p.open = true
}

func (p *progress) line(text string) {
	p.end()
	fmt.Fprintln(p.to, strings.TrimRight(text, " "))
}

// about is a duration as people say it.
func about(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return fmt.Sprintf("%d s", max(1, int(d.Seconds()+0.5)))
	case d < 90*time.Minute:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// terminalWidth is the width of a terminal, 0 for any other file.
func terminalWidth(file *os.File) int {
	if !term.IsTerminal(int(file.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil || width < 20 {
		return 80
	}
	return width
}
