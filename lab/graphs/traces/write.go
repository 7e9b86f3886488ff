package traces

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/wording"
	"github.com/tracetax/tracetax/lab/graphs/topology"
)

// Bounds of a method in a topology.
const (
	mostWork  = time.Second
	mostWait  = time.Minute
	mostBytes = 1 << 20
)

// messages are the two of a call, with the bytes that are guessed where no span tells them.
var messages = [2]struct {
	key   string
	guess int64
}{{"request", 100}, {"answer", 500}}

// draft is a topology that is made of shapes.
type draft struct {
	*reading
	Result
	nodes             []*node // in the order in which calls come to them
	places            numbers[place]
	guesses, messages int // messages with guessed bytes, and all
}

// node is a service or a store of a topology.
type node struct {
	place
	name     string
	protocol string
	shapes   []*shape // its methods
	guessed  [2]bool  // by message: all its methods have the same guess
}

// draft makes a topology. Each root is an operation.
func (r *reading) draft(roots []*shape) *draft {
	d := &draft{reading: r}
	for _, s := range r.shapes.all {
		s.node, s.name = nil, ""
	}
	for _, root := range roots {
		d.visit(root)
	}
	names := d.name()
	var nodes, stores, operations, mix strings.Builder
	given, gateway, begun := taken{}, "", numbers[method]{}
	for _, root := range roots {
		name, call := given.give(root.name, root.node.name+"-"+root.name), root.call()
		if root.node.protocol != topology.HTTP { // an operation begins by HTTP
			if gateway == "" {
				gateway = names.give("gateway")
				fmt.Fprintf(&nodes, "  %s:\n    methods:\n", gateway)
			}
			fmt.Fprintf(&nodes, "      %s: {steps: [%s]} # %s\n", name, call, call)
			call = gateway + "." + name
		}
		fmt.Fprintf(&operations, "  %s: {call: %s}\n", name, call)
		fmt.Fprintf(&mix, "  %s: %d\n", name, root.traces)
		i := int(begun.of(root.method))
		if i == len(d.Operations) {
			d.Operations = append(d.Operations, Operation{Name: name, Node: root.node.name})
		}
		d.Operations[i].Traces += root.traces
		d.Operations[i].Shapes++
	}
	for _, n := range d.nodes {
		if n.store {
			d.Stores++
			d.write(&stores, n)
		} else {
			d.Services++
			d.write(&nodes, n)
		}
	}
	head := "\nstores: # nobody's spans tell what they do: the wait is what their clients saw\n"
	if d.Stores == 0 {
		head = ""
	}
	d.Text = fmt.Appendf(nil, "description: Made of %s.\n\nnodes:\n%s%s%s\noperations:\n%s\nmix: # traces\n%s",
		wording.Counted(len(r.traces), "recorded trace"), &nodes, head, &stores, &operations, &mix)
	return d
}

// visit gives a shape, and those that it leads to, to their nodes.
func (d *draft) visit(s *shape) {
	if s.node != nil {
		return
	}
	i := int(d.places.of(s.method.place))
	if i == len(d.nodes) {
		d.nodes = append(d.nodes, &node{place: s.method.place})
	}
	s.node = d.nodes[i]
	s.node.shapes = append(s.node.shapes, s)
	d.visitAll(s.steps)
}

func (d *draft) visitAll(steps []step) {
	for i := range steps {
		if s := &steps[i]; s.shape != nil {
			d.visit(s.shape)
		} else {
			d.visitAll(s.atOnce)
			d.visitAll(s.inTurn)
		}
	}
}

// name gives names to the nodes, services first, and to their methods. It returns the names of the nodes.
func (d *draft) name() taken {
	names := taken{}
	sorted := slices.SortedFunc(slices.Values(d.nodes), func(x, y *node) int { return strings.Compare(x.node, y.node) })
	for _, stores := range []bool{false, true} {
		for _, n := range sorted {
			if n.store == stores {
				n.name = names.give(cleaned(strings.ToLower(n.node), "service", longNode))
				n.nameMethods()
			}
		}
	}
	return names
}

// nameMethods names the shapes of a node: METHOD, and METHOD-2 for the next frequent one, those that are operations first. The node
// takes the protocol of most of its calls.
func (n *node) nameMethods() {
	called := map[string]int{}
	sorted := slices.SortedFunc(slices.Values(n.shapes), func(x, y *shape) int {
		a, b := &x.method, &y.method
		return cmp.Or(cmp.Compare(slices.Index(verbs, a.verb), slices.Index(verbs, b.verb)), cmp.Compare(a.name, b.name),
			cmp.Compare(a.protocol, b.protocol), cmp.Compare(y.traces, x.traces), cmp.Compare(y.called, x.called), cmp.Compare(x.id, y.id))
	})
	given, first := taken{}, map[method]string{}
	for _, s := range sorted {
		called[cmp.Or(s.method.protocol, topology.HTTP)] += s.called
		if first[s.method] == "" {
			name := methodName(s.method)
			s.name = given.give(name, cleaned(name+"-"+s.method.verb, "index", longMethod))
			first[s.method] = s.name
		}
	}
	for _, s := range sorted {
		if s.name == "" {
			s.name = given.give(first[s.method])
		}
	}
	protocols := slices.Sorted(maps.Keys(called))
	n.protocol = slices.MaxFunc(protocols, func(x, y string) int { return cmp.Compare(called[x], called[y]) })
}

// write writes a node with its methods.
func (d *draft) write(out *strings.Builder, n *node) {
	var origins []string
	if n.name != n.node {
		origins = append(origins, n.node)
	}
	if system := d.systems[n.node]; n.store && system != "" && system != n.node {
		origins = append(origins, "a "+system)
	}
	fmt.Fprintf(out, "  %s:%s\n", n.name, comment(strings.Join(origins, ", ")))
	if n.protocol != topology.HTTP {
		fmt.Fprintf(out, "    protocol: %s\n", n.protocol)
	}
	for i, of := range messages {
		told := func(s *shape) bool { return s.bytes[i].median() >= 0 }
		if n.guessed[i] = !slices.ContainsFunc(n.shapes, told); n.guessed[i] {
			fmt.Fprintf(out, "    %s: %d # a guess: no span tells it\n", of.key, of.guess)
		}
	}
	out.WriteString("    methods:\n")
	for _, s := range n.shapes {
		origin := s.method.name
		if verb := s.method.verb; verb != "" && verb != "GET" {
			origin = verb + " " + origin
		}
		if slices.Contains([]string{s.name, "/" + s.name, n.node + "/" + s.name, n.node + "." + s.name}, origin) {
			origin = ""
		}
		does, guesses := d.does(s)
		fmt.Fprintf(out, "      %s: {%s}%s%s\n", s.name, does, comment(origin), guesses)
	}
}

// comment is that of YAML; "" without a text.
func comment(text string) string {
	if text == "" {
		return ""
	}
	return " # " + text
}

// does lists the work and the calls of a method. guesses is a comment that names what is guessed of them.
func (d *draft) does(s *shape) (does, guesses string) {
	var keys []string
	add := func(key, value string) { keys = append(keys, key+": "+value) }
	own, work := time.Duration(max(0, s.own.median())), time.Duration(0)
	if !s.node.store {
		work = rounded(min(time.Duration(float64(own)*d.options.Work), mostWork))
	}
	if work > 0 {
		add("work", duration(work))
	}
	if wait := rounded(min(max(0, own-work), mostWait)); wait > 0 {
		add("wait", duration(wait))
	}
	for i, of := range messages {
		bytes := min(s.bytes[i].median(), mostBytes)
		d.messages++
		if bytes < 0 {
			d.guesses++
		}
		if bytes < 0 && !s.node.guessed[i] {
			bytes = of.guess
			guesses += comment(of.key + " is a guess")
		}
		if bytes > 0 {
			add(of.key, strconv.FormatInt(bytes, 10))
		}
	}
	if s.failed > 0 {
		add("errors", strconv.FormatFloat(float64(s.failed)/float64(s.called)*100, 'g', 4, 64)+"%")
	}
	if len(s.steps) > 0 {
		add("steps", written(s.steps))
	}
	return strings.Join(keys, ", "), guesses
}

// rounded is a time with three digits, in whole µs.
func rounded(d time.Duration) time.Duration {
	unit := time.Microsecond
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

func duration(d time.Duration) string { return strings.Replace(d.String(), "µ", "u", 1) }

// written writes a list of steps in one line.
func written(steps []step) string {
	var out []string
	for _, s := range steps {
		key := ""
		switch {
		case s.atOnce != nil:
			key = "at_once: " + written(s.atOnce)
		case s.inTurn != nil:
			key = "in_turn: " + written(s.inTurn)
		case s.times == 1 && !s.late:
			out = append(out, s.call())
			continue
		default:
			key = "call: " + s.call()
		}
		if s.times > 1 {
			key += fmt.Sprintf(", times: %d", s.times)
		}
		if s.late {
			key += ", background: true"
		}
		out = append(out, "{"+key+"}")
	}
	return "[" + strings.Join(out, ", ") + "]"
}
