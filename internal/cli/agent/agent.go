// Package agent owns the commands that tracetax starts itself as processes of their own: hidden from people, most of
// them driven over stdin and stdout. It must not know who starts them, and what for.
package agent

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/cli/tools"
	"github.com/tracetax/tracetax/internal/process/supervisor"
	requests "github.com/tracetax/tracetax/workloads/requests/verify"
	tiers "github.com/tracetax/tracetax/workloads/tiers/verify"
)

// New holds all of them.
func New(s console.Streams) *cobra.Command {
	agent := &cobra.Command{
		Use:    "agent",
		Short:  "Processes that tracetax starts itself",
		Hidden: true,

		DisableFlagParsing: true, // those of an unknown command
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
				return console.UsageError(fmt.Errorf("this build of tracetax has no command 'agent %s': it lacks the package tracetax/lab", args[0]))
			}
			return c.Help()
		},
	}
	agent.AddCommand(tools.NewSinkAgent(s), newKeep(s), tools.NewLoadAgent(s), newHello(), newVerify(s), newVerifyTiers(s))
	for _, add := range registered {
		agent.AddCommand(add(s))
	}
	return agent
}

var registered []func(console.Streams) *cobra.Command

// Register adds commands. It is called before New, by the init of their package.
func Register(commands ...func(console.Streams) *cobra.Command) {
	registered = append(registered, commands...)
}

// newKeep is the process that stands between tracetax and each program it
// starts, and ends the program when tracetax is no more.
func newKeep(console.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "keep",
		Short: "Start a program and leave nothing of it behind",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return supervisor.Keep(c.Context())
		},
	}
}

// This file is tracetax agent verify-techempower and verify-tiers: the checks that the requests/* and tiers/* workloads name.

// newVerify is started by a run, for each variant before it is measured.
func newVerify(s console.Streams) *cobra.Command {
	var target requests.Target
	c := &cobra.Command{
		Use:   "verify-techempower",
		Short: "Check a service and its database against TechEmpower's rules for /json, /db, /queries and /updates",
		Args:  console.UsageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := CheckService(target.URL); err != nil {
				return err
			}
			if target.Database == "" {
				return console.UsageError(errors.New("give --database the address of its database: postgres://user@127.0.0.1:5432/name"))
			}
			return requests.TechEmpower(c.Context(), s.Out, target)
		},
	}
	c.Flags().StringVar(&target.URL, "url", "", "`address` of the service, without a path")
	c.Flags().StringVar(&target.Database, "database", "", "`address` of its PostgreSQL")
	return c
}

// newVerifyTiers is started likewise.
func newVerifyTiers(s console.Streams) *cobra.Command {
	var address string
	c := &cobra.Command{
		Use:   "verify-tiers",
		Short: "Check that three tiers answer with the bytes that they answer with in every language",
		Args:  console.UsageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := CheckService(address); err != nil {
				return err
			}
			return tiers.Tiers(c.Context(), s.Out, address)
		},
	}
	c.Flags().StringVar(&address, "url", "", "`address` of the first tier, without a path")
	return c
}

// CheckService is an error where an address is none of a service.
func CheckService(address string) error {
	if u, err := url.Parse(address); err != nil || u.Host == "" {
		return console.UsageError(errors.New("give --url the address of the service: http://127.0.0.1:8080"))
	}
	return nil
}
