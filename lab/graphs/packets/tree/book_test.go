package tree

import (
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/topology"
)

func TestNamesOfMethods(t *testing.T) {
	for _, test := range []struct{ protocol, method, plain, short string }{
		{packets.HTTP, "GET /", "GET /", ""},
		{packets.HTTP, "POST /checkout", "POST /checkout", "checkout"},
		{packets.HTTP, "GET /items/17?page=2", "GET /items/*", "*"},
		{packets.HTTP, "GET /items/0f3a-9b/parts", "GET /items/*/parts", "parts"},
		{packets.HTTP, "GET /items?page=2", "GET /items", "items"},
		{packets.GRPC, "/shop.v1.Cart/Add2", "/shop.v1.Cart/Add2", "Add2"},
		{packets.Thrift, "ComposePost", "ComposePost", "ComposePost"},
		{packets.Redis, "ZADD", "ZADD", "zadd"},
	} {
		if got := plain(test.protocol, test.method); got != test.plain {
			t.Errorf("%s is plainly %s, want %s", test.method, got, test.plain)
		}
		if got := short(test.plain); got != test.short {
			t.Errorf("%s is in short %s, want %s", test.plain, got, test.short)
		}
	}
}

func TestIDsOfHeaders(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	trace, span := idsOf(parent)
	if want := [2]uint64{0x0af7651916cd43dd, 0x8448eb211c80319c}; trace != want || span != 0xb7ad6b7169203331 {
		t.Errorf("%x %x", trace, span)
	}
	if upper, same := idsOf(strings.ToUpper(parent)); upper != trace || same != span {
		t.Errorf("in capitals %x %x", upper, same)
	}
	for _, bad := range []string{
		"", "00", parent[:54], strings.Replace(parent, "-b", "_b", 1), strings.Replace(parent, "a", "g", 1),
		parent[:36] + "0000000000000000-01", strings.Replace(parent, "b7ad", "b7a-", 1),
	} {
		if trace, span := idsOf(bad); trace != [2]uint64{} || span != 0 {
			t.Errorf("%q has the ids %x %x", bad, trace, span)
		}
	}
	for state, want := range map[string]uint64{
		"tt=00f067aa0ba902b7": 0x00f067aa0ba902b7, "rojo=1, tt=00000000000000aa ,congo=2": 0xaa, "congo=2,tt=00000000000000aa": 0xaa,
		"": 0, "tt=": 0, "tt=00f067aa0ba902b": 0, "tt=00f067aa0ba902b77": 0, "tt=00f067aa0ba902bx": 0,
		"xtt=00f067aa0ba902b7": 0, "rojo=tt=00f067aa0ba902b7": 0,
	} {
		if got := callerOf(state); got != want {
			t.Errorf("%q names %x, want %x", state, got, want)
		}
	}
}

// Replicas have one program, and a name that only looks like a replica's has its own.
func TestServices(t *testing.T) {
	names := map[byte]string{1: "cart", 2: "cart-2", 3: "s-3", 4: "", 5: "cart-12"}
	address := func(n byte) netip.Addr { return netip.AddrFrom4([4]byte{127, 1, 0, n}) }
	var calls []packets.Call
	for n := range byte(5) {
		calls = append(calls, packets.Call{To: netip.AddrPortFrom(address(n+1), 80)})
	}
	b := newBook(calls, &Options{Name: func(a netip.Addr) string { return names[a.As4()[3]] }}, newPrograms())
	for i, want := range []string{"cart", "cart", "s-3", "127.1.0.4", "cart"} {
		if got := b.servers[b.entries[i].to].service; got != want {
			t.Errorf("server %d is of %s, want %s", i+1, got, want)
		}
	}
}

// A topology's programs are those of its files: in turn, at once, several times.
func TestExpect(t *testing.T) {
	call := func(name string) topology.Step { return topology.Step{Call: name} }
	g := &topology.Graph{Nodes: []topology.Node{
		{Name: "a", Methods: []topology.Method{
			{Name: "turn", Steps: []topology.Step{{Call: "b.x", Times: 2}, call("b.y")}},
			{Name: "once", Steps: []topology.Step{{AtOnce: []topology.Step{call("b.x"), call("b.y")}}}},
			{Name: "none"},
		}},
		{Name: "b"},
	}}
	p := newPrograms()
	turn, once := p.number(methodName{"a", packets.GRPC, "/a/turn"}), p.number(methodName{"a", packets.GRPC, "/a/once"})
	none, other := p.number(methodName{"a", packets.HTTP, "GET /none"}), p.number(methodName{"a", packets.HTTP, "GET /other"})
	x, y := p.number(methodName{"b", packets.GRPC, "/b/x"}), p.number(methodName{"b", packets.GRPC, "/b/y"})
	p.expect(g)
	ways := func(method int32) string {
		var text strings.Builder
		for at := p.begin(method); at >= 0; {
			s := &p.of[method].states[at]
			at = nobody
			for i := range s.next {
				at = s.next[i].to
				text.WriteString(map[int32]string{x: "x", y: "y"}[s.next[i].method])
				if s.next[i].busy {
					text.WriteString("!")
				}
			}
			if s.ends.often > 0 {
				text.WriteString(".")
			}
		}
		return text.String()
	}
	if got := ways(turn); got != "xxy." {
		t.Errorf("in turn: %s", got)
	}
	if got := ways(none); got != "." {
		t.Errorf("nothing: %s", got)
	}
	if p.begin(other) != nobody {
		t.Error("a method that the topology has not is known")
	}
	first := &p.of[once].states[0]
	if len(first.next) != 2 || len(p.of[once].states) != 4 || first.ends.often > 0 {
		t.Errorf("at once: %+v", p.of[once].states)
	}
}

// Learning leaves what was known as it is.
func TestLearnIsPure(t *testing.T) {
	at := func(n byte) netip.AddrPort { return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 1, 0, n}), 80) }
	begin := time.Unix(1_700_000_000, 0)
	calls := []packets.Call{
		{From: at(9), To: at(1), Asked: begin, AnsweredAll: begin.Add(time.Second)},
		{From: at(1), To: at(2), Asked: begin.Add(time.Millisecond), AnsweredAll: begin.Add(2 * time.Millisecond)},
	}
	known := Learn(calls, Options{})
	before := known.clone()
	calls = append(calls, packets.Call{From: at(1), To: at(3), Asked: begin.Add(time.Millisecond), Method: "new"})
	more := Learn(calls, Options{Programs: known})
	if !reflect.DeepEqual(known, before) {
		t.Errorf("what was known became %+v, and was %+v", known, before)
	}
	if reflect.DeepEqual(more, before) {
		t.Error("nothing was learnt")
	}
}

// Places that differ in anything have other hashes.
func TestPlacesDiffer(t *testing.T) {
	seen := map[uint64]place{}
	for _, p := range []place{{at: 1}, {at: 2}, {at: lostWay}, {pace: pace{asked: 1}}, {pace: pace{free: 1}}, {pace: pace{1, 1}}} {
		for slot := range 3 {
			of := p.hashed(slot)
			if other, has := seen[of.hash]; has {
				t.Errorf("%+v in slot %d is as %+v", p, slot, other)
			}
			seen[of.hash] = p
		}
	}
}

// Traces that cannot be followed to a root do not count, and ids in a circle end.
func TestCompareCutTraces(t *testing.T) {
	truth := []Parent{{-1, Root}, {0, ID}, {-1, Unknown}, {2, ID}, {5, ID}, {4, ID}, {-1, Root}, {6, ID}, {7, Alone}, {8, ID}}
	found := []Parent{
		{-1, Root}, {0, Alone}, {-1, Unknown}, {2, Likely}, {4, Likely}, {-1, Unknown}, {-1, Root}, {0, Likely}, {7, Alone}, {7, Alone},
	}
	want := Score{Calls: 6, Right: 2, Traces: 2, Whole: 1, Certain: 2, Wrong: 1, Likely: 3, Lucky: 1, Unknown: 1}
	if got := compare(truth, found); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
