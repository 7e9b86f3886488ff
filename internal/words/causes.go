// This file puts into words why no span came.

package words

import (
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// Cause puts a cause into words.
func Cause(c finding.NoSpanBy) string {
	n := finding.FormatCount(int64(c.Count))
	switch c.Cause {
	case finding.NotTold:
		return "no process of it is told where tracetax's receiver is"
	case finding.OtherLanguage:
		return "what ran is " + listed(c.Names) + ", for which this tracer is not made"
	case finding.NotInherited:
		return fmt.Sprintf("%s of %d programs started without the variables that say where spans go: something on the way to them did not hand those on", n, c.Of)
	case finding.TracerFailed:
		return fmt.Sprintf("the log of %s tells that something could not be loaded: %s", c.Process, c.Log)
	case finding.ExportFailed:
		if c.Log != "" {
			return fmt.Sprintf("the log of %s tells that sending failed: %s", c.Process, c.Log)
		}
		return fmt.Sprintf("the tracer itself says that sending failed, of %s spans", n)
	case finding.Refused:
		return n + " requests or spans that came were refused: they could not be read as what this tracer is to send"
	case finding.Dropped:
		return fmt.Sprintf("the tracer says that it dropped %s spans", n)
	case finding.OtherSignals:
		return n + " metrics and logs came, and no span: only these are exported"
	case finding.NotUnderstood:
		return fmt.Sprintf("%s came, and over none of them a request that the receiver understands: the tracer speaks another protocol there, or has nothing to send", Counted(int(c.Count), "connection"))
	case finding.Empty:
		return fmt.Sprintf("%s came without a span: the tracer reaches the receiver, and instruments nothing that the program does", Counted(int(c.Count), "request"))
	case finding.OnlyBefore:
		return n + " spans came in the calibration, before the runs that are compared"
	case finding.NotInstrumented:
		if len(c.Names) > 0 {
			return fmt.Sprintf("%s spans came of other operations: the tracer instruments nothing of this one", n)
		}
		return "the tracer is loaded and sent nothing: it instruments nothing that the program does"
	case finding.NotConnected:
		return "nothing connected to the receiver, and nothing that was kept says why: see the process's log"
	}
	return ""
}

// Elsewhere puts into words where a process sent spans.
func Elsewhere(e finding.Elsewhere) string {
	var parts []string
	if len(e.To) > 0 {
		who := "a process"
		if e.Process != "" {
			who = "process " + e.Process
		}
		parts = append(parts, who+" was connected to "+listed(e.To)+", where receivers of spans listen")
	}
	if e.Log != "" {
		parts = append(parts, "the log of "+e.Process+" tells that sending failed: "+e.Log)
	}
	return fmt.Sprintf("%s (%d of %s)", strings.Join(parts, "; "), e.Runs, Counted(e.Of, "run"))
}

// Because is a clause of the first cause; "" where none is known.
func Because(causes []finding.NoSpanBy) string {
	if len(causes) == 0 {
		return ""
	}
	return ": " + strings.TrimRight(causes[0].Text, ". ")
}
