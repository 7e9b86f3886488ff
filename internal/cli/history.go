package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

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
	var left []string
	err := writeOutput(s.Out, "--otava", file, func(w io.Writer) (err error) { left, err = report.Otava(w, docs); return err })
	if err == nil && len(left) > 0 {
		_, err = fmt.Fprintf(s.Err, "left out, since not every result can tell it: %s\n", strings.Join(left, ", "))
	}
	return err
}
