package cell

import (
	"maps"
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	for name, c := range map[string]struct {
		at                  At
		text, title, work   string
		level, equals, word string
	}{
		"the whole run":   {At{}, "", "whole run", "", "", "", ""},
		"nothing varied":  {AtOf("json", nil), "json", "json", "json", "", "", ""},
		"connections":     {AtOf("json", map[string]string{"connections": "4"}), "json, connections 4", "json, connections 4", "json", "connections 4", "connections=4", "connections-4"},
		"depth":           {AtOf("call", map[string]string{"threads": "2", "depth": "8"}), "call, depth 8, threads 2", "call, depth 8, threads 2", "call, depth 8", "depth 8, threads 2", "depth=8, threads=2", "depth-8-threads-2"},
		"of no operation": {AtOf("", map[string]string{"depth": "8"}), "depth 8", "depth 8", ", depth 8", "depth 8", "depth=8", "depth-8"},
	} {
		l := c.at.Level
		if c.at.String() != c.text || c.at.Title() != c.title || c.at.Work() != c.work || l.String() != c.level || l.Join("=", ", ") != c.equals || l.Join("-", "-") != c.word {
			t.Errorf("%s: %q, %q, %q, %q, %q, %q; want %+v", name, c.at.String(), c.at.Title(), c.at.Work(), l.String(), l.Join("=", ", "), l.Join("-", "-"), c)
		}
		if l.IsZero() != (c.level == "") {
			t.Errorf("%s: nothing is varied: %t", name, l.IsZero())
		}
	}
}

// A level is its parameter: nothing else, and nothing less.
func TestLevelsAreParameters(t *testing.T) {
	all := []map[string]string{{"a": "1"}, {"a": "1", "b": "2"}, {"a": "1, b 2"}, {"a": ""}, {"": "a"}, {"rate": "200/s"}}
	seen := map[Level]bool{}
	for _, m := range all {
		l := LevelOf(m)
		if !maps.Equal(l.Map(), m) || seen[l] || l != LevelOf(maps.Clone(m)) {
			t.Errorf("%v became %v", m, l.Map())
		}
		seen[l] = true
	}
	if LevelOf(nil) != (Level{}) || LevelOf(map[string]string{}).Map() != nil {
		t.Error("no parameter is a level")
	}
}

func TestSweptAndOrder(t *testing.T) {
	of := func(name, value string) Level { return LevelOf(map[string]string{name: value}) }
	for _, c := range []struct {
		level Level
		name  string
		x     float64
		ok    bool
	}{{of("rate", "200/s"), "rate", 200, true}, {of("depth", "8"), "depth", 8, true}, {of("mode", "fast"), "mode", 0, false}, {of("rate", "NaN"), "rate", 0, false}, {Level{}, "", 0, false}} {
		name, x, ok := c.level.Swept()
		if name != c.name || ok != c.ok || ok && x != c.x {
			t.Errorf("%s: %q, %g, %t", c.level, name, x, ok)
		}
	}
	levels := []Level{of("rate", "1000/s"), of("depth", "16"), of("depth", "8"), of("rate", "200/s"), {}}
	slices.SortFunc(levels, Level.Compare)
	want := []string{"", "depth 8", "depth 16", "rate 200/s", "rate 1000/s"}
	for i, l := range levels {
		if l.String() != want[i] {
			t.Fatalf("order %v, want %v", levels, want)
		}
	}
}
