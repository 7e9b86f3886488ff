// Package data owns the forms of a document for other programs: JSON, CSV, the Go benchmark format, and what dashboards
// read. Figures are unrounded. It must not know how anything is shown to a person.
package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tracetax/tracetax/internal/finding"
)

// JSON writes the document, indented.
func JSON(w io.Writer, doc *finding.Document) error { return write(w, doc, "the findings") }

// ComparisonJSON writes the comparison, indented.
func ComparisonJSON(w io.Writer, doc *finding.Comparison) error {
	return write(w, doc, "the comparison")
}

// ReplicationJSON writes the replication, indented.
func ReplicationJSON(w io.Writer, doc *finding.Replication) error {
	return write(w, doc, "the replication")
}

func write(w io.Writer, doc any, what string) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return fmt.Errorf("writing %s as JSON: %w", what, err)
	}
	return nil
}

// ErrOlder is why findings that an earlier tracetax wrote are not read: they say in sentences what codes say now.
var ErrOlder = errors.New("older than this tracetax reads")

// Read reads a document that JSON wrote. It refuses one of another schema.
func Read(r io.Reader) (*finding.Document, error) {
	var doc finding.Document
	if err := json.NewDecoder(r).Decode(&doc); err != nil {
		return nil, fmt.Errorf("reading findings: %w", err)
	}
	if doc.Schema > finding.Schema {
		return nil, fmt.Errorf("reading findings: schema %d is newer than %d, the newest that this tracetax knows: use a newer tracetax", doc.Schema, finding.Schema)
	}
	if doc.Schema < 1 {
		return nil, fmt.Errorf("reading findings: no schema version: is this a findings.json of tracetax?")
	}
	if doc.Schema < finding.Schema {
		return nil, fmt.Errorf("reading findings: schema %d is %w, %d: read them with the tracetax that wrote them, or make them again", doc.Schema, ErrOlder, finding.Schema)
	}
	return &doc, nil
}
