package cli

// This file says what was left out of a run, and how it ends for that.

import (
	"fmt"
	"io"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
)

// omission is a workload, or a variant of one, that was left out.
type omission struct {
	what   string
	reason string
	err    error // of a workload; nil for a variant
}

// omissions are the variants that the result of a workload leaves out; with several
// workloads its name is said.
func omissions(workload string, several bool, left []finding.LeftOut) []omission {
	var out []omission
	for _, one := range left {
		what := "variant " + one.Variant
		if several {
			what += " of " + workload
		}
		out = append(out, omission{what: what, reason: one.Reason})
	}
	return out
}

// tellOmissions names what was left out, at the end, where it is read.
func tellOmissions(to io.Writer, all []omission) {
	what := map[string][]string{}
	var order []string
	for _, one := range all {
		if what[one.reason] == nil {
			order = append(order, one.reason)
		}
		what[one.reason] = append(what[one.reason], one.what)
	}
	for _, reason := range order {
		fmt.Fprintln(to, wrapped(fmt.Sprintf("left out: %s: %s", strings.Join(what[reason], ", "), reason), widthOf(to)))
	}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
