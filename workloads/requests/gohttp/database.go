package main

import (
	"context"
	"database/sql"
	"fmt"
)

// connections that the pool holds from the start to the end.
const connections = 16

// openDatabase opens every connection of the pool, and prepares the statements on
// each, so that no request pays for it: pgx keeps what it has prepared.
func openDatabase(ctx context.Context, url string) (*sql.DB, error) {
	db, err := openDriver(url)
	if err != nil {
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	if err := fill(ctx, db); err != nil {
		db.Close()
		return nil, fmt.Errorf("connecting to the database: %w", err)
	}
	return db, nil
}

// fill takes all connections at once; each goes back into the pool at the end.
func fill(ctx context.Context, db *sql.DB) error {
	for range connections {
		conn, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		defer conn.Close()
		if _, err := get(ctx, conn, 1); err != nil {
			return err
		}
		if _, err := conn.ExecContext(ctx, updateWorld, 0, 0); err != nil { // there is no row 0
			return err
		}
	}
	return nil
}
