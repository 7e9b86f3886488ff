package main

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
)

// rows is how many rows the table has, and the largest number in it.
const rows = 10_000

const (
	selectWorld = "SELECT id, randomnumber FROM world WHERE id = $1"
	updateWorld = "UPDATE world SET randomnumber = $1 WHERE id = $2"
)

type world struct {
	ID           int `json:"id"`
	RandomNumber int `json:"randomNumber"`
}

// worlds is the table.
type worlds struct{ db *sql.DB }

// querier is the database, or a transaction on it.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func get(ctx context.Context, from querier, id int) (world, error) {
	var w world
	if err := from.QueryRowContext(ctx, selectWorld, id).Scan(&w.ID, &w.RandomNumber); err != nil {
		return w, fmt.Errorf("reading row %d: %w", id, err)
	}
	return w, nil
}

func getAll(ctx context.Context, from querier, ids []int) ([]world, error) {
	all := make([]world, 0, len(ids))
	for _, id := range ids {
		w, err := get(ctx, from, id)
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

func (t worlds) one(ctx context.Context) (world, error) {
	return get(ctx, t.db, 1+rand.IntN(rows))
}

func (t worlds) several(ctx context.Context, count int) ([]world, error) {
	return getAll(ctx, t.db, randomIDs(count))
}

// update reads rows and gives them new numbers, in one transaction.
func (t worlds) update(ctx context.Context, count int) ([]world, error) {
	tx, err := t.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("beginning a transaction: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // it says so where it is committed already

	ids := randomIDs(count)
	slices.Sort(ids) // everybody locks rows in one order: no deadlocks
	all, err := getAll(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].RandomNumber = 1 + rand.IntN(rows)
		if _, err := tx.ExecContext(ctx, updateWorld, all[i].RandomNumber, all[i].ID); err != nil {
			return nil, fmt.Errorf("updating row %d: %w", all[i].ID, err)
		}
	}
	if err := tx.Commit(); err != nil {
		return nil, fmt.Errorf("committing: %w", err)
	}
	return all, nil
}

// randomIDs returns so many ids that differ.
func randomIDs(count int) []int {
	ids := make([]int, 0, count)
	seen := make(map[int]struct{}, count)
	for len(ids) < count {
		id := 1 + rand.IntN(rows)
		if _, twice := seen[id]; twice {
			continue
		}
		seen[id] = struct{}{}
		ids = append(ids, id)
	}
	return ids
}
