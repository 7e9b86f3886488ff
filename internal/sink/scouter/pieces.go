// This file puts packs together that came in pieces.

package scouter

import "errors"

// pieces holds the packs of which pieces are missing. The oldest make room for new
// ones: a piece that was lost on the way never comes.
type pieces struct {
	limit  int64 // bytes held at most
	gaveUp int   // packs that made room

	held  int64
	packs map[pieceKey]*partial
	order []pieceKey // oldest first; those that are complete stay until they are the oldest
}

type pieceKey struct {
	object uint32
	id     uint64
}

type partial struct {
	pieces  [][]byte
	missing int
	size    int64
}

const (
	maxPieces    = 1 << 12 // of a pack
	pieceMemory  = 24      // bytes that a piece costs beside itself
	maxOrder     = 1 << 12 // packs that a pack is waited for while they come
	maxWholePack = 4 << 20 // bytes
)

var errPiece = errors.New("a piece of a pack is cut off or broken, or does not fit the others")

// add takes a piece, and returns the pack if it was the last.
func (p *pieces) add(r reader) ([]byte, error) {
	key := pieceKey{object: r.int(), id: uint64(r.int())<<32 | uint64(r.int())}
	total, number := int(r.short()), int(r.short())
	piece := r.blob()
	if end(r) != nil || total > maxPieces || number >= total {
		return nil, errPiece
	}
	whole := p.of(key, total)
	if len(whole.pieces) != total || whole.size+int64(len(piece)) > maxWholePack {
		return nil, errPiece
	}
	if whole.pieces[number] != nil {
		return nil, nil // it came twice
	}
	whole.pieces[number] = append(make([]byte, 0, len(piece)), piece...)
	whole.size += int64(len(piece))
	whole.missing--
	p.held += int64(len(piece))
	if whole.missing > 0 {
		p.makeRoom(key)
		return nil, nil
	}
	p.forget(key)
	p.makeRoom(key)
	return join(whole), nil
}

func join(whole *partial) []byte {
	pack := make([]byte, 0, whole.size)
	for _, piece := range whole.pieces {
		pack = append(pack, piece...)
	}
	return pack
}

// of returns the pack that a piece is of.
func (p *pieces) of(key pieceKey, total int) *partial {
	if whole, ok := p.packs[key]; ok {
		return whole
	}
	if p.packs == nil {
		p.packs = make(map[pieceKey]*partial)
	}
	whole := &partial{pieces: make([][]byte, total), missing: total}
	p.packs[key] = whole
	p.order = append(p.order, key)
	p.held += int64(total) * pieceMemory
	return whole
}

func (p *pieces) forget(key pieceKey) {
	whole := p.packs[key]
	p.held -= whole.size + int64(len(whole.pieces))*pieceMemory
	delete(p.packs, key)
}

// makeRoom gives up the oldest packs while too much is held.
func (p *pieces) makeRoom(newest pieceKey) {
	for len(p.order) > 0 {
		oldest := p.order[0]
		_, waiting := p.packs[oldest]
		if waiting && (oldest == newest || p.held <= p.limit && len(p.order) <= maxOrder) {
			return
		}
		p.order = p.order[1:]
		if waiting {
			p.forget(oldest)
			p.gaveUp++
		}
	}
}
