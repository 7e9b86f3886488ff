package prepare

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config/program"
)

// Each text gets the ports of those that it means: its own, the one behind, and what others are to ask.
func TestGivePorts(t *testing.T) {
	front := func(name, of string) program.Process {
		return program.Process{Name: name + "@" + of, Placed: program.Placed{Name: name, Of: of, Front: true}}
	}
	beside := func(of string) program.Process {
		return program.Process{Name: "agent@" + of, Placed: program.Placed{Name: "agent", Of: of}, Run: []string{"x", "{port.admin}"}}
	}
	hub, cart, shop := program.Process{Name: "hub", Placed: program.Placed{Name: "hub"}}, program.Process{Name: "cart", Templates: map[string]string{"f": "{port.grpc} {port.grpc}"}}, program.Process{Name: "shop"}
	all := []program.Process{hub, beside("cart"), cart, front("inner", "cart"), front("outer", "cart"), beside("shop"), shop}
	w, err := GivePorts(all)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for name, ports := range w.own {
		for word, port := range ports {
			if seen[port] {
				t.Errorf("%s of %s is %s, which is somebody else's too", word, name, port)
			}
			seen[port] = true
		}
	}
	if len(seen) != 10 {
		t.Errorf("%d ports, want 10: seven processes, of which three have one more", len(seen))
	}
	inside := func(p program.Process) map[string]string {
		values := map[string]string{"tmp": "/t"}
		w.Seen(values)
		w.Inside(p, values)
		return values
	}
	own := func(name, word string) string { return w.own[name][word] }
	for _, test := range []struct {
		of          program.Process
		word, whose string
		port        string
	}{
		{of: cart, word: "port", whose: "cart"},
		{of: cart, word: "port.grpc", whose: "cart", port: "port.grpc"},
		{of: cart, word: "cart.port", whose: "cart"}, // of itself: where it listens
		{of: cart, word: "agent.port", whose: "agent@cart"},
		{of: cart, word: "agent.port.admin", whose: "agent@cart", port: "port.admin"},
		{of: cart, word: "outer.port", whose: "outer@cart"},
		{of: cart, word: "hub.port", whose: "hub"},
		{of: cart, word: "shop.port", whose: "shop"}, // nothing stands in front
		{of: shop, word: "cart.port", whose: "outer@cart"},
		{of: shop, word: "cart.port.grpc", whose: "cart", port: "port.grpc"},
		{of: shop, word: "agent.port", whose: "agent@shop"},
		{of: hub, word: "cart.port", whose: "outer@cart"},
		{of: hub, word: "port", whose: "hub"},
		{of: all[1], word: "beside.port", whose: "cart"},
		{of: all[1], word: "port.admin", whose: "agent@cart", port: "port.admin"},
		{of: all[3], word: "beside.port", whose: "cart"},
		{of: all[3], word: "agent.port", whose: "agent@cart"},
		{of: all[4], word: "beside.port", whose: "inner@cart"},
		{of: all[4], word: "port", whose: "outer@cart"},
	} {
		if test.port == "" {
			test.port = "port"
		}
		if got, want := inside(test.of)[test.word], own(test.whose, test.port); got != want || got == "" {
			t.Errorf("in %s, {%s} is %q, want %s of %s, %q", test.of.Name, test.word, got, test.port, test.whose, want)
		}
	}
	asking := map[string]string{}
	w.Seen(asking)
	w.Asking(cart, asking)
	if got := asking["port"]; got != own("outer@cart", "port") || w.Front("cart") != "outer@cart" || w.Front("shop") != "shop" {
		t.Errorf("cart is asked at %s", got)
	}
	if in := inside(all[4]); in["beside.process"] != "cart" || in["process"] != "outer@cart" || in["tmp"] != "/t" {
		t.Errorf("%v", in)
	}
	for _, of := range []program.Process{hub, shop} {
		if _, known := inside(of)["beside.port"]; known {
			t.Errorf("%s, which stands beside nothing, has {beside.port}", of.Name)
		}
	}
	if _, known := inside(hub)["agent.port"]; known {
		t.Error("of two agents one is meant by what is there once a run")
	}
}

// A filter names the ports of a run, those of relays too, and no others.
func TestFilter(t *testing.T) {
	p := &Ports{own: map[string]map[string]string{"a": {"port": "10003", "port.x": "10001"}, "b": {"port": "10002"}, "c": {"port": "9999"}, "proxy@a": {}},
		relays: map[string]map[string]string{"proxy@a": {"d": "10005"}}}
	if got, want := p.Filter(), "portrange 9999-9999 or portrange 10001-10003 or portrange 10005-10005"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What a process calls leaves through the one beside it, or passes the one between all, each process called at a port of its own.
func TestRelays(t *testing.T) {
	process := func(name, host, calls string) program.Process {
		return program.Process{Name: name, Host: host, Protocol: "grpc", Run: []string{"x", "{port}", calls}}
	}
	proxy := func(of, host string) program.Process {
		return program.Process{Name: "proxy@" + of, Host: host, Placed: program.Placed{Name: "proxy", Of: of, Front: true, Out: true}, Run: []string{"{peers}", "{port}"}}
	}
	hub := program.Process{Name: "hub", Placed: program.Placed{Name: "hub"}}
	node := program.Process{Name: "node", Placed: program.Placed{Name: "node", Between: true}, Run: []string{"{peers}"}}
	db, cart, shop := process("db", "127.1.0.1", ""), process("cart", "127.1.0.2", "{db.port}"), process("shop", "127.1.0.3", "{cart.host}:{cart.port}")
	idle := program.Process{Name: "idle", Run: []string{"x"}}
	for name, c := range map[string]struct {
		all    []program.Process
		of     program.Process
		values map[string]string // NAME PORT means a port of that process, NAME>PEER where NAME takes calls of PEER
		peers  map[string]program.Peer
	}{
		"its calls leave through the one beside it": {
			all: []program.Process{hub, db, cart, proxy("cart", cart.Host), shop, proxy("shop", shop.Host), idle}, of: shop,
			values: map[string]string{
				"host": "127.1.0.3", "port": "shop port", "cart.host": "127.1.0.3", "cart.port": "proxy@shop>cart", "shop.port": "shop port", "db.port": "db port", "db.host": "127.1.0.1",
				"hub.host": "127.0.0.1", "proxy.port": "proxy@shop port", "proxy.host": "127.1.0.3",
			},
		},
		"the one beside it": {
			all: []program.Process{hub, db, cart, proxy("cart", cart.Host), shop, proxy("shop", shop.Host), idle}, of: proxy("shop", shop.Host),
			values: map[string]string{"host": "127.1.0.3", "port": "proxy@shop port", "beside.host": "127.1.0.3", "beside.port": "shop port", "cart.port": "proxy@cart port"},
			peers: map[string]program.Peer{
				"db":   {Host: "127.1.0.1", Port: "db port", Protocol: "grpc"},
				"cart": {Host: "127.1.0.2", Port: "proxy@cart port", Protocol: "grpc", Front: true, Listen: "127.1.0.3 proxy@shop>cart"},
				"shop": {Host: "127.1.0.3", Port: "proxy@shop port", Protocol: "grpc", Front: true},
			},
		},
		"all pass one": {
			all: []program.Process{node, db, cart, shop, idle}, of: shop,
			values: map[string]string{"cart.host": "127.1.0.2", "cart.port": "node>cart", "port": "shop port", "shop.port": "shop port"},
		},
		"the one between all": {
			all: []program.Process{node, db, cart, shop, idle}, of: node,
			values: map[string]string{"host": "127.0.0.1", "cart.port": "node>cart"},
			peers: map[string]program.Peer{
				"db":   {Host: "127.1.0.1", Port: "db port", Protocol: "grpc", Listen: "127.1.0.1 node>db"},
				"cart": {Host: "127.1.0.2", Port: "cart port", Protocol: "grpc", Listen: "127.1.0.2 node>cart"},
				"shop": {Host: "127.1.0.3", Port: "shop port", Protocol: "grpc", Listen: "127.1.0.3 node>shop"},
			},
		},
	} {
		p, err := GivePorts(c.all)
		if err != nil {
			t.Fatal(err)
		}
		given := map[string]int{}
		port := func(text string) string {
			relay, called, is := strings.Cut(text, ">")
			if is {
				return p.relays[relay][called]
			}
			if name, _, is := strings.Cut(text, " port"); is {
				return p.Of(name)
			}
			return text
		}
		for _, ports := range []map[string]map[string]string{p.own, p.relays} {
			for _, of := range ports {
				for _, one := range of {
					if given[one]++; given[one] > 1 {
						t.Errorf("%s: port %s is given twice", name, one)
					}
				}
			}
		}
		values := map[string]string{"templates": t.TempDir()}
		p.Seen(values)
		p.Inside(c.of, values)
		for word, want := range c.values {
			if got := values[word]; got != port(want) || got == "" {
				t.Errorf("%s: {%s} is %q, want %s, %q", name, word, got, want, port(want))
			}
		}
		if err := p.WritePeers(c.of, values); err != nil {
			t.Fatal(err)
		}
		if c.peers == nil {
			if _, written := values["peers"]; written {
				t.Errorf("%s: it has a file of all processes, for which nobody asks", name)
			}
			continue
		}
		var got []program.Peer
		text, err := os.ReadFile(values["peers"])
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		for _, one := range got {
			want, known := c.peers[one.Name]
			want.Name, want.Port = one.Name, port(want.Port)
			if host, at, listens := strings.Cut(want.Listen, " "); listens {
				want.Listen = host + ":" + port(at)
			}
			if !known || one != want {
				t.Errorf("%s: %+v, want %+v", name, one, want)
			}
		}
		if len(got) != len(c.peers) {
			t.Errorf("%s: %d processes, want %d", name, len(got), len(c.peers))
		}
	}
	p, err := GivePorts([]program.Process{node, cart, shop})
	if err != nil {
		t.Fatal(err)
	}
	asking := map[string]string{}
	p.Seen(asking)
	p.Asking(cart, asking)
	if asking["host"] != "127.1.0.2" || asking["port"] != p.relays["node"]["cart"] || p.Asked("cart") != asking["port"] {
		t.Errorf("cart is asked at %s:%s", asking["host"], asking["port"])
	}
}
