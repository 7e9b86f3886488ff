package hop

import (
	"context"

	"github.com/tracetax/tracetax/internal/record"
)

// Sink is what the sink counted, as a hop's word.
type Sink struct {
	Counts func(context.Context) (record.Counts, error)
}

// Name implements Counter.
func (Sink) Name() string { return bySink }

// Read implements Counter. What came twice was received twice.
func (s Sink) Read(ctx context.Context) (record.Hop, error) {
	c, err := s.Counts(ctx)
	if err != nil {
		return record.Hop{}, err
	}
	return record.Hop{Name: bySink, Source: bySink, Received: &c.Spans, Refused: &c.Rejected}, nil
}
