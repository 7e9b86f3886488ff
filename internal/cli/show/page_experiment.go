package show

// What is shown of an experiment.

import (
	"errors"
	"strings"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/session"
)

func (p *page) experiments(experiments []*config.Experiment) {
	for i, e := range experiments {
		if i > 0 {
			p.line("\n---")
		}
		p.head("experiment", e.Name, "", e.Description)
		p.line("  %s", e.Summary())
		for _, line := range e.Rewritten() {
			p.line("  %s", line)
		}
		p.canRun(e)
		text, err := e.YAML()
		if err != nil {
			p.err = errors.Join(p.err, err)
			return
		}
		p.line("\n%s", strings.TrimSpace(string(text)))
	}
}

// canRun prints whether an experiment can run here, and what is left out of it.
func (p *page) canRun(e *config.Experiment) {
	left, whole := session.Lacking(e)
	if whole || len(left) == 0 {
		p.needs(e.Needs())
		return
	}
	p.line("\nruns here: in part; left out are")
	for _, l := range left {
		p.line("  %s: %s", lackView(l).name(false), strings.Join(l.Missing, "; "))
	}
}
