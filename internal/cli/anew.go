// A finished result whose records are analysed again: by a newer tracetax, which knows
// more statistics than the one that measured.

package cli

import (
	"encoding/json"
	"errors"
	"fmt"
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
func analyseAnew(dir string) (doc *finding.Document, err error) {
	if !isFile(filepath.Join(dir, record.RunsFile)) {
		return nil, usageError(noFindings(dir))
	}
	asked, err := spec.Find(filepath.Join(dir, record.ExperimentFile), builtIn())
	if err != nil {
		return nil, fmt.Errorf("reading the experiment of %s: %w", dir, err)
	}
	if len(asked) != 1 {
		return nil, fmt.Errorf("reading the experiment of %s: it has %d workloads; a results folder has one", dir, len(asked))
	}
	b := &bench{asked: asked[0], dir: dir, session: &experiment.Session{}}
	if b.environment, err = readEnvironment(dir); err != nil {
		return nil, fmt.Errorf("analysing %s: %w", dir, err)
	}
	b.experiment = without(b.asked, b.environment.LeftOut)
	for _, v := range b.experiment.Variants {
		plan, err := b.experiment.Plan(v)
		if err != nil {
			return nil, fmt.Errorf("analysing %s: %w", dir, err)
		}
		b.session.Cells = append(b.session.Cells, experiment.Cell{Variant: v, Plan: plan})
	}
	if b.folder, b.history, err = record.Open(dir); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.folder.Close()) }()
	return b.finish(b.history)
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
