package lab

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/cli"
	"github.com/tracetax/tracetax/internal/cli/console"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/sink"
)

// With the lab each protocol and each format of files can be read, and its commands are there.
func TestRegistered(t *testing.T) {
	for _, row := range protocol.Table {
		if err := sink.Receives(row.Name); err != nil {
			t.Error(err)
		}
	}
	for _, format := range program.FileFormats {
		if err := sink.ReadsFiles(format); err != nil {
			t.Error(err)
		}
	}
	for _, command := range []string{
		"replicate", "graph", "graph rebuild", "agent platform", "agent environments", "agent verify-functions", "agent sidecar",
	} {
		var out, errOut bytes.Buffer
		status := cli.Main(append(strings.Fields(command), "--help"), nil, &out, &errOut)
		if status != console.Fine || !strings.Contains(out.String(), "\n  tracetax "+command+" ") {
			t.Errorf("%s: status %d\n%s%s", command, status, out.String(), errOut.String())
		}
	}
}
