package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/config/program"
)

// TestQueryCredentials: what parameters of a query hold stands in no name and in no
// file, is sent all the same, and the file can be repeated by who knows it.
func TestQueryCredentials(t *testing.T) {
	flags := Flags{
		Command:  []string{"shop", "{port}"},
		Ops:      []string{"GET /?page=2&token=hush-1", "own=GET http://u:hush-4@h/x?Api-Key=hush%202#top"},
		Ready:    "/health?access_token=hush-3",
		Variants: []string{"none", "otel-python"},
	}
	e, err := FromFlags(flags, builtIn())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := e.Operations[0].Name, "GET /?page=2&token=…"; got != want {
		t.Errorf("the operation is called %q, want %q", got, want)
	}
	plan, err := e.Plan(e.Variants[0])
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.Operations[0].URL; got != "/?page=2&token=hush-1" {
		t.Errorf("what is asked for: %q", got)
	}
	for _, secret := range []string{"hush-1", "hush%202", "hush 2", "hush-3", "hush-4"} {
		if !slices.Contains(plan.Secrets, secret) {
			t.Errorf("%q is not among the secrets %q", secret, plan.Secrets)
		}
	}
	text, err := e.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "hush") {
		t.Errorf("a credential is in the file:\n%s", text)
	}
	for _, there := range []string{"/?page=2&token=${env:REDACTED_TOKEN}", "?Api-Key=${env:REDACTED_API_KEY}#top", "?access_token=${env:REDACTED_ACCESS_TOKEN}"} {
		if !strings.Contains(string(text), there) {
			t.Errorf("%s is not in the file:\n%s", there, text)
		}
	}
	repeated(t, text, map[string]string{
		"REDACTED_TOKEN": "hush-1", "REDACTED_API_KEY": "hush%202", "REDACTED_ACCESS_TOKEN": "hush-3", "REDACTED_PASSWORD": "hush-4",
	}, plan)
}

// repeated reads what was written, without the credentials and with them, and wants
// the same text and the same requests again.
func repeated(t *testing.T, text []byte, credentials map[string]string, before *Plan) {
	t.Helper()
	_, err := ParseExperiment("experiment.yaml", ".", text, builtIn())
	if err == nil || !strings.Contains(err.Error(), "set the environment variable REDACTED_TOKEN to it") {
		t.Errorf("reading it without the credentials: %v", err)
	}
	for name, value := range credentials {
		t.Setenv(name, value)
	}
	es, err := ParseExperiment("experiment.yaml", ".", text, builtIn())
	if err != nil {
		t.Fatal(err)
	}
	again, err := es[0].YAML()
	if diff := cmp.Diff(string(text), string(again)); diff != "" || err != nil {
		t.Errorf("written again, it is another text: %v\n%s", err, diff)
	}
	plan, err := es[0].Plan(es[0].Variants[0])
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range plan.Operations {
		if o.URL != before.Operations[i].URL || o.Name != before.Operations[i].Name {
			t.Errorf("%s %s, before %s %s", o.Name, o.URL, before.Operations[i].Name, before.Operations[i].URL)
		}
	}
}

func TestNameOf(t *testing.T) {
	for request, want := range map[string]string{
		"GET /":                              "GET /",
		"GET /?q=token&monkey=x&author=me":   "GET /?q=token&monkey=x&author=me",
		"GET /?token=":                       "GET /?token=",
		"GET /?token=a;b&b=c&password=d":     "GET /?token=…&b=c&password=…",
		"GET /?client_secret=a=b#x":          "GET /?client_secret=…#x",
		"GET /?X-Amz-Signature=ab&sig=c":     "GET /?X-Amz-Signature=…&sig=…",
		"GET /?%74oken=a":                    "GET /?%74oken=…",
		"GET http://me:word@h/?apikey=a":     "GET http://me:…@h/?apikey=…",
		"GET /?token={data.token}&api_key=x": "GET /?token={data.token}&api_key=…",
		"GET /?token=${env:TOKEN}":           "GET /?token=${env:TOKEN}",
	} {
		got := program.NameOf(request)
		if got != want || program.NameOf(got) != got {
			t.Errorf("%s: %q, then %q; want %q", request, got, program.NameOf(got), want)
		}
	}
}
