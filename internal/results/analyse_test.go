package results

import (
	"fmt"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/finding"
)

func TestWithout(t *testing.T) {
	e := &config.Experiment{Variants: []config.Variant{{Name: "none"}, {Name: "a"}, {Name: "b", Against: "a"}, {Name: "c", Against: "b"}}}
	kept := Without(e, []finding.LeftOut{{Variant: "a"}})
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
