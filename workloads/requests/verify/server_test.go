package verify_test

// A server that keeps all rules, with a part for each that a test can break.

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

type world struct {
	ID           int `json:"id"`
	RandomNumber int `json:"randomNumber"`
}

// server is the small server; nil parts are those of newServer.
type server struct {
	mu     sync.Mutex // of conn
	conn   *pgx.Conn
	greet  func() any
	ids    func(n int) []int
	clamp  func(text string) int
	read   func(ctx context.Context, ids []int) ([]world, error)
	update func(ctx context.Context, ids []int) ([]world, error)
	shape  func(w world) any
	write  func(w http.ResponseWriter, body []byte)
}

func newServer(t *testing.T, database string) *server {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	s := &server{conn: conn}
	s.greet = func() any { return map[string]string{"message": "Hello, World!"} }
	s.ids = func(n int) []int {
		ids := rand.Perm(10_000)[:n]
		for i := range ids {
			ids[i]++
		}
		return ids
	}
	s.clamp = func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil {
			return 1
		}
		return min(max(n, 1), 500)
	}
	s.read = s.readEach
	s.update = func(ctx context.Context, ids []int) ([]world, error) {
		worlds, err := s.read(ctx, ids)
		if err != nil {
			return nil, err
		}
		return worlds, s.store(ctx, worlds)
	}
	s.shape = func(w world) any { return w }
	s.write = func(w http.ResponseWriter, body []byte) {
		w.Header().Set("Server", "fake")
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}
	return s
}

func (s *server) readEach(ctx context.Context, ids []int) ([]world, error) {
	var worlds []world
	for _, id := range ids {
		var w world
		if err := s.conn.QueryRow(ctx, "SELECT id, randomnumber FROM world WHERE id = $1", id).Scan(&w.ID, &w.RandomNumber); err != nil {
			return nil, err
		}
		worlds = append(worlds, w)
	}
	return worlds, nil
}

// readAtOnce is what the rules forbid.
func (s *server) readAtOnce(ctx context.Context, ids []int) ([]world, error) {
	rows, err := s.conn.Query(ctx, "SELECT id, randomnumber FROM world WHERE id = ANY($1)", ids)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[world])
}

// store gives each a new number.
func (s *server) store(ctx context.Context, worlds []world) error {
	for i := range worlds {
		worlds[i].RandomNumber = 1 + rand.IntN(10_000)
		if _, err := s.conn.Exec(ctx, "UPDATE world SET randomnumber = $1 WHERE id = $2", worlds[i].RandomNumber, worlds[i].ID); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := s.answer(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	text, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.write(w, text)
}

func (s *server) answer(r *http.Request) (any, error) {
	ctx, n := r.Context(), s.clamp(r.FormValue("queries"))
	switch strings.Trim(r.URL.Path, "/") {
	case "json":
		return s.greet(), nil
	case "db":
		worlds, err := s.read(ctx, s.ids(1))
		if err != nil {
			return nil, err
		}
		return s.shape(worlds[0]), nil
	case "queries":
		return s.all(s.read(ctx, s.ids(n)))
	case "updates":
		return s.all(s.update(ctx, s.ids(n)))
	}
	return nil, fmt.Errorf("no such page")
}

func (s *server) all(worlds []world, err error) (any, error) {
	shapes := []any{}
	for _, w := range worlds {
		shapes = append(shapes, s.shape(w))
	}
	return shapes, err
}
