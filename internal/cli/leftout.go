package cli

// This file is what becomes of variants and workloads that cannot run here: they
// are left out by name, and the rest runs.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/internal/spec"
)

// makeReady makes every variant ready that can run here. Others are left out, with
// the reason. It fails where the baseline, all the others, or one of the named
// variants cannot run; or for a reason that has nothing to do with the variant.
func (b *bench) makeReady(ctx context.Context, open openStore, named []string, to io.Writer) error {
	var fatal, lacking []error
	var left []lackView
	for i, v := range b.asked.Variants {
		cell, err := prepare.Variant(ctx, open, b.asked, v, to)
		var unready *prepare.UnreadyError
		switch {
		case err == nil:
			b.environment.Digests[v.Name] = cell.Digests
			b.session.Cells = append(b.session.Cells, experiment.Cell{
				Variant: v, Plan: cell.Plan, Calibration: cell.Calibration, Folders: cell.Folders,
			})
		case ctx.Err() != nil:
			return err
		case !errors.As(err, &unready):
			fatal = append(fatal, err)
		case slices.Contains(named, v.Name):
			fatal = append(fatal, fmt.Errorf("%v (it was asked for by --variants)", err))
		case i == 0:
			fatal = append(fatal, err) // without its baseline nothing is compared
		default:
			lacking = append(lacking, err)
			left = append(left, lackView{Variant: v.Name, Missing: []string{unready.Reason.Error()}})
			b.environment.LeftOut = append(b.environment.LeftOut, finding.LeftOut{Variant: v.Name, Reason: firstLine(unready.Reason.Error())})
		}
	}
	if len(b.session.Cells) == 1 && len(lacking) > 0 {
		fatal = append(fatal, lacking...)
	}
	if fatal != nil {
		return errors.Join(fatal...)
	}
	for _, line := range lacks(left) {
		fmt.Fprintln(to, wrapped("note: cannot run here"+line, widthOf(to)))
	}
	return nil
}

// without is an experiment without the variants that are left out. What was to be
// compared with one of them besides the baseline is compared with the baseline alone.
func without(e *spec.Experiment, left []finding.LeftOut) *spec.Experiment {
	gone := func(name string) bool {
		return slices.ContainsFunc(left, func(l finding.LeftOut) bool { return l.Variant == name })
	}
	kept := *e
	kept.Variants = slices.DeleteFunc(slices.Clone(e.Variants), func(v spec.Variant) bool { return gone(v.Name) })
	for i := range kept.Variants {
		if gone(kept.Variants[i].Against) {
			kept.Variants[i].Against = ""
		}
	}
	return &kept
}

// sameLeftOut complains where other variants can run here than when the experiment
// was begun: its blocks would not hold the same.
func sameLeftOut(before, now []finding.LeftOut) error {
	missing := func(in, of []finding.LeftOut) (finding.LeftOut, bool) {
		for _, one := range in {
			if !slices.ContainsFunc(of, func(l finding.LeftOut) bool { return l.Variant == one.Variant }) {
				return one, true
			}
		}
		return finding.LeftOut{}, false
	}
	if gone, found := missing(now, before); found {
		return fmt.Errorf("variant %s was measured, and cannot run here any more (%s): put back what it needs, or start anew with --out", gone.Variant, gone.Reason)
	}
	if come, found := missing(before, now); found {
		return fmt.Errorf("variant %s could not run when this was begun (%s), and can now: start anew with --out", come.Variant, come.Reason)
	}
	return nil
}

// omission is a workload, or a variant of one, that was left out.
type omission struct {
	what   string
	reason string
	err    error // of a workload; nil for a variant
}

// passedOver says of a workload that failed whether the others are run all the
// same: it cannot run here, or its runs have shown that nothing can be concluded.
func passedOver(ctx context.Context, err error) bool {
	var unready *prepare.UnreadyError
	var final *experiment.FinalError
	return ctx.Err() == nil && (errors.As(err, &unready) || errors.As(err, &final))
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
