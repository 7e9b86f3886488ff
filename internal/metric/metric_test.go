package metric

import (
	"slices"
	"testing"
)

// Each metric stands in the table once, and in the reader's order once.
func TestNamesAreUnique(t *testing.T) {
	seen, words := map[string]bool{}, map[string]string{}
	for _, r := range Table {
		if seen[r.Name] {
			t.Errorf("%s stands in the table twice", r.Name)
		}
		seen[r.Name] = true
		for _, word := range r.Budget {
			if of, taken := words[word]; taken || !r.Limited {
				t.Errorf("%s is a word of %s (taken by %s), which a budget may name: %t", word, r.Name, of, r.Limited)
			}
			words[word] = r.Name
		}
		if Rank(r.Name) >= Rank("no metric") {
			t.Errorf("%s comes after what is no metric", r.Name)
		}
		if r.Unit == "" || r.Headline&^r.In != 0 && r.In != 0 || r.Side != "" && r.Short == "" {
			t.Errorf("%+v", r)
		}
		for how := range r.Swept {
			if !r.In.Has(how) {
				t.Errorf("%s is drawn where it is not measured", r.Name)
			}
		}
		for _, name := range r.Beside {
			if _, known := Of(name); !known {
				t.Errorf("%s is to be read beside %s, and is not known", name, r.Name)
			}
		}
	}
	for i, name := range shown {
		if !seen[name] || slices.Index(shown, name) != i {
			t.Errorf("%s stands in the reader's order, twice or without a row", name)
		}
	}
}

func TestTitles(t *testing.T) {
	for name, want := range map[string]string{"latency_p75": "latency p75", "latency_p999": "latency p99.9", "cpu_per_operation": "CPU per operation", "of_ones_own": "of ones own"} {
		if got := Title(name); got != want {
			t.Errorf("%s is called %q, want %q", name, got, want)
		}
	}
}

func TestRegimes(t *testing.T) {
	row := Must(Throughput)
	if row.Verdict.Has(Open) || !row.Verdict.Has(Closed) || row.Notes(Open) == "" || row.Notes(Closed) != "" {
		t.Errorf("the throughput at a rate is that rate: %+v", row)
	}
	if got := Swept(Closed); !slices.Equal(got, []string{Throughput, CPUPerOperation}) {
		t.Errorf("drawn in a closed loop are %v", got)
	}
}

// Each metric says what it is, and nothing else does.
func TestMeans(t *testing.T) {
	for _, row := range Table {
		if Means(row.Name) == "" {
			t.Errorf("%s does not say what it is: table.go", row.Name)
		}
	}
	if len(means) != len(Table) {
		t.Errorf("%d metrics say what they are, of %d", len(means), len(Table))
	}
}
