// A result is analysed: by the session that measured it, or again, by a newer tracetax or against another budget.

package results

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/report"
)

// Result is the input of the analysis of a results folder, besides the records.
type Result struct {
	Dir         string
	Experiment  *config.Experiment        // without the variants that could not run
	Plans       map[string]*config.Plan   // by variant
	Rules       map[string]*profile.Rules // by variant: its own tracer's
	Environment map[string]any            // as environment.json has it
	Shadowed    []finding.Shadowed
	LeftOut     []finding.LeftOut
	Tool        string // the version of tracetax that analyses
}

// Input returns the input of the analysis.
func (r *Result) Input(history []record.Record) analysis.Input {
	return analysis.Input{
		Experiment: r.Experiment, Plans: r.Plans, Rules: r.Rules, Environment: r.Environment, Records: history,
		LeftOut: r.LeftOut, Shadowed: r.Shadowed, Results: r.Dir, Tool: r.Tool, Now: time.Now(),
	}
}

// Write turns the records into findings, and writes every form of them. With findings, an error says that not all forms
// could be written.
func (r *Result) Write(to *record.Folder, history []record.Record) (*finding.Document, error) {
	doc, err := analysis.Analyse(r.Input(history))
	if err != nil {
		return nil, err
	}
	return doc, errors.Join(
		to.Write(record.FindingsFile, func(w io.Writer) error { return report.JSON(w, doc) }),
		to.Write(record.ReportFile, func(w io.Writer) error { return WritePage(w, doc) }),
		to.Write(record.BenchfmtFile, func(w io.Writer) error { return report.Benchfmt(w, doc) }),
	)
}

// Reanalyze makes the findings of a results folder from its records, and puts them in the place of those that are there. A
// result that is not finished has findings too, of the blocks that are whole. cutOff is called as CutOff calls it.
func Reanalyze(
	dir string, catalog *program.Catalog, tool string, cutOff func(path string, bytes int64),
) (doc *finding.Document, err error) {
	r, err := finished(dir, catalog, tool)
	if err != nil {
		return nil, err
	}
	folder, history, err := record.Hold(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	CutOff(folder, cutOff)
	if len(history) == 0 {
		return nil, nothingIn(dir)
	}
	return r.Write(folder, history)
}

// CutOff calls tell with the file of the records and the bytes of its last line, where that is no whole record: its run is
// not in what follows.
func CutOff(folder *record.Folder, tell func(path string, bytes int64)) {
	if n := folder.CutOff(); n > 0 {
		tell(folder.Path(record.RunsFile), n)
	}
}

// Judge holds a finished result against another budget. Nothing is written.
func Judge(dir string, budget []config.Limit, catalog *program.Catalog, tool string) (*finding.Document, error) {
	r, err := finished(dir, catalog, tool)
	if err != nil {
		return nil, err
	}
	history, err := record.Read(dir)
	if err != nil {
		return nil, err
	}
	if len(history) == 0 {
		return nil, nothingIn(dir)
	}
	r.Experiment.Budget = budget
	if err := r.Experiment.Check(); err != nil {
		return nil, &AskedError{fmt.Errorf("judging %s: %w", dir, err)}
	}
	doc, err := analysis.Analyse(r.Input(history))
	if err != nil {
		return nil, err
	}
	analysis.Found(doc, dir)
	return doc, nil
}

func nothingIn(dir string) error {
	return fmt.Errorf("%s holds no run that could be analysed; %s", dir, GoOn(dir))
}

// finished reads all of a results folder but its records.
func finished(dir string, catalog *program.Catalog, tool string) (*Result, error) {
	if !isFile(filepath.Join(dir, record.RunsFile)) {
		return nil, &AskedError{noRecords(dir)}
	}
	r := &Result{Dir: dir, Plans: map[string]*config.Plan{}, Tool: tool}
	begun, err := r.readEnvironment()
	if err != nil {
		return nil, fmt.Errorf("analysing %s: %w (it is written with the first run; take a whole copy of the folder, or measure again)", dir, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, record.ExperimentFile))
	if err != nil {
		return nil, fmt.Errorf("analysing %s: %w", dir, err)
	}
	if err := StillAsks(begun, text, dir); err != nil {
		return nil, err
	}
	found, err := config.Find(filepath.Join(dir, record.ExperimentFile), catalog)
	if err != nil {
		return nil, fmt.Errorf("reading the experiment of %s: %w", dir, err)
	}
	if len(found) != 1 {
		return nil, fmt.Errorf("reading the experiment of %s: it has %d workloads; a results folder has one", dir, len(found))
	}
	r.Experiment = Without(found[0], r.LeftOut)
	for _, v := range r.Experiment.Variants {
		if r.Plans[v.Name], err = r.Experiment.Plan(v); err != nil {
			return nil, fmt.Errorf("analysing %s: %w", dir, err)
		}
	}
	r.Rules, _, err = RulesOf(found[0], func(tracers ...string) (*profile.Rules, error) { return catalog.Rules("", tracers...) })
	return r, err
}

// readEnvironment reads where the result was measured, and returns the digest of its experiment as it was begun.
func (r *Result) readEnvironment() (begun string, err error) {
	text, err := os.ReadFile(filepath.Join(r.Dir, record.EnvironmentFile))
	if err != nil {
		return "", err
	}
	var e struct {
		Asked    string             `json:"experiment"`
		Shadowed []finding.Shadowed `json:"shadowed"`
		LeftOut  []finding.LeftOut  `json:"left_out"`
	}
	if err := errors.Join(json.Unmarshal(text, &e), json.Unmarshal(text, &r.Environment)); err != nil {
		return "", fmt.Errorf("%s: %w", record.EnvironmentFile, err)
	}
	r.Shadowed, r.LeftOut = e.Shadowed, e.LeftOut
	return e.Asked, nil
}

// Digest is the SHA-256 of an experiment, which environment.json keeps.
func Digest(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// StillAsks reports an experiment that was edited after its result was begun: its runs are not of what the file says now.
// A result of before its digest was noted is taken at its word.
func StillAsks(begun string, text []byte, dir string) error {
	if begun == "" || begun == Digest(text) {
		return nil
	}
	return &AskedError{fmt.Errorf("%s changed after its first run, and its runs are of the earlier file: "+
		"restore it, or run the new one into another folder with --out",
		filepath.Join(dir, record.ExperimentFile))}
}

// Without is an experiment without the variants that are left out. What was to be
// compared with one of them besides the baseline is compared with the baseline alone.
func Without(e *config.Experiment, left []finding.LeftOut) *config.Experiment {
	gone := func(name string) bool {
		return slices.ContainsFunc(left, func(l finding.LeftOut) bool { return l.Variant == name })
	}
	kept := *e
	kept.Variants = slices.DeleteFunc(slices.Clone(e.Variants), func(v config.Variant) bool { return gone(v.Name) })
	for i := range kept.Variants {
		if gone(kept.Variants[i].Against) {
			kept.Variants[i].Against = ""
		}
	}
	return &kept
}

// Rules gives the rules of tracers together, by their names; nil where they have none.
type Rules func(tracers ...string) (*profile.Rules, error)

// RulesOf returns the rules of the variants' own tracers, by variant, and those of all together: the samples of each variant are
// sorted by all of them. What one takes for a tracer's, such as a client of HTTP, it takes for that in the baseline and in
// every other variant too, where it cancels. Both are nil for an experiment that makes no profiles.
func RulesOf(e *config.Experiment, rules Rules) (own map[string]*profile.Rules, all *profile.Rules, err error) {
	if !e.Profile.Any() || rules == nil {
		return nil, nil, nil
	}
	traced := slices.ContainsFunc(e.Variants, func(v config.Variant) bool { return v.TracerName() != program.NoTracer })
	var tracers []string
	own = map[string]*profile.Rules{}
	for _, v := range e.Variants {
		if v.TracerName() == program.NoTracer && traced {
			continue
		}
		if own[v.Name], err = rules(v.TracerName()); err != nil {
			return nil, nil, fmt.Errorf("reading the rules of causes of variant %s: %w", v.Name, err)
		}
		if own[v.Name] != nil && !slices.Contains(tracers, v.TracerName()) {
			tracers = append(tracers, v.TracerName())
		}
	}
	if all, err = rules(tracers...); err != nil {
		return nil, nil, fmt.Errorf("reading the rules of causes: %w", err)
	}
	if all == nil {
		all = profile.Compile() // all is the program's
	}
	return own, all, nil
}
