package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// kinds are the kinds of experiments, each with what it changes in a loop.
var kinds = map[string]func(*Loop){
	"blocks": func(*Loop) {},
	"levels": func(s *Loop) { s.Experiment.Load.Levels = []int{1, 2, 4} },
	"search": func(s *Loop) { s.Experiment.Load.Capacity = &config.RateSearch{Goal: config.GoalCPU, CPU: 0.75} },
	"relative": func(s *Loop) {
		s.Experiment.Load.Relative = &config.Relative{Share: 0.5, Search: config.RateSearch{Goal: config.GoalCPU, CPU: 0.75}}
	},
	"precision": func(s *Loop) {
		s.Experiment.Design.Blocks, s.Experiment.Design.Most = 2, 6
		s.Precise = after(4)
	},
	"windows": func(s *Loop) { s.Experiment.Design.Order = config.Windows },
	"spoiled": func(s *Loop) { s.Spoiled = func([]record.Record) (int, error) { return 1, nil } },
	"all but a search": func(s *Loop) {
		s.Experiment.Design.Blocks, s.Experiment.Design.Most, s.Experiment.Design.Order = 2, 6, config.Windows
		s.Experiment.Load.Relative = &config.Relative{Share: 0.5, Search: config.RateSearch{Goal: config.GoalCPU, CPU: 0.75}}
		s.Precise = after(3)
	},
}

// after is a precision that is reached after so many blocks.
func after(blocks int) func([]record.Record) (bool, error) {
	return func(history []record.Record) (bool, error) {
		last := 0
		for i := range history {
			last = max(last, history[i].Block)
		}
		return last >= blocks, nil
	}
}

// capacities is what the pilots of a script find.
func capacities(variant, operation string) record.Search {
	rate := 1000.0
	if variant == "otel" {
		rate = 600
	}
	if operation == "b" {
		rate /= 2
	}
	return record.Search{Outcome: record.Found, Rate: rate, Passing: rate}
}

func blockScript() *blocks { return &blocks{script{does: capacities}} }

// told is what matters of a request.
func told(q run.Request) string {
	text := q.Name + ":"
	for _, p := range q.Phases {
		text += fmt.Sprintf(" %s %v %g/s %d", p.Operation.Name, p.Parameter, p.Load.Rate, p.Load.Connections)
	}
	return text
}

func allTold(requests []run.Request) []string {
	var out []string
	for _, q := range requests {
		out = append(out, told(q))
	}
	return out
}

// An interruption at any run loses that run, or that pair, alone: going on gives
// the same runs at the same loads as if there had been none.
func TestResume(t *testing.T) {
	for name, change := range kinds {
		whole := blockScript()
		s := newLoop(whole, &kept{})
		change(s)
		if _, err := s.Run(context.Background(), nil); err != nil {
			t.Fatal(name, err)
		}
		for _, at := range whole.starts {
			t.Run(fmt.Sprint(name, " at ", at), func(t *testing.T) {
				first, keeper := blockScript(), &kept{}
				first.stop = func(n int) bool { return n >= at }
				s := newLoop(first, keeper)
				change(s)
				_, err := s.Run(context.Background(), nil)
				if final := new(FinalError); !errors.Is(err, errInterrupted) || errors.As(err, &final) {
					t.Fatalf("the interruption gave %v", err)
				}
				second := blockScript()
				s = newLoop(second, keeper)
				change(s)
				if _, err := s.Run(context.Background(), keeper.records); err != nil {
					t.Fatal(err)
				}
				if got, want := allTold(slices.Concat(first.seen, second.seen)), allTold(whole.seen); !slices.Equal(got, want) {
					t.Errorf("runs %q, want %q", got, want)
				}
			})
		}
	}
}

// A pair of which only the first record could be kept is made again, whole.
func TestResumeAfterHalfAPair(t *testing.T) {
	first, keeper := blockScript(), &kept{room: 2} // the calibration, and half of the first pair
	s := newLoop(first, keeper)
	s.Experiment.Design.Order = config.Windows
	if _, err := s.Run(context.Background(), nil); err == nil {
		t.Fatal("a full disk gave no error")
	}
	second := blockScript()
	s = newLoop(second, keeper)
	s.Experiment.Design.Order = config.Windows
	keeper.room = 0
	history, err := s.Run(context.Background(), keeper.records)
	if err != nil {
		t.Fatal(err)
	}
	good := map[string]int{}
	for _, r := range history[2:] {
		good[fmt.Sprintf("%s %d", r.Variant, r.Block)]++
	}
	if len(second.made) != 6 || len(good) != 6 || history[2].Attempt != 2 || history[3].Attempt != 2 {
		t.Errorf("made %v, records %v", second.made, good)
	}
}
