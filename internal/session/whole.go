package session

// This file says what to do where there are no whole findings.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/report"
)

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
		return nil, fmt.Errorf("%s is of an earlier tracetax: %s", path, remedy(path))
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

// remedy says what to do where a file holds no whole findings.
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

// noFindings says why a folder is no result, and which are near it.
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
		return fmt.Errorf("%s has no findings.json: it is not finished; %s", dir, goOn(dir))
	}
	return fmt.Errorf("%s has no findings.json: give a results folder that 'tracetax run' has finished", dir)
}

// noRecords says why there is nothing in a folder to analyse.
func noRecords(dir string) error {
	if !isFile(filepath.Join(dir, record.FindingsFile)) {
		return noFindings(dir)
	}
	if _, err := ReadFindings(dir); err != nil {
		return err
	}
	return fmt.Errorf("%s has findings and no %s, so they cannot be made again: leave out --reanalyze to show them", dir, record.RunsFile)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
