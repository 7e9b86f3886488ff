package graphs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/lab/graphs/topology"
)

// graph is a topology as a workload has it.
type graph struct{ *topology.Graph }

func init() {
	program.RegisterGraph(func(s *program.Source, root *program.Node) program.Graph {
		var g topology.Graph
		if s.Decode(root, &g); len(s.Problems) > 0 {
			return nil
		}
		for _, p := range g.Check() {
			s.Fail(root.Place(p.Way), "%s", p.Text)
		}
		if len(s.Problems) > 0 {
			return nil
		}
		return graph{&g}
	})
}

// Read reads a topology file. The error names all that is wrong, each by its place.
func Read(file string) (*topology.Graph, error) {
	g, err := program.ReadTopology(file)
	if err != nil {
		return nil, err
	}
	return g.(graph).Graph, nil
}

func (g graph) Echo() program.Graph { return graph{g.Graph.Echo()} }

func (g graph) Replicated(n int) (program.Graph, error) {
	out := g.Graph.Replicated(n)
	if problems := out.Check(); len(problems) > 0 {
		return nil, errors.New(problems[0].Text)
	}
	return graph{out}, nil
}

func (g graph) Calls(operation string) map[program.Edge]float64 {
	for _, o := range g.Operations {
		if o.Name == operation {
			return g.Graph.Calls(o)
		}
	}
	return nil
}

func (g graph) Fill(w *program.Workload, services func(name string) (*program.Service, error)) error {
	processes, err := g.Processes()
	if err != nil {
		return err
	}
	for _, p := range processes {
		if p.Kind != "" {
			one, err := realStore(p, services)
			if err != nil {
				return err
			}
			w.Processes, w.Needs = append(w.Processes, one), program.Distinct(slices.Concat(w.Needs, one.Service.Needs))
			continue
		}
		one := program.Process{
			Name: p.Name, Host: p.Host, Protocol: p.Protocol, Role: role.App, Traced: true, CPUs: 1,
			Patience: program.DefaultPatience, Env: map[string]string{},
			Run:       []string{"{build}/node", "{templates}/plan.json"},
			Ready:     "http://{host}:{port.counters}/healthz",
			Templates: map[string]string{"plan.json": string(p.Plan)},
		}
		if p.Store {
			one.Role, one.Traced, one.CPUs = role.Database, false, 0
		}
		w.Processes = append(w.Processes, one)
	}
	w.Mix = g.Mix
	for _, o := range g.Operations {
		process, path := g.Entry(o)
		spans := g.Count(o).Spans
		one := program.Operation{
			Name: o.Name, Description: o.Description, Process: process, Method: "GET", Rate: o.Rate,
			URL:   "http://{" + process + ".host}:{" + process + ".port}" + path,
			Spans: map[string]program.Number{program.NoTracer: {}, "otel-go": {Low: spans, High: spans}},
		}
		if g.Fails(o) {
			one.Status = []int{200, 500}
		}
		w.Operations = append(w.Operations, one)
	}
	return nil
}

// realStore is the process of a real store.
func realStore(p topology.Process, services func(name string) (*program.Service, error)) (program.Process, error) {
	if services == nil {
		return program.Process{}, fmt.Errorf("store %s: there is no place here where services are looked up", p.Name)
	}
	found, err := services(p.Kind)
	if err != nil {
		return program.Process{}, fmt.Errorf("store %s: %w", p.Name, err)
	}
	service := *found
	service.Needs = slices.Clone(service.Needs)
	for i := range service.Needs {
		if need := &service.Needs[i]; !strings.HasSuffix(need.Install, program.EchoOffered) {
			need.Install += program.EchoOffered
		}
	}
	one := service.Started()
	one.Name, one.Host, one.Protocol, one.Traced = p.Name, p.Host, p.Protocol, false
	return one, nil
}
