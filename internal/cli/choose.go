package cli

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/session"
)

// experiments finds what is to be run, with what the flags change in it.
func (f *runFlags) experiments(c *cobra.Command, args []string) ([]*config.Experiment, error) {
	if err := session.NotAFolder(f.resume); err != nil {
		return nil, err
	}
	if err := checkOrder(f.order); err != nil {
		return nil, err
	}
	found, err := f.find(c, args)
	if err != nil {
		return nil, err
	}
	kept, err := f.keptSeeds()
	if err != nil {
		return nil, err
	}
	for _, e := range found {
		if err := e.Keep(f.variants); err != nil {
			return nil, fmt.Errorf("--variants: %w", err)
		}
		if f.quick {
			e.Quicken()
		}
		if err := e.OverrideDesign(f.blocks, f.precision); err != nil {
			return nil, err
		}
		if f.seed != 0 {
			e.Design.Seed = f.seed
		}
		if f.order != "" {
			e.Design.Order = config.Order(f.order)
		}
		if f.budget != "" {
			if e.Budget, err = config.ParseBudget(f.budget); err != nil {
				return nil, fmt.Errorf("--budget: %w", err)
			}
		}
		if err := e.Check(); err != nil {
			return nil, err
		}
		if never := e.Undecidable(); never != nil && f.resume == "" { // what was begun stays as it is
			return nil, fmt.Errorf("budget: %s", strings.Join(never, "; "))
		}
		f.settle(e, kept)
	}
	return found, nil
}

// checkOrder says what is wrong with an order of the command line.
func checkOrder(order string) error {
	if order == "" || slices.Contains(config.Orders, config.Order(order)) {
		return nil
	}
	return fmt.Errorf("--order %q: known are %s, %s and %s", order, config.Windows, config.Woven, config.Apart)
}

// keptSeeds are the seeds of the experiments in the folder that a named experiment goes on
// in, by workload: its order is theirs.
func (f *runFlags) keptSeeds() (map[string]uint64, error) {
	seeds := map[string]uint64{}
	if f.resume == "" || len(f.resumes) > 0 {
		return seeds, nil // what is read back from the folders has its own
	}
	begun, _, err := session.Begun(f.resume, builtIn())
	if err != nil {
		return nil, err
	}
	for _, e := range begun {
		seeds[e.Workload.Name] = e.Design.Seed
	}
	return seeds, nil
}

// settle draws a seed where neither the experiment nor --seed has one, nor the result that
// it goes on with. A dry run draws one for all workloads, so that --seed can repeat every order
// that it shows.
func (f *runFlags) settle(e *config.Experiment, kept map[string]uint64) {
	if e.Design.Seed == 0 {
		e.Design.Seed = kept[e.Workload.Name]
	}
	drawn := e.Design.Seed == 0
	if drawn && f.dryRun {
		e.Design.Seed = f.drawn
	}
	e.Settle()
	if drawn {
		f.drawn = e.Design.Seed
	}
}

func (f *runFlags) find(c *cobra.Command, args []string) ([]*config.Experiment, error) {
	line := c.ArgsLenAtDash() >= 0 || len(f.line.Ops) > 0 || len(f.line.Variants) > 0
	switch {
	case len(f.workloads) > 0 && (line || len(args) == 0):
		return nil, errors.New("--workloads chooses among the workloads of an experiment over several: name the experiment (a single workload's folder can be given to --resume)")
	case line && f.load.Samples:
		return nil, errors.New("--samples is for self-driving workloads, and your service is asked by requests: 'tracetax report DIR --samples FILE' has the figures of its blocks")
	case line && c.ArgsLenAtDash() > 0:
		return nil, fmt.Errorf("%q stands before --: give either an experiment or a command", args[0])
	case line:
		f.line.Command = args
		f.line.Rate, f.line.Connections, f.line.Capacity = f.load.Rate, f.load.Connections, f.load.Capacity
		f.line.Duration, f.line.Warmup = f.load.Duration, f.load.Warmup
		e, err := config.FromFlags(f.line, builtIn())
		if err != nil {
			return nil, err
		}
		return []*config.Experiment{e}, nil
	case len(args) == 0 && f.resume != "":
		begun, folders, err := session.Begun(f.resume, builtIn())
		f.resumes = folders
		return begun, err
	case len(args) == 0:
		return nil, errors.New("which experiment? Give a file, or a name from 'tracetax list experiments', or --op and --variant with a command after --")
	case isProgram(args[0]):
		return nil, fmt.Errorf("%q is a program: put -- before your command: tracetax run --op 'GET /' --variant none --variant … -- %s", args[0], strings.Join(args, " "))
	case len(args) > 1:
		return nil, fmt.Errorf("one experiment at a time, not %d: %s (for your command, put -- before it)", len(args), strings.Join(args, " "))
	}
	for _, flag := range []string{"ready", "patience", "header", "body", "env", "prepare", "cleanup", "port", "language", "name"} {
		if c.Flags().Changed(flag) {
			return nil, fmt.Errorf("--%s is for your service from one line (--op … -- COMMAND); write it into the experiment file", flag)
		}
	}
	found, err := config.Find(args[0], builtIn())
	if err != nil {
		return nil, err
	}
	if found, err = config.KeepWorkloads(found, f.workloads); err != nil {
		return nil, fmt.Errorf("--workloads: %w", err)
	}
	for _, e := range found {
		if err := e.OverrideLoad(f.load); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// isProgram reports whether a word is a program and no experiment, nor near one.
func isProgram(word string) bool {
	names, err := builtIn().Experiments()
	if err != nil || slices.Contains(names, word) || isFile(word) || isFile(word+".yaml") || isFile(word+".yml") {
		return false
	}
	_, err = exec.LookPath(word)
	return err == nil
}
