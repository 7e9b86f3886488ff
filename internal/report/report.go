// Package report owns the shapes in which an answer is shown: a table for the
// terminal, a page, CSV, JSON and the Go benchmark format. It reads a findings
// document and nothing else: it must not know runs, records or statistics, and
// it computes no figure that the document does not hold.
package report
