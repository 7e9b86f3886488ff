// Package show is what 'tracetax list' and 'tracetax show' print: what there is in a catalog, whether
// it can run here, and each thing in full, for people and as JSON.
package show

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tracetax/tracetax/internal/artifact"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/results"
	"github.com/tracetax/tracetax/internal/session"
)

// Shown is a thing that has that name; one of the four is set.
type Shown struct {
	workload    *program.Workload
	service     *program.Service
	tracer      *program.Tracer
	experiments []*config.Experiment
}

// Find looks for a tracer, a workload, a service, then an experiment. Where there is none of that
// name, the error is a *results.AskedError.
func Find(name string, catalog *program.Catalog) (Shown, error) {
	var near []string
	missing := func(err error) bool {
		var unknown *program.UnknownError
		if errors.As(err, &unknown) && unknown.Nearest != "" {
			near = append(near, fmt.Sprintf("%s %q", unknown.What, unknown.Nearest))
		}
		return errors.As(err, &unknown)
	}
	tracer, err := catalog.Tracer(name)
	if !missing(err) {
		return Shown{tracer: tracer}, err
	}
	workload, err := catalog.Workload(name)
	if !missing(err) {
		return Shown{workload: workload}, err
	}
	service, err := catalog.Service(name)
	if !missing(err) {
		return Shown{service: service}, err
	}
	experiments, err := config.Find(name, catalog)
	if !missing(err) {
		return Shown{experiments: experiments}, err
	}
	hint := "'tracetax list' names all"
	if len(near) > 0 {
		hint = "did you mean the " + strings.Join(near, ", or the ") + "?"
	}
	return Shown{}, &results.AskedError{Err: fmt.Errorf("there is no experiment, workload, service or tracer %q; %s", name, hint)}
}

// Print writes it line by line.
func (f Shown) Print(w io.Writer) error {
	p := &page{w: w}
	switch {
	case f.tracer != nil:
		p.tracer(f.tracer)
	case f.workload != nil:
		p.workload(f.workload)
	case f.service != nil:
		p.service(f.service)
	default:
		p.experiments(f.experiments)
	}
	return p.err
}

// This file names the parts of an experiment that cannot run on this machine.

// lackView is a part that cannot run here as JSON has it.
type lackView struct {
	Workload string   `json:"workload"`
	Variant  string   `json:"variant,omitempty"` // "" is all of them
	Missing  []string `json:"missing"`           // what is missing, and how to get it
}

// name is what a part is called; where an experiment has one workload its name says
// nothing.
func (l lackView) name(several bool) string {
	switch {
	case l.Variant == "":
		return "workload " + l.Workload
	case several:
		return l.Variant + " of " + l.Workload
	}
	return l.Variant
}

// lackViews is the same for JSON; nil where there is none.
func lackViews(all []session.Lack) []lackView {
	var out []lackView
	for _, l := range all {
		out = append(out, lackView(l))
	}
	return out
}

func lackNames(left []lackView, several bool) string {
	var names []string
	for _, l := range left {
		names = append(names, l.name(several))
	}
	return strings.Join(names, ", ")
}

// Kinds are the kinds of things in the catalog, as the user says them.
var Kinds = []string{"experiments", "workloads", "services", "tracers"}

// Listed is one line of list.
type Listed struct {
	Kind        string     `json:"kind"` // experiment, workload, service or tracer
	Name        string     `json:"name"`
	Language    string     `json:"language,omitempty"`
	Description string     `json:"description,omitempty"`
	Needs       []needView `json:"needs"`
	Runs        bool       `json:"runs_here"`
	Missing     []string   `json:"missing"`            // what is missing, and how to get it
	LeftOut     []lackView `json:"left_out,omitempty"` // of an experiment that runs in part
	Study       string     `json:"study,omitempty"`    // of an experiment that repeats a part of a published study
	Minutes     *minutes   `json:"minutes,omitempty"`  // how long an experiment takes here, about
	several     bool       // an experiment over several workloads
	Broken      string     `json:"broken,omitempty"`
}

// minutes are about how short and how long an experiment is: they differ where a search or a precision decides.
type minutes struct {
	Least float64 `json:"min"`
	Most  float64 `json:"max"`
}

// String is "3", or "3..20".
func (m *minutes) String() string {
	if m == nil {
		return "-"
	}
	least, most := math.Ceil(m.Least), math.Ceil(m.Most)
	if least == most {
		return fmt.Sprintf("%.0f", most)
	}
	return fmt.Sprintf("%.0f..%.0f", least, most)
}

type needView struct {
	Command string `json:"command,omitempty"`
	Also    string `json:"also,omitempty"`
	Instead string `json:"instead,omitempty"`
	Install string `json:"install,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// List lists what a catalog has of a kind.
func List(kind string, catalog *program.Catalog) ([]Listed, error) {
	names, look := catalog.Experiments, listExperiment
	switch kind {
	case "workloads":
		names, look = catalog.Workloads, listWorkload
	case "services":
		names, look = catalog.Services, listService
	case "tracers":
		names, look = catalog.Tracers, listTracer
	}
	all, err := names()
	if err != nil {
		return nil, err
	}
	var out []Listed
	for _, name := range all {
		l, needs, err := look(catalog, name)
		l.Kind, l.Name = strings.TrimSuffix(kind, "s"), name
		l.Needs, l.Missing = needViews(needs), append([]string{}, artifact.Missing(needs)...)
		if len(l.LeftOut) > 0 { // the rest runs
			l.Missing = []string{}
		}
		l.Runs = err == nil && len(l.Missing) == 0
		if err != nil { // one wrong folder of the user's must not hide the others
			l.Broken = err.Error()
		}
		out = append(out, l)
	}
	return out, nil
}

func listExperiment(catalog *program.Catalog, name string) (Listed, []program.Need, error) {
	experiments, err := config.BuiltIn(catalog, name)
	if err != nil {
		return Listed{}, nil, err
	}
	var needs []program.Need
	l := Listed{Description: experiments[0].Description, several: len(experiments) > 1, Minutes: new(minutes)}
	for _, e := range experiments {
		needs = append(needs, e.Needs()...)
		foreseen, err := session.Foresee(e)
		if err != nil {
			return Listed{}, nil, err
		}
		l.Minutes.Least += foreseen.Schedule.Shortest.Minutes()
		l.Minutes.Most += foreseen.Schedule.Length.Minutes()
		if len(e.Published)+len(e.Claims) > 0 {
			l.Study, _, _ = strings.Cut(name, "-") // as its page under docs/studies is called
		}
	}
	left, none := session.LackingParts(experiments)
	if none {
		left = nil
	}
	l.LeftOut = lackViews(left)
	return l, program.Distinct(needs), nil
}

func listWorkload(catalog *program.Catalog, name string) (Listed, []program.Need, error) {
	w, err := catalog.Workload(name)
	if err != nil {
		return Listed{}, nil, err
	}
	return Listed{Language: w.Language, Description: w.Description}, w.Needs, nil
}

func listService(catalog *program.Catalog, name string) (Listed, []program.Need, error) {
	s, err := catalog.Service(name)
	if err != nil {
		return Listed{}, nil, err
	}
	return Listed{Description: s.Description}, s.Needs, nil
}

func listTracer(catalog *program.Catalog, name string) (Listed, []program.Need, error) {
	t, err := catalog.Tracer(name)
	if err != nil {
		return Listed{}, nil, err
	}
	return Listed{Language: t.Language, Description: t.Description}, t.Needs, nil
}

func needViews(needs []program.Need) []needView {
	out := make([]needView, len(needs))
	for i, n := range needs {
		out[i] = needView{n.Command, n.Also, n.Instead, n.Install, n.Reason}
	}
	return out
}

// PrintList writes a table of things, and what is missing.
func PrintList(w io.Writer, all []Listed) error {
	var rows strings.Builder
	table := tabwriter.NewWriter(&rows, 0, 0, 2, ' ', 0)
	kind := ""
	for _, l := range all {
		if l.Kind != kind {
			if kind != "" {
				fmt.Fprintln(table)
			}
			kind = l.Kind
			if kind == "experiment" {
				fmt.Fprintf(table, "EXPERIMENT\tRUNS HERE\tSTUDY\tMINUTES\tDESCRIPTION\n")
			} else {
				fmt.Fprintf(table, "%s\tRUNS HERE\tNEEDS\tDESCRIPTION\n", strings.ToUpper(kind))
			}
		}
		if kind == "experiment" {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", l.Name, l.runs(), cmp.Or(l.Study, "-"), l.Minutes, oneLine(l.Description))
		} else {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", l.Name, l.runs(), needWords(l.Needs), oneLine(l.Description))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for line := range strings.Lines(rows.String()) {
		fmt.Fprintln(w, cut(strings.TrimSuffix(line, "\n")))
	}
	printMissing(w, all)
	for _, l := range all {
		if len(l.LeftOut) > 0 {
			fmt.Fprintf(w, "\n%s %s runs here in part, without %s: 'tracetax show %s' says why\n", l.Kind, l.Name, lackNames(l.LeftOut, l.several), l.Name)
		}
		if l.Broken != "" {
			fmt.Fprintf(w, "\n%s %s is broken:\n%s\n", l.Kind, l.Name, l.Broken)
		}
	}
	return nil
}

// columns is the most columns of a line in a list.
const columns = 100

// cut is a line without what goes beyond the columns; show and --json have all of it.
func cut(line string) string {
	text := []rune(line)
	if len(text) <= columns {
		return line
	}
	return strings.TrimRight(string(text[:columns-1]), " ") + "…"
}

// printMissing says each thing that is missing once, with all that cannot run for it.
func printMissing(w io.Writer, all []Listed) {
	var order []string
	who := map[string][]string{}
	for _, l := range all {
		for _, m := range l.Missing {
			if who[m] == nil {
				order = append(order, m)
			}
			who[m] = append(who[m], l.Kind+" "+l.Name)
		}
	}
	for _, m := range order {
		fmt.Fprintf(w, "\n%s cannot run here: %s\n", strings.Join(who[m], ", "), m)
	}
}

func (l Listed) runs() string {
	switch {
	case !l.Runs:
		return "no"
	case len(l.LeftOut) > 0:
		return "in part"
	}
	return "yes"
}

func needWords(needs []needView) string {
	var words []string
	for _, n := range needs {
		if n.Command != "" && !slices.Contains(words, n.Command) {
			words = append(words, n.Command)
		}
	}
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, ", ")
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
