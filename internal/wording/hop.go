// This file puts the account of one hop into words: of the way from one program to the next.

package wording

import (
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// Way is "collector → sink", with the hops between them that do not tell in brackets.
func Way(p finding.Page) string {
	way := p.From
	for _, past := range p.Past {
		way += " → (" + past + ")"
	}
	return way + " → " + p.To
}

// Hop is "38,400 of 48,000 came, 9,600 sampled out".
func Hop(p finding.Page) string {
	came := finding.FormatCount(p.Received)
	if p.Expected == nil {
		return came + " came; the expected number is unknown" + silence(p)
	}
	parts := []string{came + " of " + finding.FormatCount(*p.Expected) + " came" + inTraces(p)}
	by, inside := "by "+p.From, "lost inside "+p.From
	if p.From == finding.PageApp {
		by, inside = "by the tracer", "lost at the stop by the tracer"
	}
	for _, part := range []struct {
		n    *int64
		text string
	}{
		{p.Sampled, "sampled out" + copies(p)},
		{p.Dropped, "dropped " + by},
		{&p.Early, "dropped too early by " + p.From + tooEarly(p)},
		{&p.Torn, "left out of kept traces " + by},
		{p.Failed, "in failed exports " + by},
		{p.Refused, "refused by " + p.To},
		{sure(p, p.Inside), inside},
		{sure(p, p.Between), "lost between " + p.From + " and " + p.To},
	} {
		if part.n != nil && *part.n > 0 {
			parts = append(parts, finding.FormatCount(*part.n)+" "+part.text)
		}
	}
	if p.Early == 0 && p.EarlyTraces != nil && *p.EarlyTraces > 0 {
		parts = append(parts, Counted(int(*p.EarlyTraces), "trace")+" dropped too early by "+p.From+", with an unknown number of spans")
	}
	if p.Outcome == finding.HopUnsure {
		parts = append(parts, finding.FormatCount(p.Between+p.Inside)+" did not, perhaps left out on purpose")
	}
	if p.Twice > 0 {
		parts = append(parts, finding.FormatCount(p.Twice)+" of them twice")
	}
	if p.Outcome == finding.HopHidden {
		parts = append(parts, "some of them twice, which may hide losses")
	}
	if p.More > 0 {
		parts = append(parts, finding.FormatCount(p.More)+" more than "+p.From+" reports")
	}
	return strings.Join(parts, ", ") + silence(p)
}

// Packets is "94,743 packets captured, none dropped · 17.7 MB of files (3 runs)".
func Packets(p finding.Packets) string {
	text := "an unknown number of packets captured or dropped: " + p.Unreported
	if p.Captured != nil && p.Dropped != nil {
		dropped := "none dropped"
		if *p.Dropped > 0 {
			dropped = finding.FormatCount(*p.Dropped) + " (" + finding.FormatValue(p.DroppedShare(), "1") + ") dropped"
		}
		text = Counted(int(*p.Captured), "packet") + " captured, " + dropped
	}
	return text + " · " + finding.FormatValue(float64(p.Bytes), "bytes") + " of files (" + Counted(p.Runs, "run") + ")"
}

// Proxied is "94,743 calls counted by proxies, as many as the graph makes (3 runs)".
func Proxied(p finding.Proxied) string {
	text := "an unknown number of calls counted by proxies"
	if p.Calls != nil {
		text = finding.FormatCount(*p.Calls) + " calls counted by proxies"
		switch m := p.Makes; {
		case m == nil:
		case *p.Calls >= m.Low && *p.Calls <= m.High:
			text += ", as many as the graph makes"
		default:
			text += "; the graph makes " + finding.FormatCount(m.Low)
		}
	}
	return text + " (" + Counted(p.Runs, "run") + ")"
}

// Missing is "not come, by service: 750 of downstream"; "" if the services are unknown.
func Missing(l finding.Ledger) string {
	var parts []string
	for _, one := range l.Services {
		if missing := one.Expected - one.Delivered; missing > 0 {
			parts = append(parts, finding.FormatCount(missing)+" of "+one.Service)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "not come, by service: " + strings.Join(parts, ", ")
}

// inTraces is " in 37 traces, all whole", where a hop decides on traces.
func inTraces(p finding.Page) string {
	if p.Traces == nil {
		return ""
	}
	text := " in " + Counted(int(*p.Traces), "trace")
	switch {
	case p.Partial == nil || *p.Traces == 0:
		return text
	case *p.Partial == 0:
		return text + ", all whole"
	}
	return text + ", " + number(float64(*p.Partial)) + " of them not whole"
}

// copies is " (at least 87 of them copies, or of other work)", where a hop left out more than can be missing.
func copies(p finding.Page) string {
	if p.Copies == 0 {
		return ""
	}
	return " (at least " + finding.FormatCount(p.Copies) + " of them copies, or of other work)"
}

// tooEarly is " in 337 traces".
func tooEarly(p finding.Page) string {
	if p.EarlyTraces == nil {
		return ""
	}
	return " in " + Counted(int(*p.EarlyTraces), "trace")
}

// sure are spans that were lost; nil where it is not sure that they were.
func sure(p finding.Page, lost int64) *int64 {
	if p.Outcome == finding.HopUnsure {
		return nil
	}
	return &lost
}

// silence returns the reason why a hop does not report.
func silence(p finding.Page) string {
	if p.Unreported == "" {
		return ""
	}
	who := p.From
	if len(p.Past) > 0 {
		who = strings.Join(p.Past, " and ")
	}
	return " (" + who + " does not report it: " + p.Unreported + ")"
}
