// A finished result whose records are analysed again: by a newer tracetax, which knows
// more statistics than the one that measured.

package cli

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tracetax/tracetax/internal/experiment"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
)

// analyseAnew makes the findings of a results folder from its records, and puts them in
// the place of those that are there. Nothing is run, fetched or built. A result that is
// not finished has findings too, of the blocks that are whole.
func analyseAnew(dir string, to io.Writer) (doc *finding.Document, err error) {
	if !isFile(filepath.Join(dir, record.RunsFile)) {
		return nil, usageError(noRecords(dir))
	}
	e, err := readEnvironment(dir)
	if err != nil {
		return nil, fmt.Errorf("analysing %s: %w (it is written with the first run; take a whole copy of the folder, or measure again)", dir, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, record.ExperimentFile))
	if err != nil {
		return nil, fmt.Errorf("analysing %s: %w", dir, err)
	}
	if err := e.stillAsks(text, dir); err != nil {
		return nil, usageError(err)
	}
	asked, err := spec.Find(filepath.Join(dir, record.ExperimentFile), builtIn())
	if err != nil {
		return nil, fmt.Errorf("reading the experiment of %s: %w", dir, err)
	}
	if len(asked) != 1 {
		return nil, fmt.Errorf("reading the experiment of %s: it has %d workloads; a results folder has one", dir, len(asked))
	}
	b := &bench{asked: asked[0], dir: dir, session: &experiment.Session{}, environment: e}
	b.experiment = without(b.asked, b.environment.LeftOut)
	for _, v := range b.experiment.Variants {
		plan, err := b.experiment.Plan(v)
		if err != nil {
			return nil, fmt.Errorf("analysing %s: %w", dir, err)
		}
		b.session.Cells = append(b.session.Cells, experiment.Cell{Variant: v, Plan: plan})
	}
	if b.folder, b.history, err = record.Hold(dir); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.folder.Close()) }()
	b.tellCutOff(to)
	if len(b.history) == 0 {
		return nil, fmt.Errorf("%s holds no run that could be analysed; go on with: tracetax run --resume %s", dir, dir)
	}
	return b.finish(b.history)
}

// tellCutOff says that the end of the last record is missing, where it is: that run is not
// in what follows.
func (b *bench) tellCutOff(to io.Writer) {
	if n := b.folder.CutOff(); n > 0 {
		fmt.Fprintln(to, wrapped(fmt.Sprintf("note: the last line of %s is cut off (%d bytes, no whole record): its run is left out",
			b.folder.Path(record.RunsFile), n), widthOf(to)))
	}
}

// noRecords says why there is nothing in a folder to analyse.
func noRecords(dir string) error {
	if !isFile(filepath.Join(dir, record.FindingsFile)) {
		return noFindings(dir)
	}
	if _, err := readFindings(dir); err != nil {
		return err
	}
	return fmt.Errorf("%s has findings and no %s, so they cannot be made anew: leave out --anew to show them", dir, record.RunsFile)
}

func digest(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text)) }

// stillAsks complains where a result's experiment has been edited since it was begun: its
// runs are not of what it says now. A result of before this was noted is taken at its word.
func (e environment) stillAsks(text []byte, dir string) error {
	if e.Asked == "" || e.Asked == digest(text) {
		return nil
	}
	return fmt.Errorf("%s has been changed since its first run was made, and its runs are of what it said before: put it back, or run the new one into a folder of its own with --out",
		filepath.Join(dir, record.ExperimentFile))
}

// readEnvironment reads where a result was measured.
func readEnvironment(dir string) (environment, error) {
	var e environment
	content, err := os.ReadFile(filepath.Join(dir, record.EnvironmentFile))
	if err != nil {
		return e, err
	}
	if err := json.Unmarshal(content, &e); err != nil {
		return e, fmt.Errorf("%s: %w", record.EnvironmentFile, err)
	}
	return e, nil
}
