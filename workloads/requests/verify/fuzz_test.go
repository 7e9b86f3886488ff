package verify

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/quote"
)

// FuzzBodies: whatever a server answers, what is accepted is in range, and means the
// same to the standard library's reader.
func FuzzBodies(f *testing.F) {
	for _, body := range []string{
		`{"message":"Hello, World!"}`, `{"id":1,"randomNumber":10000}`, `[{"id":1,"randomNumber":1},{"id":2,"randomNumber":2}]`,
		`[]`, `null`, `[null]`, `{}`, `{"id":1,"id":2,"randomNumber":1}`, `{"ID":1,"randomNumber":1}`, `{"id":1.5,"randomNumber":1}`,
		`{"id":1e3,"randomNumber":1}`, `{"id":"1","randomNumber":1}`, `{"id":0,"randomNumber":1}`, `{"id":1,"randomNumber":10001}`,
		`{"id":1,"randomNumber":1}x`, `{"id":1,"randomNumber":1,"more":2}`, "\xff", ``,
		`{"` + strings.Repeat("x", 5000) + `":1}`, `[{"` + strings.Repeat("\x1b", 5000) + `":1}]`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		_, worldErr := parseWorld(body)
		_, worldsErr := parseWorlds(body)
		for _, err := range []error{parseGreeting(body), worldErr, worldsErr} {
			if err != nil && len(err.Error()) > 3*quote.Most {
				t.Errorf("an error of %d bytes about a body: %.600q", len(err.Error()), err)
			}
		}
		if err := parseGreeting(body); err == nil {
			var same map[string]string
			if err := json.Unmarshal(body, &same); err != nil || len(same) != 1 || same["message"] != "Hello, World!" {
				t.Errorf("%q is taken for the greeting: %v", body, err)
			}
		}
		if r, err := parseWorld(body); err == nil {
			sameWorld(t, body, r)
		}
		rows, err := parseWorlds(body)
		if err != nil {
			return
		}
		var parts []json.RawMessage
		if err := json.Unmarshal(body, &parts); err != nil || len(parts) != len(rows) {
			t.Fatalf("%q is taken for %d rows: %v", body, len(rows), err)
		}
		for i, part := range parts {
			sameWorld(t, part, rows[i])
		}
	})
}

func sameWorld(t *testing.T, body []byte, r row) {
	t.Helper()
	var same map[string]int
	if err := json.Unmarshal(body, &same); err != nil || len(same) != 2 || same["id"] != r.id || same["randomNumber"] != r.number {
		t.Errorf("%q is taken for %+v: %v", body, r, err)
	}
	if r.id < 1 || r.id > Rows || r.number < 1 || r.number > Rows {
		t.Errorf("%q is out of range", body)
	}
}
