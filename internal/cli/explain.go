//go:build linux

// tracetax explain: why tracing costs what it costs.

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/profile"
)

func newExplain(s console.Streams) *cobra.Command {
	f := runFlags{explain: true}
	c := runWith(s, &f)
	c.Use = "explain EXPERIMENT | RESULTS | --op 'GET /path' --variant none --variant NAME:tracer=… -- COMMAND…"
	c.Short = "Split what tracing costs by cause: run an experiment with a profiler, or show the causes of a result"
	c.Long = `Run an experiment as 'tracetax run' does, and make each operation again under a profiler
once everything has been measured. The CPU that tracing adds is then split by what tracing
does (task) and by its stage, each with an interval.

RESULTS is the folder of such a result: its causes are shown again.

Machine code is profiled by perf, which has to be on the machine (Debian: linux-perf),
Python by py-spy and Java by async-profiler, which are fetched, and Node by itself.
perf and py-spy need the right to look into other processes.`
	c.Example = `  tracetax explain calls-causes
  tracetax explain shop.yaml --quick
  tracetax explain --op 'GET /' --variant none --variant otel:tracer=otel-python,delay=200ms -- gunicorn -b 127.0.0.1:{port} shop:app
  tracetax explain tracetax-results/shop-20260102-150405`
	c.Flags().StringVar(&f.rules, "rules", "", "`FILE` of rules for frames that the tracer's own do not know (causes.yaml)")
	c.Flags().BoolVar(&f.start, "cold", false, "explain the start instead, from the first fork to the first answer (Python, Java, Node)")
	c.Flags().BoolVar(&f.try, "try", false, "also run each variant with the settings that the rules of its tracer advise, and tell what they save")
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 1 && c.ArgsLenAtDash() < 0 && isFolder(args[0]) {
			if err := onlyShows(c, "explaining", "json"); err != nil {
				return err
			}
			return showCauses(s, args[0], f.json)
		}
		return run(c, args)
	}
	return c
}

// onlyShows fails where a flag is given that has no meaning for a result, which is only shown; doing is the word for that.
func onlyShows(c *cobra.Command, doing string, has ...string) error {
	var flags []string
	c.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(has, f.Name) && c.InheritedFlags().Lookup(f.Name) == nil {
			flags = append(flags, "--"+f.Name)
		}
	})
	if len(flags) == 0 {
		return nil
	}
	return console.UsageError(fmt.Errorf("%s a result: %s changes nothing about runs that were made: "+
		"run the experiment with it, or leave it out", doing, strings.Join(flags, ", ")))
}

// advised are the settings that the rules of a tracer advise.
func (f *runFlags) advised(tracer string) ([]profile.Advice, error) {
	rules, err := BuiltIn().Rules(f.rules, tracer)
	if err != nil || rules == nil {
		return nil, err
	}
	return rules.AllAdvice(), nil
}
