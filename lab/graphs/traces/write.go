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
	nodes             []*node // in the order in which calls come to them
	byPlace           map[place]*node
	calls             map[int32]string // NODE.METHOD of a shape; "" before it has a name
	operations        []Operation
	guesses, messages int // messages with guessed bytes, and all
	text              []byte
}

// node is a service or a store of a topology.
type node struct {
	place
	name     string
	protocol string
	shapes   []int32 // its methods
	guessed  [2]bool // by message: all its methods have the same guess
}

// draft makes a topology. Each root is an operation.
func (r *reading) draft(roots []int32) *draft {
	d := &draft{reading: r, byPlace: map[place]*node{}, calls: map[int32]string{}}
	for _, root := range roots {
		d.visit(root)
	}
	names := d.name()
	var nodes, stores, operations, mix strings.Builder
	given, gateway, begun := taken{}, "", numbers[uint32]{}
	for _, root := range roots {
		s, of, call := &r.shapes.all[root], d.nodeOf(root), d.calls[root]
		method := call[len(of.name)+1:]
		name := given.give(method, of.name+"-"+method)
		if of.protocol != topology.HTTP { // an operation begins by HTTP
			if gateway == "" {
				gateway = names.give("gateway")
				fmt.Fprintf(&nodes, "  %s:\n    methods:\n", gateway)
			}
			fmt.Fprintf(&nodes, "      %s: {steps: [%s]} # %s\n", name, call, call)
			call = gateway + "." + name
		}
		fmt.Fprintf(&operations, "  %s: {call: %s}\n", name, call)
		fmt.Fprintf(&mix, "  %s: %d\n", name, s.traces)
		i := int(begun.of(s.method))
		if i == len(d.operations) {
			d.operations = append(d.operations, Operation{Name: name, Node: of.name})
		}
		d.operations[i].Traces += s.traces
		d.operations[i].Shapes++
	}
	for _, n := range d.nodes {
		if n.store {
			d.write(&stores, n)
		} else {
			d.write(&nodes, n)
		}
	}
	head := "\nstores: # nobody's spans tell what they do: the wait is what their clients saw\n"
	if stores.Len() == 0 {
		head = ""
	}
	d.text = fmt.Appendf(nil, "description: Made of %s.\n\nnodes:\n%s%s%s\noperations:\n%s\nmix: # traces\n%s",
		wording.Counted(len(r.traces), "recorded trace"), &nodes, head, &stores, &operations, &mix)
	return d
}

// visit lists the shapes that a shape leads to, each with its node.
func (d *draft) visit(id int32) {
	if _, seen := d.calls[id]; seen {
		return
	}
	d.calls[id] = ""
	n := d.nodeOf(id)
	n.shapes = append(n.shapes, id)
	d.visitSteps(d.shapes.all[id].steps)
}

func (d *draft) visitSteps(steps []step) {
	for i := range steps {
		if s := &steps[i]; s.isCall() {
			d.visit(s.shape)
		} else {
			d.visitSteps(s.atOnce)
			d.visitSteps(s.inTurn)
		}
	}
}

func (d *draft) methodOf(id int32) method { return d.reading.methods.all[d.shapes.all[id].method] }

// nodeOf is the node that has a shape.
func (d *draft) nodeOf(id int32) *node {
	at := d.methodOf(id).place
	if d.byPlace[at] == nil {
		d.byPlace[at] = &node{place: at}
		d.nodes = append(d.nodes, d.byPlace[at])
	}
	return d.byPlace[at]
}

// name gives names to the nodes, services first, and to their methods. It returns the names of the nodes.
func (d *draft) name() taken {
	names := taken{}
	sorted := slices.SortedFunc(slices.Values(d.nodes), func(x, y *node) int { return strings.Compare(x.node, y.node) })
	for _, stores := range []bool{false, true} {
		for _, n := range sorted {
			if n.store == stores {
				n.name = names.give(nodeName(n.node))
				d.nameMethods(n)
			}
		}
	}
	return names
}

// nameMethods names the shapes of a node: METHOD, and METHOD-2 for the next frequent one, those that are operations first. The node
// takes the protocol of most of its calls.
func (d *draft) nameMethods(n *node) {
	called := map[string]int{}
	sorted := slices.SortedFunc(slices.Values(n.shapes), func(x, y int32) int {
		m, o, a, b := d.methodOf(x), d.methodOf(y), &d.shapes.all[x], &d.shapes.all[y]
		return cmp.Or(cmp.Compare(slices.Index(verbs, m.verb), slices.Index(verbs, o.verb)), cmp.Compare(m.name, o.name),
			cmp.Compare(m.protocol, o.protocol), cmp.Compare(b.traces, a.traces), cmp.Compare(b.called, a.called), cmp.Compare(x, y))
	})
	given, first := taken{}, map[method]string{}
	for _, id := range sorted {
		m := d.methodOf(id)
		called[cmp.Or(m.protocol, topology.HTTP)] += d.shapes.all[id].called
		if first[m] == "" {
			name := methodName(m)
			first[m] = given.give(name, cleaned(name+"-"+m.verb, "index", longMethod))
			d.calls[id] = n.name + "." + first[m]
		}
	}
	for _, id := range sorted {
		if d.calls[id] == "" {
			d.calls[id] = n.name + "." + given.give(first[d.methodOf(id)])
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
		told := func(id int32) bool { return d.shapes.all[id].bytes[i].median() >= 0 }
		if n.guessed[i] = !slices.ContainsFunc(n.shapes, told); n.guessed[i] {
			fmt.Fprintf(out, "    %s: %d # a guess: no span tells it\n", of.key, of.guess)
		}
	}
	out.WriteString("    methods:\n")
	for _, id := range n.shapes {
		name, m := d.calls[id][len(n.name)+1:], d.methodOf(id)
		origin := m.name
		if m.verb != "" && m.verb != "GET" {
			origin = m.verb + " " + m.name
		}
		if slices.Contains([]string{name, "/" + name, n.node + "/" + name, n.node + "." + name}, origin) {
			origin = ""
		}
		does, guesses := d.does(id, n)
		fmt.Fprintf(out, "      %s: {%s}%s%s\n", name, does, comment(origin), guesses)
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
func (d *draft) does(id int32, n *node) (does, guesses string) {
	var keys []string
	add := func(key, value string) { keys = append(keys, key+": "+value) }
	s := &d.shapes.all[id]
	own, work := time.Duration(max(0, s.own.median())), time.Duration(0)
	if !n.store {
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
		if bytes < 0 && !n.guessed[i] {
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
		add("steps", d.steps(s.steps))
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

// steps is a list of steps in one line.
func (d *draft) steps(all []step) string {
	var out []string
	for i := range all {
		s := &all[i]
		key := "call: " + d.calls[s.shape]
		switch {
		case s.atOnce != nil:
			key = "at_once: " + d.steps(s.atOnce)
		case s.inTurn != nil:
			key = "in_turn: " + d.steps(s.inTurn)
		case s.times == 1 && !s.late:
			out = append(out, d.calls[s.shape])
			continue
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
