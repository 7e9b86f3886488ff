package schemas

import (
	"encoding/json"
	"slices"
	"testing"
)

// What is embedded is a schema that says something: an empty one is valid too, and allows everything.
func TestEmbedded(t *testing.T) {
	names := Names()
	if want := []string{"causes", "experiment", "findings", "runs", "service", "topology", "tracer", "workload"}; !slices.Equal(names, want) {
		t.Errorf("the schemas are %v, want %v", names, want)
	}
	for _, name := range names {
		text, err := Text(name)
		if err != nil {
			t.Fatal(err)
		}
		var s struct {
			Title       string
			Properties  map[string]any
			Definitions map[string]any `json:"$defs"`
		}
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s.Title == "" || len(text) < 5000 || len(s.Properties) < 6 || len(s.Definitions) < 3 {
			t.Errorf("%s, %q, has %d bytes, %d properties and %d definitions", name, s.Title, len(text), len(s.Properties), len(s.Definitions))
		}
		if (name == "experiment") != (s.Title == ExperimentTitle) {
			t.Errorf("%s is called %q", name, s.Title)
		}
	}
}
