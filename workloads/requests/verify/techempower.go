// Package verify owns TechEmpower's rules for the requests/* workloads. It asks a service before anybody measures it, and
// looks into its database. It must not know of tracing, and measures nothing.
package verify

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/tracetax/tracetax/workloads/rules"
)

// Target is what is checked.
type Target struct {
	URL      string // of the service, without a path: http://127.0.0.1:8080
	Database string // URL of the service's database, for a user who may change the server's settings: postgres://…
}

// TechEmpower checks the endpoints /json, /db, /queries and /updates, and writes
// a line for each rule to out. The error is a rules.BrokenError where one does not hold. It
// changes numbers in the table, counts statements, and leaves the server's settings as they were.
func TechEmpower(ctx context.Context, out io.Writer, target Target) (err error) {
	db, err := openDatabase(ctx, target.Database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	t := techEmpower{site: site{rules.At(target.URL)}, db: db}
	return t.site.Check(ctx, out, t.rules())
}

// techEmpower is a service that implements four of TechEmpower's tests.
type techEmpower struct {
	site site
	db   *database
}

// clamped is what clients may write, and how many rows they then get.
var clamped = []struct {
	query string
	rows  int
}{
	{"", 1}, {"?queries=", 1}, {"?queries=abc", 1}, {"?queries=0", 1}, {"?queries=-3", 1}, {"?queries=1", 1},
	{"?queries=10", 10}, {"?queries=500", 500}, {"?queries=501", 500}, {"?queries=1000", 500},
}

func (t techEmpower) rules() []rules.Rule {
	return []rules.Rule{
		{Name: "/json answers with the greeting", Check: t.greets},
		{Name: "/db answers with a row as it is in the database", Check: t.readsOne},
		{Name: "/db draws its row by chance", Check: t.draws},
		{Name: "/db makes one SELECT", Check: t.selectsEach("/db", 1, false)},
		{Name: "/queries answers with 1 to 500 rows as they are in the database", Check: t.readsSeveral},
		{Name: "/queries makes one SELECT for each row", Check: t.selectsEach("/queries?queries=10", 10, false)},
		{Name: "/updates answers with 1 to 500 rows", Check: t.clampsUpdates},
		{Name: "/updates changes the rows that it answers with, and no others", Check: t.changes},
		{Name: "/updates reads each row before it writes it", Check: t.selectsEach("/updates?queries=5", 5, true)},
	}
}

func (t techEmpower) greets(ctx context.Context) error {
	body, err := t.site.get(ctx, "/json")
	if err != nil {
		return err
	}
	return parseGreeting(body)
}

func (t techEmpower) readsOne(ctx context.Context) error {
	r, err := t.one(ctx)
	if err != nil {
		return err
	}
	return t.asStored(ctx, []row{r})
}

func (t techEmpower) one(ctx context.Context) (row, error) {
	body, err := t.site.get(ctx, "/db")
	if err != nil {
		return row{}, err
	}
	return parseWorld(body)
}

// draws asks several times: that all rows are the same happens once in 10⁷⁶ by chance.
func (t techEmpower) draws(ctx context.Context) error {
	const times = 20
	seen := map[int]bool{}
	var last row
	for range times {
		var err error
		if last, err = t.one(ctx); err != nil {
			return err
		}
		seen[last.id] = true
	}
	if len(seen) == 1 {
		return fmt.Errorf("%d answers hold the row %d", times, last.id)
	}
	return nil
}

func (t techEmpower) readsSeveral(ctx context.Context) error {
	for _, c := range clamped {
		rows, err := t.several(ctx, "/queries"+c.query, c.rows)
		if err != nil {
			return err
		}
		if err := t.asStored(ctx, rows); err != nil {
			return fmt.Errorf("/queries%s: %w", c.query, err)
		}
	}
	return nil
}

func (t techEmpower) clampsUpdates(ctx context.Context) error {
	for _, c := range clamped {
		if _, err := t.several(ctx, "/updates"+c.query, c.rows); err != nil {
			return err
		}
	}
	return nil
}

// several returns the rows of an answer that must have so many. Rows may be equal by
// chance; ten and more are not.
func (t techEmpower) several(ctx context.Context, path string, want int) ([]row, error) {
	body, err := t.site.get(ctx, path)
	if err != nil {
		return nil, err
	}
	rows, err := parseWorlds(body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(rows) != want {
		return nil, fmt.Errorf("%s answers with %d rows, not %d", path, len(rows), want)
	}
	ids := map[int]bool{}
	for _, r := range rows {
		ids[r.id] = true
	}
	if want >= 10 && len(ids) == 1 {
		return nil, fmt.Errorf("%s answers with one row %d times", path, want)
	}
	return rows, nil
}

// asStored compares rows with the database. Nobody else writes.
func (t techEmpower) asStored(ctx context.Context, rows []row) error {
	stored, err := t.db.numbers(ctx)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if stored[r.id] != r.number {
			return fmt.Errorf("row %d is answered with the number %d, and has %d in the database", r.id, r.number, stored[r.id])
		}
	}
	return nil
}

// changes compares the whole table before and after an update of 20 rows. A row
// may get the number that it has by chance; that all do happens once in 10⁸⁰.
func (t techEmpower) changes(ctx context.Context) error {
	const count = 20
	before, err := t.db.numbers(ctx)
	if err != nil {
		return err
	}
	rows, err := t.several(ctx, fmt.Sprintf("/updates?queries=%d", count), count)
	if err != nil {
		return err
	}
	after, err := t.db.numbers(ctx)
	if err != nil {
		return err
	}
	answered := map[int]int{} // the last where an id came twice
	for _, r := range rows {
		answered[r.id] = r.number
	}
	changed := 0
	for id, number := range after {
		if number != before[id] {
			changed++
		}
		switch told, ok := answered[id]; {
		case ok && told != number:
			return fmt.Errorf("row %d is answered with the number %d, and has %d in the database afterwards", id, told, number)
		case !ok && number != before[id]:
			return fmt.Errorf("row %d is not in the answer, and has changed from %d to %d", id, before[id], number)
		}
	}
	if changed == 0 {
		return fmt.Errorf("no row of the database has changed")
	}
	return nil
}

// selectsEach returns a check that path makes a SELECT of its own for each of so many rows;
// with more allowed, at least so many.
func (t techEmpower) selectsEach(path string, rows int, more bool) func(context.Context) error {
	return func(ctx context.Context) error {
		if err := t.counting(ctx); err != nil {
			return err
		}
		if err := t.db.forget(ctx); err != nil {
			return err
		}
		if _, err := t.site.get(ctx, path); err != nil {
			return err
		}
		seen, err := t.db.awaitSelects(ctx, rows)
		switch {
		case err != nil:
			return err
		case seen.calls < rows || seen.calls > rows && !more:
			return fmt.Errorf("%s makes %d SELECTs on the table, not %d", path, seen.calls, rows)
		case seen.rows > seen.calls:
			return fmt.Errorf("%s reads %d rows by %d SELECTs, not each by its own", path, seen.rows, seen.calls)
		}
		return nil
	}
}

// counting turns the counting of statements on, and waits until it reaches the
// service's own connections.
func (t techEmpower) counting(ctx context.Context) error {
	return t.db.count(ctx, func(ctx context.Context) error {
		_, err := t.site.get(ctx, "/db")
		return err
	})
}
