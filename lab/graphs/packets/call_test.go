package packets_test

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/lab/graphs/packets"
)

func TestIDsOfHeaders(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	want := [16]byte{0x0a, 0xf7, 0x65, 0x19, 0x16, 0xcd, 0x43, 0xdd, 0x84, 0x48, 0xeb, 0x21, 0x1c, 0x80, 0x31, 0x9c}
	for _, text := range []string{parent, strings.ToUpper(parent), parent + "-more"} {
		if trace, call := (&packets.Call{Trace: text}).IDs(); trace != want || call != 0xb7ad6b7169203331 {
			t.Errorf("%s: %x %x", text, trace, call)
		}
	}
	for _, bad := range []string{
		"", "00", parent[:54], strings.Replace(parent, "-b", "_b", 1), strings.Replace(parent, "a", "g", 1),
		parent[:36] + "0000000000000000-01", parent[:3] + strings.Repeat("0", 32) + parent[35:], strings.Replace(parent, "b7ad", "b7a-", 1),
	} {
		if trace, call := (&packets.Call{Trace: bad}).IDs(); trace != [16]byte{} || call != 0 {
			t.Errorf("%q has the ids %x %x", bad, trace, call)
		}
	}
	for state, want := range map[string]uint64{
		"tt=00f067aa0ba902b7": 0x00f067aa0ba902b7, "rojo=1, tt=00000000000000aa ,congo=2": 0xaa, "congo=2,tt=00000000000000aa": 0xaa,
		"": 0, "tt=": 0, "tt=00f067aa0ba902b": 0, "tt=00f067aa0ba902b77": 0, "tt=00f067aa0ba902bx": 0,
		"xtt=00f067aa0ba902b7": 0, "rojo=tt=00f067aa0ba902b7": 0,
	} {
		if got := (&packets.Call{State: state}).Caller(); got != want {
			t.Errorf("%q names %x, want %x", state, got, want)
		}
	}
}
