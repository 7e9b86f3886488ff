package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/run/prepare"
)

// checked is what validate found out about one file.
type checked struct {
	File     string        `json:"file"`
	Fine     bool          `json:"fine"`
	Problems []problemView `json:"problems"`
	Would    []string      `json:"would_run"`           // one line an experiment
	Traced   []string      `json:"traced,omitempty"`    // one line a variant that chooses processes of the workload, or whose tracer brings some
	Changed  []string      `json:"rewritten,omitempty"` // what a Collector's configuration has otherwise in a run, one line a change
	Notes    []string      `json:"notes"`               // what this machine lacks, and what is better changed
	problems error         // as it is printed
}

type problemView struct {
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Text   string `json:"text"`
}

func newValidate(s console.Streams) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "validate FILE…",
		Short: "Check experiment files",
		Long: `Check experiment files (or built-in experiments) and print in one line what each would
run. Each problem has its place in the file, and the exit status is then 2. A budget
that the planned blocks can never decide is a problem. Something that this machine
lacks, or that makes the figures hard to use, is only a note.`,
		Args: console.UsageArgs(cobra.MinimumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			var results []checked
			bad := false
			for _, file := range args {
				r := validate(file, builtIn())
				bad = bad || !r.Fine
				results = append(results, r)
			}
			if err := printChecked(s, results, asJSON); err != nil {
				return err
			}
			if bad {
				return console.UsageError(nil)
			}
			return nil
		},
		ValidArgsFunction: completeExperiments,
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

func validate(file string, catalog *config.Catalog) checked {
	r := checked{File: file, Problems: []problemView{}, Would: []string{}, Notes: []string{}}
	experiments, err := config.Find(file, catalog)
	if err != nil {
		r.problems = err
		r.Problems = problemViews(err)
		return r
	}
	r.Fine = true
	for _, e := range experiments {
		if err := e.Check(); err != nil {
			r.Notes = append(r.Notes, "as it is, it is not run: "+err.Error())
		}
		for _, never := range e.Undecidable() {
			r.Fine = false
			r.Problems = append(r.Problems, problemView{Text: never})
			r.problems = errors.Join(r.problems, fmt.Errorf("%s: budget: %s", file, never))
		}
		hopeless, told := outlooks(e)
		if problem := (problemView{Text: hopeless}); hopeless != "" && !slices.Contains(r.Problems, problem) { // workloads have it in common
			r.Fine = false
			r.Problems = append(r.Problems, problem)
			r.problems = errors.Join(r.problems, fmt.Errorf("%s: budget: %s", file, hopeless))
		}
		for _, text := range told {
			if !slices.Contains(r.Notes, text) {
				r.Notes = append(r.Notes, text)
			}
		}
		r.Would = append(r.Would, e.Summary())
		r.Traced = append(r.Traced, tracings(e)...)
		r.Changed = append(r.Changed, e.Rewritten()...)
		r.Notes = append(r.Notes, lacking(e)...)
		r.Notes = append(r.Notes, hints(e, false)...)
	}
	return r
}

func problemViews(err error) []problemView {
	var ps config.Problems
	if !errors.As(err, &ps) {
		return []problemView{{Text: err.Error()}}
	}
	var out []problemView
	for _, p := range ps {
		out = append(out, problemView{Line: p.Line, Column: p.Column, Text: p.Text})
	}
	return out
}

// lacking are the things that this machine lacks to run the experiment.
func lacking(e *config.Experiment) []string {
	var out []string
	for _, v := range e.Variants {
		if _, err := e.Plan(v); err != nil {
			return append(out, err.Error())
		}
		for _, text := range prepare.Missing(e, v) {
			if !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

func printChecked(s console.Streams, results []checked, asJSON bool) error {
	if asJSON {
		return printAny(s.Out, results)
	}
	for _, r := range results {
		if r.problems != nil {
			fmt.Fprintln(s.Err, r.problems)
			continue
		}
		for _, line := range r.Would {
			if _, err := fmt.Fprintf(s.Out, "%s: fine: %s\n", r.File, line); err != nil {
				return err
			}
		}
		for _, line := range append(r.Traced, r.Changed...) {
			if _, err := fmt.Fprintf(s.Out, "%s: %s\n", r.File, line); err != nil {
				return err
			}
		}
		for _, note := range r.Notes {
			fmt.Fprintf(s.Err, "%s: note: %s\n", r.File, note)
		}
	}
	return nil
}

// printAny prints a result as indented JSON.
func printAny(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
