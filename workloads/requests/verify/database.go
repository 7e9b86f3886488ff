// The service's database, looked at from beside the service.

package verify

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/tracetax/tracetax/workloads/rules"
)

// databasePatience bounds what is done when the check is over.
const databasePatience = 10 * time.Second

// database is a connection of the check's own.
type database struct {
	conn     *pgx.Conn
	counting bool
	changed  []string // settings of the server
}

func openDatabase(ctx context.Context, url string) (*database, error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("opening the database of the service: %w", err)
	}
	return &database{conn: conn}, nil
}

// close turns the counting off again.
func (d *database) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), databasePatience)
	defer cancel()
	defer d.conn.Close(ctx) // what it would say, the statements before have said
	return d.uncount(ctx)
}

// numbers returns the table: the number of each row by its id.
func (d *database) numbers(ctx context.Context) (map[int]int, error) {
	rows, err := d.conn.Query(ctx, "SELECT id, randomnumber FROM world")
	if err != nil {
		return nil, fmt.Errorf("reading the table world: %w", err)
	}
	table := make(map[int]int, Rows)
	var id, number int
	_, err = pgx.ForEachRow(rows, []any{&id, &number}, func() error {
		table[id] = number
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the table world: %w", err)
	}
	if len(table) != Rows {
		return nil, fmt.Errorf("the table world has %d rows, not %d", len(table), Rows)
	}
	return table, nil
}

func (d *database) run(ctx context.Context, statements ...string) error {
	for _, statement := range statements {
		if _, err := d.conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("database: %s: %w", statement, err)
		}
	}
	return nil
}

// Counting statements with pg_stat_statements, which the server has loaded and
// which is idle otherwise.

// track is the setting that says whether statements are counted.
const track = "pg_stat_statements.track"

// reanalyse changes nothing, and makes every connection analyse its prepared
// statements again: one that was prepared while ids were off has none, and is not counted.
const reanalyse = "ALTER TABLE world ALTER COLUMN id SET STATISTICS -1"

// count turns the counting on, once. Probe makes the service read from the table: it
// counts when its connections have got the new settings.
func (d *database) count(ctx context.Context, probe func(context.Context) error) error {
	if d.counting {
		return nil
	}
	if err := d.loaded(ctx); err != nil {
		return err
	}
	d.counting = true
	if err := d.run(ctx, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements"); err != nil {
		return err
	}
	if err := d.set(ctx, track, "top"); err != nil {
		return err
	}
	if ids, err := d.setting(ctx, "compute_query_id"); err != nil {
		return err
	} else if ids != "" { // since version 14
		if err := d.set(ctx, "compute_query_id", "on"); err != nil {
			return err
		}
	}
	if err := d.reload(ctx, func(value string) bool { return value == "top" }); err != nil {
		return err
	}
	if err := d.forget(ctx); err != nil { // what an earlier check has counted says nothing of these connections
		return err
	}
	return await(ctx, countPatience, func() (bool, error) {
		if err := d.run(ctx, reanalyse); err != nil {
			return false, err
		}
		if err := probe(ctx); err != nil {
			return false, err
		}
		seen, err := d.selects(ctx)
		return seen.calls > 0, err
	})
}

// loaded reports as skipped where statements cannot be counted.
func (d *database) loaded(ctx context.Context) error {
	value, err := d.setting(ctx, track)
	if err == nil && value == "" {
		return rules.Skipped{Reason: "the server has not loaded pg_stat_statements (Debian: postgresql-contrib), so statements cannot be counted"}
	}
	return err
}

// setting returns "" where the server does not know it.
func (d *database) setting(ctx context.Context, name string) (string, error) {
	var value *string
	if err := d.conn.QueryRow(ctx, "SELECT current_setting($1, true)", name).Scan(&value); err != nil {
		return "", fmt.Errorf("reading the database's setting %s: %w", name, err)
	}
	if value == nil {
		return "", nil
	}
	return *value, nil
}

// set changes a setting of the server, which uncount takes back.
func (d *database) set(ctx context.Context, name, value string) error {
	d.changed = append(d.changed, name)
	return d.run(ctx, "ALTER SYSTEM SET "+name+" = "+value)
}

// uncount goes back to what the server was started with.
func (d *database) uncount(ctx context.Context) error {
	if len(d.changed) == 0 {
		return nil
	}
	for _, name := range d.changed {
		if err := d.run(ctx, "ALTER SYSTEM RESET "+name); err != nil {
			return err
		}
	}
	if err := d.reload(ctx, func(value string) bool { return value != "top" }); err != nil {
		return err
	}
	return d.run(ctx, reanalyse)
}

// reload makes the server read its settings, and waits until this connection has
// them: the server tells all connections at once. A statement that another connection
// analysed before it has them would not be counted, however often it is made.
func (d *database) reload(ctx context.Context, done func(value string) bool) error {
	if err := d.run(ctx, "SELECT pg_reload_conf()"); err != nil {
		return err
	}
	return await(ctx, countPatience, func() (bool, error) {
		value, err := d.setting(ctx, track)
		return done(value), err
	})
}

// forget sets all counts to nothing.
func (d *database) forget(ctx context.Context) error {
	return d.run(ctx, "SELECT pg_stat_statements_reset()")
}

// selects is how often the table was read, and how many rows came.
type selects struct{ calls, rows int }

// fromWorld is a statement that begins to read from the table.
var fromWorld = regexp.MustCompile(`(?is)^\s*select\b.*\bfrom\s+(?:only\s+)?(?:"?public"?\s*\.\s*)?"?world\b`)

func (d *database) selects(ctx context.Context) (selects, error) {
	var sum selects
	rows, err := d.conn.Query(ctx, `SELECT query, calls, rows FROM pg_stat_statements
		WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())`)
	if err != nil {
		return sum, fmt.Errorf("reading pg_stat_statements: %w", err)
	}
	var query string
	var one selects
	_, err = pgx.ForEachRow(rows, []any{&query, &one.calls, &one.rows}, func() error {
		if fromWorld.MatchString(query) {
			sum.calls += one.calls
			sum.rows += one.rows
		}
		return nil
	})
	if err != nil {
		return sum, fmt.Errorf("reading pg_stat_statements: %w", err)
	}
	return sum, nil
}

// awaitSelects returns the counts as soon as there are so many, or what there is
// in the end: a statement is counted when it is closed, which may be after the answer.
func (d *database) awaitSelects(ctx context.Context, calls int) (selects, error) {
	var seen selects
	err := await(ctx, closePatience, func() (bool, error) {
		var err error
		seen, err = d.selects(ctx)
		return seen.calls >= calls, err
	})
	if errors.Is(err, errPatience) {
		return seen, nil
	}
	return seen, err
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
