// Runs that fall into modes.

package analysis

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

func TestModes(t *testing.T) {
	s := twoVariants()
	s.blocks, s.noise = 12, 0.003
	s.change = func(r *record.Record) {
		if r.Variant == "otel" && r.Block%2 == 0 {
			r.Phases[0].Usage[0].CPUSeconds *= 2
		}
	}
	doc := analyse(t, s.input())
	v := get(t, doc, "json", "otel", "cpu_per_operation").Verdict
	if v.Kind != finding.CannotTell || !strings.Contains(v.Text, "50 % at") || !warned(doc, "modes") {
		t.Errorf("%+v", v)
	}
}

// Bytes that differ by a few in a thousand from run to run are no modes, also
// beside a baseline that sends none.
func TestModesThatDoNotMatter(t *testing.T) {
	s := twoVariants()
	s.blocks = 12
	s.change = func(r *record.Record) {
		if r.Variant == "otel" {
			r.Phases[0].Sink.Bytes += uint64(r.Block%2)*10000 + uint64(r.Block)*7
		}
	}
	if v := get(t, analyse(t, s.input()), "json", "otel", "export_bytes_per_operation").Verdict; v.Kind != finding.Costs {
		t.Errorf("%+v", v)
	}
}
