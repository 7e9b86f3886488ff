package ring

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/ring/ringtest"
)

// FuzzRings reads whatever two rings and the file methods hold: nothing panics, nothing hangs, and a span has two events at least.
func FuzzRings(f *testing.F) {
	event := func(words ...uint64) []byte {
		var out []byte
		for _, w := range words {
			out = le.AppendUint64(out, w)
		}
		return out
	}
	owner := uint64(1<<19-1) << 1
	call := event(owner, 7, ringtest.Word(5, 0, false), ringtest.Word(9, 0, true))
	f.Add(call, uint32(1), uint64(32), uint64(0), []byte("{\"number\": 0}\n"))
	f.Add(event(ringtest.Word(5, 1, false), 3, ringtest.Word(9, 1, true), 3), uint32(2), uint64(32), uint64(0), []byte("{\"number\": 1}\n"))
	f.Add(event(ringtest.Word(5, 1, true), 3, owner), uint32(2), uint64(4096), uint64(16), []byte("{\"number\": 1}\n{\"untr"))
	f.Add([]byte{}, uint32(3), uint64(1)<<63, uint64(1)<<63, []byte{})
	f.Fuzz(func(t *testing.T, events []byte, kind uint32, written, read uint64, methods []byte) {
		folder := filepath.Join(t.TempDir(), "rings")
		p := ringtest.New(t, folder, 7, ringtest.About{})
		p.Line(string(methods))
		for _, k := range []uint32{kind, ringtest.Carrier} {
			r := p.Ring(k, 4096)
			page, err := os.OpenFile(r.Path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := page.WriteAt(events[:min(len(events), 4096)], pageSize); err != nil {
				t.Fatal(err)
			}
			if err := page.Close(); err != nil {
				t.Fatal(err)
			}
			r.Set(atRead, read)
			r.Set(atWritten, written)
		}
		reader, err := Open(folder)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := reader.Close(); err != nil {
				t.Error(err)
			}
		}()
		got := &collector{}
		p.Die()
		for end := time.Now().Add(10 * time.Second); ; {
			reader.scanAt = 0
			for _, p := range reader.programs {
				p.listAt = 0
			}
			if _, err := reader.Pass(got); err != nil {
				t.Fatal(err)
			}
			if reader.Counts().Live == 0 {
				break
			}
			if time.Now().After(end) {
				t.Fatal("the reader does not come to an end")
			}
			time.Sleep(time.Millisecond)
		}
		c := reader.Counts()
		if c.Spans > c.Events || uint64(len(got.spans)) != c.Spans || c.Events > 2*4096/8 {
			t.Errorf("%+v", c)
		}
		if 2*(c.Spans-c.Unfinished)+c.Unfinished+c.Torn != c.Events && len(c.Refused) == 0 {
			t.Errorf("%d events, of which %d spans, %d unfinished, %d torn", c.Events, c.Spans, c.Unfinished, c.Torn)
		}
		for _, s := range got.spans {
			if s.Start > s.End || s.Method == nil {
				t.Errorf("%+v", s)
			}
		}
	})
}
