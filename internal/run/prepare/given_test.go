package prepare

import (
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

// A filter names the ports of a run and no others.
func TestFilter(t *testing.T) {
	p := &Ports{own: map[string]map[string]string{"a": {"port": "10003", "port.x": "10001"}, "b": {"port": "10002"}, "c": {"port": "9999"}, "d": {"port": "10005"}}}
	if got, want := p.Filter(), "portrange 9999-9999 or portrange 10001-10003 or portrange 10005-10005"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
