package graphs

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/lab/graphs/rebuild"
	"github.com/tracetax/tracetax/lab/graphs/topology"
	"golang.org/x/sys/unix"
)

// rebuilding are the flags of 'tracetax graph rebuild'.
type rebuilding struct {
	names, out, csv, topology string
	score, json               bool
}

func newRebuild(s console.Streams) *cobra.Command {
	var f rebuilding
	c := &cobra.Command{
		Use:   "rebuild DIR|FILES…",
		Short: "Put traces together from captured packets",
		Long: `Put traces together from captured packets: those that a run kept ('tracetax run --captures'),
or files that tcpdump or Wireshark wrote (pcap, pcapng), which are read as one. HTTP, gRPC,
Thrift (framed), Redis, memcached and MongoDB are understood. Each call has its parent and how it
is known: by ids in headers, as the only one that is possible, or as the likeliest.
Credentials in headers are left out of what is written.`,
		Example: "  tracetax graph rebuild RESULTS --out traces.jsonl --csv calls.csv\n  tracetax graph rebuild mine.pcap --names names.csv",
		Args:    console.UsageArgs(cobra.MinimumNArgs(1)),
		RunE:    func(_ *cobra.Command, args []string) error { return f.run(s, args) },
	}
	c.Flags().StringVar(&f.names, "names", "", "`file` with the names of addresses, a line each: 10.0.0.7=cart or 10.0.0.7:8080=cart")
	c.Flags().StringVar(&f.out, "out", "", "`file` for the spans: lines of JSON, as OTLP has it")
	c.Flags().StringVar(&f.csv, "csv", "", "`file` for the calls, as a table (CSV)")
	c.Flags().StringVar(&f.topology, "topology", "", "topology `file` that tells what each method calls: it makes likely parents likelier")
	c.Flags().BoolVar(&f.score, "score", false, "of packets with ids of calls: say how many parents are found right without them")
	c.Flags().BoolVar(&f.json, "json", false, "print the counts as JSON")
	return c
}

func (f *rebuilding) run(s console.Streams, args []string) (err error) {
	inputs, err := f.inputs(args)
	if err != nil {
		return console.UsageError(err)
	}
	if f.out != "" && f.out == f.csv {
		return console.UsageError(fmt.Errorf("--out and --csv both name %s; give each a file of its own", f.out))
	}
	var graph *topology.Graph
	if f.topology != "" {
		if graph, err = graphOf(f.topology); err != nil {
			return cli.FileError(err)
		}
	}
	var to rebuild.Outputs
	for name, out := range map[string]*io.Writer{f.out: &to.Spans, f.csv: &to.Calls} {
		if name == "" {
			continue
		}
		is, wrong := os.Stat(name)
		fresh := errors.Is(wrong, fs.ErrNotExist)
		if wrong == nil && is.Mode().IsRegular() { // it may be one of the captures
			return console.UsageError(fmt.Errorf("%s is there already; name another file", name))
		}
		file, wrong := os.Create(name) // err is that of the whole, to which the end of the writing adds
		if wrong != nil {
			return console.UsageError(fmt.Errorf("writing what is rebuilt: %w", wrong))
		}
		w := bufio.NewWriterSize(file, 1<<16)
		*out = w
		defer func() {
			if err = errors.Join(err, w.Flush(), file.Close()); err != nil && fresh {
				err = errors.Join(err, os.Remove(name))
			}
		}()
	}
	var all []*rebuild.Summary
	for i := range inputs {
		to.Run = i
		inputs[i].Score, inputs[i].Topology = f.score, graph
		before, err := ownCPU()
		if err != nil {
			return err
		}
		one, err := rebuild.Run(inputs[i], to)
		if err != nil {
			return console.UsageError(err)
		}
		after, err := ownCPU()
		if err != nil {
			return err
		}
		one.CPU = (after - before).Seconds()
		all = append(all, one)
		if f.json {
			continue
		}
		if i > 0 {
			fmt.Fprintln(s.Out)
		}
		if _, err := io.WriteString(s.Out, one.Text()); err != nil {
			return err
		}
	}
	if !f.json {
		return nil
	}
	e := json.NewEncoder(s.Out)
	e.SetIndent("", "  ")
	return e.Encode(all)
}

// inputs are the captures of the arguments: a results folder, or files of packets.
func (f *rebuilding) inputs(args []string) ([]rebuild.Input, error) {
	info, err := os.Stat(args[0])
	if err != nil {
		return nil, fmt.Errorf("looking for captured packets: %w", err)
	}
	if info.IsDir() {
		if len(args) > 1 || f.names != "" {
			return nil, fmt.Errorf("%s is a results folder, which has its names: give it alone, without --names", args[0])
		}
		return rebuild.Folder(args[0])
	}
	if len(args) == 1 && f.names == "" {
		if in, ok, err := rebuild.Beside(args[0]); ok || err != nil {
			return []rebuild.Input{in}, err
		}
	}
	in := rebuild.Input{Files: args}
	if f.names == "" {
		in.Names, err = rebuild.ReadNames("no names", strings.NewReader(""))
		return []rebuild.Input{in}, err
	}
	file, err := os.Open(f.names)
	if err != nil {
		return nil, fmt.Errorf("reading the names of addresses: %w", err)
	}
	in.Names, err = rebuild.ReadNames(f.names, file)
	return []rebuild.Input{in}, errors.Join(err, file.Close())
}

// ownCPU is the CPU time of this process, user and system.
func ownCPU() (time.Duration, error) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("reading the CPU time of this process: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}
