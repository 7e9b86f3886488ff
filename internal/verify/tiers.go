package verify

// The answers of the tiers/* workloads: the same bytes in every language.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/tracetax/tracetax/internal/excerpt"
)

const largeAnswer = 4_000_000 // bytes of /large

// Tiers checks what three tiers in a row answer, and writes a line for each rule to out. The error is a
// BrokenError where one does not hold.
func Tiers(ctx context.Context, out io.Writer, url string) error {
	s := newSite(url)
	factorial := new(big.Int).MulRange(1, 100).String()
	return s.closing(checkAll(ctx, out, []rule{
		{"/small answers with one byte", s.answers("/small", http.StatusOK, "x")},
		{"/large answers with 4,000,000 bytes", s.answers("/large", http.StatusOK, strings.Repeat("x", largeAnswer))},
		{"/factorial answers with 100!", s.answers("/factorial", http.StatusOK, factorial)},
		{"/pi answers with 20 digits of pi", s.answers("/pi", http.StatusOK, "31415926535897932384")},
		{"/matrix answers with the sum over the product", s.answers("/matrix", http.StatusOK, product(40).String())},
		{"/fails answers as /factorial where it does not fail", s.answers("/fails?p=0", http.StatusOK, factorial)},
		{"/fails passes the status of a failure on", s.answers("/fails?p=1", http.StatusInternalServerError, "failed")},
	}))
}

// product is the sum over A × A, where A counts from 0 row by row: that of each column times that of the row it meets.
func product(size int64) *big.Int {
	sum := new(big.Int)
	for k := range size {
		row := size*size*k + size*(size-1)/2
		column := size*size*(size-1)/2 + size*k
		sum.Add(sum, big.NewInt(row*column))
	}
	return sum
}

// answers checks one answer, its status and its bytes.
func (s *site) answers(path string, status int, want string) func(context.Context) error {
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
		if err != nil {
			return fmt.Errorf("asking for %s: %w", path, err)
		}
		response, err := s.client.Do(request)
		if err != nil {
			return err // it names the method and the URL
		}
		defer response.Body.Close()
		body, err := io.ReadAll(io.LimitReader(response.Body, largeAnswer+1))
		switch {
		case err != nil:
			return fmt.Errorf("reading the answer to %s: %w", path, err)
		case response.StatusCode != status:
			return fmt.Errorf("%s answers with status %d, not %d: %s", path, response.StatusCode, status, excerpt.Quoted(body))
		case !bytes.Equal(body, []byte(want)):
			return fmt.Errorf("%s answers with %s (%d bytes), not with %s (%d bytes)", path, excerpt.Quoted(body), len(body), excerpt.Quoted([]byte(want)), len(want))
		}
		return nil
	}
}

// Asking the service, and what holds for every answer of it.

// Bounds of one answer.
const (
	answerPatience = 30 * time.Second
	mostBody       = 1 << 20
)

// site is the service.
type site struct {
	url    string
	client *http.Client
}

func newSite(url string) *site {
	return &site{strings.TrimSuffix(url, "/"), &http.Client{
		Timeout:   answerPatience,
		Transport: &http.Transport{DisableCompression: true}, // also: no proxy of the environment
	}}
}

// closing gives the connections back, and passes err on.
func (s *site) closing(err error) error {
	s.client.CloseIdleConnections()
	return err
}

// get returns the body of a right answer: its status, headers and size are checked.
func (s *site) get(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	if err != nil {
		return nil, fmt.Errorf("asking for %s: %w", path, err)
	}
	request.Header.Set("Accept", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err // it names the method and the URL
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, mostBody+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the answer to %s: %w", path, err)
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s answers with status %d, not 200: %s", path, response.StatusCode, excerpt.Quoted(body))
	case len(body) > mostBody:
		return nil, fmt.Errorf("%s answers with more than %d bytes", path, mostBody)
	}
	if err := checkHeaders(response); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return body, nil
}

// checkHeaders checks those that TechEmpower asks for.
func checkHeaders(response *http.Response) error {
	if response.Header.Get("Server") == "" {
		return fmt.Errorf("the header Server is missing")
	}
	if _, err := http.ParseTime(response.Header.Get("Date")); err != nil {
		return fmt.Errorf("the header Date is %s, not a date", excerpt.Quoted(response.Header.Get("Date")))
	}
	// A length of -1 without chunks is an answer that ends with the connection.
	if response.ContentLength < 0 && len(response.TransferEncoding) == 0 {
		return fmt.Errorf("the headers Content-Length and Transfer-Encoding are both missing")
	}
	kind := response.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(kind); err != nil || media != "application/json" {
		return fmt.Errorf("the header Content-Type is %s, not application/json", excerpt.Quoted(kind))
	}
	return nil
}

// The service's database, looked at from beside the service.

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
		return skipped{"the server has not loaded pg_stat_statements (Debian: postgresql-contrib), so statements cannot be counted"}
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
