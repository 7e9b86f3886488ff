// World is four of TechEmpower's tests on net/http and PostgreSQL.
//
//	world -listen 127.0.0.1:8080 -database postgres://…
//
// Built with the tag otel or elastic it is instrumented with OpenTelemetry or
// Elastic APM; without a tag, it links neither.

package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"syscall"
	"time"
)

// shutdownPatience bounds how long open requests, and then the export of the
// last spans, may take after SIGTERM.
const shutdownPatience = 10 * time.Second

func main() {
	listen := flag.String("listen", "127.0.0.1:8080", "`address` to listen on")
	database := flag.String("database", "", "`URL` of the database")
	flag.Parse()
	log.SetFlags(0)

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *listen, *database); err != nil {
		log.Print("world: ", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. Tracing starts after the connections are open, so
// that they are no spans, and stops after the server, so the spans of the
// last requests are exported too.
func run(ctx context.Context, listen, database string) (err error) {
	db, err := openDatabase(ctx, database)
	if err != nil {
		return err
	}
	defer db.Close()

	stopTracing, err := startTracing(ctx)
	if err != nil {
		return fmt.Errorf("starting tracing: %w", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownPatience)
		defer cancel()
		err = errors.Join(err, stopTracing(ctx))
	}()
	return serve(ctx, listen, traceHandler(newApp(worlds{db})))
}

func serve(ctx context.Context, listen string, handler http.Handler) error {
	server := &http.Server{Addr: listen, Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()

	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.Background(), shutdownPatience)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return fmt.Errorf("waiting for open requests: %w", err)
	}
	return nil
}

// mostQueries is how many rows a client may ask for at once.
const mostQueries = 500

type greeting struct {
	Message string `json:"message"`
}

// newApp answers the four tests, and /healthz.
func newApp(worlds worlds) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /json", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, greeting{"Hello, World!"}, nil)
	})
	mux.HandleFunc("GET /db", func(w http.ResponseWriter, r *http.Request) {
		world, err := worlds.one(r.Context())
		answer(w, world, err)
	})
	mux.HandleFunc("GET /queries", func(w http.ResponseWriter, r *http.Request) {
		several, err := worlds.several(r.Context(), queries(r))
		answer(w, several, err)
	})
	mux.HandleFunc("GET /updates", func(w http.ResponseWriter, r *http.Request) {
		updated, err := worlds.update(r.Context(), queries(r))
		answer(w, updated, err)
	})
	return mux
}

// queries returns how many rows the client asks for: 1 to 500, and 1 if it
// cannot be told.
func queries(r *http.Request) int {
	count, err := strconv.Atoi(r.FormValue("queries"))
	if err != nil {
		return 1
	}
	return min(max(count, 1), mostQueries)
}

func answer(w http.ResponseWriter, value any, err error) {
	if err != nil {
		log.Print("world: ", err)
		http.Error(w, "the database does not answer", http.StatusInternalServerError)
		return
	}
	body, err := json.Marshal(value)
	if err != nil {
		log.Print("world: ", err)
		http.Error(w, "the answer cannot be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Server", "net/http")
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body) // a client that is gone needs no answer
}

// connections that the pool holds from the start to the end.
const connections = 16

// openDatabase opens every connection of the pool, and prepares the statements on
// each, so no request pays for it: pgx keeps what it has prepared.
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
