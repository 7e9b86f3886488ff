package agent

// The processes of a cluster: the conductor in the harness pod, and the meter of a node.

import (
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/build"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/run/afar"
	"github.com/tracetax/tracetax/internal/usage/node"
)

func init() { Register(newConduct, newMeter, newFetch) }

// newConduct is the conductor of runs whose experiment is on another machine.
func newConduct(s console.Streams) *cobra.Command {
	o := afar.Options{Build: build.Version()}
	c := &cobra.Command{
		Use:   "conduct",
		Short: "Make runs for a tracetax elsewhere: blocks on stdin, records on stdout",
		Args:  console.UsageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) (err error) {
			self, err := os.Executable()
			if err != nil {
				return fmt.Errorf("finding the tracetax program for its agents: %w", err)
			}
			if o.Folder, err = os.MkdirTemp("", "tracetax-conduct-"); err != nil {
				return fmt.Errorf("making the folder for what runs leave: %w", err)
			}
			defer func() { err = errors.Join(err, os.RemoveAll(o.Folder)) }()
			o.Self = []string{self}
			return afar.Serve(c.Context(), o, s.In, s.Out)
		},
	}
	c.Flags().StringVar(&o.Address, "address", "127.0.0.1", "`address` at which programs reach this machine")
	c.Flags().DurationVar(&o.Silence, "silence", 0, "end after so long without a sign of life (default 1m)")
	return c
}

// newFetch gets the files of a tracer into a pod, before its program begins.
func newFetch(console.Streams) *cobra.Command {
	var url, variable string
	c := &cobra.Command{
		Use:   "fetch FOLDER",
		Short: "Get the files of a tracer from a conductor into a folder",
		Args:  console.UsageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			return afar.FetchFolder(c.Context(), url, os.Getenv(variable), args[0])
		},
	}
	c.Flags().StringVar(&url, "url", "", "`URL` of the folder at the conductor")
	c.Flags().StringVar(&variable, "token-env", "TRACETAX_TOKEN", "`variable` with the token")
	return c
}

// newMeter reads the containers of a node for conductors.
func newMeter(console.Streams) *cobra.Command {
	var listen, root, variable string
	var beside bool
	c := &cobra.Command{
		Use:   "meter",
		Short: "Read what containers of this node use, for conductors that know a token",
		Args:  console.UsageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			token := os.Getenv(variable)
			if token == "" {
				return console.UsageError(fmt.Errorf("the variable %s has no token", variable))
			}
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return fmt.Errorf("listening for conductors: %w", err)
			}
			meter := node.New(root)
			if beside {
				meter = node.NewBeside()
			}
			return meter.Serve(c.Context(), l, token)
		},
	}
	c.Flags().StringVar(&listen, "listen", ":7411", "`address` to listen on")
	c.Flags().StringVar(&root, "cgroups", "/sys/fs/cgroup", "`folder` of the node's cgroups")
	c.Flags().BoolVar(&beside, "beside", false, "read the containers of this pod, which share its processes, instead of those of the node")
	c.Flags().StringVar(&variable, "token-env", "TRACETAX_TOKEN", "`variable` with the token")
	return c
}
