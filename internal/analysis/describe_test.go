package analysis

import (
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/record"
)

// A report tells by which version two variants differ, and nothing that may be a secret.
func TestVariantText(t *testing.T) {
	env := func(pairs ...string) config.Variant {
		v := config.Variant{Env: map[string]string{}}
		for i := 0; i < len(pairs); i += 2 {
			v.Env[pairs[i]] = pairs[i+1]
		}
		return v
	}
	args := func(words ...string) config.Variant { return config.Variant{Args: words} }
	for want, two := range map[string][2]config.Variant{
		"SDK=1.1":                        {env("SDK", "1.1"), env("SDK", "1.0")},
		"A set, SDK=1.1":                 {env("SDK", "1.1", "A", "x"), env("SDK", "1.0")},
		"B set":                          {env("B", "x"), env("B", "x")},
		"DB_PASS set, MYSQL_PWD set":     {env("DB_PASS", "hunter2", "MYSQL_PWD", "hunter2"), env("DB_PASS", "hunter3", "MYSQL_PWD", "hunter3")},
		"JAVA_OPTS set":                  {env("JAVA_OPTS", "-Dpassword=hunter2"), env("JAVA_OPTS", "-Dpassword=hunter3")},
		"SLACK_WEBHOOK set, TOKEN_X set": {env("SLACK_WEBHOOK", "T0", "TOKEN_X", "abcdefgh"), env("SLACK_WEBHOOK", "T1", "TOKEN_X", "other")},
		"URL set":                        {env("URL", "postgres://me:pass@host/db"), env("URL", "x")},
		"-sdk=new":                       {args("-sdk=new"), args("-sdk=old")},
		"arguments set":                  {args("--token=abc"), args("--token=def")},
		"X set, arguments set":           {config.Variant{Env: map[string]string{"X": "1"}, Args: []string{"-u", "admin:hunter2"}}, args("-u", "x")},
		"as I say":                       {{Description: "as I say", Env: map[string]string{"SDK": "1.1"}}, env("SDK", "1.0")},
	} {
		if got := variantText(two[0], two[:]); got != want {
			t.Errorf("%+v: %q, want %q", two[0], got, want)
		}
	}
}

// CallsOf is a graph by its calls alone.
type CallsOf map[string]map[program.Edge]float64

func (c CallsOf) Calls(operation string) map[program.Edge]float64 { return c[operation] }

func (c CallsOf) Echo() program.Graph                   { return c }
func (c CallsOf) Replicated(int) (program.Graph, error) { return c, nil }

func (CallsOf) Fill(*program.Workload, func(string) (*program.Service, error)) error { return nil }

// Calls are those of all operations of a run, whatever stretch they were made in: proxies count them all.
func TestCallsMade(t *testing.T) {
	g := CallsOf{"home": {{From: "front", To: "back"}: 1, {From: "front", To: "back-2"}: 0.99999999999}, "ping": {}}
	of := func(n uint64) record.Load { return record.Load{Started: n} }
	r := &record.Record{
		Start: record.Start{FirstOperation: "ping"},
		Phases: []record.Phase{
			{Operation: "home", Warmup: of(1), Load: of(10), Profiled: []record.Profiled{{Load: of(100)}}},
			{Operation: "of no graph", Load: of(7)},
			{Operation: "mix", Load: record.Load{Started: 5, Parts: []record.Part{{Operation: "home", Started: 2}, {Operation: "ping", Started: 3}}}},
		},
	}
	if calls := callsMade(g, r); calls != 3*113+4 {
		t.Errorf("%d calls, want %d", calls, 3*113+4)
	}
}
