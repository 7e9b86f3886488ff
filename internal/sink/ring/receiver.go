// Package ring counts the spans that traced programs write into a folder of rings. It must not know how rings are read, the workload,
// or what was expected.
package ring

import (
	"context"
	"errors"
	"fmt"

	rings "github.com/tracetax/tracetax/internal/ring"
	"github.com/tracetax/tracetax/internal/sink/tally"
)

// Receiver reads a folder of rings, and counts in a tally. A program is a request, whose bytes are its events'.
type Receiver struct {
	total  *tally.Total
	reader *rings.Reader
	ctx    context.Context
	end    context.CancelFunc

	programs map[*rings.Program]*program
	refused  int    // that were counted
	leftOut  uint64 // likewise
}

// program holds the counts and names of one program.
type program struct {
	taken   uint64
	service []byte
	names   [][]byte // of spans, by the number of their method
}

const protocol = "ring"

// spanBytes are the bytes of a span's two events.
const spanBytes = 16

// unnamed is the service of a program that has no name, as OpenTelemetry calls it.
const unnamed = "unknown_service:java"

// Open takes a folder, which it makes where it is missing.
func Open(total *tally.Total, folder string) (*Receiver, error) {
	reader, err := rings.Open(folder)
	if err != nil {
		return nil, err
	}
	r := &Receiver{total: total, reader: reader, programs: map[*rings.Program]*program{}}
	r.ctx, r.end = context.WithCancel(context.Background())
	return r, nil
}

// Serve reads until Close.
func (r *Receiver) Serve() error {
	err := r.reader.Run(r.ctx, r, nil)
	return errors.Join(err, r.reader.Close())
}

// Close ends the reading.
func (r *Receiver) Close() error {
	r.end()
	return nil
}

// Take counts spans.
func (r *Receiver) Take(p *rings.Program, spans []rings.Span) error {
	r.total.Arrived()
	defer r.total.Finished()
	own := r.programs[p]
	if own == nil {
		own = newProgram(p)
		r.programs[p] = own
		r.total.Note(protocol, 0)
	}
	b := r.total.Batch()
	var one tally.Span
	for i := range spans {
		s := &spans[i]
		one = tally.Span{Trace: s.Trace[:], ID: s.ID[:], Parent: s.Parent[:], Name: own.name(s.Method), Kind: tally.Internal}
		b.Span(&one)
	}
	b.Service(own.service, b.Spans)
	r.total.Part(b, int64(len(spans))*spanBytes)
	own.taken += uint64(len(spans))
	return nil
}

// Rest counts the rings that cannot be read as refused requests, and the calls that programs left out.
func (r *Receiver) Rest() error {
	if left := r.reader.LeftOut(); left > r.leftOut {
		r.total.LeftOut(left - r.leftOut)
		r.leftOut = left
	}
	refused := r.reader.Refused()
	for _, why := range refused[r.refused:] {
		r.total.Refuse(fmt.Sprintf("reading rings: %s", why))
	}
	r.refused = len(refused)
	return nil
}

// Settled returns all that was counted.
func (r *Receiver) Settled(p *rings.Program) uint64 {
	own := r.programs[p]
	if own == nil {
		return 0
	}
	return own.taken
}

// Forget drops what is kept of a program.
func (r *Receiver) Forget(p *rings.Program) { delete(r.programs, p) }

func newProgram(p *rings.Program) *program {
	service := p.Service
	if service == "" {
		service = p.Resource["service.name"]
	}
	if service == "" {
		service = unnamed
	}
	return &program{service: []byte(service)}
}

func (p *program) name(m *rings.Method) []byte {
	if m.Number >= len(p.names) {
		p.names = append(p.names, make([][]byte, m.Number+1-len(p.names))...)
	}
	if p.names[m.Number] == nil {
		p.names[m.Number] = []byte(m.SpanName())
	}
	return p.names[m.Number]
}
