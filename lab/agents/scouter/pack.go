// This file walks packs where they lie.

package scouter

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/tracetax/tracetax/internal/sink/tally"
)

// What a datagram begins with.
const (
	onePack   = "CAFE"
	manyPacks = "CAFN"
	onePiece  = "CAFM"

	// The same, as other agents write it.
	onePackJava   = "JAVA"
	manyPacksJava = "JAVN"
	onePieceJava  = "JMTU"
)

// The types of pack.
const (
	packMap         = 10
	packXLog        = 21
	packProfile     = 26
	packText        = 50
	packCounter     = 60
	packStatus      = 61
	packStack       = 62
	packSummary     = 63
	packBatch       = 64
	packInteraction = 65
	packAlert       = 70
	packObject      = 80
)

var (
	errDatagram = errors.New("a datagram begins with none of Scouter's words")
	errPack     = errors.New("a pack is cut off or broken")
	errMore     = errors.New("there is more in a datagram than packs")
)

// packs counts datagrams. It is used by one goroutine.
type packs struct {
	pieces  pieces
	objects map[uint32]string // the names of those that send, by their hash
}

// datagram counts what a datagram holds.
func (p *packs) datagram(batch *tally.Batch, datagram []byte) error {
	r := reader{rest: datagram}
	switch string(r.take(4)) {
	case onePack, onePackJava:
		return p.alone(batch, r.rest)
	case manyPacks, manyPacksJava:
		return p.many(batch, r)
	case onePiece, onePieceJava:
		whole, err := p.pieces.add(r)
		if whole == nil || err != nil {
			return err
		}
		return p.alone(batch, whole)
	}
	return errDatagram
}

func (p *packs) alone(batch *tally.Batch, pack []byte) error {
	r := reader{rest: pack}
	if err := p.pack(batch, &r); err != nil {
		return err
	}
	return end(r)
}

func (p *packs) many(batch *tally.Batch, r reader) error {
	for n := r.short(); n > 0; n-- {
		if err := p.pack(batch, &r); err != nil {
			return err
		}
	}
	return end(r)
}

func end(r reader) error {
	switch {
	case r.broken:
		return errPack
	case len(r.rest) > 0:
		return errMore
	}
	return nil
}

// pack counts one pack.
func (p *packs) pack(batch *tally.Batch, r *reader) error {
	var err error
	switch kind := r.byte(); kind {
	case packXLog:
		err = p.xlog(batch, r.blob())
	case packProfile:
		err = p.profile(batch, r)
	case packObject:
		p.object(r)
	case packText:
		r.blob()
		r.take(4)
		r.blob()
	case packCounter:
		r.take(8)
		r.blob()
		r.take(1)
		r.value(0)
		batch.Metrics++
	case packAlert:
		r.take(8 + 1)
		r.blob()
		r.take(4)
		r.blob()
		r.blob()
		r.value(0)
		batch.Logs++
	default:
		rare(kind, r)
	}
	if err == nil && r.broken {
		err = errPack
	}
	return err
}

// rare passes over packs that say something of an agent beside its calls.
func rare(kind byte, r *reader) {
	switch kind {
	case packMap:
		r.list(0, true)
	case packStatus:
		r.decimal()
		r.blob()
		r.decimal()
		r.blob()
		r.value(0)
	case packStack:
		r.decimal()
		r.decimal()
		r.blob()
	case packSummary:
		r.decimal()
		r.take(4)
		r.blob()
		r.take(1)
		r.value(0)
	case packBatch:
		r.blob()
	case packInteraction:
		r.take(8)
		r.blob()
		r.blob()
		r.take(4*5 + 8)
		r.value(0)
	default:
		r.rest, r.broken = nil, true
	}
}

// maxObjects bounds the names that are held.
const maxObjects = 1000

// object keeps the name of a sender, which sends it at its start and every few
// seconds.
func (p *packs) object(r *reader) {
	r.blob() // its type
	hash := uint32(r.decimal())
	name := r.blob()
	r.blob() // its address
	r.blob() // its version
	r.take(1)
	r.decimal()
	r.value(0)
	if _, known := p.objects[hash]; r.broken || known || len(p.objects) == maxObjects {
		return
	}
	if p.objects == nil {
		p.objects = make(map[uint32]string)
	}
	p.objects[hash] = string(name)
}

// The fields of an XLog that are read stand first.
const badXLog = "the XLog has no id"

// xlog counts the record of a call. The name of what was called comes apart, and often
// later: its hash stands for it.
func (p *packs) xlog(batch *tally.Batch, fields []byte) error {
	r := reader{rest: fields}
	r.decimal() // when it ended
	object := uint32(r.decimal())
	name := serviceName(uint32(r.decimal()))
	id := r.take(8)
	caller := r.take(8)
	r.take(8) // of the first call of all
	switch {
	case r.broken:
		return errPack
	case binary.BigEndian.Uint64(id) == 0:
		batch.Reject(badXLog)
		return nil
	}
	before := batch.Spans
	batch.Span(&tally.Span{Trace: id, ID: id, Name: name[:], Kind: tally.Server, Loose: true, Child: binary.BigEndian.Uint64(caller) != 0})
	batch.Service([]byte(p.objects[object]), batch.Spans-before)
	return nil
}

func serviceName(hash uint32) [16]byte {
	name := [16]byte([]byte("service 00000000"))
	var b [4]byte
	binary.BigEndian.PutUint32(b[:], hash)
	hex.Encode(name[8:], b[:])
	return name
}

// profile counts the steps of a call.
func (p *packs) profile(batch *tally.Batch, r *reader) error {
	r.decimal() // when it ended
	object := uint32(r.decimal())
	r.decimal() // what was called
	id := r.take(8)
	steps := reader{rest: r.blob()}
	if r.broken {
		return errPack
	}
	before := batch.Spans
	for len(steps.rest) > 0 {
		if kind := steps.byte(); !step(batch, id, kind, &steps) {
			return fmt.Errorf("a step of type %d of a profile is unknown, cut off or broken", kind)
		}
	}
	batch.Service([]byte(p.objects[object]), batch.Spans-before)
	return nil
}
