// Tracers that write into rings in memory.

package run_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/ring/ringtest"
)

// The sink counts the spans in {sink.ring}, which lies in {memory}: a folder of the run alone, that goes with it.
func TestSpansInRings(t *testing.T) {
	t.Parallel()
	conductor, q := request(t, record.Measured, "/work")
	without := made(t, conductor, q)

	dir := t.TempDir()
	p := ringtest.New(t, filepath.Join(dir, "rings"), 7, ringtest.About{Service: "rings"})
	r := p.Ring(ringtest.Platform, 4096)
	r.Owner(1)
	add := p.Method("com.acme.Cart", "add")
	for range 3 {
		r.Enter(add)
		r.Exit(add)
	}
	p.Die()
	q.Name += "-rings"
	script := `cp -r "$1" "$0/.new" && mv "$0/.new/jvm-7-00000007" "$0" && stat -c "%a $2" "$2" > "$3" && shift 3 && exec "$@"`
	words := []string{"sh", "-c", script, "{sink.ring}", filepath.Join(dir, "rings"), "{memory}", filepath.Join(dir, "memory")}
	q.Plan.Processes[0].Run = slices.Concat(words, q.Plan.Processes[0].Run)
	with := made(t, conductor, q)
	if with.Life.Spans != without.Life.Spans+3 || with.Life.Protocols["ring"] != 1 || with.Life.Services["rings"] != 3 {
		t.Errorf("without rings %+v, with them %+v", without.Life, with.Life)
	}
	text, err := os.ReadFile(filepath.Join(dir, "memory"))
	if err != nil {
		t.Fatal(err)
	}
	mode, memory, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	if mode != "700" {
		t.Errorf("{memory} has mode %s", mode)
	}
	if _, err := os.Stat(memory); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("{memory}, %s, is still there: %v", memory, err)
	}
}
