package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/tracetax/tracetax/internal/analysis"
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
	text := fmt.Sprintf("run %d of %d", e.Done+1, e.Total)
	if e.Next.Kind == record.Calibration {
		text += " · learning how many spans " + e.Next.Variant + " makes"
	} else {
		text += fmt.Sprintf(" · block %d/%d · %s", e.Next.Block, p.experiment.Design.Blocks, e.Next.Variant)
	}
	if e.Left > 0 {
		text += " · " + about(e.Left) + " left"
	}
	if p.headline != "" {
		text += " · " + p.headline
	}
	if p.width > 0 {
		p.status(text)
	} else if e.Next.Block != p.block || e.Next.Kind == record.Calibration {
		p.block = e.Next.Block
		p.line(text)
	}
}

func (p *progress) ended(e experiment.Event) {
	if r := e.Record; r.Failed() {
		again := "is tried once more"
		if r.Attempt > 1 {
			again = "is left out"
		}
		p.line(fmt.Sprintf("block %d, %s failed (%s) and %s: %s", r.Block, r.Variant, r.Failure.Stage, again, r.Failure.Message))
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
