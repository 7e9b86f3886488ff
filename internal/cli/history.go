package cli

import (
	"errors"
	"io"

	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/report"
	"github.com/tracetax/tracetax/internal/session"
)

// writeHistory writes what is read over several results, a row each.
func writeHistory(s console.Streams, dirs []string, flags reportFlags) error {
	file := flags.otava
	if flags.otava = ""; flags != (reportFlags{}) {
		return console.UsageError(errors.New("--otava stands alone: write the other forms by a second 'tracetax report DIR'"))
	}
	var docs []*finding.Document
	for _, dir := range dirs {
		if err := session.NotAFolder(dir); err != nil {
			return err
		}
		doc, err := session.ReadFindings(dir)
		if err != nil {
			return err
		}
		docs = append(docs, doc)
	}
	return writeOutput(s.Out, "--otava", file, func(w io.Writer) error { return report.Otava(w, docs) })
}
