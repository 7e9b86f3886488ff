// Workloads that are graphs of services: a topology file in the place of processes and operations.

package program

import (
	"embed"
	"fmt"
	"io/fs"
	"math"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Graph brings the processes and operations of a workload that has none of its own.
type Graph interface {
	// Fill adds processes, operations, needs and the mix. Services looks real stores up; nil: there is no such place.
	Fill(w *Workload, services func(name string) (*Service, error)) error
	Echo() Graph                             // with nodes in the place of its real stores
	Replicated(n int) (Graph, error)         // with n processes of each service that others call
	Calls(operation string) map[Edge]float64 // of one operation, the load's own not among them; nil: there is no such operation
}

// Edge is a process that calls another one.
type Edge struct{ From, To string }

// NoGraphs is said of every topology in a build without what reads them.
const NoGraphs = "this build of tracetax reads no topology: it lacks the package tracetax/lab"

// graphReader reads the mapping of a topology. It returns nil where something is wrong, and tells s.
var graphReader func(s *Source, root *Node) Graph

// RegisterGraph sets what reads the key topology and --graph. It is called by the init of its package.
func RegisterGraph(read func(s *Source, root *Node) Graph) { graphReader = read }

// ReadTopology reads a topology file. The error names all that is wrong, each by its place.
func ReadTopology(file string) (Graph, error) {
	text, err := ReadRegular(file)
	if err != nil {
		return nil, fmt.Errorf("reading the topology: %w", err)
	}
	s := &Source{File: file}
	g := s.Graph(text)
	return g, s.Err()
}

// GraphName is the name of a workload of the user's own that is a graph.
func GraphName(file string) string {
	base := filepath.Base(file)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// Graph reads the text of a topology; nil where something is wrong.
func (s *Source) Graph(text []byte) Graph {
	root := ParseYAML(s, text)
	switch {
	case root == nil:
		return nil
	case graphReader == nil:
		s.Fail(Place{}, "%s", NoGraphs)
		return nil
	}
	s.In = inTopology
	return graphReader(s, root)
}

// readCalls reads the steps of a method: a scalar is a call.
func readCalls(s *Source, n *Node, k key) any {
	if n.Kind != List {
		s.Fail(n.At, "%s must be a list of steps, such as [cart.get, stock.reserve], not %s", k.name, n.Kind)
		return nil
	}
	out := reflect.MakeSlice(k.field.Type, len(n.Items), len(n.Items))
	for i, item := range n.Items {
		if item.Kind == Scalar {
			out.Index(i).FieldByName("Call").SetString(s.Line(item))
			continue
		}
		s.Decode(item, out.Index(i).Addr().Interface())
	}
	return out.Interface()
}

// readPart reads a part of a whole. Without the key there is no such part, or all of it: nought is not said with it.
func readPart(s *Source, n *Node, k key) any {
	share, err := ParseShare(s.Text(n))
	if err == nil && share == 0 {
		err = fmt.Errorf("%s is a share above 0; leave the key out", k.name)
	}
	if err != nil {
		s.Fail(n.At, "%v", err)
	}
	return share
}

// readBytes reads the size of a message, with the same rule.
func readBytes(s *Source, n *Node, k key) any {
	size := s.size(n)
	if size == 0 && len(s.Problems) == 0 {
		s.Fail(n.At, "%s is a size above 0; leave the key out", k.name)
	}
	return size
}

func readWeights(s *Source, n *Node, k key) any {
	out := map[string]float64{}
	for _, e := range s.Entries(n, k.name) {
		out[e.Key] = s.Weight(e.Value)
	}
	return out
}

// Weight reads that of an operation in a mix.
func (s *Source) Weight(n *Node) float64 {
	text := s.Line(n)
	weight, err := strconv.ParseFloat(text, 64)
	if share, percent, e := ParsePercent(text); err != nil && percent {
		weight, err = share, e
	}
	if err != nil || !(weight > 0) || math.IsInf(weight, 0) {
		s.Fail(n.At, "%q is not a weight: a number above 0", Printable(text))
		return 0
	}
	return weight
}

// A topology in a workload.

// nodeFolder is the folder of workloads/shared that has the program of all nodes, and nodeFile what a workload has of it.
const nodeFolder, nodeFile = "node", "node.yaml"

// nodeProgram is the part of a topology's program that its workload takes over: its build and its needs.
type nodeProgram struct {
	_        struct{}         `called:"the program of nodes"`
	Language string           `yaml:"language"`
	Needs    []Need           `yaml:"needs"`
	Shared   []string         `yaml:"shared" as:"shared"`
	Build    map[string]Build `yaml:"build" as:"byTracer"`
}

// topology makes of a workload the graph that its key topology says: the name of a file, or, as results keep it, the text.
func (s *Source) topology(n *Node, w *Workload) {
	name := s.Text(n)
	at := &Source{File: s.File}
	text := []byte(name)
	if !IsTopologyText(name) {
		if at.File = name; n.At.Flag == "" && !filepath.IsAbs(name) {
			at.File = path.Join(path.Dir(filepath.ToSlash(s.File)), name)
		}
		var err error
		if s.Open == nil {
			s.Fail(n.At, "a topology is a file beside this one, and there is no such place")
			return
		}
		if text, err = s.Open(name); err != nil {
			s.Fail(n.At, "topology: %v", err)
			return
		}
	}
	g := at.Graph(text)
	if s.Problems = append(s.Problems, at.Problems...); g == nil {
		return
	}
	if err := s.nodes(w); err != nil {
		s.Fail(n.At, "%v", err)
		return
	}
	w.Topology, w.Graph = string(text), g
}

// IsTopologyText reports whether a key topology holds the topology itself.
func IsTopologyText(topology string) bool { return strings.Contains(topology, "\n") }

// nodes adds the program of nodes to a workload.
func (s *Source) nodes(w *Workload) error {
	if s.NodeFolders == nil {
		return fmt.Errorf("a topology needs a catalog, which has the program of its nodes")
	}
	folders, err := s.NodeFolders()
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
	of := &Source{File: path.Join("workloads/shared", nodeFolder, nodeFile), Files: s.Files, shared: s.NodeFolders}
	if of.Files == nil {
		of.Files = embed.FS{} // nothing of the user's own
	}
	root := ParseYAML(of, text)
	if root == nil {
		return of.Err()
	}
	of.In, of.Known = InWorkload, buildPlaceholders
	var p nodeProgram
	if of.Decode(root, &p); len(of.Problems) > 0 {
		return of.Err()
	}
	w.Language, w.Needs, w.Build, s.Files = p.Language, p.Needs, p.Build, of.Files
	return nil
}

// Started is the process of a service as its file says it.
func (s *Service) Started() Process { return s.process(nil) }

// EchoOffered ends what is said of installing a real store.
const EchoOffered = ", or let nodes stand for all stores: stores: echo in the experiment, or --set stores=echo"

// EchoStores is the workload with nodes in the place of the real stores of its graph.
func (w *Workload) EchoStores() (*Workload, error) {
	if w.Graph == nil {
		return nil, fmt.Errorf("workload %s has no topology, whose stores nodes could stand for: leave stores out", Printable(w.Name))
	}
	out := *w
	out.Graph, out.Processes, out.Operations = w.Graph.Echo(), nil, nil
	out.Needs = slices.DeleteFunc(slices.Clone(w.Needs), func(n Need) bool { return strings.HasSuffix(n.Install, EchoOffered) })
	return &out, out.Graph.Fill(&out, nil)
}

// Replicated is the workload with so many processes of each service of its graph that others call.
func (w *Workload) Replicated(n int) (*Workload, error) {
	if w.Graph == nil {
		return nil, fmt.Errorf("workload %s has no topology, whose services could have replicas: leave replicas out", Printable(w.Name))
	}
	graph, err := w.Graph.Replicated(n)
	if err != nil {
		return nil, fmt.Errorf("replicas: %w", err)
	}
	out := *w
	out.Graph, out.Processes, out.Operations = graph, nil, nil
	return &out, graph.Fill(&out, func(kind string) (*Service, error) {
		for _, p := range w.Processes {
			if p.Service != nil && p.Service.Name == kind {
				return p.Service, nil
			}
		}
		return nil, fmt.Errorf("workload %s has no store of kind %s", w.Name, kind)
	})
}

// Mixed is the mix that the workload says, as one operation; false where it says none.
func (w *Workload) Mixed() (Operation, bool) {
	o := Operation{Name: MixName}
	for _, part := range w.Operations {
		if weight := w.Mix[part.Name]; weight > 0 {
			o.Mix = append(o.Mix, Share{part, weight})
		}
	}
	return o, len(o.Mix) > 0
}

// Written is the workload as a file of the user's own says it: a graph by the text of its topology.
func (w *Workload) Written() *Workload {
	if w.Graph == nil {
		return w
	}
	return &Workload{
		Name: w.Name, Description: w.Description, Dir: w.Dir, Rate: w.Rate, WarmupAll: w.WarmupAll, Topology: w.Topology,
		Verify: w.Verify, Prepare: w.Prepare, Cleanup: w.Cleanup,
	}
}

// graphed checks what stands beside a topology.
func (s *Source) graphed(n *Node, w *Workload) {
	for _, key := range []string{"processes", "operations", "driver", "self", "mix"} {
		if other := n.Get(key); other != nil {
			s.Fail(other.At, "a workload with a topology has its %s in that; leave one of them out", key)
			return
		}
	}
	for _, key := range []string{"language", "needs", "shared", "artifact", "build", "max"} {
		if other := n.Get(key); other != nil {
			s.Fail(other.At, "a workload with a topology has one program for all nodes, which brings its own %s; leave it out", key)
			return
		}
	}
	if w.Graph == nil {
		return
	}
	if err := w.Graph.Fill(w, s.Services); err != nil {
		s.Fail(n.At, "%v", err)
	}
}

// ownMix checks the mix of a workload that has no topology.
func (s *Source) ownMix(n *Node, w *Workload) {
	names := make([]string, len(w.Operations))
	for i, o := range w.Operations {
		names[i] = o.Name
	}
	for _, e := range n.Entries {
		if !slices.Contains(names, e.Key) {
			s.Fail(e.At, "%s (of workload %s)", Unknown("operation", Printable(e.Key), names), w.Name)
		}
	}
	s.Refuses(n.At, "mix", w)
}
