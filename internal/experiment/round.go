// Rounds: what is made at the same time.

package experiment

import (
	"context"

	"github.com/tracetax/tracetax/internal/design"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// round is what is made next: a run, or all of a block, and where there are several places as many blocks of one sitting.
func (l *Loop) round(plan design.Plan) []design.Run {
	round, of := plan.Round(l.history, l.places()), l.Experiment.Design
	for i := range round {
		if of.SittingOf(round[i].Block) != of.SittingOf(round[0].Block) {
			return round[:i]
		}
	}
	return round
}

// places returns how many blocks can be made at the same time.
func (l *Loop) places() int {
	if several, are := l.Runner.(Several); are {
		return max(1, several.Places()) // without any the next block says why
	}
	return 1
}

// step makes a round, and keeps what it left.
func (l *Loop) step(ctx context.Context, plan design.Plan, round []design.Run) error {
	if err := l.sit(ctx, plan, round[0]); err != nil {
		return err
	}
	blocks := make([]*block, len(round))
	for i, next := range round {
		blocks[i] = &block{steps: next.All(), ended: make(chan struct{})}
		var err error
		if blocks[i].requests, err = l.requests(blocks[i].steps); err != nil {
			return err
		}
	}
	l.tell(plan, Event{Begun: true, Next: round[0], Besides: len(round) - 1})
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	for _, one := range blocks {
		go func() {
			defer close(one.ended)
			one.made, one.err = l.make(ctx, one.steps, one.requests)
		}()
	}
	return l.gather(plan, blocks, giveUp)
}

// block is one of a round.
type block struct {
	steps    []design.Run
	requests []run.Request
	ended    chan struct{} // closed when the rest is there
	made     []record.Record
	err      error
}

// gather keeps what the blocks of a round left, in their order, whichever ends first. The first error ends the round: blocks that are
// under way are given up, and those that are whole are kept all the same, unless nothing more can be kept.
func (l *Loop) gather(plan design.Plan, blocks []*block, giveUp func()) (failed error) {
	full := false
	for _, one := range blocks {
		<-one.ended
		err := one.err
		if err == nil && !full {
			if err = l.keep(one.made); err != nil {
				full = true
			} else {
				err = l.look(plan, one, failed == nil)
			}
		}
		if err != nil && failed == nil {
			failed = err
			giveUp()
		}
	}
	return failed
}

// keep keeps what a run left, or a block.
func (l *Loop) keep(made []record.Record) error {
	for i := range made {
		if err := l.Keeper.Append(made[i]); err != nil {
			return err
		}
		l.history = append(l.history, made[i])
		l.learn(&made[i])
	}
	return nil
}

// look tells of a run, or of a block, and where the experiment may go on looks for a reason to end it.
func (l *Loop) look(plan design.Plan, one *block, goesOn bool) error {
	var mistake *MistakeError
	if goesOn {
		mistake = l.mistakeIn(one.made)
	}
	for i := range one.made {
		l.tell(plan, Event{Next: one.steps[i], Record: &one.made[i], Ends: mistake})
	}
	switch {
	case mistake != nil:
		return mistake
	case goesOn:
		return l.ask(one.made)
	}
	return nil
}
