// Package results owns results folders that are read: the findings and records of one, and its analysis again, without
// running anything. It must not know how a run is made: it works on every system that tracetax is built for.
package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/report"
)

// ReadFindings reads the findings of a results folder.
func ReadFindings(dir string) (*finding.Document, error) {
	path := filepath.Join(dir, record.FindingsFile)
	f, err := open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &AskedError{noFindings(dir)}
	}
	if err != nil {
		return nil, fmt.Errorf("opening the findings: %w", err)
	}
	defer f.Close()
	doc, err := decodeFindings(f, path)
	if err != nil {
		return nil, err
	}
	analysis.Found(doc, dir)
	return doc, nil
}

// ReadRecords reads the records of a results folder.
func ReadRecords(dir string) ([]record.Record, error) {
	if !isFile(filepath.Join(dir, record.RunsFile)) {
		return nil, &AskedError{fmt.Errorf("%s has no %s, which this command reads: take a whole copy of the folder", dir, record.RunsFile)}
	}
	return record.Read(dir)
}

// ReadResult reads a results folder, or a findings.json by itself.
func ReadResult(path string) (*finding.Document, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &AskedError{noFindings(path)}
	}
	if err != nil {
		return nil, &AskedError{fmt.Errorf("looking for a result: %w", err)}
	}
	if info.IsDir() {
		return ReadFindings(path)
	}
	if !info.Mode().IsRegular() {
		return nil, &AskedError{fmt.Errorf("%s is neither a results folder nor a regular file", path)}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening the findings: %w", err)
	}
	defer file.Close()
	doc, err := decodeFindings(file, path)
	if err != nil {
		return nil, &AskedError{err}
	}
	doc.Results = path
	if filepath.Base(path) == record.FindingsFile {
		doc.Results = filepath.Dir(path)
	}
	return doc, nil
}

// ReadResults reads a result, or those that a folder holds, in the order in which they were made.
func ReadResults(dir string) ([]*finding.Document, error) {
	if err := NotAFolder(dir); err != nil {
		return nil, err
	}
	inside, err := filepath.Glob(filepath.Join(dir, "*", record.FindingsFile))
	if err != nil {
		return nil, &AskedError{fmt.Errorf("looking for results in %s: %w", dir, err)}
	}
	folders := []string{dir}
	if len(inside) > 0 && !isFile(filepath.Join(dir, record.FindingsFile)) {
		folders = nil
		for _, file := range inside {
			folders = append(folders, filepath.Dir(file))
		}
	}
	var docs []*finding.Document
	for _, folder := range folders {
		doc, err := ReadFindings(folder)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	// In the order in which they were made: that is the experiment's.
	slices.SortStableFunc(docs, func(a, b *finding.Document) int { return a.Created.Compare(b.Created) })
	return docs, nil
}

// NotAFolder complains of a file in the place of a results folder.
func NotAFolder(path string) error {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return nil // the reader of the folder reports a missing one
	}
	if dir := filepath.Dir(path); isResult(dir) {
		return &AskedError{fmt.Errorf("%s is a file: give the folder: %s", path, dir)}
	}
	return &AskedError{fmt.Errorf("%s is a file: give a results folder, as 'tracetax run' names it at its end", path)}
}

// open opens a file that is looked at before: to open a named pipe waits until somebody
// writes, and no signal ends that.
func open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return os.Open(path)
}

// Remedies for a folder without whole findings.

// decodeFindings reads the findings in the file of that path. An error says what is
// wrong with it, and how to come by whole ones.
func decodeFindings(file io.Reader, path string) (*finding.Document, error) {
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	doc, err := report.Read(bytes.NewReader(text))
	switch {
	case err == nil:
		return doc, nil
	case isNewer(text): // which the error says, and what to do
		return nil, fmt.Errorf("%s: %w", path, err)
	case errors.Is(err, report.ErrOlder):
		return nil, fmt.Errorf("%s comes from an earlier tracetax: %s", path, remedy(path))
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s is cut off: %s", path, remedy(path))
	}
	return nil, fmt.Errorf("%s is no findings document (%w): %s", path, err, remedy(path))
}

// isNewer reports whether findings are of a newer tracetax than this.
func isNewer(text []byte) bool {
	var doc struct {
		Schema int `json:"schema"`
	}
	return json.Unmarshal(text, &doc) == nil && doc.Schema > finding.Schema
}

// remedy returns what to do about a file without whole findings.
func remedy(path string) string {
	dir := filepath.Dir(path)
	switch {
	case filepath.Base(path) == record.FindingsFile:
	case filepath.Ext(path) != ".json" && isResult(dir):
		return "give the folder: " + dir
	default: // a copy, which need not be of the result that it lies in
		return "give a results folder, or the findings.json of one"
	}
	for _, name := range []string{record.RunsFile, record.ExperimentFile, record.EnvironmentFile} {
		if !isFile(filepath.Join(dir, name)) {
			return fmt.Sprintf("there is no %s beside it to make it again from; take a whole copy of it, or measure again", name)
		}
	}
	return fmt.Sprintf("make it again from the records with: tracetax report %s --reanalyze", dir)
}

// isResult reports whether a folder holds findings, or runs to make them from.
func isResult(dir string) bool {
	return isFile(filepath.Join(dir, record.FindingsFile)) || isFile(filepath.Join(dir, record.RunsFile))
}

// noFindings returns the reason why a folder is no result, and the results near it.
func noFindings(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no folder %s: give a results folder, as 'tracetax run' names it at its end", dir)
	}
	inside, err := filepath.Glob(filepath.Join(dir, "*", record.FindingsFile))
	if err == nil && len(inside) > 0 {
		for i, file := range inside {
			inside[i] = filepath.Dir(file)
		}
		return fmt.Errorf("%s holds several results, one a workload: give one of %s", dir, strings.Join(inside, ", "))
	}
	if isFile(filepath.Join(dir, record.RunsFile)) {
		return fmt.Errorf("%s has no findings.json: it is not finished; %s", dir, GoOn(dir))
	}
	return fmt.Errorf("%s has no findings.json: give a results folder that 'tracetax run' has finished", dir)
}

// noRecords returns the reason why a folder has nothing to analyse.
func noRecords(dir string) error {
	if !isFile(filepath.Join(dir, record.FindingsFile)) {
		return noFindings(dir)
	}
	if _, err := ReadFindings(dir); err != nil {
		return err
	}
	return fmt.Errorf("%s has findings but no %s, and cannot be analysed again: leave --reanalyze out to show them", dir, record.RunsFile)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// AskedError is the mistake of who asked: another folder, file or setting is to be given.
type AskedError struct{ Err error }

func (e *AskedError) Error() string { return e.Err.Error() }

// Unwrap gives the mistake itself.
func (e *AskedError) Unwrap() error { return e.Err }

// GoOn returns the command that continues an unfinished result.
func GoOn(dir string) string { return GoOnBy("run", dir) }

// GoOnBy is GoOn for a result that another command than run began.
func GoOnBy(command, dir string) string {
	return "go on with: tracetax " + command + " --resume " + dir
}
