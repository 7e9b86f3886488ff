package program

import (
	"slices"
	"strings"
	"testing"
)

// A callee stands before its caller, so that the first process is the innermost; it is the outermost that is asked.
func TestTheOutermostProcessIsAsked(t *testing.T) {
	const tail = "operations: {home: GET /, there: {request: 'GET http://h:1/'}, named: {request: GET /, process: back}}\n"
	w, err := ParseWorkload("w.yaml", "w", []byte(`processes:
  - {name: db, role: database, run: [db, "{port}"]}
  - {name: back, run: [x, "{port}", "{db.port}"]}
  - {name: middle, run: [x, "{port}"], env: {NEXT: "http://127.0.0.1:{back.port}"}}
  - {name: front, run: [x, "{port}", "{middle.port}", "{front.port}"]}
`+tail))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"front", "", "back"} {
		if got := w.Operations[i].Process; got != want {
			t.Errorf("%s is asked of %q, want %q", w.Operations[i].Name, got, want)
		}
	}
	for _, processes := range []string{
		`[{name: a, run: [x, "{port}"]}, {name: b, run: [x, "{port}"]}]`,
		`[{name: a, run: [x, "{port}", "{b.port}"]}, {name: b, run: [x, "{port}", "{a.port}"]}]`,
	} {
		_, err := ParseWorkload("w.yaml", "w", []byte("processes: "+processes+"\n"+tail))
		if err == nil || !strings.Contains(err.Error(), "w.yaml:2:20: the request goes to a path, and several processes could be asked: a, b; name one with process: NAME") {
			t.Errorf("%s: %v", processes, err)
		}
	}
}

func TestSeveralStatuses(t *testing.T) {
	const head = "processes: [{name: a, run: [x, '{port}']}]\noperations: {home: {request: GET /, status: "
	for text, want := range map[string][]int{"200": {200}, "[200, 500]": {200, 500}, "[404]": {404}} {
		w, err := ParseWorkload("w.yaml", "w", []byte(head+text+"}}\n"))
		if err != nil || !slices.Equal(w.Operations[0].Status, want) {
			t.Errorf("%s: %v, %v", text, w, err)
		}
	}
	for text, want := range map[string]string{
		"[]":         "a list of statuses has 1 to",
		"[200, 200]": "200 is here a second time",
		"[200, 60]":  "60 is out of range: 100 to 599",
		"ok":         "\"ok\" is not a whole number",
	} {
		if _, err := ParseWorkload("w.yaml", "w", []byte(head+text+"}}\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
