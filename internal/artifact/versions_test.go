package artifact

import (
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/spec"
)

func TestVersions(t *testing.T) {
	got := Versions(t.Context(), []spec.Need{{Command: "go"}, {Command: "no-such-command"}, {Reason: "cannot be had"}})
	if !strings.HasPrefix(got["go"], "go version go1.") || got["no-such-command"] != "not known" || len(got) != 2 {
		t.Errorf("%v", got)
	}
}
