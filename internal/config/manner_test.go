package config

import (
	"slices"
	"testing"
)

// Every key of a load that a manner has of its own can be read, and is refused by the others.
func TestMannersHaveWordsOfTheirOwn(t *testing.T) {
	for _, m := range manners {
		for _, word := range m.Words {
			if m.foreign(word) {
				t.Errorf("%s is a word of %s and of another manner", word, m.Name)
			}
			for _, other := range manners {
				if other.Name != m.Name && !other.foreign(word) {
					t.Errorf("%s is a word of %s, and %s takes it", word, m.Name, other.Name)
				}
			}
		}
		if m.foreign("duration") {
			t.Errorf("duration is a word of every manner, and %s does not take it", m.Name)
		}
	}
	names := []string{(&Workload{}).Manner().Name, (&Plan{Self: true}).Manner().Name}
	if want := []string{manners[0].Name, manners[1].Name}; !slices.Equal(names, want) {
		t.Errorf("manners are %q, want %q", names, want)
	}
}
