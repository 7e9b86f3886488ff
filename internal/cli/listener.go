package cli

// This file tells a user how a session goes.

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report"
	"github.com/tracetax/tracetax/internal/session"
)

// listener writes how a session goes, line by line.
type listener struct{ to io.Writer }

// sessionOptions are those of a session that tells of itself on a stream.
func sessionOptions(to io.Writer, accounting string) session.Options {
	return session.Options{Tool: Version(), Source: builtOf(), Accounting: accounting, Progress: to, Listener: listener{to}}
}

// LeftOut names variants that cannot run here.
func (l listener) LeftOut(all []session.Lack) {
	for _, line := range lacks(all) {
		l.note("cannot run here" + line)
	}
}

// CutOff says that a run is missing.
func (l listener) CutOff(path string, bytes int64) {
	l.note(fmt.Sprintf("the last line of %s is cut off (%d bytes, no whole record): its run is left out", path, bytes))
}

// Watch tells of every run.
func (l listener) Watch(e *config.Experiment, part bool) session.Watcher {
	p := newProgress(l.to, e)
	if part {
		p.workload = e.Workload.Name
	}
	return p
}

func (l listener) note(text string) { fmt.Fprintln(l.to, wrapped("note: "+text, widthOf(l.to))) }

// print shows the result on stdout: a table, or the findings alone.
func print(s console.Streams, doc *finding.Document, asJSON bool) error {
	if asJSON {
		return report.JSON(s.Out, doc)
	}
	return report.Terminal(s.Out, doc, terminalOptions(s.Out, false))
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
