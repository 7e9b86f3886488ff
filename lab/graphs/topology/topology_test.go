package topology

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// shop is a graph with a step of each kind.
func shop() *Graph {
	return &Graph{
		Protocol: GRPC,
		Nodes: []Node{
			{Name: "front", Protocol: HTTP, Does: Does{Work: 20 * time.Microsecond}, Methods: []Method{
				{Name: "home", Does: Does{Answer: 900}, Steps: []Step{
					{Call: "cart.Get"},
					{AtOnce: []Step{{Call: "stock.Look", Times: 3}, {InTurn: []Step{{Call: "price.Ask"}, {Call: "cart.Get"}}}}},
					{Call: "mail.Send"},
				}},
				{Name: "twice", Steps: []Step{{Call: "cart.Get", Times: 2}}},
			}},
			{Name: "cart", Replicas: 2, Methods: []Method{{Name: "Get", Does: Does{Request: 40}, Steps: []Step{{Call: "kept.get"}}}}},
			{Name: "stock"}, {Name: "price", Does: Does{Errors: 0.1}}, {Name: "mail"}, {Name: "idle"},
		},
		Stores:     []Node{{Name: "kept"}},
		Operations: []Operation{{Name: "home", Call: "front.home"}, {Name: "twice", Call: "front.twice"}},
		Mix:        map[string]float64{"home": 3, "twice": 1},
	}
}

func TestCount(t *testing.T) {
	g := shop()
	if problems := g.Check(); len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	home := g.Count(g.Operations[0])
	// cart.Get twice with its store, stock.Look 3 times, price.Ask and mail.Send once.
	if want := 9.0; home.Calls != want {
		t.Errorf("home makes %v calls, want %v", home.Calls, want)
	}
	if want := 1.0 + 2*7 + 2; home.Spans != want {
		t.Errorf("home makes %v spans, want %v", home.Spans, want)
	}
	for call, want := range map[string]float64{"front.home": 1, "cart.Get": 2, "kept.get": 2, "stock.Look": 3, "price.Ask": 1, "mail.Send": 1} {
		if got := home.Of[call]; got != want {
			t.Errorf("%s is called %v times, want %v", call, got, want)
		}
	}
	if got := home.Edges[Edge{From: "front", To: "stock"}]; got != 3 {
		t.Errorf("front calls stock %v times, want 3", got)
	}
	twice := g.Count(g.Operations[1])
	if twice.Calls != 4 || twice.Spans != 7 {
		t.Errorf("twice makes %v calls and %v spans, want 4 and 7", twice.Calls, twice.Spans)
	}
	if !g.Fails(g.Operations[0]) || g.Fails(g.Operations[1]) {
		t.Error("home alone may fail on purpose: price does, and home calls it")
	}
}

func TestProcesses(t *testing.T) {
	g := shop()
	all, err := g.Processes()
	if err != nil {
		t.Fatal(err)
	}
	place, hosts := map[string]int{}, map[string]bool{}
	for i, p := range all {
		place[p.Name], hosts[p.Host] = i, true
	}
	if len(all) != 8 || len(hosts) != 8 {
		t.Fatalf("%d processes at %d addresses, want 8 at 8: cart has two, and idle and the store are there", len(all), len(hosts))
	}
	for _, order := range [][2]string{{"kept", "cart"}, {"cart", "cart-2"}, {"cart-2", "front"}, {"mail", "front"}, {"stock", "front"}} {
		if place[order[0]] >= place[order[1]] {
			t.Errorf("%s starts behind %s", order[0], order[1])
		}
	}
	var front plan
	if err := json.Unmarshal(all[place["front"]].Plan, &front); err != nil {
		t.Fatal(err)
	}
	if one, other := all[place["cart"]], all[place["cart-2"]]; one.Host == other.Host || one.Protocol != GRPC || all[place["kept"]].Protocol != HTTP {
		t.Errorf("processes have an address each, and are called as the graph says: %+v, %+v", one, other)
	}
	const cart = "{cart.host}:{cart.port}"
	if got := front.Peers["cart"]; len(got.Addresses) != 2 || got.Addresses[0] != cart || got.Protocol != GRPC || got.Store {
		t.Errorf("front finds cart by %v, want two addresses, the first %s", got, cart)
	}
	home := front.Methods["home"]
	if home.Rounds != 20*roundsPerMicrosecond || home.Answer != 900 || len(home.Steps) != 3 || home.Steps[0].Request != 40 {
		t.Errorf("home is planned as %+v: its node's work, its own answer, the request of cart.Get", home)
	}
	if front.Methods["twice"].Steps[0].Times != 2 || home.Steps[0].Times != 1 {
		t.Error("a step without times is made once, one of two twice")
	}
	var mail plan
	if err := json.Unmarshal(all[place["mail"]].Plan, &mail); err != nil {
		t.Fatal(err)
	}
	if _, has := mail.Methods["Send"]; !has {
		t.Errorf("mail answers %v: what calls name is there without being said", mail.Methods)
	}
}

// A real store has no plan; who calls it knows how it is called, and what is to be read there.
func TestRealStores(t *testing.T) {
	g := shop()
	g.Stores[0].Kind, g.Stores[0].Does.Answer = "redis", 300
	if problems := g.Check(); len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	peerOf := func(g *Graph) (store Process, kept peer) {
		all, err := g.Processes()
		if err != nil {
			t.Fatal(err)
		}
		var cart plan
		i := slices.IndexFunc(all, func(p Process) bool { return p.Name == "cart" })
		if err := json.Unmarshal(all[i].Plan, &cart); err != nil {
			t.Fatal(err)
		}
		return all[slices.IndexFunc(all, func(p Process) bool { return p.Name == "kept" })], cart.Peers["kept"]
	}
	if store, kept := peerOf(g); store.Kind != "redis" || store.Plan != nil || !store.Store || kept.Protocol != "redis" || !kept.Store || kept.Answers["get"] != 300 {
		t.Errorf("the store is %+v, and cart calls it as %+v", store, kept)
	}
	if store, kept := peerOf(g.Echo()); store.Kind != "" || store.Plan == nil || kept.Protocol != HTTP || kept.Answers != nil {
		t.Errorf("a node that stands for it is %+v, and cart calls it as %+v", store, kept)
	}
	if g.Stores[0].Kind != "redis" || g.Count(g.Operations[0]).Spans != g.Echo().Count(g.Operations[0]).Spans {
		t.Error("the graph itself stays, and both make as many spans")
	}
}

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*Graph)
		way   string // of a problem
	}{
		"an unknown node":         {func(g *Graph) { g.Nodes[0].Methods[0].Steps[0].Call = "card.Get" }, "nodes front methods home steps [0] call"},
		"an unknown method":       {func(g *Graph) { g.Nodes[0].Methods[0].Steps[0].Call = "cart.Put" }, "nodes front methods home steps [0] call"},
		"no method":               {func(g *Graph) { g.Nodes[0].Methods[0].Steps[1].AtOnce[0].Call = "stock" }, "nodes front methods home steps [1] at_once [0] call"},
		"a step of nothing":       {func(g *Graph) { g.Nodes[0].Methods[0].Steps[0].Call = "" }, "nodes front methods home steps [0]"},
		"a step of two kinds":     {func(g *Graph) { g.Nodes[0].Methods[0].Steps[1].Call = "cart.Get" }, "nodes front methods home steps [1]"},
		"a background of several": {func(g *Graph) { g.Nodes[0].Methods[0].Steps[1].Background = true }, "nodes front methods home steps [1] background"},
		"a cycle":                 {func(g *Graph) { g.Nodes[1].Methods[0].Steps[0].Call = "front.home" }, "nodes cart methods Get steps [0] call"},
		"a method of itself":      {func(g *Graph) { g.Nodes[1].Methods[0].Steps[0].Call = "cart.Get" }, "nodes cart methods Get steps [0] call"},
		"a store that calls":      {func(g *Graph) { g.Stores[0].Methods = []Method{{Name: "get", Steps: []Step{{Call: "mail.Send"}}}} }, "stores kept methods get steps"},
		"two of a name":           {func(g *Graph) { g.Nodes[2].Name = "cart-2" }, "nodes cart-2"},
		"a name":                  {func(g *Graph) { g.Nodes[5].Name = "Idle" }, "nodes Idle"},
		"the name of a method":    {func(g *Graph) { g.Nodes[1].Methods[0].Name = "Get it" }, "nodes cart methods Get it"},
		"a message of 2 MB":       {func(g *Graph) { g.Nodes[5].Does.Answer = 2 << 20 }, "nodes idle answer"},
		"too many calls":          {func(g *Graph) { g.Nodes[0].Methods[0].Steps[0].Times = 999 }, "operations home call"},
		"an entry by gRPC":        {func(g *Graph) { g.Operations[0].Call = "stock.Look" }, "operations home call"},
		"an entry at a store":     {func(g *Graph) { g.Operations[0].Call = "kept.get" }, "operations home call"},
		"an entry at nothing":     {func(g *Graph) { g.Operations[0].Call = "front.hom" }, "operations home call"},
		"a mix of what is not":    {func(g *Graph) { g.Mix["hom"] = 1 }, "mix hom"},
		"too many processes":      {func(g *Graph) { g.Nodes[1].Replicas, g.Nodes[2].Replicas, g.Nodes[3].Replicas = 90, 90, 90 }, "nodes"},
		"a graph without nodes":   {func(g *Graph) { g.Nodes = nil }, "nodes"},
		"a kind of a node":        {func(g *Graph) { g.Nodes[5].Kind = "redis" }, "nodes idle kind"},
		"a protocol of redis":     {func(g *Graph) { g.Stores[0].Kind, g.Stores[0].Protocol = "redis", HTTP }, "stores kept protocol"},
		"a redis that works":      {func(g *Graph) { g.Stores[0].Kind, g.Stores[0].Does.Work = "redis", time.Millisecond }, "stores kept work"},
		"a call that is none":     {func(g *Graph) { g.Stores[0].Kind = "mongodb" }, "nodes cart methods Get steps [0] call"},
		"a method that is none": {func(g *Graph) {
			g.Stores[0].Kind, g.Stores[0].Methods = "redis", []Method{{Name: "get"}, {Name: "put"}}
		}, "stores kept methods put"},
		"an operation of nothing": {func(g *Graph) { g.Operations[0].Call = "" }, "operations home"},
	} {
		t.Run(name, func(t *testing.T) {
			g := shop()
			c.spoil(g)
			problems := g.Check()
			if !slices.ContainsFunc(problems, func(p Problem) bool { return strings.Join(p.Way, " ") == c.way }) {
				t.Errorf("no problem is at %s: %v", c.way, problems)
			}
		})
	}
}

// A call in the background is counted, planned and drawn as one.
func TestBackground(t *testing.T) {
	g := shop()
	before := g.Count(g.Operations[0])
	mail := &g.Nodes[0].Methods[0].Steps[2]
	mail.Background = true
	if problems := g.Check(); len(problems) > 0 {
		t.Fatalf("problems: %v", problems)
	}
	if c := g.Count(g.Operations[0]); c.Calls != before.Calls || c.Spans != before.Spans {
		t.Errorf("home makes %v calls and %v spans, want %v and %v as before", c.Calls, c.Spans, before.Calls, before.Spans)
	}
	if !strings.Contains(g.Tree(), "└─ mail.Send (grpc) in the background\n") {
		t.Errorf("the tree lacks it:\n%s", g.Tree())
	}
	all, err := g.Processes()
	if err != nil {
		t.Fatal(err)
	}
	var front plan
	if err := json.Unmarshal(all[len(all)-2].Plan, &front); err != nil {
		t.Fatal(err)
	}
	if steps := front.Methods["home"].Steps; len(steps) != 3 || !steps[2].Background || steps[0].Background {
		t.Errorf("%s plans %+v, want the third step alone in the background", front.Node, steps)
	}
}

// What calls itself is told with the whole way round.
func TestCycleIsNamed(t *testing.T) {
	g := shop()
	g.Nodes[1].Methods[0].Steps[0].Call = "front.home"
	problems := g.Check()
	i := slices.IndexFunc(problems, func(p Problem) bool { return strings.Contains(p.Text, "front.home → cart.Get → front.home") })
	if i < 0 {
		t.Errorf("no problem names the way round: %v", problems)
	}
}

func TestDraw(t *testing.T) {
	g := shop()
	const tree = `home: 9 calls, 17 spans
front.home (http, works 20µs, 0 → 900 B)
├─ cart.Get (grpc, 2 replicas, 40 → 0 B)
│  └─ kept.get (store)
├─ at once
│  ├─ 3 × stock.Look (grpc)
│  └─ in turn
│     ├─ price.Ask (grpc, errors 10 %)
│     └─ cart.Get (grpc, 2 replicas, 40 → 0 B)
│        └─ kept.get (store)
└─ mail.Send (grpc)

twice: 4 calls, 7 spans
front.twice (http, works 20µs)
└─ 2 × cart.Get (grpc, 2 replicas, 40 → 0 B)
   └─ kept.get (store)
`
	if got := g.Tree(); got != tree {
		t.Errorf("the tree is\n%s\nwant\n%s", got, tree)
	}
	dot := g.Dot()
	// Of 4 operations 3 are home, with 2 calls each, and 1 is twice, with 2.
	for _, line := range []string{`"front" -> "cart" [label="2"]`, `"front" -> "mail" [label="0.75"]`, `"kept" [shape=cylinder]`, `"idle" [shape=box]`} {
		if !strings.Contains(dot, line) {
			t.Errorf("the drawing lacks %s:\n%s", line, dot)
		}
	}
}
