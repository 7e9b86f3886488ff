package kieker

import (
	"bytes"
	"encoding/binary"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

// captured is what Kieker 2.0.2's TCP writer sent on three calls of depth 4 and a
// constructor.
func captured(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/tcp.bin")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func checkCaptured(t *testing.T, c record.Counts) {
	t.Helper()
	if c.Spans != 13 || c.Roots != 4 || c.Traces != 4 || c.Duplicate != 0 || c.Orphans != 0 || c.Bytes != 1117 {
		t.Errorf("counted %+v", c)
	}
	if c.Services["KIEKER-SINGLETON"] != 13 || c.Kinds["internal"] != 13 || c.RootNames["public int p.MonitoredClass.monitoredMethod(int)"] != 3 {
		t.Errorf("counted %+v", c)
	}
}

// However the stream is cut into reads, the same is counted.
func TestCaptured(t *testing.T) {
	whole := captured(t)
	for name, from := range map[string]func() *tally.Total{
		"at once":      func() *tally.Total { return drained(t, iotest.DataErrReader(bytes.NewReader(whole))) },
		"byte by byte": func() *tally.Total { return drained(t, iotest.OneByteReader(bytes.NewReader(whole))) },
		"in halves":    func() *tally.Total { return drained(t, iotest.HalfReader(bytes.NewReader(whole))) },
	} {
		t.Run(name, func(t *testing.T) { checkCaptured(t, from().Counts()) })
	}
}

func drained(t *testing.T, from interface{ Read([]byte) (int, error) }) *tally.Total {
	t.Helper()
	total := tally.New(tally.Config{Checking: true, MaxSpans: 1000})
	if err := drain(from, &walker{}, total); err != nil {
		t.Error(err)
	}
	return total
}

// A stream that ends within a record is told apart from one that ends behind one.
func TestCutOff(t *testing.T) {
	whole := captured(t)
	ends := map[int]bool{0: true}
	w := walker{}
	batch := tally.New(tally.Config{}).Batch()
	for at := 0; at < len(whole); {
		n, err := w.one(batch, whole[at:])
		if err != nil || n == 0 {
			t.Fatalf("at %d: %d, %v", at, n, err)
		}
		at += n
		ends[at] = true
	}
	for n := range whole {
		err := drain(bytes.NewReader(whole[:n]), &walker{}, tally.New(tally.Config{}))
		if (err == nil) != ends[n] {
			t.Errorf("of %d bytes: %v", n, err)
		}
	}
}

// entered writes a string into the registry.
func entered(number uint32, text string) []byte {
	b := binary.BigEndian.AppendUint32(nil, 0xffffffff)
	b = binary.BigEndian.AppendUint32(b, number)
	b = binary.BigEndian.AppendUint32(b, uint32(len(text)))
	return append(b, text...)
}

// Every class of record has the length that its fields say: a span behind it is found.
func TestLayouts(t *testing.T) {
	const operation = "kieker.common.record.controlflow.OperationExecutionRecord"
	for name, l := range layouts {
		b := append(entered(1, name), entered(2, operation)...)
		b = append(b, 0, 0, 0, 1)
		b = append(b, make([]byte, 8)...)
		for _, field := range l.fields {
			if field == 'a' {
				b = append(b, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2)
				continue
			}
			b = append(b, bytes.Repeat([]byte{0}, sizes[field])...)
		}
		b = append(b, 0, 0, 0, 2)
		b = append(b, make([]byte, 8+executionSize)...)
		total := tally.New(tally.Config{})
		err := drain(bytes.NewReader(b), &walker{}, total)
		want := uint64(1)
		if name == operation {
			want = 2
		}
		if c := total.Counts(); err != nil || c.Spans != want {
			t.Errorf("%s: %d spans, %v", name, c.Spans, err)
		}
	}
	if l := layouts[operation]; l.size != executionSize || l.class != execution {
		t.Errorf("an operation is %+v", l)
	}
}

// The sizes are those that Kieker's own classes say (their constant SIZE).
func TestSizes(t *testing.T) {
	text, err := os.ReadFile("testdata/sizes.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, row := range rows {
		name, size, _ := strings.Cut(row, " ")
		if l, known := layoutOf(name); !known || strconv.Itoa(l.size) != size {
			t.Errorf("%s has %d bytes, Kieker says %s", name, l.size, size)
		}
	}
	if len(rows) != len(layouts) {
		t.Errorf("%d layouts, Kieker has %d", len(layouts), len(rows))
	}
}

func TestBadStreams(t *testing.T) {
	tests := []struct {
		name   string
		stream []byte
		want   string
	}{
		{"unknown class", append(entered(1, "my.Record"), 0, 0, 0, 1), `"my.Record" is not one of Kieker 2.0.2`},
		{"no class", []byte{0, 0, 0, 1}, "string 1, which was not sent"},
		{"HTTP", []byte("GET / HTTP/1.1\r\n"), "which was not sent"},
		{"endless string", []byte{255, 255, 255, 255, 0, 0, 0, 1, 127, 0, 0, 0}, errTooLong.Error()},
		{"endless array", append(append(entered(1, "kieker.common.record.remotecontrol.UpdateParameterEvent"),
			0, 0, 0, 1), append(make([]byte, 8+8), 127, 0, 0, 0)...), errArray.Error()},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := drain(bytes.NewReader(test.stream), &walker{}, tally.New(tally.Config{}))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func FuzzStream(f *testing.F) {
	f.Add(captured(f), uint16(100))
	f.Add(append(entered(1, "kieker.common.record.remotecontrol.UpdateParameterEvent"), 0, 0, 0, 1), uint16(1))
	f.Add([]byte{255, 255, 255, 255, 0, 0, 0, 1, 127, 0, 0, 0}, uint16(0))
	f.Fuzz(func(t *testing.T, stream []byte, cut uint16) {
		at := min(int(cut), len(stream))
		whole, halves := tally.New(tally.Config{}), tally.New(tally.Config{})
		err := drain(bytes.NewReader(stream), &walker{}, whole)
		cutErr := drain(&chunks{stream[:at], stream[at:]}, &walker{}, halves)
		if (err == nil) != (cutErr == nil) || whole.Counts().Spans != halves.Counts().Spans {
			t.Errorf("whole: %v, %+v; in two: %v, %+v", err, whole.Counts(), cutErr, halves.Counts())
		}
	})
}

// chunks reads byte slices, one at a time.
type chunks [][]byte

func (c *chunks) Read(p []byte) (int, error) {
	for len(*c) > 0 && len((*c)[0]) == 0 {
		*c = (*c)[1:]
	}
	if len(*c) == 0 {
		return bytes.NewReader(nil).Read(p)
	}
	n := copy(p, (*c)[0])
	(*c)[0] = (*c)[0][n:]
	return n, nil
}
