// A task that several generators carry out together.
//
// They make the operations that one generator would make, at the same moments: each computes the whole schedule, as the threads of a
// generator do, and makes every so-many-th operation of it. So rates, counts, choices, rows of data and the properties of the arrivals
// are those of the whole task, exactly, for any number of generators. They begin together by their own clocks, which are compared with
// this process's before each task: their moments agree to about half of a round trip.

package load

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// Among is a generator's place among those that carry out a task together.
type Among struct {
	Of    int   `json:"of"`    // generators, from 2
	Place int   `json:"place"` // of this one, from 0
	Begin int64 `json:"begin"` // ns since 1970 by this generator's clock: the task begins then, for all of them
}

// among returns the number of a thread among those of all generators, and how many these are.
func (t Task) among(thread int) (nth, of int) {
	if t.Among == nil {
		return thread, t.Threads
	}
	return t.Among.Place*t.Threads + thread, t.Among.Of * t.Threads
}

// Open returns how many connections a thread of this generator may have open.
func (t Task) Open(thread int) int {
	nth, of := t.among(thread)
	return int(Share(uint64(t.Connections), nth, of))
}

// OpenOfAll returns how many all threads of this generator may have open.
func (t Task) OpenOfAll() (sum int) {
	for thread := range t.Threads {
		sum += t.Open(thread)
	}
	return sum
}

// FirstOpen returns the number of this generator's first connection among those of all generators, from 0.
func (t Task) FirstOpen() (before int) {
	first, of := t.among(0)
	for nth := range first {
		before += int(Share(uint64(t.Connections), nth, of))
	}
	return before
}

// Start returns when a task begins that might begin at a time, and its slices as of then.
func (t Task) Start(earliest time.Time) (time.Time, *Slices) {
	switch {
	case t.Among != nil:
		return earliest.Add(time.Duration(t.Among.Begin - earliest.UnixNano())), t.Slices
	case t.Slices != nil:
		start, from := t.Slices.Begin(earliest)
		return start, &from
	}
	return earliest, nil
}

// Parts divides a task among so many generators. A task with fewer connections than generators has fewer parts: each has a connection
// at least, and one that makes one operation at a time is made by the first generator alone.
func Parts(t Task, generators int) []Task {
	t = t.WithDefaults()
	parts := make([]Task, max(1, min(generators, t.Connections/t.Threads)))
	for i := range parts {
		parts[i] = t
		if len(parts) > 1 {
			parts[i].Among = &Among{Of: len(parts), Place: i}
		}
		if t.Traces != nil {
			ids := *t.Traces
			ids.Of, ids.Place = generators, i
			parts[i].Traces = &ids
		}
	}
	return parts
}

// Member is one of several generators.
type Member interface {
	Doer
	// Ahead returns how far its clock is ahead of this process's, and how far that may be off.
	Ahead(context.Context) (ahead, within time.Duration, err error)
	Close() error
}

// Spread is several generators that carry out each task together. It carries out one at a time.
type Spread []Member

// Do implements Doer. The error of one generator ends the work of all, and is the error of the whole, with the load until then.
func (s Spread) Do(ctx context.Context, t Task) (record.Load, error) {
	parts := Parts(t, len(s))
	if err := s.begin(ctx, parts); err != nil {
		return record.Load{}, err
	}
	within, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	loads := make([]record.Load, len(parts))
	var working sync.WaitGroup
	for i, part := range parts {
		working.Go(func() {
			var err error
			if loads[i], err = s[i].Do(within, part); err != nil {
				giveUp(err) // of several errors the first: the others follow from it
			}
		})
	}
	working.Wait()
	l, err := merge(parts, loads)
	if within.Err() != nil {
		err = errors.Join(context.Cause(within), err)
	}
	return l, err
}

// The moment at which generators begin together.
const (
	together   = 10 * time.Millisecond // until a task has come to all of them, and has been prepared
	roundTrips = 4                     // besides, for the way there
	perByte    = 100                   // ns besides, for what the task holds
	unsliced   = 4                     // clocks may be off by this part of a slice
)

// begin has all parts begin at the same moment, and share their slices.
func (s Spread) begin(ctx context.Context, parts []Task) error {
	if len(parts) < 2 {
		return nil
	}
	aheads, withins, errs := make([]time.Duration, len(parts)), make([]time.Duration, len(parts)), make([]error, len(parts))
	var asking sync.WaitGroup
	for i := range parts {
		asking.Go(func() { aheads[i], withins[i], errs[i] = s[i].Ahead(ctx) })
	}
	asking.Wait()
	worst := time.Duration(0)
	for i, err := range errs {
		if err != nil {
			return err
		}
		worst = max(worst, withins[i])
	}
	at := time.Now().Add(together + roundTrips*worst + perByte*time.Duration(sizeOf(parts[0].Operations)))
	if sliced := parts[0].Slices; sliced != nil {
		if worst > sliced.Length/unsliced {
			return fmt.Errorf("the clocks of the load generators are known to %v, and variants have slices of %v in turn: "+
				"have the generators nearer to the programs, or write order: windows", worst, sliced.Length)
		}
		begins, from := sliced.Begin(at)
		at = begins
		for i := range parts {
			parts[i].Slices = &from
		}
	}
	for i := range parts {
		parts[i].Among.Begin = at.UnixNano() + int64(aheads[i])
	}
	return nil
}

// sizeOf returns about how many bytes requests are as they cross to a generator.
func sizeOf(all []Request) (bytes int) {
	for _, r := range all {
		bytes += len(r.Body) + len(r.Schema) + sizeOf(r.Then)
	}
	return bytes
}

// merge adds up what the generators did at the same time: their wall time reaches from the first intended start of all to the last end.
func merge(parts []Task, loads []record.Load) (record.Load, error) {
	earliest, begins := math.Inf(1), make([]float64, len(loads))
	for i, l := range loads {
		if l.Intended > 0 {
			begins[i] = parts[i].first().Seconds()
			earliest = min(earliest, begins[i])
		}
	}
	for i := range loads {
		if loads[i].Intended > 0 {
			loads[i].WallSeconds += begins[i] - earliest
		}
	}
	return record.AtOnce(loads...)
}

// first returns the intended start of a task's first operation.
func (t Task) first() time.Duration {
	at := Never
	for thread := range t.Threads {
		at = min(at, NewFeeder(t, thread).Wake(0))
	}
	return at
}

// Close ends all generators.
func (s Spread) Close() error {
	var errs []error
	for _, one := range s {
		errs = append(errs, one.Close())
	}
	return errors.Join(errs...)
}
