package session

// This file reads findings back from results folders.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tracetax/tracetax/internal/analysis"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
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
		return nil, &AskedError{fmt.Errorf("%s has no %s, which this is made of: take a whole copy of the folder", dir, record.RunsFile)}
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
		return nil // what is not there at all is told by what looks into it
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
