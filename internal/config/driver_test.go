package config

import (
	"os"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config/program"
)

// Every key of a load that a driver has of its own is its own alone, and is refused by the others.
func TestDriversHaveKeysOfTheirOwn(t *testing.T) {
	for _, of := range program.Drivers {
		for _, by := range program.Drivers {
			w := &program.Workload{Name: "shop", Driver: by.Name}
			for _, key := range of.Load {
				if why := wayText(key, w); (why == "") != (of.Name == by.Name) {
					t.Errorf("%s is a key of %s, and of a workload of %s it is said: %q", key, of.Name, by.Name, why)
				}
			}
			if why := wayText("duration", w); why != "" {
				t.Errorf("duration is a key of every driver, and of a workload of %s it is said: %q", by.Name, why)
			}
		}
	}
}

// The page of the keys names each driver.
func TestDocsNameDrivers(t *testing.T) {
	page, err := os.ReadFile("../../docs/experiment-file.md")
	if err != nil {
		t.Fatal(err)
	}
	_, row, _ := strings.Cut(string(page), "\n| `driver` |")
	row, _, _ = strings.Cut(row, "\n")
	for _, d := range program.Drivers {
		if !strings.Contains(row, "`"+string(d.Name)+"`") {
			t.Errorf("docs/experiment-file.md does not name %s as a driver", d.Name)
		}
	}
}

// A workload names its driver, or says self: true; the resolved experiment says it again.
func TestDriverIsNamed(t *testing.T) {
	const processes = "processes: [{name: app, run: [app, '{port}']}]\n"
	for line, want := range map[string]program.Driver{
		"driver: self-driving\n": program.SelfDriving, "self: true\n": program.SelfDriving,
	} {
		w, err := program.ParseWorkload("w.yaml", "w", []byte(line+processes+"operations: {call: }\n"))
		if err != nil || w.Driver != want {
			t.Fatalf("%q: %+v, %v", line, w, err)
		}
		written := false
		for _, item := range (program.Writer{}).Written(w, program.InWorkload) {
			written = written || item.Key == "self"
		}
		if !written {
			t.Errorf("%q: what is written does not say self", line)
		}
	}
	for line, problem := range map[string]string{
		"driver: nobody\noperations: {call: GET /}\n":                  "nobody",
		"driver: self-driving\nself: true\noperations: {call: }\n":     "leave one of them out",
		"driver: requests\nself: true\noperations: {call: }\n":         "leave one of them out",
		"driver: self-driving\nrate: 5/s\noperations: {call: }\n":      "leave rate out",
		"driver: self-driving\noperations: {call: {request: GET /}}\n": "part of a request",
	} {
		if _, err := program.ParseWorkload("w.yaml", "w", []byte(processes+line)); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%q: %v", line, err)
		}
	}
	if _, err := program.ParseWorkload("w.yaml", "w", []byte(processes+"driver: requests\noperations: {call: GET /}\n")); err != nil {
		t.Error(err)
	}
}
