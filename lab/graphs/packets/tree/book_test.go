package tree

import (
	"fmt"
	"net/netip"
	"reflect"
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
	p := (*Programs)(nil).clone()
	turn, once := p.number(methodName{"a", packets.GRPC, "/a/turn"}), p.number(methodName{"a", packets.GRPC, "/a/once"})
	none, other := p.number(methodName{"a", packets.HTTP, "GET /none"}), p.number(methodName{"a", packets.HTTP, "GET /other"})
	x, y := p.number(methodName{"b", packets.GRPC, "/b/x"}), p.number(methodName{"b", packets.GRPC, "/b/y"})
	p.expect(g)
	names := map[int32]string{x: "x", y: "y", nobody: "."}
	ways := func(method int32) (text string) {
		at := int32(0)
		for at != nobody {
			next := p.of[method].states[at].next
			if len(next) != 1 || next[0].busy {
				return fmt.Sprintf("%s, then %+v", text, next)
			}
			text += names[next[0].method]
			at = next[0].to
		}
		return text
	}
	if got := ways(turn); got != "xxy." {
		t.Errorf("in turn: %s", got)
	}
	if got := ways(none); got != "." {
		t.Errorf("nothing: %s", got)
	}
	if p.known(other) {
		t.Error("a method that the topology has not is known")
	}
	if first := p.of[once].states[0]; len(first.next) != 2 || len(p.of[once].states) != 4 {
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
	_, known := Parents(calls, Options{})
	before := known.clone()
	calls = append(calls, packets.Call{From: at(1), To: at(3), Asked: begin.Add(time.Millisecond), Method: "new"})
	_, more := Parents(calls, Options{Programs: known})
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
	want := Score{Calls: 6, Right: 2, Traces: 2, Whole: 1, Certain: 2, Wrong: 1}
	if got := Compare(truth, found); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
