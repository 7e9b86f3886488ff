package scouter

import (
	"encoding/binary"
	"testing"

	"github.com/tracetax/tracetax/internal/sink/tally"
)

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
