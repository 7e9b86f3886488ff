package packets_test

import (
	"bytes"
	"testing"

	"github.com/tracetax/tracetax/lab/graphs/packets"
	"github.com/tracetax/tracetax/lab/graphs/packets/capture"
	"github.com/tracetax/tracetax/lab/graphs/packets/packetstest"
)

// wantSane holds what is true of every reading.
func wantSane(t *testing.T, data []byte) {
	r, err := capture.NewReader("a capture", bytes.NewReader(data))
	if err != nil {
		return
	}
	given, unended := int64(0), int64(0)
	counts, err := packets.Read([]*capture.Reader{r}, packets.Options{}, func(c packets.Call) error {
		given++
		if !c.Ended() {
			unended++
		}
		if c.Asked.IsZero() || c.Request < 0 || c.Answer < 0 || c.Protocol == "" || c.Resent < 0 {
			t.Errorf("call %+v", c)
		}
		return nil
	})
	total := int64(0)
	for _, n := range counts.Calls {
		total += n
	}
	if total != given || counts.Unended != unended || counts.Missing < 0 {
		t.Errorf("%d calls given, %d without an end, error %v, counts %+v", given, unended, err, counts)
	}
}

func FuzzRead(f *testing.F) {
	for _, test := range talks {
		if test.name == "http" || test.name == "redis" {
			f.Add(talk(test.says, 100))
		}
	}
	for _, link := range []uint32{packetstest.Ethernet, packetstest.Null, packetstest.Cooked, packetstest.Cooked2} {
		c := packetstest.New(func(c *packetstest.Capture) { c.Link, c.NG, c.VLAN = link, true, true })
		for _, conn := range []*packetstest.Conn{c.Dial(client, server), c.Dial(client6, server6)} {
			conn.Ask(get)
			conn.Next(true, 5)
			conn.Answer(ok)
			conn.Close()
		}
		f.Add(c.Bytes())
	}
	f.Fuzz(wantSane)
}

// FuzzProtocols has any bytes said on a connection that begins as one of a protocol, with a gap, in segments of any size.
func FuzzProtocols(f *testing.F) {
	for i, test := range talks {
		for _, s := range test.says {
			if len(s.data) < 2000 {
				f.Add(uint8(i), s.data, s.data, uint16(9), uint8(0))
			}
		}
	}
	f.Fuzz(func(t *testing.T, of uint8, request, answer string, mss uint16, gap uint8) {
		c := packetstest.New(func(c *packetstest.Capture) { c.MSS = int(mss)%2000 + 1 })
		if len(request)+len(answer) > 1<<14 {
			return
		}
		conn := c.Dial(client, server)
		say(conn, talks[int(of)%len(talks)].says[:2])
		conn.Ask(request)
		conn.Answer(answer)
		conn.Next(gap&1 == 0, int(gap))
		conn.Ask(request)
		conn.Answer(answer)
		wantSane(t, c.Bytes())
	})
}
