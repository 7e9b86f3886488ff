package scouter

import (
	"encoding/binary"
	"os"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

// captured returns what the agent 2.0.0 sent on four calls of depth 10, a datagram each,
// its length before it: its name, counters, a profile and an XLog a call, and texts.
func captured(t testing.TB) [][]byte {
	t.Helper()
	b, err := os.ReadFile("testdata/datagrams.bin")
	if err != nil {
		t.Fatal(err)
	}
	var datagrams [][]byte
	for len(b) > 0 {
		n := binary.BigEndian.Uint32(b)
		datagrams = append(datagrams, b[4:4+n])
		b = b[4+n:]
	}
	return datagrams
}

// counted counts datagrams in checking mode.
func counted(t testing.TB, p *packs, datagrams ...[]byte) record.Counts {
	t.Helper()
	total := tally.New(tally.Config{Checking: true, MaxSpans: 10_000})
	for i, d := range datagrams {
		batch := total.Batch()
		if err := p.datagram(batch, d); err != nil {
			t.Fatalf("datagram %d: %v", i, err)
		}
		total.Merge(batch, protocol, int64(len(d)))
	}
	return total.Counts()
}

// A call is an XLog and its methods: 1 + 10.
func TestCaptured(t *testing.T) {
	c := counted(t, &packs{}, captured(t)...)
	if c.Spans != 4*11 || c.Roots != 4 || c.Traces != 4 || c.Orphans != 0 || c.Duplicate != 0 {
		t.Errorf("counted %+v", c)
	}
	if c.Kinds["server"] != 4 || c.Kinds["internal"] != 40 || c.Services["/vm/calls"] != 44 || c.RootNames["service 0cb88208"] != 4 {
		t.Errorf("counted %+v", c)
	}
	if c.Metrics != 2 || c.Logs != 0 || c.Rejected != 0 {
		t.Errorf("beside spans: %+v", c)
	}
}

// Every truncation of every datagram is refused or means fewer packs; none is counted
// for what it is not.
func TestCutOff(t *testing.T) {
	for i, d := range captured(t) {
		for n := range len(d) {
			total := tally.New(tally.Config{})
			batch := total.Batch()
			if err := (&packs{}).datagram(batch, d[:n]); err == nil {
				t.Errorf("datagram %d is accepted with %d of %d bytes", i, n, len(d))
			}
			total.Discard(batch)
		}
		if err := (&packs{}).datagram(tally.New(tally.Config{}).Batch(), append(append([]byte(nil), d...), 0)); err == nil {
			t.Errorf("datagram %d is accepted with a byte too many", i)
		}
	}
}

// pack writes the steps of a profile as a datagram.
func profiled(steps ...byte) []byte {
	d := append([]byte(onePack), packProfile, 0, 0, 0)
	d = append(d, 1, 2, 3, 4, 5, 6, 7, 8, 255)
	d = binary.BigEndian.AppendUint16(d, uint16(len(steps)))
	return append(d, steps...)
}

// single begins a step: without a parent, with its place.
func single(kind, index byte, fields ...byte) []byte {
	return append([]byte{kind, 1, 0xff, 1, index, 0, 0}, fields...)
}

func TestSteps(t *testing.T) {
	tests := []struct {
		name                  string
		steps                 []byte
		spans, merged, client uint64
	}{
		{"method", single(1, 0, 0, 0, 0), 1, 0, 0},
		{"method with error", single(10, 0, 0, 0, 0, 0), 1, 0, 0},
		{"SQL", single(2, 0, 0, 0, 0, 1, 'x', 0), 1, 0, 1},
		{"SQL 2", single(8, 0, 0, 0, 0, 0, 0, 1), 1, 0, 1},
		{"SQL 3", single(16, 0, 0, 0, 0, 0, 0, 1, 0), 1, 0, 1},
		{"message", single(3, 0, 2, 'h', 'i'), 0, 0, 0},
		{"socket", single(5, 0, 4, 127, 0, 0, 1, 1, 80, 0, 0), 1, 0, 1},
		{"call", single(6, 0, 0, 0, 0, 0, 0, 0), 1, 0, 1},
		{"call with address", single(6, 0, 0, 0, 0, 0, 0, 1, 1, 'a'), 1, 0, 1},
		{"call 2", single(15, 0, 0, 0, 0, 0, 0, 1, 1, 'a', 1), 1, 0, 1},
		{"thread", single(7, 0, 0, 0, 0, 0, 0), 1, 0, 0},
		{"dispatch", single(13, 0, 0, 0, 0, 0, 0, 0), 1, 0, 0},
		{"perhaps thread", single(14, 0, 0, 0, 0, 1), 1, 0, 0},
		{"hashed message", single(9, 0, 0, 0, 0), 0, 0, 0},
		{"message with parameters", single(17, 0, 0, 0, 0, 1, 'p'), 0, 0, 0},
		{"dump", single(12, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 0, 0, 0},
		{"methods together", []byte{11, 0, 1, 100, 0, 0}, 1, 99, 0},
		{"SQL together", []byte{21, 0, 1, 2, 0, 0, 0, 0, 0}, 1, 1, 1},
		{"messages together", []byte{31, 0, 1, 2}, 0, 0, 0},
		{"sockets together", []byte{42, 0, 0, 1, 2, 0, 0}, 1, 1, 1},
		{"calls together", []byte{43, 0, 1, 5, 0, 0, 0, 0}, 1, 4, 1},
		{"control", []byte{99, 0, 0}, 0, 0, 0},
		{"two", append(single(1, 0, 0, 0, 0), single(1, 1, 0, 0, 0)...), 2, 0, 0},
	}
	seen := map[byte]bool{}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := counted(t, &packs{}, profiled(test.steps...))
			if c.Spans != test.spans || c.Merged != test.merged || c.Kinds["client"] != test.client || c.Roots != 0 {
				t.Errorf("counted %+v", c)
			}
		})
		seen[test.steps[0]] = true
	}
	for kind := range forms {
		if !seen[kind] {
			t.Errorf("step %d is not tested", kind)
		}
	}
	err := (&packs{}).datagram(tally.New(tally.Config{}).Batch(), profiled(77))
	if err == nil || err.Error() != "a step of type 77 of a profile is unknown, cut off or broken" {
		t.Errorf("of an unknown step: %v", err)
	}
}

// Packs that hold no call are passed over to their last byte.
func TestOtherPacks(t *testing.T) {
	long := make([]byte, 8)
	nested := []byte{valueMap, 1, 2, 1, 'a', valueList, 1, 2, valueNull, valueBoolean, 1, 1, 'b', valueTexts, 0, 1, 1, 'c'}
	tests := map[string][]byte{
		"map":         {packMap, 1, 1, 1, 'k', valueDecimal, 1, 5},
		"status":      append([]byte{packStatus, 0, 1, 'j', 0, 1, 'k'}, nested...),
		"stack":       {packStack, 0, 0, 2, 1, 2},
		"summary":     append([]byte{packSummary, 0, 0, 0, 0, 1, 1, 'j', 1}, nested...),
		"batch":       {packBatch, 3, 1, 2, 3},
		"interaction": append(append([]byte{packInteraction}, append(long, 0, 0)...), append(make([]byte, 28), valueNull)...),
		"alert":       append(append([]byte{packAlert}, long...), 1, 0, 0, 0, 0, 1, 0, 0, valueMap, 0),
		"text":        {packText, 1, 't', 0, 0, 0, 1, 254, 0, 0, 0, 1, 'x'},
	}
	all := append([]byte(manyPacks), 0, byte(len(tests)))
	for name, pack := range tests {
		if c := counted(t, &packs{}, append([]byte(onePack), pack...)); c.Spans != 0 || c.Requests != 1 {
			t.Errorf("%s: counted %+v", name, c)
		}
		all = append(all, pack...)
	}
	if c := counted(t, &packs{}, all); c.Logs != 1 {
		t.Errorf("together: counted %+v", c)
	}
}

func FuzzDatagram(f *testing.F) {
	for _, d := range captured(f) {
		f.Add(d)
	}
	f.Add(profiled(11, 0, 1, 100, 0, 0))
	f.Add(piece(7, 2, 0, []byte{packXLog}))
	total := tally.New(tally.Config{})
	f.Fuzz(func(t *testing.T, datagram []byte) {
		p := &packs{pieces: pieces{limit: 1 << 16}}
		batch := total.Batch()
		defer total.Discard(batch)
		for range 3 { // pieces come more than once
			_ = p.datagram(batch, datagram)
		}
		if batch.Spans > uint64(3*len(datagram)) {
			t.Errorf("%d spans in %d bytes", batch.Spans, len(datagram))
		}
	})
}

// piece writes a piece of a pack as a datagram.
func piece(id uint64, total, number uint16, bytes []byte) []byte {
	d := append([]byte(onePiece), 0, 0, 0, 1)
	d = binary.BigEndian.AppendUint64(d, id)
	d = binary.BigEndian.AppendUint16(d, total)
	d = binary.BigEndian.AppendUint16(d, number)
	d = append(d, 255)
	d = binary.BigEndian.AppendUint16(d, uint16(len(bytes)))
	return append(d, bytes...)
}

// Packs in pieces, in any order and twice, are the same as whole.
func TestPieces(t *testing.T) {
	profile := captured(t)[2][4:]
	cut := len(profile) / 3
	pieces := [][]byte{
		piece(7, 3, 2, profile[2*cut:]),
		piece(8, 2, 1, profile[cut:]),
		piece(7, 3, 0, profile[:cut]),
		piece(7, 3, 0, profile[:cut]),
		piece(8, 2, 0, profile[:cut]),
		piece(7, 3, 1, profile[cut:2*cut]),
	}
	p := packs{}
	p.pieces.limit = 1 << 16
	if c := counted(t, &p, pieces[:3]...); c.Spans != 0 || c.Requests != 3 {
		t.Errorf("of incomplete packs: %+v", c)
	}
	if c := counted(t, &p, pieces[3:5]...); c.Spans != 10 {
		t.Errorf("with one complete: %+v", c)
	}
	if c := counted(t, &p, pieces[5:]...); c.Spans != 10 {
		t.Errorf("with the other complete: %+v", c)
	}
	if p.pieces.held != 0 || len(p.pieces.packs) != 0 {
		t.Errorf("held for nothing: %d bytes, %d packs", p.pieces.held, len(p.pieces.packs))
	}
}

// Pieces that never become a pack take bounded memory, and are told.
func TestPiecesAreGivenUp(t *testing.T) {
	p := pieces{limit: 10_000}
	for i := range uint64(1000) {
		if whole, err := p.add(reader{rest: piece(i, 2, 0, make([]byte, 100))[4:]}); whole != nil || err != nil {
			t.Fatalf("piece %d: %v, %v", i, whole, err)
		}
		if p.held > p.limit+200 {
			t.Fatalf("%d bytes held", p.held)
		}
	}
	if p.gaveUp+len(p.packs) != 1000 || p.gaveUp < 900 {
		t.Errorf("%d given up, %d held", p.gaveUp, len(p.packs))
	}
}

// One that never becomes a pack does not let the order of the others grow.
func TestOrderIsBounded(t *testing.T) {
	p := pieces{limit: 1 << 20}
	if _, err := p.add(reader{rest: piece(0, 2, 0, []byte{1})[4:]}); err != nil {
		t.Fatal(err)
	}
	for i := range uint64(3 * maxOrder) {
		if whole, err := p.add(reader{rest: piece(i+1, 1, 0, []byte{1})[4:]}); whole == nil || err != nil {
			t.Fatalf("piece %d: %v, %v", i, whole, err)
		}
	}
	if len(p.order) > maxOrder || p.gaveUp != 1 || p.held != 0 {
		t.Errorf("%d in order, %d given up, %d bytes", len(p.order), p.gaveUp, p.held)
	}
}

func TestBadPieces(t *testing.T) {
	p := packs{pieces: pieces{limit: 1 << 20}}
	batch := tally.New(tally.Config{}).Batch()
	if err := p.datagram(batch, piece(1, 3, 0, []byte{1})); err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string][]byte{
		"beyond the last":  piece(2, 2, 2, nil),
		"of none":          piece(2, 0, 0, nil),
		"of too many":      piece(2, maxPieces+1, 0, nil),
		"of another total": piece(1, 2, 1, []byte{1}),
	} {
		if err := p.datagram(batch, d); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
