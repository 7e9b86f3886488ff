package cli

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
)

//go:embed starter.yaml
var starter string

// The parts of the starter that init fills in.
const (
	starterRun    = `[your-program, --port, "{port}"]`
	starterTracer = "otel-python"
)

func newInit(s console.Streams) *cobra.Command {
	var tracer string
	c := &cobra.Command{
		Use:   "init [FILE] [-- COMMAND…]",
		Short: "Write a commented experiment file to start from",
		Long: `Write a commented experiment file to start from, by default experiment.yaml; "-" is
stdout. The words after -- become the command to measure. ` + schemaFile + `,
written beside it, lets editors complete and check it. Existing files stay as they are.`,
		Example: `  tracetax init shop.yaml
  tracetax init shop.yaml -- gunicorn -b '127.0.0.1:{port}' shop:app`,
		RunE: func(c *cobra.Command, args []string) error {
			files, command := splitAtDash(c, args)
			if len(files) > 1 {
				return console.UsageError(fmt.Errorf("one file at a time, not %d: %s", len(files), strings.Join(files, " ")))
			}
			file := "experiment.yaml"
			if len(files) == 1 {
				file = files[0]
			}
			if _, err := builtIn().Tracer(tracer); err != nil {
				return fileError(fmt.Errorf("--tracer: %w", err))
			}
			text, err := fillStarter(command, tracer)
			if err != nil {
				return err
			}
			return writeStarter(s, file, text)
		},
	}
	c.Flags().StringVar(&tracer, "tracer", starterTracer, "tracer of the starter's variants")
	completeFlag(c, "tracer", completeTracers)
	return c
}

// splitAtDash parts the arguments before -- from those after it.
func splitAtDash(c *cobra.Command, args []string) (before, after []string) {
	if n := c.ArgsLenAtDash(); n >= 0 {
		return args[:n], args[n:]
	}
	return args, nil
}

// fillStarter is the starter with a command and a tracer. JSON strings are YAML.
func fillStarter(command []string, tracer string) (string, error) {
	text := strings.ReplaceAll(starter, starterTracer, tracer)
	if len(command) == 0 {
		return text, nil
	}
	words := make([]string, len(command))
	for i, w := range command {
		quoted := &strings.Builder{}
		e := json.NewEncoder(quoted)
		e.SetEscapeHTML(false)
		if err := e.Encode(w); err != nil {
			return "", fmt.Errorf("writing the command: %w", err)
		}
		words[i] = strings.TrimSpace(quoted.String())
	}
	return strings.Replace(text, starterRun, "["+strings.Join(words, ", ")+"]", 1), nil
}

func writeStarter(s console.Streams, file, text string) (err error) {
	if file == "-" {
		_, err := io.WriteString(s.Out, text)
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return console.UsageError(fmt.Errorf("%s is there already; name another file", file))
	}
	if err != nil {
		return fmt.Errorf("writing the starter: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.WriteString(forEditors + text); err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	if err := schemaBeside(file); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.Err, "wrote %s; fill in the command and the operations, then: tracetax validate %s\n", file, file)
	return err
}
