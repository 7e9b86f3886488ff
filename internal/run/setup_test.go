// A session before anything is measured: a service that answers nobody without its token.

package run_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/ledger"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/run"
)

// guarded serves orders to whoever has logged in: a login makes three spans, an order two. Of each session it counts the connections.
func guarded(mux *http.ServeMux, tracer trace.Tracer) {
	var logins atomic.Uint64
	var mu sync.Mutex
	connections := map[string]map[string]bool{} // by token
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		ctx, root := tracer.Start(chosen(r), "POST /login")
		defer root.End()
		for _, name := range []string{"user", "password"} {
			_, span := tracer.Start(ctx, name)
			span.End()
		}
		var asked struct{ Name string }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || asked.Name != "me" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"detail": "who are you?"}`)
			return
		}
		token := "t/0 k\"" + strconv.FormatUint(logins.Add(1), 10)
		mu.Lock()
		connections[token] = map[string]bool{}
		mu.Unlock()
		w.Header().Set("Set-Cookie", "session=cookie7; Path=/")
		w.WriteHeader(http.StatusCreated)
		if err := json.NewEncoder(w).Encode(map[string]string{"access_token": token}); err != nil {
			panic(err)
		}
	})
	mux.HandleFunc("POST /orders/{token}", func(w http.ResponseWriter, r *http.Request) {
		ctx, root := tracer.Start(chosen(r), "POST /orders")
		defer root.End()
		_, span := tracer.Start(ctx, "query")
		defer span.End()
		var asked struct{ Token string }
		token, signed := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		mu.Lock()
		defer mu.Unlock()
		of := connections[token]
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || !signed || of == nil || asked.Token != token || r.PathValue("token") != token {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		if of[r.RemoteAddr] = true; os.Getenv("ONE_EACH") != "" && len(of) > 1 {
			w.WriteHeader(http.StatusConflict)
		}
	})
}

// withLogin is a run of orders, signed by what the login gives.
func withLogin(t *testing.T, kind record.Kind, per string) (*run.Conductor, run.Request) {
	t.Helper()
	conductor, q := request(t, kind, "/orders/{token}")
	q.Name += string(kind)
	q.First.Name, q.First.Method, q.First.Headers = "order", "POST", map[string]string{"Authorization": "Bearer {token}"}
	q.First.Body = program.Content{Bytes: []byte(`{"token": "{token}"}`)}
	q.Phases[0].Operation = q.First
	q.Plan.Operations = []program.Operation{q.First}
	q.Plan.Says, q.Plan.Processes[0].Env = nil, map[string]string{takes: "1"}
	q.Plan.Setup = []program.Setup{
		{Method: "GET", URL: "/work", Keep: map[string]string{"name": `(?s)\n\n.*d(o)ne`}},
		{
			Method: "POST", URL: "/login", Body: program.Content{Bytes: []byte(`{"name": "me", "was": "{name}"}`)},
			Status: []int{201}, Keep: map[string]string{"token": "$.access_token", "cookie": "session=([^;]+)"}, Per: per,
		},
	}
	return conductor, q
}

// Operations have what the setup keeps, in their paths, headers and bodies, and its spans are the start's: they are expected, and
// every other one is accounted for.
func TestSetup(t *testing.T) {
	t.Parallel()
	for _, per := range []string{"", program.PerConnection} {
		t.Run("per "+per, func(t *testing.T) {
			t.Parallel()
			conductor, q := withLogin(t, record.Calibration, per)
			calibration := made(t, conductor, q)
			conductor, q = withLogin(t, record.Measured, per)
			logins := uint64(1)
			if per != "" {
				logins, q.Plan.Processes[0].Env["ONE_EACH"] = uint64(work.Connections), "1"
			}
			r := made(t, conductor, q)
			setup := 2 + 3*logins // spans: /work makes two
			if calibration.Start.SetupSink == nil || calibration.Start.SetupSink.Spans != setup || calibration.Start.SetupRequests != 1+logins {
				t.Errorf("calibration: %d requests, %+v", calibration.Start.SetupRequests, calibration.Start.SetupSink)
			}
			if r.Start.Sink.Spans != setup+2 || r.Start.SetupRequests != 1+logins || r.Start.SetupSink != nil || r.Phases[0].Load.Failed != 0 {
				t.Errorf("start %+v, load %+v", r.Start, r.Phases[0].Load)
			}
			tracing := ledger.Tracing{Sampling: 1, Spans: ledger.Learn([]record.Record{calibration}, 1, false)}
			if begun := tracing.Begun(); !begun.ByID {
				t.Errorf("operations are known by %+v", begun)
			}
			for _, l := range ledger.Account("otel", ledger.AppToSink, []string{"order"}, tracing, []ledger.Run{ledger.FromRecord(&r)}) {
				if len(l.Outcome) != 1 || l.Outcome[0].Code != finding.PageNothingLost || l.Operation != ledger.Start && !l.Exact {
					t.Errorf("%s: %+v", l.Operation, l)
				}
				if l.Operation == ledger.Start && ledger.Spans(l, ledger.Expected) != int64(setup+2) {
					t.Errorf("the start: %+v", l)
				}
			}
		})
	}
}

// What is wrong with a setup is told before anything is measured, with the request; what it keeps is told nowhere.
func TestSetupThatFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		want   string
		change func(*program.Setup)
	}{
		"refused": {
			`setup: POST /login: it was answered with status 401: "{\"detail\": \"who are you?\"}"; mend the request`,
			func(s *program.Setup) { s.Body.Bytes = []byte(`{"name": "you"}`) },
		},
		"another status": {
			`setup: POST /login: it was answered with status 201: `,
			func(s *program.Setup) { s.Status = []int{200} },
		},
		"not there": {
			`setup: GET /nothing: it was answered with status 404: `,
			func(s *program.Setup) { *s = program.Setup{Method: "GET", URL: "/nothing", Keep: s.Keep} },
		},
		"no such value": {
			`setup: POST /login: keep: {token: $.token}: no {token} in the answer, whose body has the keys [access_token]`,
			func(s *program.Setup) { s.Keep["token"] = "$.token" },
		},
		"no JSON": {
			`setup: GET /work: keep: {token: $.token}: no {token} in the answer, whose body of 4 bytes is no JSON object`,
			func(s *program.Setup) {
				*s = program.Setup{Method: "GET", URL: "/work", Keep: map[string]string{"token": "$.token"}}
			},
		},
		"dies": {`app`, func(s *program.Setup) { *s = program.Setup{Method: "GET", URL: "/die", Keep: s.Keep} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conductor, q := withLogin(t, record.Measured, "")
			c.change(&q.Plan.Setup[1])
			r, err := conductor.Run(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if !r.Failed() || r.Failure.Stage != "setup" || r.Failure.Process != "app" || len(r.Phases) > 0 || !strings.Contains(r.Failure.Message, c.want) {
				t.Fatalf("%+v\nwant %s", r.Failure, c.want)
			}
		})
	}
}
