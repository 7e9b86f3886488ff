package verify

// The service's database, looked at from beside the service.

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
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
