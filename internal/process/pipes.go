package process

// The files between tracetax and a keeper.

import (
	"errors"
	"fmt"
	"os"
)

// theirs are the keeper's ends; tracetax closes its copies once the keeper runs.
type theirs struct {
	stdin, stdout, stderr, orders, reports *os.File
	all                                    []*os.File
}

func (t *theirs) close() {
	for _, f := range t.all {
		f.Close() // nothing was written through these copies
	}
}

// openPipes makes all pipes; tracetax's ends go into p.
func (p *Process) openPipes() (*theirs, error) {
	t := &theirs{}
	err := p.openAll(t)
	if err != nil {
		t.close()
		return nil, fmt.Errorf("opening pipes: %w", err)
	}
	return t, nil
}

func (p *Process) openAll(t *theirs) error {
	in := func(mine, their **os.File) error { // they read
		r, w, err := os.Pipe()
		*mine, *their, t.all = w, r, append(t.all, r)
		return err
	}
	out := func(mine, their **os.File) error { // they write
		r, w, err := os.Pipe()
		*mine, *their, t.all = r, w, append(t.all, w)
		return err
	}
	var logs *os.File
	err := errors.Join(in(&p.orders, &t.orders), out(&p.reports, &t.reports), out(&logs, &t.stderr))
	if err != nil {
		return err
	}
	p.log.Follow(logs)
	if p.command.Piped {
		return errors.Join(in(&p.stdin, &t.stdin), out(&p.stdout, &t.stdout))
	}
	t.stdout = t.stderr
	t.stdin, err = os.Open(os.DevNull)
	t.all = append(t.all, t.stdin)
	return err
}
