package record

import (
	"encoding/json"
	"testing"
)

// Records of an earlier tracetax name the outcomes of a search in words.
func TestOutcomesOfEarlierRecords(t *testing.T) {
	for text, want := range map[string]Outcome{"saturated before the target": Saturated, "saturated": Saturated, "found": Found, "above-most": AboveMax, "above-max": AboveMax, "no spans to lose": NoSpans} {
		var c Capacity
		if err := json.Unmarshal([]byte(`{"outcome": "`+text+`"}`), &c); err != nil || c.Outcome != want {
			t.Errorf("%s: %q, %v", text, c.Outcome, err)
		}
	}
}
