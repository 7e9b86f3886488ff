package cli

import (
	"encoding/json"
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
runs.jsonl. Each key, field and code has a description. Editors complete and check
an experiment whose first line is
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

// schemaBeside writes the schema of experiments beside one, for editors. It replaces one that another tracetax wrote; any
// other file of that name is left alone.
func schemaBeside(experiment string) error {
	text, err := schemas.Text("experiment")
	if err != nil {
		return err
	}
	path := filepath.Join(filepath.Dir(experiment), schemaFile)
	written, err := isOwnSchema(path)
	if err != nil {
		return fmt.Errorf("looking at the schema for editors: %w", err)
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if written {
		flags = os.O_WRONLY | os.O_TRUNC
	}
	f, err := os.OpenFile(path, flags, 0o644)
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

// isOwnSchema reports whether a file is a schema of experiments that a tracetax wrote. An early one wrote an empty one.
func isOwnSchema(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	var have map[string]any
	if json.Unmarshal(text, &have) != nil {
		return false, nil // it is somebody else's
	}
	return len(have) == 0 || have["title"] == schemas.ExperimentTitle, nil
}
