//go:build linux

// tracetax selfcheck: the harness held against injected overheads.

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/report/terminal"
	"github.com/tracetax/tracetax/internal/selfcheck"
	"github.com/tracetax/tracetax/internal/session"
)

// selfcheckFile is the report of a selfcheck, beside its results folders.
const selfcheckFile = "selfcheck.json"

// selfcheckFlags are the flags of selfcheck.
type selfcheckFlags struct {
	quick, full, json bool
	out, resume       string
	accounting        string
}

func newSelfcheck(s console.Streams) *cobra.Command {
	var f selfcheckFlags
	c := &cobra.Command{
		Use:   "selfcheck",
		Short: "Check the harness itself against injected overheads",
		Long: `Inject known costs, measure them as any experiment does, and check that the result
shows them: the same program against itself, 3 and 73 µs of CPU, 200 µs that come
only when spans are sent, a program that works while it is idle, 50 MB, a sink that
throws spans away, a late sink and a late load generator. The quick form measures in
the order paired; the full form also in windows, and 1 ms of sleep.

Exit status: 0 all were found; 1 one was not; 4 this machine is too noisy.`,
		Example: `  tracetax selfcheck
  tracetax selfcheck --full
  tracetax run selfcheck-costs       one of its experiments, by hand`,
		Args: console.UsageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c.Context(), s) },
	}
	flags := c.Flags()
	flags.BoolVar(&f.quick, "quick", false, "quick form, under three minutes (the default)")
	flags.BoolVar(&f.full, "full", false, "full form, about twenty-five minutes: also in windows, more and longer, for narrower intervals")
	flags.BoolVar(&f.json, "json", false, "print the checks as JSON on stdout")
	flags.StringVar(&f.out, "out", "", "results folder `DIR` (default tracetax-results/selfcheck-DATE-TIME)")
	flags.StringVar(&f.resume, "resume", "", "continue the interrupted results in `DIR`")
	flags.StringVar(&f.accounting, "accounting", "auto", "`HOW` CPU time is charged: by cgroup, clock, or auto, which takes cgroup where it can")
	return c
}

// run makes the experiments, judges, and prints the report.
func (f *selfcheckFlags) run(ctx context.Context, s console.Streams) error {
	began := time.Now()
	if err := f.fit(); err != nil {
		return console.UsageError(err)
	}
	dir, form, err := f.folder()
	if err != nil {
		return err
	}
	evidence := map[string]selfcheck.Evidence{}
	var folders []string
	for i, one := range form.Experiments() {
		folder := filepath.Join(dir, one.Folder())
		fmt.Fprintf(s.Err, "%d of %d: %s, order %s\n", i+1, len(form.Experiments()), one.Name, one.Order)
		if evidence[one.Folder()], err = f.one(ctx, s, one, folder); err != nil {
			return f.interrupted(err, dir)
		}
		folders = append(folders, folder)
	}
	report := selfcheck.Judge(form, evidence)
	report.Tool, report.Results, report.Seconds = Version(), folders, time.Since(began).Seconds()
	if err := writeSelfcheck(dir, report); err != nil {
		return err
	}
	if err := f.print(s, report); err != nil {
		return err
	}
	return selfcheckStatus(report.Verdict)
}

// fit says which flags contradict each other.
func (f *selfcheckFlags) fit() error {
	switch {
	case f.quick && f.full:
		return errors.New("--quick and --full: choose one form")
	case f.resume != "" && f.out != "":
		return errors.New("--resume goes on in its own folder: leave out --out")
	case f.resume != "" && (f.quick || f.full):
		return errors.New("--resume goes on with the form that was begun: leave out --quick and --full")
	}
	return nil
}

// interrupted says how to go on.
func (f *selfcheckFlags) interrupted(err error, dir string) error {
	return fmt.Errorf("%w\nwhat is measured is kept; go on with: tracetax selfcheck --resume %s", err, dir)
}

func (f *selfcheckFlags) print(s console.Streams, report *selfcheck.Report) error {
	if f.json {
		return encode(s.Out, report)
	}
	return terminal.Write(s.Out, report.Page(), TerminalOptions(s.Out, false))
}

// selfcheckStatus is the exit status that a verdict calls for.
func selfcheckStatus(v selfcheck.Verdict) error {
	switch v {
	case selfcheck.Failed:
		return &console.StatusError{Code: console.Failed}
	case selfcheck.Inconclusive:
		return &console.StatusError{Code: console.Inconclusive}
	}
	return nil
}

// one runs one experiment in its folder, or goes on with it.
func (f *selfcheckFlags) one(ctx context.Context, s console.Streams, one selfcheck.Experiment, folder string) (evidence selfcheck.Evidence, err error) {
	e, resumed, err := selfcheckExperiment(one, folder)
	if err != nil {
		return evidence, err
	}
	b, err := session.Prepare(ctx, e, folder, sessionOptions(s.Err, f.accounting))
	if err != nil {
		return evidence, err
	}
	open := b.Create
	if resumed {
		open = b.Resume
	}
	if err := open(); err != nil {
		return evidence, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	history, err := b.Run(ctx)
	if err != nil {
		return evidence, err
	}
	doc, err := b.Finish(history)
	if err != nil {
		return evidence, err
	}
	said, err := selfcheck.ReadSaid(filepath.Join(folder, record.LogsFolder))
	return selfcheck.Evidence{Document: doc, Records: history, Said: said}, err
}

// selfcheckExperiment finds the built-in experiment, or what is left of it in its
// folder.
func selfcheckExperiment(one selfcheck.Experiment, folder string) (e *config.Experiment, resumed bool, err error) {
	name := one.Name
	if kept := filepath.Join(folder, record.ExperimentFile); isFile(kept) {
		name, resumed = kept, true
	}
	var given config.Sets
	if !resumed {
		given = one.Keys()
	}
	found, err := config.Find(name, BuiltIn(), given...)
	if err != nil {
		return nil, false, fmt.Errorf("finding the experiment %s: %w", one.Name, err)
	}
	if e = found[0]; resumed {
		return e, true, nil
	}
	if one.Variants != "" {
		if err := e.Keep(strings.Split(one.Variants, ",")); err != nil {
			return nil, false, fmt.Errorf("experiment %s: %w", one.Name, err)
		}
	}
	e.ChooseOrder()
	return e, false, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// The folder of a selfcheck: new, or one to go on with.

// folder makes the folder, or finds the one to go on with and which form it has.
func (f *selfcheckFlags) folder() (dir string, form selfcheck.Form, err error) {
	form = selfcheck.Quick
	if f.full {
		form = selfcheck.Full
	}
	switch {
	case f.resume != "":
		form, err = resumedForm(f.resume)
		return f.resume, form, err
	case f.out != "":
		dir = f.out
		if _, err := os.Stat(filepath.Join(dir, selfcheckFile)); err == nil {
			return "", "", console.UsageError(fmt.Errorf("%s holds a selfcheck already: choose another folder, or go on with --resume %s", dir, dir))
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", "", fmt.Errorf("making a folder for results: %w (choose another with --out)", err)
		}
	default:
		if dir, err = session.NewFolder(session.Parent, "selfcheck-"+time.Now().Format("20060102-150405")); err != nil {
			return "", "", err
		}
	}
	return dir, form, writeSelfcheck(dir, &selfcheck.Report{Schema: selfcheck.Schema, Tool: Version(), Form: form})
}

// resumedForm reads which form was begun.
func resumedForm(dir string) (selfcheck.Form, error) {
	content, err := os.ReadFile(filepath.Join(dir, selfcheckFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", console.UsageError(fmt.Errorf("%s has no %s: give the folder that 'tracetax selfcheck' named", dir, selfcheckFile))
	}
	if err != nil {
		return "", fmt.Errorf("going on with %s: %w", dir, err)
	}
	var begun selfcheck.Report
	if err := json.Unmarshal(content, &begun); err != nil {
		return "", fmt.Errorf("going on with %s: %s: %w", dir, selfcheckFile, err)
	}
	return begun.Form, nil
}

func writeSelfcheck(dir string, report *selfcheck.Report) (err error) {
	file, err := os.Create(filepath.Join(dir, selfcheckFile))
	if err != nil {
		return fmt.Errorf("writing the report of the selfcheck: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return encode(file, report)
}
