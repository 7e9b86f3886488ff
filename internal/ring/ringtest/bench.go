package ringtest

import (
	"encoding/binary"
	"path/filepath"
	"testing"
)

// BenchmarkCalls has open's reader read rings that are full of calls of depth ten. An operation is a span. open returns a pass and what
// closes the reader.
func BenchmarkCalls[H any](b *testing.B, handler H, open func(folder string, h H) (pass, shut func() error, err error)) {
	folder := filepath.Join(b.TempDir(), "rings")
	p := New(b, folder, 7, About{Service: "calls", Runtime: "OpenJDK 17.0.15"})
	const depth, size = 10, 4 << 20
	method := p.Method("moobench.application.MonitoredClassSimple", "monitoredMethod")
	r := p.Ring(Platform, size)
	pass, shut, err := open(folder, handler)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := shut(); err != nil {
			b.Error(err)
		}
	})
	const spans = size / 16 / depth * depth
	buffer := make([]byte, size)
	owner := Word(0, 1<<19-1, false)
	// fill writes calls that end now: 20 ns lie between two events.
	fill := func() {
		binary.LittleEndian.PutUint64(buffer, owner)
		binary.LittleEndian.PutUint64(buffer[8:], 21)
		at, stamp := 16, p.Now()-2*spans*20
		for range spans/depth - 1 {
			for level := range 2 * depth {
				stamp += 20
				binary.LittleEndian.PutUint64(buffer[at:], Word(stamp, method, level >= depth))
				at += 8
			}
		}
		for ; at < size; at += 16 { // the rest of the buffer
			binary.LittleEndian.PutUint64(buffer[at:], owner)
			binary.LittleEndian.PutUint64(buffer[at+8:], 21)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for done := 0; done < b.N; done += spans - depth {
		b.StopTimer()
		fill()
		r.Fill(buffer)
		b.StartTimer()
		if err := pass(); err != nil {
			b.Fatal(err)
		}
		if r.Read() != r.Written {
			b.Fatalf("%d of %d bytes read", r.Read(), r.Written)
		}
	}
}
