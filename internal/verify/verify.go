// Package verify owns the rules by which the answers of a web service are
// checked before anybody measures it: those of TechEmpower's tests that the
// requests/* workloads implement, and the bytes that the tiers/* workloads answer with.
// It asks the service as any client would, and looks into its database. It must not know of tracing, and measures nothing.
package verify

// The rules, one after the other, each with a line of its own.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Target is what is checked.
type Target struct {
	URL      string // of the service, without a path: http://127.0.0.1:8080
	Database string // URL of the service's database, for a user who may change the server's settings: postgres://…
}

// rule is something that holds for every right answer. Its check returns a
// skipped error where it cannot be made here.
type rule struct {
	name  string
	check func(context.Context) error
}

// skipped says why a rule was not checked.
type skipped struct{ reason string }

func (s skipped) Error() string { return s.reason }

// BrokenError names the rules that do not hold.
type BrokenError struct {
	Rules []string
	Of    int // rules in all
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("%d of %d rules are broken: %s", len(e.Rules), e.Of, strings.Join(e.Rules, "; "))
}

// TechEmpower checks the endpoints /json, /db, /queries and /updates, and writes
// a line for each rule to out. The error is a BrokenError where one does not hold. It
// changes numbers in the table, counts statements, and leaves the server's settings as they were.
func TechEmpower(ctx context.Context, out io.Writer, target Target) (err error) {
	db, err := openDatabase(ctx, target.Database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	t := techEmpower{site: newSite(target.URL), db: db}
	return t.site.closing(checkAll(ctx, out, t.rules()))
}

// checkAll checks every rule, so that one wrong answer does not hide the next.
func checkAll(ctx context.Context, out io.Writer, rules []rule) error {
	broken := &BrokenError{Of: len(rules)}
	for _, r := range rules {
		err := r.check(ctx)
		if ctx.Err() != nil {
			return fmt.Errorf("checking %s: %w", r.name, context.Cause(ctx))
		}
		var skip skipped
		line := "kept     " + r.name
		switch {
		case errors.As(err, &skip):
			line = "skipped  " + r.name + ": " + skip.reason
		case err != nil:
			line = "broken   " + r.name + ": " + err.Error()
			broken.Rules = append(broken.Rules, r.name)
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return fmt.Errorf("writing what was found: %w", err)
		}
	}
	if len(broken.Rules) > 0 {
		return broken
	}
	return nil
}

// Waiting for what other processes of the database server do.

const (
	countPatience = 5 * time.Second // until settings have reached every connection
	closePatience = time.Second     // until a statement that was answered is closed
	countPause    = 5 * time.Millisecond
)

var errPatience = errors.New("statements of the service are not counted; does it read the table world of this database?")

// await asks until it is so, for so long at most; then the error is errPatience.
// The server has no way to tell when its other processes have done something.
func await(ctx context.Context, patience time.Duration, so func() (bool, error)) error {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	pause := time.NewTicker(countPause)
	defer pause.Stop()
	for {
		if ok, err := so(); ok || err != nil {
			return err
		}
		select {
		case <-pause.C:
		case <-deadline.C:
			return errPatience
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
