package cli

// This file says before a run whether its blocks are enough for any verdict, and its settings lose no spans.

import (
	"fmt"
	"io"
	"slices"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/session"
)

// outlooks says of which verdicts the blocks are, or may come to be, too few, and which
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
