package config

import (
	"testing"

	"github.com/tracetax/tracetax"
)

// builtIn is the catalog that is embedded into the program.
func builtIn() *Catalog { return NewCatalog(tracetax.Files) }

// TestCatalog checks every file of the embedded catalog, so that a folder that
// is added is checked without a line of Go.
func TestCatalog(t *testing.T) {
	c := builtIn()
	check := func(what string, names func() ([]string, error), one func(name string) error) {
		all, err := names()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range all {
			t.Run(what+"/"+name, func(t *testing.T) {
				if err := one(name); err != nil {
					t.Error(err)
				}
			})
		}
	}
	check("workloads", c.Workloads, func(name string) error { _, err := c.Workload(name); return err })
	check("tracers", c.Tracers, func(name string) error { _, err := c.Tracer(name); return err })
	check("experiments", c.Experiments, func(name string) error {
		es, err := c.Experiment(name)
		if err != nil {
			return err
		}
		for _, e := range es {
			for _, v := range e.Variants {
				if _, err := e.Plan(v); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
