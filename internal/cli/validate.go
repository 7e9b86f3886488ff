//go:build linux

package cli

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/run/prepare"
	"github.com/tracetax/tracetax/schemas"
)

// checked is the result of validate for one file.
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
				r := validate(file, BuiltIn())
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

func validate(file string, catalog *program.Catalog) checked {
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
		r.Would = append(r.Would, e.Summary())
		r.Traced = append(r.Traced, tracings(e)...)
		r.Changed = append(r.Changed, e.Rewritten()...)
		for _, text := range slices.Concat(told, e.Unmade(), lacking(e), hints(e, false)) {
			if !slices.Contains(r.Notes, text) { // workloads, and variants, have it in common
				r.Notes = append(r.Notes, text)
			}
		}
	}
	return r
}

func problemViews(err error) []problemView {
	var ps program.Problems
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

//go:embed starter.yaml
var starter string

// The parts of the starter that init fills in.
const (
	starterRun    = `[your-program, --port, "{port}"]`
	starterTracer = "otel-python"
)

func newInit(s console.Streams) *cobra.Command {
	var tracer string
	c := &cobra.Command{
		Use:   "init [FILE] [-- COMMAND…]",
		Short: "Write a commented experiment file to start from",
		Long: `Write a commented experiment file to start from, by default experiment.yaml; "-" is
stdout. The words after -- become the command to measure. ` + schemaFile + `,
written beside it, lets editors complete and check it. Existing files stay as they are.`,
		Example: `  tracetax init shop.yaml
  tracetax init shop.yaml -- gunicorn -b '127.0.0.1:{port}' shop:app`,
		RunE: func(c *cobra.Command, args []string) error {
			files, command := splitAtDash(c, args)
			if len(files) > 1 {
				return console.UsageError(fmt.Errorf("one file at a time, not %d: %s", len(files), strings.Join(files, " ")))
			}
			file := "experiment.yaml"
			if len(files) == 1 {
				file = files[0]
			}
			if _, err := BuiltIn().Tracer(tracer); err != nil {
				return FileError(fmt.Errorf("--tracer: %w", err))
			}
			text, err := fillStarter(command, tracer)
			if err != nil {
				return err
			}
			return writeStarter(s, file, text)
		},
	}
	c.Flags().StringVar(&tracer, "tracer", starterTracer, "tracer of the starter's variants")
	completeFlag(c, "tracer", completeTracers)
	return c
}

// splitAtDash parts the arguments before -- from those after it.
func splitAtDash(c *cobra.Command, args []string) (before, after []string) {
	if n := c.ArgsLenAtDash(); n >= 0 {
		return args[:n], args[n:]
	}
	return args, nil
}

// fillStarter is the starter with a command and a tracer. JSON strings are YAML.
func fillStarter(command []string, tracer string) (string, error) {
	text := strings.ReplaceAll(starter, starterTracer, tracer)
	if len(command) == 0 {
		return text, nil
	}
	words := make([]string, len(command))
	for i, w := range command {
		quoted := &strings.Builder{}
		e := json.NewEncoder(quoted)
		e.SetEscapeHTML(false)
		if err := e.Encode(w); err != nil {
			return "", fmt.Errorf("writing the command: %w", err)
		}
		words[i] = strings.TrimSpace(quoted.String())
	}
	return strings.Replace(text, starterRun, "["+strings.Join(words, ", ")+"]", 1), nil
}

func writeStarter(s console.Streams, file, text string) (err error) {
	if file == "-" {
		_, err := io.WriteString(s.Out, text)
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return console.UsageError(fmt.Errorf("%s is there already; name another file", file))
	}
	if err != nil {
		return fmt.Errorf("writing the starter: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.WriteString(forEditors + text); err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	if err := schemaBeside(file); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.Err, "wrote %s; fill in the command and the operations, then: tracetax validate %s\n", file, file)
	return err
}

// forEditors is the first line of an experiment that has its schema beside it.
const forEditors = "# yaml-language-server: $schema=" + schemaFile + "\n"

// schemaBeside writes the schema of experiments beside one, for editors. It replaces one that another tracetax wrote; any
// other file of that name is left alone.
func schemaBeside(experiment string) error {
	text, err := schemas.Text("experiment")
	if err != nil {
		return err
	}
	path := filepath.Join(filepath.Dir(experiment), schemaFile)
	written, err := isOwnSchema(path)
	if err != nil {
		return fmt.Errorf("looking at the schema for editors: %w", err)
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if written {
		flags = os.O_WRONLY | os.O_TRUNC
	}
	f, err := os.OpenFile(path, flags, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("writing the schema for editors: %w", err)
	}
	if _, err := f.Write(text); err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", path, err), f.Close())
	}
	return f.Close()
}

// isOwnSchema reports whether a file is a schema of experiments that a tracetax wrote. An early one wrote an empty one.
func isOwnSchema(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	var have map[string]any
	if json.Unmarshal(text, &have) != nil {
		return false, nil // it is somebody else's
	}
	return len(have) == 0 || have["title"] == schemas.ExperimentTitle, nil
}
