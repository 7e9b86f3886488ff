package traces

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/lab/graphs/topology"
)

// Guesses where no span tells the bytes of a message.
const (
	guessedRequest = 100
	guessedAnswer  = 500
)

// Bounds of times in a topology.
const (
	mostWork = time.Second
	mostWait = time.Minute
)

// named is a topology with what its readers want to know of the names in it.
type named struct {
	topology.Graph
	origins map[string]string // of nodes, NODE.METHOD and operations; "" where a name is as it came
	guessed map[string]bool   // keys whose bytes are guesses: NODE.request, NODE.METHOD.answer
	weights map[string]int    // traces by operation
	bases   []Operation       // operations whose shapes are put together
	shapes  []int32           // those of Graph's operations
	gates   int               // methods of the gateway: nobody guesses their bytes
}

// builder makes a topology of shapes.
type builder struct {
	*tree
	shapes   []shape
	work     float64
	out      named
	order    []int32                    // shapes, each before those that it calls first
	places   map[nodeKey]int            // of a node or store in its list
	methods  map[nodeKey]map[int32]bool // shapes of each
	names    map[nodeKey]string
	called   map[int32]string // NODE.METHOD of a shape
	base     map[uint32]string
	protocol map[nodeKey]string
}

// nodeKey is a service or a store.
type nodeKey struct {
	name  string
	store bool
}

func (b *builder) key(id int32) nodeKey {
	m := b.tree.methods[b.shapes[id].method]
	return nodeKey{m.node, m.store}
}

// build makes a topology of operations, each a shape.
func build(t *tree, shapes []shape, roots []int32, work float64) named {
	b := &builder{
		tree: t, shapes: shapes, work: work, places: map[nodeKey]int{}, methods: map[nodeKey]map[int32]bool{},
		names: map[nodeKey]string{}, called: map[int32]string{}, base: map[uint32]string{}, protocol: map[nodeKey]string{},
		out: named{origins: map[string]string{}, guessed: map[string]bool{}, weights: map[string]int{}, shapes: roots},
	}
	seen := map[int32]bool{}
	for _, root := range roots {
		b.visit(root, seen)
	}
	b.nameNodes()
	for _, key := range b.keys() {
		b.nameMethods(key)
		b.settleProtocol(key)
	}
	b.addNodes()
	b.addOperations(roots)
	return b.out
}

// visit lists the shapes that a shape leads to.
func (b *builder) visit(id int32, seen map[int32]bool) {
	if seen[id] {
		return
	}
	seen[id] = true
	b.order = append(b.order, id)
	key := b.key(id)
	if b.methods[key] == nil {
		b.methods[key] = map[int32]bool{}
	}
	b.methods[key][id] = true
	var walk func(steps []step)
	walk = func(steps []step) {
		for _, s := range steps {
			if s.shape >= 0 {
				b.visit(s.shape, seen)
			}
			walk(s.atOnce)
			walk(s.inTurn)
		}
	}
	walk(b.shapes[id].steps)
}

// keys are the nodes, and then the stores, by what the spans call them.
func (b *builder) keys() []nodeKey {
	return slices.SortedFunc(maps.Keys(b.methods), func(x, y nodeKey) int {
		if x.store != y.store {
			if x.store {
				return 1
			}
			return -1
		}
		return cmp.Compare(x.name, y.name)
	})
}

func (b *builder) nameNodes() {
	given := taken{}
	for _, key := range b.keys() {
		name := nodeName(key.name)
		b.names[key] = given.give(name)
		var origin []string
		if b.names[key] != key.name {
			origin = append(origin, key.name)
		}
		if system := b.systems[key.name]; key.store && system != "" && system != key.name {
			origin = append(origin, "a "+system)
		}
		b.out.origins[b.names[key]] = strings.Join(origin, ", ")
	}
}

// nameMethods names the shapes of a node: METHOD, and METHOD-2 for the next frequent one, those that are operations first.
func (b *builder) nameMethods(key nodeKey) {
	of := map[uint32][]int32{}
	for id := range b.methods[key] {
		m := b.shapes[id].method
		of[m] = append(of[m], id)
	}
	byName := func(x, y uint32) int {
		a, c := b.tree.methods[x], b.tree.methods[y]
		return cmp.Or(cmp.Compare(slices.Index(verbs, a.verb), slices.Index(verbs, c.verb)), cmp.Compare(a.name, c.name), cmp.Compare(a.protocol, c.protocol))
	}
	given, methods := taken{}, slices.SortedFunc(maps.Keys(of), byName)
	for _, id := range methods {
		m := b.tree.methods[id]
		name := methodName(m)
		b.base[id] = given.give(name, cleaned(name+"-"+m.verb, "index", longMethod))
	}
	for _, id := range methods {
		m, all := b.tree.methods[id], of[id]
		slices.SortFunc(all, func(x, y int32) int {
			a, c := &b.shapes[x], &b.shapes[y]
			return cmp.Or(cmp.Compare(c.traces, a.traces), cmp.Compare(c.called, a.called), cmp.Compare(x, y))
		})
		for i, one := range all {
			name := b.base[id]
			if i > 0 {
				name = given.give(name)
			}
			b.called[one] = b.names[key] + "." + name
			if origin := m.origin(); !slices.Contains([]string{name, "/" + name, m.node + "/" + name, m.node + "." + name}, origin) {
				b.out.origins[b.called[one]] = origin
			}
		}
	}
}

// origin is the method as the spans have it.
func (m method) origin() string {
	if m.verb != "" && m.verb != "GET" {
		return m.verb + " " + m.name
	}
	return m.name
}

// settleProtocol takes the protocol in which most calls of a node were made.
func (b *builder) settleProtocol(key nodeKey) {
	calls := map[string]int{}
	for id := range b.methods[key] {
		s := &b.shapes[id]
		calls[cmp.Or(b.tree.methods[s.method].protocol, topology.HTTP)] += s.called
	}
	names := slices.Sorted(maps.Keys(calls))
	b.protocol[key] = slices.MaxFunc(names, func(x, y string) int { return cmp.Compare(calls[x], calls[y]) })
}

// addNodes makes the nodes and the stores with their methods.
func (b *builder) addNodes() {
	for _, id := range b.order {
		key := b.key(id)
		list := &b.out.Nodes
		if key.store {
			list = &b.out.Stores
		}
		i, known := b.places[key]
		if !known {
			i = len(*list)
			b.places[key] = i
			n := topology.Node{Name: b.names[key]}
			if b.protocol[key] != topology.HTTP {
				n.Protocol = b.protocol[key]
			}
			b.guess(key, &n)
			*list = append(*list, n)
		}
		n := &(*list)[i]
		n.Methods = append(n.Methods, b.methodOf(id, key, n))
	}
}

// guess gives a node the bytes that nothing tells of any of its methods.
func (b *builder) guess(key nodeKey, n *topology.Node) {
	request, answer := true, true
	for id := range b.methods[key] {
		request = request && b.shapes[id].request.median() < 0
		answer = answer && b.shapes[id].answer.median() < 0
	}
	if request {
		n.Request, b.out.guessed[n.Name+".request"] = guessedRequest, true
	}
	if answer {
		n.Answer, b.out.guessed[n.Name+".answer"] = guessedAnswer, true
	}
}

func (b *builder) methodOf(id int32, key nodeKey, n *topology.Node) topology.Method {
	s := &b.shapes[id]
	name := b.called[id][len(n.Name)+1:]
	m := topology.Method{Name: name, Steps: b.steps(s.steps)}
	size := func(have *sample, of int64, guess int64, word string) int64 {
		switch median := have.median(); {
		case median >= 0:
			return min(median, 1<<20)
		case of > 0: // the node says it
			return 0
		default:
			b.out.guessed[b.called[id]+"."+word] = true
			return guess
		}
	}
	m.Request = size(&s.request, n.Request, guessedRequest, "request")
	m.Answer = size(&s.answer, n.Answer, guessedAnswer, "answer")
	own := time.Duration(max(0, s.own.median()))
	if !key.store {
		m.Work = rounded(min(time.Duration(float64(own)*b.work), mostWork))
	}
	m.Wait = rounded(min(own-min(own, m.Work), mostWait))
	m.Errors = float64(s.failed) / float64(s.called)
	return m
}

// rounded is a time with three digits, in whole µs.
func rounded(d time.Duration) time.Duration {
	unit := time.Microsecond
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

func (b *builder) steps(steps []step) []topology.Step {
	var out []topology.Step
	for _, s := range steps {
		one := topology.Step{AtOnce: b.steps(s.atOnce), InTurn: b.steps(s.inTurn), Background: s.late}
		if s.times > 1 {
			one.Times = s.times
		}
		if s.shape >= 0 {
			one.Call = b.called[s.shape]
		}
		out = append(out, one)
	}
	return out
}

// Gateway is the name of the node by which operations begin at what is not called by HTTP.
const Gateway = "gateway"

// addOperations makes the operations and their mix.
func (b *builder) addOperations(roots []int32) {
	b.out.Mix = map[string]float64{}
	given, nodes, bases := taken{}, taken{}, map[uint32]int{}
	for _, name := range b.names {
		nodes[name] = 2
	}
	var gate *topology.Node
	for _, id := range roots {
		key := b.key(id)
		node, call := b.names[key], b.called[id]
		name := call[len(node)+1:]
		name = given.give(name, node+"-"+name)
		if b.protocol[key] != topology.HTTP {
			if gate == nil {
				gate = &topology.Node{Name: nodes.give(Gateway)}
			}
			gate.Methods = append(gate.Methods, topology.Method{Name: name, Steps: []topology.Step{{Call: call}}})
			b.out.gates++
			b.out.origins[gate.Name+"."+name] = call
			call = gate.Name + "." + name
		}
		b.out.Operations = append(b.out.Operations, topology.Operation{Name: name, Call: call})
		n := b.shapes[id].traces
		b.out.Mix[name], b.out.weights[name] = float64(n), n
		of := b.shapes[id].method
		i, known := bases[of]
		if !known {
			i = len(b.out.bases)
			bases[of] = i
			b.out.bases = append(b.out.bases, Operation{Name: name, Node: b.names[key]})
		}
		b.out.bases[i].Traces += n
		b.out.bases[i].Shapes++
	}
	if gate != nil {
		b.out.Nodes = append([]topology.Node{*gate}, b.out.Nodes...)
	}
}
