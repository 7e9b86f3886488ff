package graphs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/run/prepare"
)

// A graph says how to get a store that is not installed, and that nodes can stand for it; who may not capture packets, what is
// needed for that.
func TestAbsentOfGraphs(t *testing.T) {
	dir := t.TempDir()
	const tcpdump = "#!/bin/sh\necho \"no permission to capture on $2\" >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "tcpdump"), []byte(tcpdump), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	catalog := program.NewCatalog(os.DirFS("../.."))
	for text, wants := range map[string][]string{
		"variants: {none: , packets: }": {"redis-server is not installed", "stores: echo",
			"tcpdump cannot do its work here (no permission to capture on lo)", "cap_net_raw"},
		"stores: echo\nvariants: {none: , packets: }": {"cap_net_raw"},
	} {
		es, err := config.ParseExperiment("e.yaml", dir, []byte("workload: graph/boutique\n"+text+"\n"), catalog)
		if err != nil {
			t.Fatal(err)
		}
		missing := strings.Join(prepare.Missing(es[0], es[0].Variants[1]), "; ")
		for _, want := range wants {
			if !strings.Contains(missing, want) {
				t.Errorf("%s: missing %q, want %q", text, missing, want)
			}
		}
		if len(wants) == 1 && strings.Contains(missing, "redis") {
			t.Errorf("%s: missing %q, and nodes stand for Redis", text, missing)
		}
	}
}
