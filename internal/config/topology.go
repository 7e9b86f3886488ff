// Workloads that are graphs of services: a topology file in the place of processes and operations.

package config

import (
	"embed"
	"fmt"
	"io/fs"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/topology"
)

// ReadTopology reads a topology file. The error names all that is wrong, each by its place.
func ReadTopology(file string) (*topology.Graph, error) {
	text, err := readRegular(file)
	if err != nil {
		return nil, fmt.Errorf("reading the topology: %w", err)
	}
	s := &source{file: file}
	g := s.graph(text)
	return g, s.err()
}

// graphName is the name of a workload of the user's own that is a graph.
func graphName(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// graph reads the text of a topology; nil where something is wrong.
func (s *source) graph(text []byte) *topology.Graph {
	root := parseYAML(s, text)
	if root == nil {
		return nil
	}
	var g topology.Graph
	s.in = inTopology
	if s.decode(root, &g); len(s.problems) > 0 {
		return nil
	}
	for _, p := range g.Check() {
		s.fail(root.place(p.Way), "%s", p.Text)
	}
	if len(s.problems) > 0 {
		return nil
	}
	return &g
}

// readCalls reads the steps of a method: a scalar is a call.
func readCalls(s *source, n *node, k key) any {
	if n.kind != list {
		s.fail(n.at, "%s must be a list of steps, such as [cart.get, stock.reserve], not %s", k.name, n.kind)
		return nil
	}
	out := make([]topology.Step, len(n.items))
	for i, item := range n.items {
		if item.kind == scalar {
			out[i].Call = s.line(item)
			continue
		}
		s.decode(item, &out[i])
	}
	return out
}

// readPart reads a part of a whole. Without the key there is no such part, or all of it: nought is not said with it.
func readPart(s *source, n *node, k key) any {
	share, err := parseShare(s.text(n))
	if err == nil && share == 0 {
		err = fmt.Errorf("%s is a share above 0; leave the key out", k.name)
	}
	if err != nil {
		s.fail(n.at, "%v", err)
	}
	return share
}

// readBytes reads the size of a message, with the same rule.
func readBytes(s *source, n *node, k key) any {
	size := s.size(n)
	if size == 0 && len(s.problems) == 0 {
		s.fail(n.at, "%s is a size above 0; leave the key out", k.name)
	}
	return size
}

func readWeights(s *source, n *node, k key) any {
	out := map[string]float64{}
	for _, e := range s.entries(n, k.name) {
		out[e.key] = s.weight(e.value)
	}
	return out
}

// weight reads that of an operation in a mix.
func (s *source) weight(n *node) float64 {
	text := s.line(n)
	weight, err := strconv.ParseFloat(text, 64)
	if share, percent, e := parsePercent(text); err != nil && percent {
		weight, err = share, e
	}
	if err != nil || !(weight > 0) || math.IsInf(weight, 0) {
		s.fail(n.at, "%q is not a weight: a number above 0", printable(text))
		return 0
	}
	return weight
}

// A topology in a workload.

// nodeFolder is the folder of workloads/shared that has the program of all nodes, and nodeFile what a workload has of it.
const nodeFolder, nodeFile = "node", "node.yaml"

// nodeProgram is what a topology brings into its workload: how its program is built, and what that needs.
type nodeProgram struct {
	_        struct{}         `called:"the program of nodes"`
	Language string           `yaml:"language"`
	Needs    []Need           `yaml:"needs"`
	Shared   []string         `yaml:"shared" as:"shared"`
	Build    map[string]Build `yaml:"build" as:"byTracer"`
}

// topology makes of a workload the graph that its key topology says: the name of a file, or, as results keep it, the text.
func (s *source) topology(n *node, w *Workload) {
	name := s.text(n)
	at := &source{file: s.file}
	text := []byte(name)
	if !isTopologyText(name) {
		if at.file = name; n.at.flag == "" && !filepath.IsAbs(name) {
			at.file = path.Join(path.Dir(filepath.ToSlash(s.file)), name)
		}
		var err error
		if s.open == nil {
			s.fail(n.at, "a topology is a file beside this one, and there is no such place")
			return
		}
		if text, err = s.open(name); err != nil {
			s.fail(n.at, "topology: %v", err)
			return
		}
	}
	g := at.graph(text)
	if s.problems = append(s.problems, at.problems...); g == nil {
		return
	}
	if err := s.nodes(w); err != nil {
		s.fail(n.at, "%v", err)
		return
	}
	w.Topology, w.Graph, w.Mix = string(text), g, g.Mix
}

// isTopologyText reports whether a key topology holds the topology itself.
func isTopologyText(topology string) bool { return strings.Contains(topology, "\n") }

// nodes adds the program of nodes to a workload.
func (s *source) nodes(w *Workload) error {
	if s.nodeFolders == nil {
		return fmt.Errorf("a topology needs a catalog, which has the program of its nodes")
	}
	folders, err := s.nodeFolders()
	if err != nil {
		return err
	}
	files := folders[nodeFolder]
	if files == nil {
		return fmt.Errorf("the catalog has no folder workloads/shared/%s with the program of nodes", nodeFolder)
	}
	text, err := fs.ReadFile(files, nodeFile)
	if err != nil {
		return fmt.Errorf("reading the program of nodes: %w", err)
	}
	of := &source{file: path.Join("workloads/shared", nodeFolder, nodeFile), files: s.files, shared: s.nodeFolders}
	if of.files == nil {
		of.files = embed.FS{} // nothing of the user's own
	}
	root := parseYAML(of, text)
	if root == nil {
		return of.err()
	}
	of.in, of.known = inWorkload, buildPlaceholders
	var p nodeProgram
	if of.decode(root, &p); len(of.problems) > 0 {
		return of.err()
	}
	w.Language, w.Needs, w.Build, s.files = p.Language, p.Needs, p.Build, of.files
	return nil
}

// ofGraph gives a workload the processes and operations of its graph.
func (w *Workload) ofGraph() error {
	processes, err := w.Graph.Processes()
	if err != nil {
		return err
	}
	hosts := map[string]string{}
	for _, p := range processes {
		one := Process{
			Name: p.Name, Role: role.App, Traced: true, CPUs: 1, Patience: DefaultPatience, Env: map[string]string{},
			Run:       []string{"{build}/node", "{templates}/plan.json"},
			Ready:     "http://" + p.Host + ":{port.counters}/healthz",
			Templates: map[string]string{"plan.json": string(p.Plan)},
		}
		if p.Store {
			one.Role, one.Traced, one.CPUs = role.Database, false, 0
		}
		w.Processes, hosts[p.Name] = append(w.Processes, one), p.Host
	}
	for _, o := range w.Graph.Operations {
		process, path := w.Graph.Entry(o)
		spans := w.Graph.Count(o).Spans
		one := Operation{
			Name: o.Name, Description: o.Description, Process: process, Method: "GET", Rate: o.Rate,
			URL:   "http://" + hosts[process] + ":{" + process + ".port}" + path,
			Spans: map[string]Number{NoTracer: {}, "otel-go": {spans.Low, spans.High}},
		}
		if w.Graph.Fails(o) {
			one.Status = []int{200, 500}
		}
		w.Operations = append(w.Operations, one)
	}
	return nil
}

// mixed is the mix that the workload says, as one operation; false where it says none.
func (w *Workload) mixed() (Operation, bool) {
	o := Operation{Name: mixName}
	for _, part := range w.Operations {
		if weight := w.Mix[part.Name]; weight > 0 {
			o.Mix = append(o.Mix, Share{part, weight})
		}
	}
	return o, len(o.Mix) > 0
}

// written is the workload as a file of the user's own says it: a graph by the text of its topology.
func (w *Workload) written() *Workload {
	if w.Graph == nil {
		return w
	}
	return &Workload{Name: w.Name, Description: w.Description, Dir: w.Dir, Rate: w.Rate, Topology: w.Topology}
}

// graphed checks what stands beside a topology.
func (s *source) graphed(n *node, w *Workload) {
	for _, key := range []string{"processes", "operations", "driver", "self", "mix"} {
		if other := n.get(key); other != nil {
			s.fail(other.at, "a workload with a topology has its %s in that; leave one of them out", key)
			return
		}
	}
	if w.Graph == nil {
		return
	}
	if err := w.ofGraph(); err != nil {
		s.fail(n.at, "%v", err)
	}
}

// ownMix checks the mix of a workload that has no topology.
func (s *source) ownMix(n *node, w *Workload) {
	names := make([]string, len(w.Operations))
	for i, o := range w.Operations {
		names[i] = o.Name
	}
	for _, e := range n.entries {
		if !slices.Contains(names, e.key) {
			s.fail(e.at, "%s (of workload %s)", unknown("operation", printable(e.key), names), w.Name)
		}
	}
	s.refuses(n.at, "mix", w)
}
