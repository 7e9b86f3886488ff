package verify_test

// Every rule is broken once, on a real database, and found.

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/workloads/requests/verify"
	"github.com/tracetax/tracetax/workloads/rules"
)

// The rules by what their names begin with.
const (
	greets   = "/json answers"
	readsOne = "/db answers"
	draws    = "/db draws"
	oneEach  = "/db makes"
	several  = "/queries answers"
	each     = "/queries makes"
	clamps   = "/updates answers"
	changes  = "/updates changes"
	reads    = "/updates reads"
)

var everyRule = []string{greets, readsOne, draws, oneEach, several, each, clamps, changes, reads}

func TestBrokenServersAreFoundOut(t *testing.T) {
	database := startPostgreSQL(t)
	for _, test := range []struct {
		name   string
		spoil  func(*server)
		broken []string
		says   string // somewhere
	}{
		{name: "nothing", spoil: func(*server) {}},
		{name: "chunks", spoil: func(s *server) {
			header(s, func(w http.ResponseWriter, _ []byte) { w.(http.Flusher).Flush() })
		}},
		{name: "charset", spoil: func(s *server) {
			header(s, func(w http.ResponseWriter, _ []byte) {
				w.Header().Set("Content-Type", "application/json; charset=utf-8")
			})
		}},
		{name: "greeting", spoil: func(s *server) { s.greet = func() any { return map[string]string{"message": "hello"} } },
			broken: []string{greets}, says: "Hello, World!"},
		{name: "greeting with more", spoil: func(s *server) {
			s.greet = func() any { return map[string]string{"message": "Hello, World!", "more": ""} }
		}, broken: []string{greets}, says: "more"},
		{name: "no Server", spoil: func(s *server) { header(s, func(w http.ResponseWriter, _ []byte) { w.Header().Del("Server") }) },
			broken: everyRule, says: "header Server"},
		{name: "no Date", spoil: func(s *server) { header(s, func(w http.ResponseWriter, _ []byte) { w.Header()["Date"] = nil }) },
			broken: everyRule, says: "header Date"},
		{name: "content type", spoil: func(s *server) {
			header(s, func(w http.ResponseWriter, _ []byte) { w.Header().Set("Content-Type", "text/plain") })
		}, broken: everyRule, says: "text/plain"},
		{name: "no length", spoil: func(s *server) { s.write = withoutLength }, broken: everyRule, says: "Transfer-Encoding"},
		{name: "status", spoil: func(s *server) {
			s.write = func(w http.ResponseWriter, body []byte) { http.Error(w, "later", http.StatusServiceUnavailable) }
		}, broken: everyRule, says: "status 503"},
		{name: "names in lower case", spoil: func(s *server) {
			s.shape = func(w world) any { return map[string]int{"id": w.ID, "randomnumber": w.RandomNumber} }
		}, broken: []string{readsOne, draws, several, clamps, changes}, says: "randomnumber"},
		{name: "numbers as texts", spoil: func(s *server) {
			s.shape = func(w world) any {
				return map[string]any{"id": w.ID, "randomNumber": strconv.Itoa(w.RandomNumber)}
			}
		}, broken: []string{readsOne, draws, several, clamps, changes}},
		{name: "no id", spoil: func(s *server) {
			s.shape = func(w world) any { return map[string]int{"randomNumber": w.RandomNumber} }
		}, broken: []string{readsOne, draws, several, clamps, changes}, says: "id is missing"},
		{name: "id of 0", spoil: func(s *server) { s.shape = func(w world) any { return world{0, w.RandomNumber} } },
			broken: []string{readsOne, draws, several, clamps, changes}, says: "id is 0"},
		{name: "large number", spoil: func(s *server) { s.shape = func(w world) any { return world{w.ID, 10_001} } },
			broken: []string{readsOne, draws, several, clamps, changes}, says: "10001"},
		{name: "invented number", spoil: func(s *server) { s.shape = func(w world) any { return world{w.ID, 1 + w.RandomNumber%10_000} } },
			broken: []string{readsOne, several, changes}, says: "in the database"},
		{name: "always row 7", spoil: func(s *server) {
			s.ids = func(n int) []int { return slices.Repeat([]int{7}, n) }
		}, broken: []string{draws, several, clamps, changes}, says: "row 7"},
		{name: "no most", spoil: func(s *server) { clampWith(s, func(n int) int { return max(n, 1) }) },
			broken: []string{several, clamps}, says: "501 rows, not 500"},
		{name: "no least", spoil: func(s *server) { clampWith(s, func(n int) int { return min(max(n, 0), 500) }) },
			broken: []string{several, clamps}, says: "0 rows, not 1"},
		{name: "no row for letters", spoil: func(s *server) {
			clamp := s.clamp
			s.clamp = func(text string) int {
				if text == "abc" {
					return 2
				}
				return clamp(text)
			}
		}, broken: []string{several, clamps}, says: "abc"},
		{name: "one SELECT for all", spoil: func(s *server) { s.read = s.readAtOnce },
			broken: []string{each, reads}, says: "makes 1 SELECTs on the table, not 10"},
		{name: "half of the SELECTs", spoil: func(s *server) {
			s.read = func(ctx context.Context, ids []int) ([]world, error) {
				first, err := s.readEach(ctx, ids[:len(ids)/2])
				if err != nil {
					return nil, err
				}
				rest, err := s.readAtOnce(ctx, ids[len(ids)/2:])
				return append(first, rest...), err
			}
		}, broken: []string{each, reads}},
		{name: "SELECTs of two rows", spoil: func(s *server) {
			s.read = func(ctx context.Context, ids []int) ([]world, error) {
				var worlds []world
				for _, id := range ids {
					two, err := s.readAtOnce(ctx, []int{id, 1 + id%10_000})
					if err != nil {
						return nil, err
					}
					worlds = append(worlds, two[0])
				}
				return worlds, nil
			}
		}, broken: []string{oneEach, each, reads}, says: "not each by its own"},
		{name: "two SELECTs a row", spoil: func(s *server) {
			s.read = func(ctx context.Context, ids []int) ([]world, error) {
				if _, err := s.readEach(ctx, ids); err != nil {
					return nil, err
				}
				return s.readEach(ctx, ids)
			}
		}, broken: []string{oneEach, each}, says: "makes 2 SELECTs"},
		{name: "updates that are none", spoil: func(s *server) { s.update = s.readEach },
			broken: []string{changes}, says: "no row of the database has changed"},
		{name: "updates that are answered and not made", spoil: func(s *server) {
			s.update = func(ctx context.Context, ids []int) ([]world, error) {
				worlds, err := s.readEach(ctx, ids)
				for i := range worlds {
					worlds[i].RandomNumber = 1 + worlds[i].RandomNumber%10_000
				}
				return worlds, err
			}
		}, broken: []string{changes}, says: "afterwards"},
		{name: "updates of another row too", spoil: func(s *server) {
			update := s.update
			s.update = func(ctx context.Context, ids []int) ([]world, error) {
				other := 1
				for slices.Contains(ids, other) {
					other++
				}
				if _, err := s.conn.Exec(ctx, "UPDATE world SET randomnumber = 1 + randomnumber % 10000 WHERE id = $1", other); err != nil {
					return nil, err
				}
				return update(ctx, ids)
			}
		}, broken: []string{changes}, says: "not in the answer"},
		{name: "updates without reading", spoil: func(s *server) {
			s.update = func(ctx context.Context, ids []int) ([]world, error) {
				var worlds []world
				for _, id := range ids {
					worlds = append(worlds, world{ID: id})
				}
				return worlds, s.store(ctx, worlds)
			}
		}, broken: []string{reads}, says: "makes 0 SELECTs"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newServer(t, database)
			test.spoil(s)
			site := httptest.NewServer(s)
			defer site.Close()
			said, err := check(t, site.URL, database)
			if got := brokenRules(t, err); !matches(got, test.broken) {
				t.Errorf("broken are %q, want %q\n%s", got, test.broken, said)
			}
			if !strings.Contains(said, test.says) {
				t.Errorf("it does not say %q:\n%s", test.says, said)
			}
		})
	}
}

// header is called before the body is written.
func header(s *server, change func(http.ResponseWriter, []byte)) {
	write := s.write
	s.write = func(w http.ResponseWriter, body []byte) {
		write(spoiler{w, change}, body)
	}
}

// spoiler changes the headers at the last moment.
type spoiler struct {
	http.ResponseWriter
	change func(http.ResponseWriter, []byte)
}

func (s spoiler) Write(body []byte) (int, error) {
	s.change(s.ResponseWriter, body)
	return s.ResponseWriter.Write(body)
}

func clampWith(s *server, clamp func(int) int) {
	s.clamp = func(text string) int {
		n, err := strconv.Atoi(text)
		if err != nil {
			return 1
		}
		return clamp(n)
	}
}

// withoutLength answers as HTTP/1.0 does: the body ends with the connection.
func withoutLength(w http.ResponseWriter, body []byte) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nServer: fake\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n%s", body)
}

func check(t *testing.T, url, database string) (string, error) {
	t.Helper()
	var said strings.Builder
	err := verify.TechEmpower(t.Context(), &said, verify.Target{URL: url, Database: database})
	return said.String(), err
}

func brokenRules(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var broken *rules.BrokenError
	if !errors.As(err, &broken) {
		t.Fatal(err)
	}
	return broken.Rules
}

// matches reports whether each rule begins as said, in order.
func matches(rules, begin []string) bool {
	return slices.EqualFunc(rules, begin, strings.HasPrefix)
}

// A server that does not answer, and a database that is not there.
func TestNobodyThere(t *testing.T) {
	database := startPostgreSQL(t)
	site := httptest.NewServer(http.NotFoundHandler())
	site.Close()
	said, err := check(t, site.URL, database)
	if got := brokenRules(t, err); !matches(got, everyRule) || !strings.Contains(said, "connection refused") {
		t.Errorf("broken are %q\n%s", got, said)
	}
	if _, err := check(t, site.URL, strings.Replace(database, "127.0.0.1:", "127.0.0.1:1", 1)); err == nil || !strings.Contains(err.Error(), "database") {
		t.Errorf("a database that is not there: %v", err)
	}
}

func TestCancelled(t *testing.T) {
	database := startPostgreSQL(t)
	ctx, cancel := context.WithCancel(t.Context())
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	defer site.Close()
	var said strings.Builder
	err := verify.TechEmpower(ctx, &said, verify.Target{URL: site.URL, Database: database})
	if !errors.Is(err, context.Canceled) || said.Len() > 0 {
		t.Errorf("%v, and it said %q", err, said.String())
	}
}
