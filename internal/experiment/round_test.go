package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// farm makes so many blocks at the same time, those of a higher number in less time.
type farm struct {
	places int
	fail   func(name string) error

	mu    sync.Mutex
	busy  int
	most  int // that were made at the same time
	asked []string
}

func (f *farm) Places() int { return f.places }

func (f *farm) Run(ctx context.Context, q run.Request) (record.Record, error) {
	all, err := f.Block(ctx, []run.Request{q})
	if err != nil {
		return record.Record{}, err
	}
	return all[0], nil
}

func (f *farm) Block(ctx context.Context, requests []run.Request) ([]record.Record, error) {
	name := requests[0].Name
	f.mu.Lock()
	f.asked = append(f.asked, name)
	f.busy++
	f.most = max(f.most, f.busy)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.busy--
	}()
	var block int
	_, _ = fmt.Sscanf(name, "%03d-", &block) // 0 before the first one
	began := time.Now()
	if f.fail != nil {
		if err := f.fail(name); err != nil {
			return nil, err
		}
	}
	select {
	case <-time.After(time.Duration(100-block) * time.Second):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	var made []record.Record
	for _, q := range requests {
		r := (&script{}).record(q)
		r.Started, r.Ended = began, time.Now()
		made = append(made, r)
	}
	return made, nil
}

// onFarm is an experiment of seven blocks with as many places.
func onFarm(f *farm, to Keeper) *Loop {
	l := newLoop(f, to)
	l.Experiment.Design.Blocks, l.Experiment.Design.Order = 7, config.Windows
	l.Experiment.Target.Kubernetes.Nodes = f.places
	return l
}

func blocksOf(history []record.Record) (out []int) {
	for _, r := range history {
		out = append(out, r.Block)
	}
	return out
}

// Blocks are made as many at the same time as there are places, and kept in their order, whichever ends first.
func TestRounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, keeper := &farm{places: 3}, &kept{}
		l := onFarm(f, keeper)
		var besides []int
		var left []time.Duration
		l.Observe = func(e Event) {
			if e.Begun {
				besides, left = append(besides, e.Besides), append(left, e.Left)
			}
		}
		began := time.Now()
		history, err := l.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if took, want := time.Since(began), (100+99+96+93)*time.Second; took != want || f.most != 3 {
			t.Errorf("it took %v with %d at the same time, want %v with 3", took, f.most, want)
		}
		want := []int{0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7}
		if !slices.Equal(blocksOf(history), want) || !slices.Equal(blocksOf(keeper.records), want) {
			t.Errorf("blocks %v, kept %v", blocksOf(history), blocksOf(keeper.records))
		}
		if !slices.Equal(besides, []int{0, 2, 2, 0}) {
			t.Errorf("%v more begin with each", besides)
		}
		// After the first round a block takes some 98 s: four more take two rounds, less the place that one leaves free.
		if about := left[2]; about < 2*time.Minute || about > 3*time.Minute {
			t.Errorf("%v are left after the first round", about)
		}
	})
}

// An error in one block ends the round: those under way are given up, and what is whole by then is kept, in the order of its blocks.
func TestRoundThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("no node is left")
		f, keeper := &farm{places: 3, fail: func(name string) error {
			if name[:3] == "002" {
				return broken
			}
			return nil
		}}, &kept{}
		_, err := onFarm(f, keeper).Run(t.Context(), nil)
		if got := blocksOf(keeper.records); !errors.Is(err, broken) || !slices.Equal(got, []int{0, 1, 1, 3, 3}) {
			t.Errorf("%v; kept are blocks %v", err, got)
		}
		f = &farm{places: 3}
		history, err := onFarm(f, keeper).Run(t.Context(), keeper.records)
		if got := f.asked; err != nil || len(history) != 15 || len(got) != 5 || slices.Min(got)[:3] != "002" {
			t.Errorf("%v; gone on with %v", err, got)
		}
	})
}

// Where the first block of a round ends with an error the others are given up at once.
func TestRoundIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("no node is left")
		f, keeper := &farm{places: 3, fail: func(name string) error {
			if name[:3] == "001" {
				return broken
			}
			return nil
		}}, &kept{}
		began := time.Now()
		_, err := onFarm(f, keeper).Run(t.Context(), nil)
		if took := time.Since(began); !errors.Is(err, broken) || len(keeper.records) != 1 || took != 100*time.Second || f.busy > 0 {
			t.Errorf("%v after %v, of which the calibration takes 100 s; %d records are kept, %d blocks are under way", err, took, len(keeper.records), f.busy)
		}
	})
}

// Where nothing more can be kept, nothing more is.
func TestRoundOnAFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		keeper := &kept{room: 3}
		history, err := onFarm(&farm{places: 3}, keeper).Run(t.Context(), nil)
		if err == nil || len(history) != 3 || len(keeper.records) != 3 {
			t.Errorf("%v; %d records, %d kept", err, len(history), len(keeper.records))
		}
	})
}

// A round is of one sitting.
func TestRoundsOfSittings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := onFarm(&farm{places: 5}, &kept{})
		l.Experiment.Design.Blocks, l.Experiment.Design.Sittings, l.Experiment.Design.Pause = 6, 2, time.Hour
		var besides []int
		l.Observe = func(e Event) {
			if e.Begun && e.Waits.IsZero() {
				besides = append(besides, e.Besides)
			}
		}
		began := time.Now()
		if _, err := l.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); !slices.Equal(besides, []int{0, 2, 2}) || took < time.Hour {
			t.Errorf("%v more begin with each; it took %v", besides, took)
		}
	})
}

// What is foreseen is the time of the rounds.
func TestForeseenRounds(t *testing.T) {
	for _, c := range []struct{ blocks, nodes, want int }{{40, 5, 8}, {41, 5, 9}, {10, 0, 10}, {10, 1, 10}, {3, 50, 1}} {
		e := &config.Experiment{}
		e.Target.Kubernetes.Nodes = c.nodes
		if got := rounds(e, c.blocks); got != c.want {
			t.Errorf("%d blocks on %d nodes: %d rounds, want %d", c.blocks, c.nodes, got, c.want)
		}
	}
}
