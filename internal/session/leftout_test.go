package session

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
)

func TestWithout(t *testing.T) {
	e := &config.Experiment{Variants: []config.Variant{{Name: "none"}, {Name: "a"}, {Name: "b", Against: "a"}, {Name: "c", Against: "b"}}}
	kept := without(e, []finding.LeftOut{{Variant: "a"}})
	var got []string
	for _, v := range kept.Variants {
		got = append(got, v.Name+":"+v.Against)
	}
	if want := "[none: b: c:b]"; fmt.Sprint(got) != want {
		t.Errorf("kept %v, want %s", got, want)
	}
	if len(e.Variants) != 4 || e.Variants[2].Against != "a" {
		t.Error("what the user has was changed")
	}
}

func TestSameLeftOut(t *testing.T) {
	left := func(names ...string) (out []finding.LeftOut) {
		for _, name := range names {
			out = append(out, finding.LeftOut{Variant: name, Reason: "why"})
		}
		return out
	}
	for name, test := range map[string]struct {
		before, now []finding.LeftOut
		want        string
	}{
		"none":      {nil, nil, ""},
		"the same":  {left("a", "b"), left("b", "a"), ""},
		"one more":  {left("a"), left("a", "b"), "variant b was measured, and cannot run here any more (why)"},
		"one fewer": {left("a", "b"), left("a"), "variant b could not run when this was begun (why), and can now"},
	} {
		if err := sameLeftOut(test.before, test.now); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
