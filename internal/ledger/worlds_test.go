// Worlds of which everything is known: operations that are sent again or fail, spans that come late, are lost, or are
// reported as lost. No ledger of them may accuse an operation of what it did not lose, or call a number exact that is not.

package ledger

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// world is a tracing and its runs, and what they lost in truth.
type world struct {
	tracing    Tracing
	operations []string
	runs       []Run
	lost       map[string]int64 // by operation, Start and All
}

// deed is what a stretch made, and what became of it.
type deed struct {
	made, lost int
	seen       int   // spans of readiness requests that failed
	comes      []int // spans by the stretch in which they come: of its own, or a later one
}

func newWorld(r *rand.Rand) world {
	spans := map[string]PerOperation{record.ProbeOperation: {Low: 1, High: 1, How: Declared}}
	w := world{lost: map[string]int64{}, tracing: Tracing{Sampling: 1, Spans: spans}}
	switch r.IntN(3) {
	case 1:
		w.tracing.Late = true
	case 2:
		w.tracing.Buffers = 1 + r.IntN(60)
	}
	for i := range 1 + r.IntN(3) {
		name, k := string(rune('a'+i)), float64(1+r.IntN(4))
		per := PerOperation{Low: k, High: k, How: Declared}
		if r.IntN(4) == 0 {
			per.High += 2
		}
		w.operations, w.tracing.Spans[name] = append(w.operations, name), per
	}
	for range 1 + r.IntN(3) {
		w.run(r)
	}
	return w
}

// some is a number that is often none.
func some(r *rand.Rand, most int) int {
	if most <= 0 || r.IntN(3) > 0 {
		return 0
	}
	return r.IntN(most + 1)
}

func (w *world) run(r *rand.Rand) {
	order := r.Perm(len(w.operations))
	run := Run{First: w.operations[order[0]], Start: Stretch{Operation: Start, Started: uint64(r.IntN(4))}}
	run.Start.Completed = run.Start.Started - uint64(some(r, int(run.Start.Started)))
	seen := r.IntN(int(run.Start.Started-run.Start.Completed) + 1) // of the readiness requests that failed, and in time
	deeds := []deed{{made: w.makes(r, run.First, 1) + int(run.Start.Completed), seen: seen}}
	for _, i := range order {
		s := Stretch{Operation: w.operations[i], Started: uint64(20 + r.IntN(40)), Unquiet: r.IntN(4) == 0}
		failed := some(r, 5)
		s.Completed, s.Resent = s.Started-uint64(failed), uint64(some(r, 5))
		answered := int(s.Completed) + r.IntN(failed+1) // of those that failed, some made their spans
		run.Phases = append(run.Phases, s)
		deeds = append(deeds, deed{made: w.makes(r, s.Operation, answered+r.IntN(int(s.Resent)+1))})
	}
	lossy := r.IntN(2) == 0
	for i := range deeds {
		if d := &deeds[i]; lossy && d.seen == 0 {
			d.lost = some(r, d.made)
		}
	}
	dropped := w.arrive(r, run, deeds)
	count := func(to *Stretch, came int) { to.Sink = ids(uint64(came), uint64(came)) }
	stretches := []*Stretch{&run.Start}
	for i := range run.Phases {
		stretches = append(stretches, &run.Phases[i])
	}
	run.Stop.Operation = Stop
	for j, s := range append(stretches, &run.Stop) {
		came := 0
		for _, d := range deeds {
			came += d.comes[j]
		}
		count(s, came)
	}
	if told := some(r, 1); told > 0 {
		n := uint64(r.IntN(dropped + 1)) // it counts all, or some
		if r.IntN(2) == 0 {
			n = uint64(dropped)
		}
		run.Reported.Dropped = &n
	}
	w.runs = append(w.runs, run)
}

// makes is how many spans so many operations make.
func (w *world) makes(r *rand.Rand, operation string, operations int) (sum int) {
	per := w.tracing.Spans[operation]
	for range operations {
		sum += int(per.Low) + r.IntN(int(per.High-per.Low)+1)
	}
	return sum
}

// arrive says when the spans come that are not lost, as late as the tracer holds them, and returns how many are lost.
func (w *world) arrive(r *rand.Rand, run Run, deeds []deed) (lost int) {
	held := make([]int, len(deeds)) // by whose they are
	for i := range deeds {
		deeds[i].comes = make([]int, len(deeds)+1)
		deeds[i].comes[0] = deeds[i].seen
	}
	for at := range deeds {
		held[at] = deeds[at].made - deeds[at].lost
		lost += deeds[at].lost
		name := Start
		if at > 0 {
			name = run.Phases[at-1].Operation
		}
		w.lost[name] += int64(deeds[at].lost)
		w.lost[All] += int64(deeds[at].lost)
		most := 0 // that are still held at its end
		switch {
		case w.tracing.Buffers > 0:
			most = w.tracing.Buffers
		case w.tracing.Late, at == 0, run.Phases[max(0, at-1)].Unquiet:
			most = 1 << 20
		}
		keep := 0
		for i := 0; i <= at; i++ { // those that were there first come first, or not
			stays := min(some(r, held[i]), most-keep)
			if deeds[i].seen > 0 {
				stays = 0
			}
			keep += stays
			deeds[i].comes[at] += held[i] - stays
			held[i] = stays
		}
	}
	for i, n := range held {
		deeds[i].comes[len(deeds)] += n
	}
	return lost
}

// wrong says what the ledgers claim that is not so.
func (w world) wrong() (out []string) {
	for _, l := range Account("v", AppToSink, w.operations, w.tracing, w.runs) {
		if l.Operation == Start || l.Operation == Stop {
			continue
		}
		truth, missing := w.lost[l.Operation], entry(l, Unaccounted)
		says := Reported(l) + max(0, missing.Spans)
		most := says + max(0, missing.High-max(0, missing.Spans))
		switch {
		case says > truth:
			out = append(out, fmt.Sprintf("%s is accused of %d, and lost %d: %s", l.Operation, says, truth, entries(l)))
		case l.Exact && says != truth:
			out = append(out, fmt.Sprintf("%s lost exactly %d, and it was %d: %s", l.Operation, says, truth, entries(l)))
		case most < truth:
			out = append(out, fmt.Sprintf("%s lost at most %d, and it was %d: %s", l.Operation, most, truth, entries(l)))
		}
	}
	return out
}

func TestWorlds(t *testing.T) {
	exact, told := 0, 0
	for seed := range uint64(4000) {
		w := newWorld(rand.New(rand.NewPCG(seed, 56)))
		if wrong := w.wrong(); wrong != nil {
			t.Errorf("world %d: %q", seed, wrong)
		}
		for _, l := range Account("v", AppToSink, w.operations, w.tracing, w.runs) {
			if l.Operation == Start || l.Operation == Stop {
				continue
			}
			if l.Exact {
				exact++
			}
			if l.LostShare > 0 {
				told++
			}
		}
		if t.Failed() && seed > 100 {
			break
		}
	}
	t.Logf("%d pages are exact, %d tell of a loss", exact, told)
	if exact < 100 || told < 100 { // saying nothing is never wrong
		t.Errorf("%d pages are exact, and %d tell of a loss", exact, told)
	}
}

// What the operations of a run lost together for sure is on the page of the run, whichever of them did.
func TestLostByOneOrAnother(t *testing.T) {
	spans := map[string]PerOperation{"a": {Low: 2, High: 2, How: Declared}, "b": {Low: 2, High: 2, How: Declared}}
	for name, c := range map[string]struct {
		late bool
		a, b uint64 // came, of 200 each
		any  bool
		most float64 // of the delivered of b, which may be of a
	}{
		"none, however late":         {true, 200, 200, false, 0},
		"in time":                    {false, 170, 200, false, 0},
		"late":                       {true, 170, 200, true, 30},
		"of both, and none in place": {true, 170, 0, false, 0},
	} {
		run := Run{Start: Stretch{Operation: Start}, Stop: Stretch{Operation: Stop}, Phases: []Stretch{
			{Operation: "a", Started: 100, Completed: 100, Sink: ids(c.a, c.a)}, {Operation: "b", Started: 100, Completed: 100, Sink: ids(c.b, c.b)},
		}}
		tracing := Tracing{Sampling: 1, Late: c.late, Spans: spans}
		ledgers := Account("v", AppToSink, []string{"a", "b"}, tracing, []Run{run})
		of := OfAnyOperation(ledgers, "v")
		if (of != nil) != c.any || OfAnyOperation(ledgers, "w") != nil {
			t.Errorf("%s: %+v", name, of)
		}
		if got := Deliveries(tracing, run)["b"].OfOthers; got != c.most {
			t.Errorf("%s: %g of b may be of a, want %g", name, got, c.most)
		}
	}
}
