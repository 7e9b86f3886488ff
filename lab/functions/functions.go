// Package functions owns the commands that run functions: tracetax agent platform and agent environments, and the check of the
// functions/* workloads. It must not know how an invocation goes.
package functions

import (
	"context"
	"fmt"
	"net"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/agent"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/lab/functions/platform"
	"github.com/tracetax/tracetax/workloads/functions/verify"
)

func init() { agent.Register(newPlatform, newEnvironments, newVerifyFunctions) }

func newPlatform(console.Streams) *cobra.Command {
	var listen, control string
	var texts []string
	c := &cobra.Command{
		Use:   "platform",
		Short: "Invoke functions as AWS Lambda does, in the environments of 'agent environments'",
		Args:  console.UsageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			var all []platform.Function
			for _, text := range texts {
				f, err := platform.ParseFunction(text)
				if err != nil {
					return console.UsageError(err)
				}
				all = append(all, f)
			}
			p, err := platform.New(all)
			if err != nil {
				return console.UsageError(err)
			}
			return servePlatform(c.Context(), p, listen, control)
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:9000", "`address` of POST /2015-03-31/functions/NAME/invocations")
	c.Flags().StringVar(&control, "control", "127.0.0.1:9001", "`address` for 'agent environments'")
	c.Flags().StringArrayVar(&texts, "function", nil, "`NAME=HANDLER,memory=128,timeout=3s`; once for each function")
	return c
}

func servePlatform(ctx context.Context, p *platform.Platform, listen, control string) error {
	front, err := net.Listen("tcp", listen)
	if err != nil {
		return fmt.Errorf("listening for invocations: %w", err)
	}
	defer front.Close()
	back, err := net.Listen("tcp", control)
	if err != nil {
		return fmt.Errorf("listening for the process with the environments: %w", err)
	}
	defer back.Close()
	return p.Serve(ctx, front, back)
}

func newEnvironments(s console.Streams) *cobra.Command {
	var address string
	e := platform.Environments{Log: s.Err}
	c := &cobra.Command{
		Use:   "environments --platform ADDRESS -- COMMAND",
		Short: "Have the environments of functions for children: one COMMAND each, a client of Lambda's Runtime API",
		Args:  console.UsageArgs(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, command []string) error {
			e.Command = command
			if err := e.Check(); err != nil {
				return console.UsageError(err)
			}
			return e.Serve(c.Context(), address)
		},
	}
	c.Flags().StringVar(&address, "platform", "127.0.0.1:9001", "`address` that 'agent platform' has for it (--control)")
	c.Flags().StringVar(&e.Scratch, "scratch", "", "`folder` of the environments' scratch folders (default that of the system)")
	return c
}

// newVerifyFunctions is the check that the functions/* workloads name.
func newVerifyFunctions(s console.Streams) *cobra.Command {
	target := verify.Target{Payload: platform.Payload}
	c := &cobra.Command{
		Use:   "verify-functions",
		Short: "Check what functions answer, and what they leave in the object store",
		Args:  console.UsageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := agent.CheckService(target.URL); err != nil {
				return err
			}
			return verify.Functions(c.Context(), s.Out, target)
		},
	}
	c.Flags().StringVar(&target.URL, "url", "", "`address` of the platform, without a path")
	c.Flags().StringVar(&target.Objects, "objects", "", "`folder` of the object store")
	c.Flags().StringVar(&target.Build, "build", "", "`folder` of ffmpeg, and of the film as it has to become")
	c.Flags().StringVar(&target.Runtime, "client", "", "`file` with the name of the runtime's client, if it is not always the same")
	c.Flags().Float64Var(&target.Rank, "rank", 0, "`rank` of the graph's first vertex")
	return c
}
