package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/schemas"
)

// schemaFile is what the schema of an experiment is called beside one.
const schemaFile = "tracetax.schema.json"

// forEditors is the first line of an experiment that has its schema beside it.
const forEditors = "# yaml-language-server: $schema=" + schemaFile + "\n"

func newSchema(s console.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "schema " + strings.Join(schemas.Names(), "|"),
		Short: "Print the JSON Schema of an experiment file, of findings.json or of runs.jsonl",
		Long: `Prints the JSON Schema (draft 2020-12) of what this version reads and writes: an
experiment file, a workload's, service's or tracer's; findings.json, or a line of
runs.jsonl. Each key, field and code has
a description. Editors complete and check an experiment whose first line is
"# yaml-language-server: $schema=` + schemaFile + `", as 'tracetax init' writes it.`,
		Example: `  tracetax schema experiment > ` + schemaFile + `
  tracetax schema findings | jq '."$defs".Finding.properties'`,
		ValidArgs: schemas.Names(),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return console.UsageError(fmt.Errorf("schema takes one of %s", strings.Join(schemas.Names(), ", ")))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := schemas.Text(args[0])
			if err != nil {
				return console.UsageError(err)
			}
			_, err = s.Out.Write(text)
			return err
		},
	}
}

// schemaBeside writes the schema of experiments beside one, for editors. One that is there already is left alone.
func schemaBeside(experiment string) error {
	text, err := schemas.Text("experiment")
	if err != nil {
		return err
	}
	path := filepath.Join(filepath.Dir(experiment), schemaFile)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("writing the schema for editors: %w", err)
	}
	if _, err := f.Write(text); err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", path, err), f.Close())
	}
	return f.Close()
}
