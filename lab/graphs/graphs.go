// Package graphs owns workloads that are graphs of services: it registers what reads a topology file and makes processes and
// operations of it, and the command that draws one. It must not know how a node is started, nor what is measured.
package graphs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/lab/graphs/topology"
)

func init() { cli.Register(newGraph) }

func newGraph(s console.Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "graph",
		Short: "Look at graphs of services (topology files)",
		Args:  console.UsageArgs(cobra.NoArgs),
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	var dot bool
	show := &cobra.Command{
		Use:     "show FILE|WORKLOAD",
		Short:   "Draw the calls of each operation of a topology, and count its calls and spans",
		Args:    console.UsageArgs(cobra.ExactArgs(1)),
		Example: "  tracetax graph show shop.yaml\n  tracetax graph show graph/boutique --dot | dot -Tsvg > boutique.svg",
		RunE: func(_ *cobra.Command, args []string) error {
			g, err := graphOf(args[0])
			if err != nil {
				return cli.FileError(err)
			}
			text := g.Tree()
			if dot {
				text = g.Dot()
			}
			_, err = fmt.Fprint(s.Out, text)
			return err
		},
	}
	show.Flags().BoolVar(&dot, "dot", false, "print who calls whom for Graphviz instead")
	c.AddCommand(show, newRebuild(s), newImport(s))
	return c
}

// graphOf returns the graph of a topology file, or else of a workload; a folder may have the same name.
func graphOf(name string) (*topology.Graph, error) {
	info, err := os.Stat(name)
	if folder := err == nil && info.IsDir(); !folder && !errors.Is(err, fs.ErrNotExist) {
		return Read(name)
	}
	w, known := cli.BuiltIn().Workload(name)
	if known != nil {
		return nil, console.UsageError(fmt.Errorf("there is no file %s, and no workload of that name: %w", name, known))
	}
	g, is := w.Graph.(graph)
	if !is {
		return nil, console.UsageError(fmt.Errorf("workload %s is no graph of services: it has no topology", name))
	}
	return g.Graph, nil
}
