package ringtest

import (
	"encoding/binary"
	"path/filepath"
	"syscall"
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
	used, read := 0.0, 0
	defer func() { b.ReportMetric(used/float64(read), "cpu-ns/op") }()
	b.ReportAllocs()
	b.ResetTimer()
	for done := 0; done < b.N; done += spans - depth {
		b.StopTimer()
		fill()
		r.Fill(buffer)
		b.StartTimer()
		before := cpu(b)
		if err := pass(); err != nil {
			b.Fatal(err)
		}
		used += cpu(b) - before
		read += spans - depth
		if r.Read() != r.Written {
			b.Fatalf("%d of %d bytes read", r.Read(), r.Written)
		}
	}
}

// cpu returns the nanoseconds of CPU that this process has used: other programs count in the time of a benchmark, and not there.
func cpu(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}
