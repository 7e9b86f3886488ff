package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/machine"
	"github.com/tracetax/tracetax/internal/process"
	"github.com/tracetax/tracetax/internal/selfcheck"
)

// check is one line of doctor's answer.
type check struct {
	Name   string `json:"name"`
	Status string `json:"status"` // ok, note or bad
	Says   string `json:"says"`
	Advice string `json:"advice,omitempty"`
}

func newDoctor(s console.Streams) *cobra.Command {
	var asJSON, noisy bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Report what this machine can measure, and how noisy it is",
		Long: `Check everything that an experiment depends on, and measure for a few seconds how
much work on another CPU slows the program under test.

--noise also measures a small program against itself, in each order of a block, for
two to three minutes. A run cannot show a difference smaller than that noise.
'run --dry-run' then predicts what a run can find.`,
		Args: console.UsageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			checks, err := examine(c.Context())
			if err != nil {
				return err
			}
			all := doctorResult{Checks: checks}
			if noisy {
				if err := measureNoise(c.Context(), s.Err, &all); err != nil {
					return err
				}
			}
			if asJSON {
				return encode(s.Out, all)
			}
			return printDoctor(s.Out, all)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the checks as JSON")
	c.Flags().BoolVar(&noisy, "noise", false, "also measure the noise of each metric, in each order of a block (two to three minutes)")
	return c
}

// doctorResult is what --json prints.
type doctorResult struct {
	Checks []check           `json:"checks"`
	Noise  []selfcheck.Floor `json:"noise,omitempty"`          // with --noise: by metric, in the order windows
	Orders []selfcheck.Noise `json:"noise_by_order,omitempty"` // with --noise
}

// printDoctor writes what was found for a person.
func printDoctor(w io.Writer, all doctorResult) error {
	options := terminalOptions(w, false)
	wide := 0
	for _, one := range all.Checks {
		wide = max(wide, utf8.RuneCountInString(one.Name))
	}
	var b strings.Builder
	for _, one := range all.Checks {
		lead := fmt.Sprintf("%-4s  %s%s  ", one.Status, one.Name, strings.Repeat(" ", wide-utf8.RuneCountInString(one.Name)))
		b.WriteString(selfcheck.Wrap(lead, one.Says, options.Width))
		if one.Advice != "" {
			b.WriteString(selfcheck.Wrap(strings.Repeat(" ", utf8.RuneCountInString(lead)), "→ "+one.Advice, options.Width))
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing what the doctor found: %w", err)
	}
	return selfcheck.WriteFloor(w, all.Noise, all.Orders, selfcheck.Options{Width: options.Width, Color: options.Color})
}

// examine looks at everything that an experiment will depend on.
func examine(ctx context.Context) ([]check, error) {
	facts := machine.Read()
	checks := []check{
		{Name: "machine", Status: "ok", Says: strings.TrimSpace(fmt.Sprintf("%s %s %s, kernel %s", facts.OS, facts.Arch, facts.CPUModel, facts.Kernel))},
		checkCPUs(facts), checkAccounting(), checkLoad(facts), checkGovernor(facts), checkCache(),
	}
	between, err := checkInterference(ctx)
	if err != nil {
		return nil, err
	}
	checks = append(checks, between...)
	names, err := builtIn().Tracers()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		t, err := builtIn().Tracer(name)
		if err != nil {
			return nil, err
		}
		one := check{Name: "tracer " + name, Status: "ok", Says: "can run here"}
		if missing := artifact.Missing(t.Needs); len(missing) > 0 {
			one = check{Name: one.Name, Status: "note", Says: "cannot run here", Advice: strings.Join(missing, "; ")}
		}
		checks = append(checks, one)
	}
	return checks, nil
}

// The checks of doctor that only look.

func checkCPUs(f machine.Facts) check {
	c := check{Name: "CPUs", Status: "ok", Says: fmt.Sprintf("%d", f.CPUs)}
	switch place := process.Places(1); {
	case place.Shared:
		c.Status, c.Says = "bad", c.Says+": the program under test shares it with the load generator and the sink"
		c.Advice = "use a machine with at least 2 CPUs; on this one only large differences can be seen"
	default:
		c.Says += fmt.Sprintf(": %v for the program under test, %v for everything else", place.App, place.Harness)
	}
	if f.Hypervisor {
		c.Says += "; virtual: the host may take time away, which is watched and reported"
	}
	return c
}

func checkAccounting() check {
	how := process.Detect()
	c := check{Name: "CPU accounting", Status: "ok", Says: how}
	if how == "clock" {
		c.Status, c.Says = "note", "by the CPU clocks of processes; no right to make cgroups"
		c.Advice = "run as root, or with a delegated cgroup, for exact charges of short-lived children and for quotas"
	}
	return c
}

func checkLoad(f machine.Facts) check {
	c := check{Name: "load", Status: "ok", Says: fmt.Sprintf("%.2f over the last minute", f.LoadAverage)}
	if f.LoadAverage > 0.5*float64(f.CPUs) {
		c.Status, c.Advice = "note", "other programs are at work: end them, or expect wide intervals"
	}
	return c
}

func checkGovernor(f machine.Facts) check {
	c := check{Name: "CPU frequency", Status: "ok", Says: f.Governor}
	switch f.Governor {
	case "":
		c.Says = "not told by the kernel, as on most virtual machines"
	case "performance":
	default:
		c.Status, c.Advice = "note", "set the governor to performance, so that the same work costs the same time"
	}
	return c
}

func checkCache() check {
	store, err := artifact.Open("")
	if err != nil {
		return check{Name: "cache", Status: "bad", Says: err.Error()}
	}
	probe, err := os.CreateTemp(store.Dir(), "doctor-*")
	if err != nil {
		return check{Name: "cache", Status: "bad", Says: "cannot be written to: " + err.Error(), Advice: "set " + artifact.Variable + " to a folder"}
	}
	probe.Close()
	os.Remove(probe.Name())
	if err := store.Sweep(); err != nil {
		return check{Name: "cache", Status: "note", Says: store.Dir() + ": " + err.Error(), Advice: "remove it by hand"}
	}
	return check{Name: "cache", Status: "ok", Says: store.Dir()}
}
