package design

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

var duet = Plan{
	Seed: 7, Least: 40, Most: 40, Variants: []string{"none", "otel"},
	Calibrated: []string{"otel"}, Operations: []string{"a", "b", "c"}, Duet: true,
}

// both are the records of a pair.
func both(run Run) []record.Record { return []record.Record{result(run), result(*run.Partner)} }

func TestPairs(t *testing.T) {
	first, history := map[string]int{}, []record.Record{{Kind: record.Calibration, Variant: "otel"}}
	for block := 1; block <= duet.Most; block++ {
		run, more := duet.Next(history)
		if !more || run.Block != block || run.Partner == nil {
			t.Fatalf("after %d blocks: %+v", block-1, run)
		}
		if left := duet.Left(history); left != 2*(duet.Most-block+1) {
			t.Errorf("block %d: %d runs left", block, left)
		}
		partner := *run.Partner
		if run.Variant == partner.Variant || run.Seed != partner.Seed || run.Position != 0 || partner.Position != 1 || partner.Partner != nil {
			t.Errorf("pair %+v, %+v", run, partner)
		}
		if !slices.Equal(run.Phases, partner.Phases) {
			t.Errorf("block %d: the phases of a pair differ: %v, %v", block, run.Phases, partner.Phases)
		}
		first[run.Variant]++
		history = append(history, both(run)...)
	}
	if _, more := duet.Next(history); more {
		t.Error("it goes on after all blocks")
	}
	if first["none"] < 8 || first["otel"] < 8 {
		t.Errorf("who is on the first side: %v of 40; want both often", first)
	}
}

// If one of a pair fails, both are made once more; a variant that fails and fails
// ends the experiment.
func TestPairFails(t *testing.T) {
	p := duet
	p.Calibrated = nil
	var history []record.Record
	var attempts []string
	for {
		run, more := p.Next(history)
		if !more {
			break
		}
		attempts = append(attempts, fmt.Sprintf("%d.%d", run.Block, run.Attempt))
		pair := both(run)
		for i := range pair {
			if pair[i].Variant == "otel" {
				pair[i].Failure = &record.Failure{}
			}
		}
		history = append(history, pair...)
	}
	if want := []string{"1.1", "1.2", "2.1", "2.2"}; !slices.Equal(attempts, want) {
		t.Errorf("attempts %v, want %v", attempts, want)
	}
}

// Half a pair, whose other half was lost when the program was killed, does not
// count: the pair is made again under a new number, and a failure of that one is
// its first.
func TestHalfAPair(t *testing.T) {
	p := duet
	p.Calibrated = nil
	whole, _ := p.Next(nil)
	history := both(whole)[:1]
	again, more := p.Next(history)
	if !more || again.Block != 1 || again.Attempt != 2 || again.Partner.Attempt != 2 || again.Variant != whole.Variant || again.Seed != whole.Seed {
		t.Fatalf("after half a pair: %+v", again)
	}
	pair := both(again)
	pair[0].Failure = &record.Failure{}
	history = append(history, pair...)
	third, more := p.Next(history)
	if !more || third.Block != 1 || third.Attempt != 3 {
		t.Fatalf("after half a pair and a failed one: %+v", third)
	}
	if next, _ := p.Next(append(history, both(third)...)); next.Block != 2 || next.Attempt != 1 {
		t.Errorf("after a good pair: %+v", next)
	}
}
