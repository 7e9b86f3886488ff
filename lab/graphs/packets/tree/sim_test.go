package tree_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sort"
	"time"

	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/packets/tree"
	"github.com/tracetax/tracetax/lab/graphs/topology"
)

// ids are those that simulated calls carry.
type ids int

const (
	noIDs ids = iota
	traceIDs
	callIDs
)

// load says how often a simulated graph is asked.
type load struct {
	connections int     // of a closed loop; 0: an open one
	rate        float64 // a second, of an open loop
	operations  int
	ids         ids
	seed        uint64
}

// simulation is a run of a graph in a time of its own. All nodes share one CPU, which does what comes first.
type simulation struct {
	graph  *topology.Graph
	load   load
	chance *rand.Rand
	now    time.Duration
	free   time.Duration           // when the CPU is
	events []event                 // in their order
	hosts  map[string][]netip.Addr // of the replicas
	next   map[string]int          // of them
	made   []*made
	asked  int
}

// made is a simulated call, and the one that made it.
type made struct {
	packets.Call
	by    *made
	trace string
	id    uint64
}

type event struct {
	at time.Duration
	do func()
}

// simulate returns the calls of a run, sorted, and of each the parent; -1 is none.
func simulate(g *topology.Graph, l load) ([]packets.Call, []int) {
	s := &simulation{graph: g, load: l, chance: rand.New(rand.NewPCG(l.seed, 7)), hosts: map[string][]netip.Addr{}, next: map[string]int{}}
	last := byte(0)
	for _, n := range slices.Concat(g.Nodes, g.Stores) {
		for range max(1, n.Replicas) {
			last++
			s.hosts[n.Name] = append(s.hosts[n.Name], netip.AddrFrom4([4]byte{127, 1, 0, last}))
		}
	}
	if l.connections == 0 {
		at := time.Duration(0)
		for range l.operations {
			at += time.Duration(s.chance.ExpFloat64() / l.rate * float64(time.Second))
			s.after(at, func() { s.ask(nil) })
		}
	}
	for range l.connections {
		var again func()
		again = func() { s.ask(again) }
		s.after(time.Duration(s.chance.IntN(1000))*time.Microsecond, again)
	}
	for len(s.events) > 0 {
		e := s.events[0]
		s.events = s.events[1:]
		s.now = e.at
		e.do()
	}
	slices.SortStableFunc(s.made, func(a, b *made) int { return a.Asked.Compare(b.Asked) })
	at := map[*made]int{nil: -1}
	for i, m := range s.made {
		at[m] = i
	}
	calls, parents := make([]packets.Call, len(s.made)), make([]int, len(s.made))
	for i, m := range s.made {
		calls[i], parents[i] = m.Call, at[m.by]
	}
	return calls, parents
}

func (s *simulation) after(d time.Duration, do func()) {
	at := sort.Search(len(s.events), func(i int) bool { return s.events[i].at > s.now+d })
	s.events = slices.Insert(s.events, at, event{s.now + d, do})
}

// work takes CPU, once what came before is done.
func (s *simulation) work(about time.Duration, then func()) {
	takes := time.Duration(float64(about)*(0.7+0.6*s.chance.Float64())) + time.Microsecond
	s.free = max(s.now, s.free) + takes
	s.after(s.free-s.now, then)
}

func (s *simulation) clock() time.Time { return time.Unix(1_700_000_000, 0).Add(s.now) }

// ask makes an operation.
func (s *simulation) ask(then func()) {
	if s.asked == s.load.operations {
		return
	}
	o := s.graph.Operations[s.chance.IntN(len(s.graph.Operations))]
	s.asked++
	trace := fmt.Sprintf("%032x", uint64(s.asked)*0x9e3779b97f4a7c15)
	s.call(o.Call, netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil, trace, func() {
		if then != nil {
			s.after(10*time.Microsecond, then)
		}
	})
}

func (s *simulation) call(call string, from netip.Addr, by *made, trace string, then func()) {
	t, ok := s.graph.Find(call)
	if !ok {
		panic("no method " + call)
	}
	name := t.Node.Name
	s.next[name]++
	host := s.hosts[name][s.next[name]%len(s.hosts[name])]
	m := &made{by: by, trace: trace, id: s.chance.Uint64() | 1}
	m.From, m.To = netip.AddrPortFrom(from, uint16(20000+s.chance.IntN(30000))), netip.AddrPortFrom(host, 8000)
	m.Protocol, m.Method, m.Asked = packets.GRPC, "/"+name+"/"+t.Method, s.clock()
	if t.Store {
		m.Protocol, m.Method = packets.Redis, "GET"
	} else if s.load.ids != noIDs {
		m.Trace = "00-" + trace + fmt.Sprintf("-%016x-01", m.id)
		if s.load.ids == callIDs && by != nil {
			m.State = fmt.Sprintf("tt=%016x,rojo=1", by.id)
		}
	}
	s.made = append(s.made, m)
	m.AskedAll = s.clock().Add(2 * time.Microsecond)
	s.work(20*time.Microsecond+t.Does.Work, func() {
		s.after(t.Does.Wait, func() {
			s.steps(t.Steps, host, m, func() {
				s.work(15*time.Microsecond, func() {
					m.Answered, m.AnsweredAll = s.clock(), s.clock()
					s.work(10*time.Microsecond, then)
				})
			})
		})
	})
}

// steps makes steps one after the other.
func (s *simulation) steps(steps []topology.Step, from netip.Addr, by *made, then func()) {
	if len(steps) == 0 {
		then()
		return
	}
	rest := func() { s.steps(steps[1:], from, by, then) }
	one := steps[0]
	if one.Times > 1 {
		again := one
		again.Times--
		rest = func() { s.steps(append([]topology.Step{again}, steps[1:]...), from, by, then) }
	}
	switch {
	case one.Call != "":
		s.work(10*time.Microsecond, func() { s.call(one.Call, from, by, by.trace, rest) })
	case len(one.AtOnce) > 0:
		left := len(one.AtOnce)
		for _, i := range s.chance.Perm(left) {
			s.steps(one.AtOnce[i:i+1], from, by, func() {
				if left--; left == 0 {
					rest()
				}
			})
		}
	default:
		s.steps(one.InTurn, from, by, rest)
	}
}

func step(call string) topology.Step { return topology.Step{Call: call} }

func atOnce(steps ...topology.Step) topology.Step { return topology.Step{AtOnce: steps} }

func method(name string, steps ...topology.Step) topology.Method {
	return topology.Method{Name: name, Steps: steps}
}

func node(name string, work time.Duration, methods ...topology.Method) topology.Node {
	return topology.Node{Name: name, Does: topology.Does{Work: work}, Methods: methods}
}

// shop makes its calls in turn, as most graphs do.
func shop() *topology.Graph {
	return &topology.Graph{
		Nodes: []topology.Node{
			node("front", 100*time.Microsecond,
				method("home", step("money.list"), step("cart.get"), topology.Step{Call: "money.convert", Times: 3}, step("ads.pick")),
				method("buy", step("check.order"), step("advice.list"), step("money.list")),
				method("look", step("cart.get"), step("advice.list"))),
			node("check", 80*time.Microsecond,
				method("order", step("cart.get"), step("money.convert"), step("ship.quote"), step("ship.send"), step("mail.send"))),
			node("advice", 50*time.Microsecond, method("list", step("kept.get"))),
			node("cart", 30*time.Microsecond, method("get", step("kept.get"))),
			node("money", 20*time.Microsecond), node("ads", 20*time.Microsecond),
			node("ship", 20*time.Microsecond), node("mail", 20*time.Microsecond),
		},
		Stores: []topology.Node{node("kept", 0)},
		Operations: []topology.Operation{
			{Name: "home", Call: "front.home"}, {Name: "buy", Call: "front.buy"}, {Name: "look", Call: "front.look"},
		},
	}
}

// crowd has a node that serves three calls of a trace at once; each makes calls.
func crowd() *topology.Graph {
	return &topology.Graph{
		Nodes: []topology.Node{
			node("front", 50*time.Microsecond, method("go", atOnce(step("mid.work"), step("mid.work"), step("mid.work")))),
			node("mid", 50*time.Microsecond, method("work", step("low.a"), step("low.b"), step("kept.get"))),
			node("low", 30*time.Microsecond),
		},
		Stores:     []topology.Node{node("kept", 0)},
		Operations: []topology.Operation{{Name: "go", Call: "front.go"}},
	}
}

// random is a graph by chance: nodes in layers, each with two methods.
func random(seed uint64) *topology.Graph {
	chance := rand.New(rand.NewPCG(seed, 11))
	g := &topology.Graph{Stores: []topology.Node{node("kept", 0)}}
	const layers = 4
	for layer := range layers {
		n := node(fmt.Sprintf("n%d", layer), time.Duration(chance.IntN(100))*time.Microsecond)
		n.Replicas = 1 + chance.IntN(2)
		if layer == 0 {
			n.Replicas = 1
		}
		for m := range 2 {
			of := method(fmt.Sprintf("m%d", m))
			for range chance.IntN(3) + 1 {
				if layer+1 == layers {
					of.Steps = append(of.Steps, step("kept.get"))
					break
				}
				one := step(fmt.Sprintf("n%d.m%d", layer+1+chance.IntN(layers-layer-1), chance.IntN(2)))
				switch chance.IntN(4) {
				case 0:
					one = atOnce(one, one, step("kept.get"))
				case 1:
					one.Times = 2
				case 2:
					one = atOnce(topology.Step{InTurn: []topology.Step{one, step("kept.get")}}, step("kept.get"))
				}
				of.Steps = append(of.Steps, one)
			}
			n.Methods = append(n.Methods, of)
		}
		g.Nodes = append(g.Nodes, n)
	}
	g.Operations = []topology.Operation{{Name: "a", Call: "n0.m0"}, {Name: "b", Call: "n0.m1"}}
	return g
}

// named names the services of a simulation, as a capture does.
func named(g *topology.Graph) func(netip.Addr) string {
	names := map[netip.Addr]string{}
	for _, n := range slices.Concat(g.Nodes, g.Stores) {
		for range max(1, n.Replicas) {
			names[netip.AddrFrom4([4]byte{127, 1, 0, byte(len(names) + 1)})] = n.Name
		}
	}
	return func(a netip.Addr) string { return names[a] }
}

// drop leaves out a part of the calls; the parent of a call that lost it is -2.
func drop(calls []packets.Call, parents []int, part float64, seed uint64) ([]packets.Call, []int) {
	chance := rand.New(rand.NewPCG(seed, 13))
	at := make([]int, len(calls))
	var kept []packets.Call
	var of []int
	for i := range calls {
		at[i] = -2
		if chance.Float64() >= part {
			at[i] = len(kept)
			kept, of = append(kept, calls[i]), append(of, parents[i])
		}
	}
	for i, p := range of {
		if p >= 0 {
			of[i] = at[p]
		}
	}
	return kept, of
}

// tallied counts answers by how they are known: right ones, wrong ones.
type tallied map[tree.How][2]int

func tally(found []tree.Parent, truth []int) tallied {
	out := tallied{}
	for i, p := range found {
		n := out[p.How]
		if p.Index == truth[i] {
			n[0]++
		} else {
			n[1]++
		}
		out[p.How] = n
	}
	return out
}

func (t tallied) wrong() int { return t[tree.Root][1] + t[tree.ID][1] + t[tree.Alone][1] }

// part is the share of the answers that are right.
func (t tallied) part() float64 {
	right, all := 0, 0
	for _, n := range t {
		right, all = right+n[0], all+n[0]+n[1]
	}
	return float64(right) / float64(max(1, all))
}

// of counts the answers that one means found.
func (t tallied) of(how tree.How) int { return t[how][0] + t[how][1] }
