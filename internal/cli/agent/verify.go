package agent

// This file is tracetax agent verify-techempower: the check that the requests/* workloads name.

import (
	"errors"
	"net/url"

	"github.com/spf13/cobra"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/verify"
)

// newVerify is started by a run, for each variant before it is measured.
func newVerify(s console.Streams) *cobra.Command {
	var target verify.Target
	c := &cobra.Command{
		Use:   "verify-techempower",
		Short: "Check a service and its database against TechEmpower's rules for /json, /db, /queries and /updates",
		Args:  console.UsageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if u, err := url.Parse(target.URL); err != nil || u.Host == "" {
				return console.UsageError(errors.New("give --url the address of the service: http://127.0.0.1:8080"))
			}
			if target.Database == "" {
				return console.UsageError(errors.New("give --database the address of its database: postgres://user@127.0.0.1:5432/name"))
			}
			return verify.TechEmpower(c.Context(), s.Out, target)
		},
	}
	c.Flags().StringVar(&target.URL, "url", "", "`address` of the service, without a path")
	c.Flags().StringVar(&target.Database, "database", "", "`address` of its PostgreSQL")
	return c
}
