package graphs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/lab/graphs/traces"
)

// importing are the flags of 'tracetax graph import'.
type importing struct {
	out    string
	shapes int
	work   string
	json   bool
}

func newImport(s console.Streams) *cobra.Command {
	f := importing{shapes: 20}
	c := &cobra.Command{
		Use:   "import FILES…",
		Short: "Make a topology of recorded traces (Jaeger's JSON, OTLP's, Zipkin's)",
		Long: `Make a topology of recorded traces: Jaeger's "Download JSON", OTLP as JSON (also lines,
as a Collector's file exporter and 'tracetax sink --keep' write them), Zipkin v2; gzipped
or not; - is the standard input. Traces of one shape become an operation; the time that a
method has to itself becomes waiting. What is left out is counted, with its reason.`,
		Example: "  tracetax graph import traces.json --out shop.yaml\n  tracetax graph show shop.yaml",
		Args:    console.UsageArgs(cobra.MinimumNArgs(1)),
		RunE:    func(_ *cobra.Command, files []string) error { return f.run(s, files) },
	}
	c.Flags().StringVar(&f.out, "out", "", "the topology's `file`, which must not be there yet; - prints it")
	c.Flags().IntVar(&f.shapes, "shapes", f.shapes, "most shapes of an operation; the rarest are left out")
	c.Flags().StringVar(&f.work, "work", "0%", "`share` of a method's own time that is CPU work, such as 30%; the rest is waiting")
	c.Flags().BoolVar(&f.json, "json", false, "print what was found as JSON")
	return c
}

func (f *importing) run(s console.Streams, files []string) error {
	work, err := program.ParseShare(f.work)
	switch {
	case err != nil || work < 0 || work > 1:
		return console.UsageError(fmt.Errorf("--work %s: not a share such as 30%% or 0.3, from 0 to 100%%", f.work))
	case f.shapes < 1:
		return console.UsageError(fmt.Errorf("--shapes %d: an operation has at least one shape", f.shapes))
	case f.out == "":
		return console.UsageError(errors.New("--out says which file the topology goes to, such as --out shop.yaml; - prints it"))
	case f.out == "-" && f.json:
		return console.UsageError(errors.New("--json and --out - both print; give the topology a file"))
	}
	const often = 20 // percent; the collector's usual 100 holds twice what is live, and 1 GB of traces has to fit into 200 MB
	defer debug.SetGCPercent(debug.SetGCPercent(often))
	fits := func(text []byte) bool { return new(program.Source).Graph(text) != nil }
	im := traces.New(traces.Options{Shapes: f.shapes, Work: work, Fits: fits})
	for _, file := range files {
		if err := addTraces(s, im, file); err != nil {
			return console.UsageError(err)
		}
	}
	found, err := im.Topology()
	if err != nil {
		return console.UsageError(err)
	}
	if source := (&program.Source{File: f.out}); source.Graph(found.Text) == nil {
		return fmt.Errorf("checking the topology before it is written: it is not valid, which is a defect of tracetax: %w", source.Err())
	}
	if err := f.write(s, found.Text); err != nil {
		return err
	}
	if f.json {
		e := json.NewEncoder(s.Out)
		e.SetIndent("", "  ")
		return e.Encode(found)
	}
	to := s.Out
	if f.out == "-" {
		to = s.Err
	}
	if _, err = io.WriteString(to, found.Summary()); err == nil && f.out != "-" {
		_, err = fmt.Fprintf(s.Err, "wrote %s; next: tracetax graph show %s\n", f.out, f.out)
	}
	return err
}

// addTraces reads the spans of one file.
func addTraces(s console.Streams, im *traces.Import, file string) (err error) {
	if file == "-" {
		return im.Add("the standard input", s.In)
	}
	in, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("reading traces: %w", err)
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return im.Add(file, in)
}

// write writes the topology, and never over another file.
func (f *importing) write(s console.Streams, text []byte) (err error) {
	if f.out == "-" {
		_, err := s.Out.Write(text)
		return err
	}
	file, err := os.OpenFile(f.out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return console.UsageError(fmt.Errorf("%s is there already; name another file", f.out))
	}
	if err != nil {
		return fmt.Errorf("writing the topology: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(text); err != nil {
		return fmt.Errorf("writing %s: %w", f.out, err)
	}
	return nil
}
