// Package sheet owns tables as CSV that R, pandas and spreadsheets take: names that no spreadsheet runs as a formula,
// figures unrounded. It is a leaf. It must not know what a table is about.
package sheet

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

// Write writes the rows; the first names the columns. An error says what was being written.
func Write(w io.Writer, what string, rows [][]string) error {
	if err := csv.NewWriter(w).WriteAll(rows); err != nil {
		return fmt.Errorf("writing %s as CSV: %w", what, err)
	}
	return nil
}

// Text is a text as a cell. It keeps a spreadsheet from taking a name for a formula: names come
// from experiment files and from programs, and the file is opened by somebody else.
func Text(s string) string {
	if s == "" {
		return s
	}
	switch s[0] {
	case '=', '+', '-', '@', '\t', '\r', '\n':
		return "'" + s
	}
	return s
}

// Number is a figure as a cell, whole.
func Number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Optional is a figure that need not be there as a cell; an empty one where it is not.
func Optional(v *float64) string {
	if v == nil {
		return ""
	}
	return Number(*v)
}
