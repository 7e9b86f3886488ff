package verify_test

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/workloads/rules"
	"github.com/tracetax/tracetax/workloads/tiers/verify"
)

func TestWrongTiersAreFoundOut(t *testing.T) {
	const factorial = "93326215443944152681699238856266700490715968264381621468592963895217599993229915608941463976156518286253697920827223758251185210916864000000000000000000000000"
	right := map[string]string{"/small": "x", "/large": strings.Repeat("x", 4_000_000), "/factorial": factorial, "/pi": "31415926535897932384", "/matrix": "41249936000", "/fails?p=0": factorial}
	for _, test := range []struct {
		name, path, body string
		status           int
		broken           string // what the rule's name begins with; "" for none
	}{
		{name: "nothing"},
		{name: "a line end", path: "/small", body: "x\n", status: 200, broken: "/small"},
		{name: "cut short", path: "/large", body: strings.Repeat("x", 3_999_999), status: 200, broken: "/large"},
		{name: "too long", path: "/large", body: strings.Repeat("x", 4_000_001), status: 200, broken: "/large"},
		{name: "with a fraction", path: "/matrix", body: "41249936000.0", status: 200, broken: "/matrix"},
		{name: "rounded", path: "/pi", body: "31415926535897932385", status: 200, broken: "/pi"},
		{name: "status", path: "/factorial", body: factorial, status: 203, broken: "/factorial"},
		{name: "no failure", path: "/fails?p=1", body: factorial, status: 200, broken: "/fails passes"},
		{name: "a failure of the front alone", path: "/fails?p=1", body: "failed", status: 502, broken: "/fails passes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				path := r.URL.RequestURI()
				body, status := right[path], 200
				if path == "/fails?p=1" {
					body, status = "failed", 500
				}
				if path == test.path {
					body, status = test.body, test.status
				}
				w.WriteHeader(status)
				if _, err := w.Write([]byte(body)); err != nil {
					t.Error(err)
				}
			}))
			defer server.Close()
			var out bytes.Buffer
			err := verify.Tiers(t.Context(), &out, server.URL+"/")
			var broken *rules.BrokenError
			if test.broken == "" {
				if err != nil {
					t.Errorf("%v\n%s", err, &out)
				}
				return
			}
			if !errors.As(err, &broken) || len(broken.Rules) != 1 || !strings.HasPrefix(broken.Rules[0], test.broken) || broken.Of != 7 {
				t.Errorf("%v, want the rule %s\n%s", err, test.broken, &out)
			}
		})
	}
}
