// The web services, each with its tracers: the answers are checked against
// TechEmpower's rules, and every span is accounted for.

package e2e

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
)

// service is a web service: what it is made with, and how many spans an operation makes
// by variant and operation.
type service struct {
	programs []string
	spans    map[string]spanTable // by variant
}

// spanTable is how many spans an operation makes.
type spanTable map[string]int64

// httpOnly is one span a request, whatever it does.
var httpOnly = spanTable{"json": 1, "db": 1, "queries": 1, "updates": 1}

var (
	spring = service{[]string{"java", "mvn"}, map[string]spanTable{
		// The request; the repository's method, Hibernate's session and the statement for
		// each row; the commit. What is changed makes a statement each.
		"otel": {"json": 1, "db": 5, "queries": 32, "updates": 22},
		// The request, and the statements.
		"otel-driver": {"json": 1, "db": 2, "queries": 11, "updates": 11},
		"elastic":     {"json": 1, "db": 2, "queries": 11, "updates": 11},
	}}
	node = service{[]string{"node", "npm"}, map[string]spanTable{
		// The request; for each statement, taking a connection and the statement. The updates
		// are twelve statements on one connection; one begins and one commits.
		"otel":    {"json": 1, "db": 3, "queries": 21, "updates": 14},
		"elastic": {"json": 1, "db": 2, "queries": 11, "updates": 13},
	}}
	gohttp = service{[]string{"go"}, map[string]spanTable{
		// The request, and the statements: begin and commit are two to otelpgx.
		"otel": {"json": 1, "db": 2, "queries": 11, "updates": 13},
		// They are none to apmsql.
		"elastic": {"json": 1, "db": 2, "queries": 11, "updates": 11},
	}}
	flask = service{[]string{"python3"}, map[string]spanTable{
		// The request; SQLAlchemy's connect; for each statement one of SQLAlchemy's and one of psycopg's.
		"otel": {"json": 1, "db": 4, "queries": 22, "updates": 14},
		// The request, and the statements: the updates are one executemany.
		"otel-driver": {"json": 1, "db": 2, "queries": 11, "updates": 7},
		"elastic":     {"json": 1, "db": 2, "queries": 11, "updates": 7},
	}}
)

func TestRequestsSpring(t *testing.T) {
	more(t, "requests")
	spring.verified(t, "requests/spring")
}

func TestRequestsNode(t *testing.T) {
	more(t, "requests")
	node.verified(t, "requests/node")
}

func TestRequestsGo(t *testing.T) { gohttp.verified(t, "requests/gohttp") }
func TestRequestsFlask(t *testing.T) {
	more(t, "requests") // its answers alone take a minute to check
	flask.verified(t, "requests/flask")
}

// The other depths and protocols take as long again, and change only with a tracer.
func TestDepthsOfRequests(t *testing.T) {
	more(t, "requests")
	for name, s := range map[string]service{"requests/spring": spring, "requests/node": node, "requests/gohttp": gohttp, "requests/flask": flask} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it mostly waits, and asks for counts, not for times
			need(t, s.programs...)
			spans := map[string]spanTable{"otel-http": httpOnly, "elastic-http": httpOnly, "otel-other": s.spans["otel"]}
			variants := `
  otel-http: {tracer: otel, settings: {delay: 200ms, instrument: http}}
  elastic-http: {tracer: elastic, settings: {delay: 200ms, instrument: http}}
  otel-other: {tracer: otel, settings: {delay: 200ms, compression: gzip}}
`
			if driver, has := s.spans["otel-driver"]; has {
				spans["otel-driver"] = driver
				variants += "  otel-driver: {tracer: otel, settings: {delay: 200ms, instrument: driver}}\n"
			}
			verifiedRequests(t, name, variants, spans)
		})
	}
}

// verified runs the service once without tracing, with OpenTelemetry and with Elastic,
// as their users have them.
func (s service) verified(t *testing.T, workload string) {
	t.Parallel() // it mostly waits, and asks for counts, not for times
	t.Helper()
	need(t, s.programs...)
	verifiedRequests(t, workload, `
  otel: {tracer: otel, settings: {delay: 200ms}}
  elastic: {tracer: elastic, settings: {delay: 200ms}}
`, map[string]spanTable{"otel": s.spans["otel"], "elastic": s.spans["elastic"]})
}

// verifiedRequests runs a workload once with each variant. That its answers are right is
// checked on the way: a variant that fails the verifier is left out.
func verifiedRequests(t *testing.T, workload, variants string, want map[string]spanTable) {
	t.Helper()
	file := write(t, `
workload: `+workload+`
operations: [json, db, queries, updates]
variants:
  none:`+variants+`
load: {rate: 5/s, warmup: 0s, warmup_all: 0s, duration: 1s, idle: 100ms, timeout: 60s}
design: {blocks: 1, seed: 3, order: woven}
`)
	out := t.TempDir() + "/results"
	doc := document(t, tracetax(t, "run", file, "--json", "--out", out).exit(t, 0))
	for variant, operations := range want {
		for operation, spans := range operations {
			if err := accounted(ledger(t, doc, operation, variant), spans); err != nil {
				t.Errorf("%s, %s: %v", operation, variant, err)
			}
		}
	}
	checked := verifiedVariants(t, out)
	for variant := range want {
		if !slices.Contains(checked, variant) {
			t.Errorf("the answers of %s were not checked", variant)
		}
	}
	if !slices.Contains(checked, "none") {
		t.Error("the answers of the baseline were not checked")
	}
}

// accounted complains where an operation did not make so many spans each time, or where
// one of them was neither delivered, nor merged or suppressed by the tracer's own words.
func accounted(l finding.Ledger, spans int64) error {
	want := spans * int64(l.Operations)
	told := int64(0)
	for _, name := range []string{"delivered", "merged", "suppressed"} {
		told += max(0, entry(l, name))
	}
	if l.Operations == 0 || entry(l, "expected") != want || told != want || entry(l, "unaccounted") != 0 || !l.Exact {
		return fmt.Errorf("%d operations of %d spans each, and the ledger says %+v", l.Operations, spans, l.Entries)
	}
	return nil
}

// verifiedVariants are the variants whose answers the verifier found good.
func verifiedVariants(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	for _, r := range records(t, dir) {
		if len(r.Start.Verified) > 0 {
			out = append(out, r.Variant)
		}
	}
	return out
}
